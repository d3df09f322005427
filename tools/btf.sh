#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# The type information (BTF) of a module, by which BPF programs find its kfuncs,
# for kernels whose headers do not let kbuild make it.
#
# btf.sh base KDIR [VMLINUX]: prints where the types of the kernel of KDIR are, if
#	a module for it wants btf.sh add afterwards; nothing, if kbuild does it, or
#	if it cannot be done, which it says on standard error. VMLINUX has them:
#	an uncompressed kernel, or a copy of its /sys/kernel/btf/vmlinux
# btf.sh add BASE MODULE: gives MODULE its type information
set -euo pipefail

here=$(dirname "$0")

without()
{
	echo "chring.ko is built without kfuncs for BPF programs: $1" >&2
	exit 0
}

# Two builds at a time may want it.
build_ids()
{
	mkdir -p "$here/../build"
	flock "$here/../build/make.lock" \
		make -s --no-print-directory -C "$here" btf_ids >&2
}

# unpack KERNEL TO: the kernel that is in a bootable one, found as
# scripts/extract-vmlinux of Linux does.
unpack()
{
	local tool magic at found

	while read -r tool magic; do
		mapfile -t found < <(LC_ALL=C grep -aboP "$magic" "$1" | cut -d : -f 1)
		for at in "${found[@]}"; do
			# Something stands behind it, which the tools do not like.
			tail -c "+$((at + 1))" "$1" | "$tool" -dc >"$2" 2>/dev/null || :
			! readelf -h "$2" >/dev/null 2>&1 || return 0
		done
	done <<-'END'
	xz \xfd7zXZ\x00
	zstd \x28\xb5\x2f\xfd
	gzip \x1f\x8b\x08
	END
	rm -f "$2"
	return 1
}

# types_of RELEASE: prints where they are
types_of()
{
	local unpacked=$here/../build/vmlinux-$1

	if [ "$1" = "$(uname -r)" ] && [ -e /sys/kernel/btf/vmlinux ]; then
		echo /sys/kernel/btf/vmlinux
	elif [ "$unpacked" -nt "/boot/vmlinuz-$1" ] || {
		mkdir -p "$here/../build" &&
		[ -e "/boot/vmlinuz-$1" ] && unpack "/boot/vmlinuz-$1" "$unpacked"
	}; then
		echo "$unpacked"
	else
		return 1
	fi
}

base()
{
	local kdir=$1 vmlinux=${2-} release

	# kbuild has all it needs; or nobody there wants to know.
	[ ! -e "$kdir/vmlinux" ] || exit 0
	grep -qs '^CONFIG_DEBUG_INFO_BTF_MODULES=y' "$kdir/.config" "$kdir/include/config/auto.conf" ||
		without "this kernel takes no type information from modules"
	if [ -z "$vmlinux" ]; then
		release=$(cat "$kdir/include/config/kernel.release")
		vmlinux=$(types_of "$release") ||
			without "say with VMLINUX=FILE where the kernel of $kdir is, uncompressed"
	fi
	command -v pahole >/dev/null ||
		without "pahole (package dwarves) is missing"
	build_ids ||
		without "tools/btf_ids is not built (packages libbpf-dev, libelf-dev)"
	echo "$vmlinux"
}

add()
{
	local base=$1

	module=$2
	# Not built anew since.
	! readelf -SW "$module" | grep -q ' \.BTF ' || exit 0
	# All of it or nothing: what has types is taken to be done.
	trap 'rm -f "$module.types"' EXIT
	cp "$module" "$module.types"
	LLVM_OBJCOPY=objcopy pahole -J --btf_base "$base" "$module.types"
	"$here/../build/tools/btf_ids" "$base" "$module.types"
	mv "$module.types" "$module"
}

"$@"
