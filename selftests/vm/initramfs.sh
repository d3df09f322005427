#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# initramfs.sh OUT IMAGE RELEASE [GUEST=HOST]...: packs into OUT the user space
# of the VM: busybox, /init, the modules that /init loads (of kernel RELEASE,
# unpacked in IMAGE) and every HOST file or directory, as GUEST.
set -euo pipefail

out=$1 image=$2 release=$3
shift 3

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

# Each after those it depends on. A kernel may have some built in, and may
# compress the others, which busybox could not load.
modprobe -d "$image" -S "$release" --show-depends -a virtio_pci virtio_console |
	sed -n 's/^insmod *\([^ ]*\).*/\1/p' | awk '!seen[$0]++' |
	while read -r path; do
		base=$(basename "${path%.xz}")
		case $path in
		*.xz) xz -dc "$path" >"$tree/lib/modules/$base" ;;
		*) cp "$path" "$tree/lib/modules/" ;;
		esac
		echo "/lib/modules/$base"
	done >"$tree/lib/modules/order"

for file; do
	guest=$tree/${file%%=*} host=${file#*=}
	mkdir -p "$(dirname "$guest")"
	cp -rL "$host" "$guest"
done

(cd "$tree" && find . | cpio --quiet -o -H newc -R 0:0) >"$out"
