#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The balancer of selftests/bpf in TC: marks by which routing sends each flow to its
# owner. In TAP; each function of the list at the end is a test.
#
# shellcheck shell=dash disable=SC2015,SC2086,SC2154 # as in xdp_balance.sh
# shellcheck source=libnet.sh
. /lib/net.sh

count=$(count 300)
ring=xdp-mark
from="from 10.2.0.1 port 20000 port-step 1 count $count"

# A table for each backend, and a mark that leads to it.
routes()
{
	local n

	for n in $all; do
		echo "rule add fwmark $n lookup 10$n priority 1$n"
		echo "route add default via 10.0.2.1$n dev back table 10$n"
	done | run ip -n director -batch - &&
	# Before the rule that knows the address as our own.
	run ip -n director rule add priority 500 lookup local &&
	run ip -n director rule del priority 0
}

tcp()
{
	lands $ring $vip_direct:80 $from && [ "$(errors asked)" = 0 ] &&
	echo "# $(spread asked)"
}

udp()
{
	lands $ring $vip_direct:80 $from proto udp && [ "$(errors asked)" = 0 ]
}

flips_at_once()
{
	run chringctl node set $ring 10.0.2.12:80 state down &&
	lands $ring $vip_direct:80 $from && [ "$(errors asked)" = 0 ] || return
	! grep -q '	b2	' "$dir/asked" || bad 'b2 is down'
}

if ! chringctl info | grep -q '^kfuncs *revision'; then
	echo '1..0 # SKIP this chring.ko has no kfuncs: it was built without type information (BTF)'
	exit
fi
net_up || bad 'no network'
if ! ip -n director rule >/dev/null 2>&1; then
	echo '1..0 # SKIP this kernel has one routing table only'
	net_down
	exit
fi
chringctl ring add $ring vnodes 100
for n in $all; do
	chringctl node add $ring 10.0.2.1$n:80 weight 1 cookie $n
done
routes && run inside director balancer mark front $ring $vip_direct:80 || bad 'no balancer'
run_tests tcp udp flips_at_once
chringctl ring del $ring
net_down
waits 20 unused || bad 'chring is still held'
