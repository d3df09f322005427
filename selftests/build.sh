#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# build.sh KERNEL [DIR [KBUILD-ARGUMENT]...]: builds chring.ko for a tested
# kernel in DIR or build/KERNEL, away from what `make` leaves beside the
# sources. A warning is an error. Says nothing when all is well.
set -euo pipefail

cd "$(dirname "$0")/.."
# shellcheck source-path=SCRIPTDIR source=vm/kernel.sh
. selftests/vm/kernel.sh
kernel_select "$1"
kernel_locate || { echo "KERNEL=$1 is not here yet: run 'make deps'" >&2; exit 1; }
build=${2:-build/$1}
shift $(($# < 2 ? $# : 2))

mkdir -p "$build"
exec {lock}>"$build.lock"
flock "$lock"

sources()
{
	find Kbuild kmod uapi -name '*.[chS]' -o -name Kbuild
}

# Only what differs is copied: an untouched file keeps its time, and its
# object stays. What is gone here goes there.
changed=
while read -r file; do
	cmp -s "$file" "$build/$file" && continue
	install -Dpm 644 "$file" "$build/$file"
	changed=1
done < <(sources)
while read -r file; do
	[ -e "$file" ] && continue
	rm "$build/$file"
	changed=1
done < <(cd "$build" && sources)

# kbuild takes seconds to find that it has nothing to do.
stamp="$k_release $k_version $k_dir $*"
[ -n "$changed" ] || [ ! -e "$build/chring.ko" ] ||
	[ "$stamp" != "$(cat "$build/stamp" 2>/dev/null)" ] || exit 0
rm -f "$build/stamp"

log=$build/build.log
status=0
base=$(tools/btf.sh base "$k_dir" "$k_vmlinux")
# The variables of a make above are not for kbuild.
env -u MAKEFLAGS -u MAKEOVERRIDES -u MFLAGS -u MAKELEVEL \
	make -s -C "$k_dir" M="$PWD/$build" -j"$(nproc)" W=1 KCFLAGS=-Werror \
	"$@" ${base:+CHRING_BTF=y} modules >"$log" 2>&1 || status=$?
if [ "$status" != 0 ] || grep -qiE '\<(warning|error):' "$log"; then
	sed "s|$PWD/$build/||g" "$log" >&2
	# modpost and sparse only warn; a next run would have nothing to say.
	find "$build" \( -name '*.ko' -o -name '*.o' -o -name modules.order \) -delete
	exit 1
fi
[ -z "$base" ] || tools/btf.sh add "$base" "$build/chring.ko"
echo "$stamp" >"$build/stamp"
