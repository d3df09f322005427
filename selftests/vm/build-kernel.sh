#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# build-kernel.sh TREE FRAGMENT...: builds the kernel whose source is in TREE
# with tinyconfig and what the config fragments beside this script say, and
# makes TREE fit to build modules against. Objects are thrown away.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$1" && pwd)
shift

cd "$tree"
log=$tree/build.log
fragments=("${@/#/$here/}")

quietly()
{
	"$@" >>"$log" 2>&1 || { tail -n 30 "$log" >&2; exit 1; }
}

# The variables of a make above are not for this one.
unset MAKEFLAGS MAKEOVERRIDES MFLAGS MAKELEVEL

quietly make tinyconfig
quietly scripts/kconfig/merge_config.sh -m .config "${fragments[@]}"
quietly make olddefconfig

# An option that did not survive would be a check that silently is none.
lost=$(sed -n 's/^\(CONFIG_[A-Z0-9_]*=.*\)/\1/p' "${fragments[@]}" |
	while read -r option; do
		name=${option%%=*}
		# A later fragment may say otherwise.
		last=$(cat "${fragments[@]}" | grep -E "^(# )?${name}[= ]" | tail -n 1)
		[ "$last" != "$option" ] || grep -qxF "$option" .config || echo "$option"
	done)
[ -z "$lost" ] || { echo "not in the config:" "$lost" >&2; exit 1; }

quietly make -j"$(nproc)" bzImage modules
quietly make INSTALL_MOD_PATH="$tree/image" modules_install
find . -name '*.o' -not -path './scripts/*' -not -path './tools/*' -delete
find . \( -name '*.a' -o -name '*.o.cmd' \) -not -path './tools/*' -delete
rm -rf Documentation .tmp_*
