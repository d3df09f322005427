#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# initramfs.sh OUT IMAGE RELEASE MODULES [GUEST=HOST]...: packs into OUT the user
# space of the VM: busybox, /init, the modules that /init loads (of kernel
# RELEASE, unpacked in IMAGE), those of MODULES and every HOST file or directory,
# as GUEST. MODULES is words LIST=NAME,NAME...: for commands to load, in the order
# of /lib/modules/LIST.
set -euo pipefail

out=$1 image=$2 release=$3 more=$4
shift 4

here=$(dirname "$0")
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

chmod 755 "$tree" # what nobody finds must be open to nobody
mkdir -p "$tree"/{bin,dev,etc,lib/modules,proc,sys,tmp}
cp /bin/busybox "$tree/bin/"
# Links made here cost nothing; made by busybox in an emulated guest they do.
for applet in $(busybox --list); do
	[ "$applet" = busybox ] || ln -s busybox "$tree/bin/$applet"
done
cp "$here/init" "$tree/init"
cp "$here/complaints" "$tree/bin/"
chmod 755 "$tree/init" "$tree/bin/complaints"
echo 'root:x:0:0:root:/:/bin/sh' >"$tree/etc/passwd"
echo 'nobody:x:65534:65534:nobody:/:/bin/sh' >>"$tree/etc/passwd"
echo 'root:x:0:' >"$tree/etc/group"

depends()
{
	modprobe -d "$image" -S "$release" --show-depends -a "$@"
}

# Paths of modules on standard input. Some may be built in; others may be
# compressed, and busybox could not load them.
copy_modules()
{
	local path base

	sed -n 's/^insmod *\([^ ]*\).*/\1/p' | awk '!seen[$0]++' |
	while read -r path; do
		base=$(basename "${path%.xz}")
		case $path in
		*.xz) xz -dc "$path" >"$tree/lib/modules/$base" ;;
		*) cp "$path" "$tree/lib/modules/" ;;
		esac
		echo "/lib/modules/$base"
	done
}

# Each after those it depends on.
depends virtio_pci virtio_console | copy_modules >"$tree/lib/modules/order"

# What a kernel does not have at all is for the command to miss.
for list in $more; do
	for name in $(tr ',' ' ' <<<"${list#*=}"); do
		depends "$name" 2>/dev/null || :
	done | copy_modules >"$tree/lib/modules/${list%%=*}"
done

for file; do
	guest=$tree/${file%%=*} host=${file#*=}
	mkdir -p "$(dirname "$guest")"
	cp -rL "$host" "$guest"
done

(cd "$tree" && find . | cpio --quiet -o -H newc -R 0:0) >"$out"
