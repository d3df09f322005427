#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# kmod/build.sh KERNEL [DIR [KBUILD-ARGUMENT]...]: builds the modules here for a
# tested kernel in DIR or build/KERNEL-kmod, as somebody would who has nothing
# but what `make install` leaves. chring.ko is built before, by ../build.sh; two
# copies of it come along, without types and with what are none. A warning is an
# error. Says nothing when all is well.
set -euo pipefail

cd "$(dirname "$0")/../.."
# shellcheck source-path=SCRIPTDIR source=../vm/kernel.sh
. selftests/vm/kernel.sh
kernel_select "$1"
kernel_locate || { echo "KERNEL=$1 is not here yet: run 'make deps'" >&2; exit 1; }
module=build/$1
build=${2:-build/$1-kmod}
prefix=$PWD/$build/prefix
shift $(($# < 2 ? $# : 2))

mkdir -p "$build"
exec {lock}>"$build.lock"
flock "$lock"

quietly()
{
	# The variables of a make above are not for this one.
	env -u MAKEFLAGS -u MAKEOVERRIDES -u MFLAGS -u MAKELEVEL "$@"
}

# What it is made of: as long as that is the same, there is nothing to do.
stamp=$(sha256sum selftests/kmod/* kmod/chring.h uapi/linux/chring.h \
	"$module/Module.symvers" "$module/chring.ko" Makefile; echo "$k_release $k_version $k_dir $*")
[ "$stamp" != "$(cat "$build/stamp" 2>/dev/null)" ] || exit 0
rm -rf "$build/stamp" "$prefix"

quietly make -s install-api KDIR="$k_dir" MODULE="$module" PREFIX="$prefix" >&2
find "$build" -maxdepth 1 \( -name '*.[ch]' -o -name Kbuild \) -delete
cp -p selftests/kmod/*.[ch] selftests/kmod/Kbuild "$build"

log=$build/build.log
status=0
quietly make -s -C "$k_dir" M="$PWD/$build" -j"$(nproc)" W=1 KCFLAGS=-Werror \
	CHRING_API="$prefix/include/chring" \
	KBUILD_EXTRA_SYMBOLS="$prefix/lib/chring/$k_release/Module.symvers" \
	"$@" modules >"$log" 2>&1 || status=$?
if [ "$status" != 0 ] || grep -qiE '\<(warning|error):' "$log"; then
	sed "s|$PWD/$build/||g" "$log" >&2
	find "$build" -maxdepth 1 \( -name '*.ko' -o -name '*.o' \) -delete
	exit 1
fi
objcopy -R .BTF "$module/chring.ko" "$build/notypes.ko"
objcopy -R .BTF --add-section .BTF=README.md "$module/chring.ko" "$build/othertypes.ko"
echo "$stamp" >"$build/stamp"
