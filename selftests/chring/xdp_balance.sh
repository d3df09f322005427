#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The balancer of selftests/bpf in XDP, with real connections: every flow lands
# where chringctl says of the ring. In TAP; each function of the list at the end is
# a test.
#
# shellcheck shell=dash disable=SC2015,SC2046,SC2086,SC2154 # bad() is for a failure of
# either; some variables, and what is printed, are words; variables of libnet.sh
# shellcheck source=libnet.sh
. /lib/net.sh

count=$(count 300)
ring=xdp-balance

# flows_of PORT N: clients by address and port, as the ring is asked; a port further for each
flows_of()
{
	echo "from 10.2.0.1 port $1 port-step 1 count $2"
}

all_of_them=$(flows_of 20000 "$count")

# node N: a node of the ring, by the address that libnet.sh knows it by
node()
{
	chringctl node add $ring 10.0.2.1$1:80 weight 1 cookie "$1"
}

# backends: lines for the balancer
backends()
{
	local n

	for n in $all; do
		echo "$n $(ip -n b$n -o link show back | sed 's/.*ether \([^ ]*\).*/\1/')"
	done
}

# balance ADDRESS: for its port 80
balance()
{
	backends >"$dir/backends"
	inside director balancer balance front $ring "$1:80" back <"$dir/backends" \
		>"$dir/out" 2>"$dir/err" || bad 'not loaded'
}

unbalance()
{
	run ip -n director link set front xdp off
}

# Frames that XDP moves leave with the checksum they came with: as from a wire.
wires()
{
	run inside clients ethtool -K front tx off &&
	run inside lan balancer pass director
}

# lands_at ADDRESS OPTIONS: and nobody is left out
lands_at()
{
	local target=$1

	shift
	lands $ring "$target" "$@" && [ "$(errors asked)" = 0 ] || bad 'errors'
}

tcp()
{
	lands_at $vip_direct:80 $all_of_them && echo "# $(spread asked)" &&
	grep -q "	$vip_direct:80\$" "$dir/asked" || bad 'not direct'
}

udp()
{
	lands_at $vip_direct:80 $all_of_them proto udp && echo "# $(spread asked)"
}

# The program is not loaded again: what changes is the ring.
flips_at_once()
{
	local n

	for n in 3 5; do
		run chringctl node set $ring 10.0.2.1$n:80 state down &&
		lands_at $vip_direct:80 $all_of_them || return
		! grep -q "	b$n	" "$dir/asked" || bad "b$n is down" || return
		run chringctl node set $ring 10.0.2.1$n:80 state up &&
		lands_at $vip_direct:80 $all_of_them || return
		grep -q "	b$n	" "$dir/asked" || bad "b$n is up again" || return
	done
}

# moved FILE FILE N: clients of the first that have another server in the second:
# all of them had bN, or have it now; prints how many
moved()
{
	awk -F '\t' -v node="b$3" '
	FNR == NR { server[$1] = $2; next }
	server[$1] != $2 {
		moved++
		if (server[$1] != node && $2 != node)
			strays++
	}
	END {
		printf "# %d of %d clients move, %d strays\n", moved, FNR, strays
		exit strays || !moved
	}' "$dir/$1" "$dir/$2" || bad 'others moved'
}

one_goes_and_comes()
{
	lands_at $vip_direct:80 $all_of_them && cp "$dir/asked" "$dir/before" &&
	run chringctl node del $ring 10.0.2.14:80 &&
	lands_at $vip_direct:80 $all_of_them && cp "$dir/asked" "$dir/without" &&
	moved before without 4 &&
	run node 4 &&
	lands_at $vip_direct:80 $all_of_them && moved without asked 4 &&
	same asked before
}

ipv6()
{
	local n

	for n in $all; do
		run ip -n b$n addr add $vip6/128 dev lo nodad || return
	done
	unbalance && balance $vip6 &&
	lands_at "[$vip6]:80" from fd01::1 port 20000 port-step 1 count $count &&
	lands_at "[$vip6]:80" from fd01::1 port 20000 port-step 1 count $count proto udp &&
	unbalance && balance $vip_direct
}

# A backend goes and comes all the while; a flow in the middle of that may be cut
# off, for nothing is remembered, but all ask again and have an answer.
while_it_changes()
{
	local i asking

	rm -f "$dir/stop"
	ask during $vip_direct:80 $all_of_them wait 500 until "$dir/stop" &
	asking=$!
	for i in 1 2 3 4 5 6; do
		chringctl node set $ring 10.0.2.1$i:80 state drain
		sleep 0.2
		chringctl node set $ring 10.0.2.1$i:80 state up
		sleep 0.2
	done
	touch "$dir/stop"
	wait "$asking" || bad 'asking failed' || return
	echo "# $(wc -l <"$dir/during") connections, $(errors during) cut off"
	[ "$(wc -l <"$dir/during")" -ge $count ] || bad 'few' || return
	# Those that were cut off have their ports yet.
	lands_at $vip_direct:80 $(flows_of 30000 $count)
}

# What is not for the service is not touched.
other_traffic()
{
	run inside clients ping -c 2 -W 5 10.0.0.1 &&
	run inside clients ping -c 2 -W 5 $vip_direct
}

none_in_service()
{
	local n

	for n in $all; do
		run chringctl node set $ring 10.0.2.1$n:80 state drain || return
	done
	ask asked $vip_direct:80 $(flows_of 40000 5) wait 300 &&
	[ "$(errors asked)" = 5 ] || bad 'answered by nobody' || return
	for n in $all; do
		run chringctl node set $ring 10.0.2.1$n:80 state up || return
	done
	lands_at $vip_direct:80 $(flows_of 41000 20)
}

deleted_ring()
{
	run chringctl ring del $ring &&
	ask asked $vip_direct:80 $(flows_of 42000 3) wait 300 &&
	[ "$(errors asked)" = 3 ] || bad 'answered by a ring that is not'
}

# The module stays while the program does.
keeps_the_module()
{
	! rmmod chring 2>"$dir/err" || bad 'gone' || return
	unbalance
}

if ! chringctl info | grep -q '^kfuncs *revision'; then
	echo '1..0 # SKIP this chring.ko has no kfuncs: it was built without type information (BTF)'
	exit
fi
net_up && wires || bad 'no network'
chringctl ring add $ring vnodes 100
for n in $all; do
	node "$n"
done
balance $vip_direct || bad 'no balancer'
run_tests tcp udp flips_at_once one_goes_and_comes ipv6 while_it_changes other_traffic \
	none_in_service deleted_ring keeps_the_module
net_down
waits 20 unused || bad 'chring is still held'
