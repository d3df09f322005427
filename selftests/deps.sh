#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# deps.sh [KERNEL]: brings in what building and testing need. Packages are
# installed by apt-get; the image and source of the tested kernel are only
# unpacked into a cache, for they need not be installed to be booted or read.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=vm/kernel.sh
. "$here/vm/kernel.sh"
# shellcheck source-path=SCRIPTDIR source=packages.sh
. "$here/packages.sh"
kernel_select "${1:-6.1}"

packages()
{
	cat <<-END
	build-essential		compiler, linker and C library
	gcc-multilib		builds the 32-bit programs of the ABI tests
	$k_headers	headers of the kernel to build for
	qemu-system-x86		boots that kernel for the tests
	busybox-static		user space of the virtual machine
	cpio			packs its initramfs
	kmod			modprobe, depmod, modinfo
	dkms			builds the module as a user's machine does
	python3			runs the virtual machine
	perl			checkpatch.pl
	xz-utils		unpacks the kernel's source
	sparse			checks address spaces and endianness
	liburcu-dev		RCU for the unit tests in user space
	libxxhash-dev		xxh64 outside the kernel
	libsodium-dev		siphash to compare with
	libjson-c-dev		JSON output of chringctl
	memcached		servers for the example of libchring (a service started is harmless)
	libmemcached-dev	the protocol, for the example of libchring
	ipvsadm			services for the IPVS scheduler
	iproute2		their networks
	ethtool			likewise
	iptables		marks packets for them
	clang			compiles BPF programs
	dwarves			type information of modules, for BPF programs
	libbpf-dev		loads BPF programs
	libelf-dev		likewise
	zlib1g-dev		likewise
	pkg-config		tells the example of libchring where it is
	shellcheck		checks the scripts
	codespell		checks the spelling
	END
	[ -z "$k_config" ] || cat <<-END
	bc			builds a kernel
	bison			builds a kernel
	flex			builds a kernel
	libssl-dev		builds a kernel
	END
}

complete()
{
	[ -z "$(packages_missing)" ] && kernel_locate && [ -d "$k_image" ] && [ -d "$k_src" ]
}

install_packages()
{
	local missing

	missing=$(packages_missing)
	if [ "$(id -u)" != 0 ] && [ -z "$missing" ] && kernel_locate; then
		return
	fi
	# Headers that are installed but older than the archive go up as well:
	# the archive no longer has the image that belongs to them.
	packages_install "$missing" "$k_headers"
	kernel_locate
}

# fetch PACKAGE DIR FUNCTION: PACKAGE of the kernel's version, put by FUNCTION
# into DIR, which appears complete or not at all.
fetch()
{
	local package=$1 dir=$2 unpack=$3 part

	[ ! -d "$dir" ] || return 0
	echo "deps: $package=$k_version goes to $dir"
	part=$(mktemp -d "$k_cache/part.XXXXXX")
	(
		trap 'rm -rf "$part"' EXIT
		cd "$part"
		apt download "$package=$k_version"
		mkdir tree
		"$unpack" ./*.deb tree
		chmod 755 tree
		mv -T tree "$dir"
	)
}

# Boots without the decompressor, which takes seconds to emulate.
unpack_image()
{
	dpkg-deb -x "$1" "$2"
	"$k_src/scripts/extract-vmlinux" "$2/boot/vmlinuz-$k_release" \
		>"$2/boot/vmlinux-$k_release"
	depmod -b "$2" "$k_release"
}

# Its own build tree is its kbuild directory; modules refer to where it will be.
build_kernel()
{
	echo "deps: building it takes some ten minutes"
	dpkg-deb --fsys-tarfile "$1" |
		tar -xO "./usr/src/$k_source.tar.xz" |
		tar -xJ -C "$2" --strip-components=1
	# shellcheck disable=SC2086 # the fragments are words
	"$here/vm/build-kernel.sh" "$2" $k_config
}

unpack_source()
{
	local files

	read -rd '' -a files <<<"$kernel_source_files" || :
	dpkg-deb --fsys-tarfile "$1" |
		tar -xO "./usr/src/$k_source.tar.xz" |
		tar -xJ -C "$2" --strip-components=1 "${files[@]/#/$k_source/}"
}

complete && exit

mkdir -p "$k_cache"
exec {lock}>"$k_cache/lock"
flock "$lock"
complete && exit

install_packages
fetch "$k_source" "$k_src" unpack_source
if [ -n "$k_config" ]; then
	fetch "$k_source" "$k_dir" build_kernel
else
	fetch "linux-image-$k_release" "$k_image" unpack_image
fi
