#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# IPVS with the scheduler chring: every connection lands where chringctl says of
# the service's ring. In TAP; each function of the list at the end is a test.
#
# shellcheck shell=dash disable=SC2015,SC2086,SC2119,SC2154 # bad() is for a failure
# of either; some variables are words; load has parameters; variables of libipvs.sh
# shellcheck source=libipvs.sh
. /lib/ip_vs.sh

count=$(count 300)
from='from 10.1.0.1'

# service ARGUMENT...: of ipvsadm, with all backends, and no other
service()
{
	ipvs -C && ipvs -A "$@"
}

# spread_fairly: all of eight have some, none has a third, of what was asked last
spread_fairly()
{
	echo "# $(spread asked)"
	awk -F '\t' '{ n[$2]++; t++ }
	END {
		for (s in n) {
			k++
			if (n[s] * 3 > t) exit 1
		}
		exit k != 8
	}' "$dir/asked" || bad 'not spread'
}

nat()
{
	service -t $vip:80 -s chring &&
	destinations "-t $vip:80" '-m -w 1' $all | plan &&
	lands "ipvs/$net/TCP/$vip:80" $vip:80 $from count $count &&
	[ "$(errors asked)" = 0 ] && spread_fairly
}

# What a server says of where it was asked is the name of the node.
node_names()
{
	owned "ipvs/$net/TCP/$vip:80" &&
	cut -f 1,3 "$dir/asked" >"$dir/local" && cmp -s "$dir/local" "$dir/out" ||
		bad 'other names'
}

direct()
{
	service -t $vip_direct:80 -s chring &&
	destinations "-t $vip_direct:80" '-g -w 1' $all | plan &&
	lands "ipvs/$net/TCP/$vip_direct:80" $vip_direct:80 from 10.2.0.1 count $count &&
	grep -q "	$vip_direct:80\$" "$dir/asked" || bad 'not direct'
}

# Without the port, all connections of a client have one server.
without_port()
{
	service -t $vip:80 -s chring &&
	destinations "-t $vip:80" '-m -w 1' $all | plan &&
	ask asked $vip:80 $from step :: port 20000 port-step 1 count 20 &&
	[ "$(cut -f 2 "$dir/asked" | sort -u | wc -l)" = 1 ] || bad 'several'
}

with_port()
{
	service -t $vip:80 -s chring -b flag-2 &&
	destinations "-t $vip:80" '-m -w 1' $all | plan &&
	lands "ipvs/$net/TCP/$vip:80" $vip:80 $from step :: \
		port 21000 port-step 7 count $count && spread_fairly
}

# Flags of a service change without a word to the scheduler.
port_later()
{
	service -t $vip:80 -s chring &&
	destinations "-t $vip:80" '-m -w 1' $all | plan &&
	ipvs -E -t $vip:80 -s chring -b flag-2 &&
	ask first $vip:80 $from port 30000 && waits 5 keyed_by_port &&
	lands "ipvs/$net/TCP/$vip:80" $vip:80 $from step :: \
		port 31000 port-step 3 count 40 &&
	[ "$(cut -f 2 "$dir/asked" | sort -u | wc -l)" -gt 1 ] || bad 'no ports'
}

keyed_by_port()
{
	chringctl ring list | awk -v ring="ipvs/$net/TCP/$vip:80" '
	$1 == ring { keys = $NF }
	END { exit keys != "flow+port" }'
}

# destinations6 PROTOCOL
destinations6()
{
	for n in $all; do
		echo "-a -t [$vip6]:80 -r [fd00:2::1$n]:80 -m -w 1"
	done
}

# Of the same address but for the upper half, nearer to what a provider gives.
upper_halves()
{
	service -t "[$vip6]:80" -s chring && destinations6 | plan &&
	lands "ipvs/$net/TCP/[$vip6]:80" "[$vip6]:80" from fd01::1 step 0:0:0:1:: \
		count $count && [ "$(errors asked)" = 0 ] && spread_fairly
}

ports_of_ipv6()
{
	service -t "[$vip6]:80" -s chring -b flag-2 && destinations6 | plan &&
	lands "ipvs/$net/TCP/[$vip6]:80" "[$vip6]:80" from fd01::7 step :: \
		port 22000 port-step 5 count $count && spread_fairly
}

