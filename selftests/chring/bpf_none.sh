#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A chring.ko without type information, or with that of something else, says that
# it has no kfuncs, and is whole otherwise. In TAP; each function of the list at the
# end is a test.
#
# shellcheck shell=dash disable=SC2015,SC2154 # bad() is for a failure of either;
# $dir is of libnet.sh
# shellcheck source=libnet.sh
. /lib/net.sh

# says_no: the module that is loaded
says_no()
{
	dmesg | tail -n 20 | grep -q 'chring: kfuncs: no: ' || bad 'not a word' || return
	run chringctl info && grep -qx 'kfuncs *no' "$dir/out" || bad 'info' || return
	run chringctl -j info && grep -q '"kfuncs": *0\>' "$dir/out" || bad 'info -j'
}

# no_program: none that calls one is loaded
no_program()
{
	! balancer pass lo >"$dir/out" 2>"$dir/err" || bad 'loaded'
}

# a_ring: and what it is for
a_ring()
{
	run chringctl ring add bpf-none && run chringctl node add bpf-none n1 weight 1 &&
	run chringctl lookup bpf-none key && grep -q n1 "$dir/out" &&
	run chringctl ring del bpf-none
}

# change FILE: the module is that of FILE
change()
{
	rmmod chring && insmod "$1" >"$dir/out" 2>"$dir/err"
}

missing()
{
	change /kmod/chring-notypes.ko || bad 'not loaded' || return
	says_no && no_program && a_ring
}

# Some kernels do not load it at all.
other_types()
{
	if change /kmod/chring-othertypes.ko; then
		says_no && no_program && a_ring
	else
		echo '# this kernel does not load it'
		[ ! -e /sys/module/chring ]
	fi
}

back()
{
	[ ! -e /sys/module/chring ] || rmmod chring
	insmod /chring.ko && a_ring
}

run_tests missing other_types back
