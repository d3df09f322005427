# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034 # for others to use
#
# The kernels chring is built and tested on: sourced by whoever needs one.
#
# kernel_select KERNEL sets
#	k_name		KERNEL
#	k_headers	package whose dependency names the release to build for
#	k_source	package that holds the kernel's source
#	k_config	for a kernel that is built here: its config, one fragment
#			after the other; else empty
#	k_scale		by what the counts of long tests are divided there
#	k_mem		MiB of memory that its guests want
#	k_boot		seconds to the first word of its guests, at most
#	k_append	parameters that it wants
#	k_cache		where fetched and built things live, outside the tree
# kernel_locate, once the headers are installed, sets
#	k_release	e.g. 6.1.0-57-amd64
#	k_version	version of the packages, e.g. 6.1.192-3
#	k_dir		kbuild directory of that release
#	k_image		its image package, unpacked
#	k_vmlinux	the kernel in there
#	k_src		files out of the source package

kernel_names="6.1 6.12 rt debug kcsan"
kernel_configs=$(dirname "${BASH_SOURCE[0]}")

kernel_select()
{
	k_name=$1
	k_headers=linux-headers-amd64
	k_source=linux-source-6.1
	k_config=
	k_scale=1
	k_mem=1024
	k_boot=90
	k_append=
	case "$1" in
	6.1)
		;;
	6.12)
		k_headers=linux-headers-6.12-amd64
		k_source=linux-source-6.12
		;;
	rt)
		k_headers=linux-headers-rt-amd64
		;;
	debug)
		k_config="debug.config quick.config"
		k_scale=10
		k_mem=3072
		k_boot=240
		# ACPI gives up on its own routing when it is this slow.
		k_append=pci=noacpi
		;;
	kcsan)
		k_config="debug.config kcsan.config"
		k_scale=10
		k_mem=2048
		k_boot=240
		k_append=pci=noacpi
		;;
	*)
		echo "KERNEL=$1: no such kernel here, choose one of: $kernel_names" >&2
		return 2
		;;
	esac
	k_cache=${CHRING_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/chring}
}

# Files wanted from the source package: what the headers package lacks.
kernel_source_files="
	.clang-format
	scripts/checkpatch.pl
	scripts/const_structs.checkpatch
	scripts/extract-vmlinux
	scripts/spelling.txt
	tools/testing/selftests/kselftest.h
	tools/testing/selftests/kselftest_harness.h
	tools/testing/selftests/lib.mk
"

kernel_locate()
{
	local depends list

	depends=$(dpkg-query -W -f '${Depends}' "$k_headers" 2>/dev/null) || return 1
	k_release=$(sed -nE 's/.*linux-headers-([0-9][^ ,]*).*/\1/p' <<<"$depends")
	[ -n "$k_release" ] || return 1
	k_version=$(dpkg-query -W -f '${Version}' "linux-headers-$k_release" 2>/dev/null) ||
		return 1
	# A longer list must not find the shorter one's files.
	list=$(cksum <<<"$kernel_source_files")
	k_dir=/usr/src/linux-headers-$k_release
	k_image=$k_cache/linux-image-${k_release}_$k_version
	k_src=$k_cache/${k_source}_$k_version-${list%% *}
	k_vmlinux=$k_image/boot/vmlinux-$k_release
	[ -z "$k_config" ] || kernel_locate_built
}

# A kernel that is built here: where, by version of the source and by config.
kernel_locate_built()
{
	local key

	# shellcheck disable=SC2086 # the fragments are words
	key=$(cd "$kernel_configs" && cat $k_config build-kernel.sh | cksum)
	k_dir=$k_cache/linux-${k_name}_$k_version-${key%% *}
	k_image=$k_dir/image
	k_vmlinux=$k_dir/arch/x86/boot/bzImage
	k_release=$(cat "$k_dir/include/config/kernel.release" 2>/dev/null || :)
}

# All of it, a line each, for those who do not speak shell.
kernel_show()
{
	local name

	for name in "${!k_@}"; do
		echo "$name=${!name}"
	done
}