datagrams()
{
	service -u $vip:80 -s chring &&
	destinations "-u $vip:80" '-m -w 1' $all | plan &&
	lands "ipvs/$net/UDP/$vip:80" $vip:80 $from proto udp count $count &&
	[ "$(errors asked)" = 0 ] && spread_fairly
}

# An ICMP error that comes first makes a connection too: of the packet that it is
# about, which went the other way.
about_packets()
{
	complaints 25
}

about_packets_with_port()
{
	complaints 26 -b flag-2
}

# complaints PORT [ARGUMENT]...: from ports PORT000 on, with arguments of the service
complaints()
{
	local ports=$1 who

	who="$vip:80 $from port ${1}000 port-step 3 count $(count 40)"
	shift
	inside director sh -c 'echo 1 >/proc/sys/net/ipv4/vs/schedule_icmp' &&
	service -t $vip:80 -s chring "$@" &&
	destinations "-t $vip:80" '-m -w 1' $all | plan &&
	run flows complain clients $who &&
	owners owners "ipvs/$net/TCP/$vip:80" $who || return
	inside director ipvsadm -Lnc |
		awk -v ports=":$ports...\$" '$4 ~ ports { print $4 "\t" $6 }' |
		sed 's/	10\.0\.2\.1\([1-8]\):.*/	b\1/' >"$dir/asked"
	same asked owners
}

sctp()
{
	if [ ! -e /proc/net/sctp ]; then
		echo 'this kernel has no SCTP'
		return $skipped
	fi
	service --sctp-service $vip:80 -s chring -b flag-2 &&
	destinations "--sctp-service $vip:80" '-m -w 1' $all | plan &&
	lands "ipvs/$net/SCTP/$vip:80" $vip:80 $from proto sctp port 23000 \
		count $((count / 3)) && [ "$(errors asked)" = 0 ]
}

# Of a mark, all ports are one service, and the destinations have none.
mark()
{
	run inside director iptables -t mangle -A PREROUTING -d $vip_mark \
		-j MARK --set-mark 7 &&
	service -f 7 -s chring &&
	for n in $all; do
		echo "-a -f 7 -r 10.0.2.1$n -m -w 1"
	done | plan &&
	lands "ipvs/$net/FWM/7" $vip_mark:80 $from count $count &&
	[ "$(errors asked)" = 0 ] && spread_fairly
}

one_backend()
{
	service -t $vip:80 -s chring &&
	destinations "-t $vip:80" '-m -w 1' 5 | plan &&
	lands "ipvs/$net/TCP/$vip:80" $vip:80 $from count 20 &&
	[ "$(grep -c '	b5	' "$dir/asked")" = 20 ] || bad 'not all'
}

# Little and much, and what is more than a ring has.
mixed_weights()
{
	service -t $vip:80 -s chring &&
	{
		destinations "-t $vip:80" '-m -w 1' 1 2 3 4 5 6
		destinations "-t $vip:80" '-m -w 1000' 7 8
	} | plan &&
	lands "ipvs/$net/TCP/$vip:80" $vip:80 $from count $count || return
	run chringctl ring show "ipvs/$net/TCP/$vip:80" &&
	grep -qE "^tokens +$((2006 * 160))\$" "$dir/out" || bad 'other tokens' || return
	[ "$(grep -cE '	b[78]	' "$dir/asked")" -gt $((count * 9 / 10)) ] ||
		bad 'weights do not count'
}

# Which the address of the node is, 10.3.X.Y, is what its server says of itself.
thousand()
{
	service -t $vip:80 -s chring &&
	awk -v service="-t $vip:80" 'BEGIN {
		for (n = 0; n < 1000; n++)
			printf "-a %s -r 10.3.%d.%d:80 -m -w 1\n", service,
				n / 250, n % 250 + 1
	}' | plan &&
	ask asked $vip:80 $from count $count &&
	owners owners "ipvs/$net/TCP/$vip:80" $vip:80 $from count $count || return
	cut -f 1,3 "$dir/asked" >"$dir/local" && cmp -s "$dir/local" "$dir/owners" ||
		bad 'elsewhere' || return
	echo "# $(cut -f 3 "$dir/asked" | sort -u | wc -l) of 1000 servers have $count clients"
}

ready || bad 'no network'
net=$(netns)
run_tests nat node_names direct without_port with_port port_later upper_halves \
	ports_of_ipv6 datagrams about_packets \
	about_packets_with_port sctp mark one_backend mixed_weights thousand
net_down
unload
rm -r "$dir"
