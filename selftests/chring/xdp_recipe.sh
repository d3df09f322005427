#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What the README says of XDP, done as it says: the program is compiled from there,
# see selftests/bpf/Makefile. In TAP; each function of the list at the end is a test.
#
# shellcheck shell=dash disable=SC2015,SC2154 # bad() is for a failure of either;
# $dir is of libnet.sh
# shellcheck source=libnet.sh
. /lib/net.sh

# reached: does a packet get through to the one that has the program?
reached()
{
	inside clients ping -c 1 -W 2 10.0.0.1 >"$dir/out" 2>&1
}

# The module is new, so that the ring has the id that the program was compiled with.
ring()
{
	rmmod chring && insmod /chring.ko &&
	run chringctl ring add edge vnodes 100 &&
	run chringctl node add edge b1 weight 1 cookie 1 &&
	run chringctl -j ring show edge && grep -q '"id": *"0x2"' "$dir/out" || bad 'another id'
}

program()
{
	reached || bad 'no network' || return
	run ip -n director link set dev front xdp obj /bpf/edge.bpf.o sec xdp &&
	ip -n director link show front | grep -q 'prog/xdp' && reached || bad 'its owner is not reached'
}

# The packets of who is not ours are dropped, by the ring as it is.
owner()
{
	run chringctl node set edge b1 cookie 2 || return
	! reached || bad 'reached' || return
	run chringctl node set edge b1 cookie 1 && reached || bad 'not reached'
}

if ! chringctl info | grep -q '^kfuncs *revision'; then
	echo '1..0 # SKIP this chring.ko has no kfuncs: it was built without type information (BTF)'
	exit
fi
network || bad 'no network'
: >"$dir/servers"
run_tests ring program owner
net_down
waits 20 unused || bad 'chring is still held'
