#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Loading and unloading: refused while in use, and nothing left behind.

rounds=100
echo 1..7

ok()
{
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
	fi
}

loaded()
{
	[ -e /sys/module/chring ]
}

# Objects in use of the caches that chring takes from, unused slabs given back.
objects()
{
	for cache in /sys/kernel/slab/kmalloc*; do
		echo 1 2>/dev/null >"$cache/shrink"
	done
	awk '/^kmalloc/ { sum += $2 } END { print sum }' /proc/slabinfo
}

# A ring with nodes in all states, changed and looked up.
use()
{
	chringctl ring add life vnodes 50 &&
	chringctl node add life a weight 2 &&
	chringctl node add life b state drain &&
	chringctl node set life a weight 5 &&
	chringctl node del life b &&
	chringctl node add default c &&
	chringctl lookup life key >/dev/null
}

loaded && rmmod chring
! loaded
ok $? "unloads when nobody uses it"

[ ! -e /dev/chring ]
ok $? "takes its device away"

insmod /chring.ko && [ -c /dev/chring ] && [ "$(stat -c %a /dev/chring)" = 644 ]
ok $? "loads, with a device that all may read and root may write"

exec 9</dev/chring
! rmmod chring 2>/dev/null && loaded
ok $? "stays while a descriptor is open"
exec 9<&-

failed=0
for i in $(seq $rounds); do
	use || failed=$((failed + 1))
	rmmod chring && insmod /chring.ko || failed=$((failed + 1))
	case $i in
	10) early=$(objects) ;;
	"$rounds") late=$(objects) ;;
	esac
done
[ $failed = 0 ]
ok $? "loads, works and unloads $rounds times"

echo "# kmalloc objects in use: $early after 10 rounds, $late after $rounds"
# An object a round would be $rounds - 10 of them.
[ $((late - early)) -lt $((rounds - 10)) ]
ok $? "slab memory is flat"

rmmod chring
! grep chring /proc/vmallocinfo
ok $? "nothing of it is left in vmallocinfo"
insmod /chring.ko
