#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The rings of IPVS services from their first to their last moment: how they are
# made and named, who sees them, what ends them, and what keeps the modules
# loaded. In TAP; each function of the list at the end is a test.
#
# shellcheck shell=dash disable=SC2015,SC2086,SC2119,SC2154 # bad() is for a failure
# of either; some variables are words; load has parameters; variables of libipvs.sh
# shellcheck source=libipvs.sh
. /lib/ip_vs.sh

count=$(count 200)
who="$vip:80 from 10.1.0.1 count $count"
share=/sys/module/ip_vs_chring/parameters/max_tokens_per_netns
published=0x79656b2073765f706920676e69726863

# With all destinations, and no other.
service()
{
	ipvs -C && ipvs -A -t $vip:80 -s chring &&
	destinations "-t $vip:80" '-m -w 10' $all | plan
}

there_is()
{
	chringctl ring show "$1" >"$dir/ring" 2>&1
}

gone()
{
	! there_is "$1"
}

# rings: of services, as root sees them, a name a line
rings()
{
	chringctl ring list | awk '$1 ~ /^ipvs\// { print $1 }'
}

# Each kind of service, a name that would be too long among them.
names()
{
	local long=fd00:1111:2222:3333:4444:5555:6666:7777 name

	ipvs -C && cat <<-END | plan || return
	-A -t $vip:80 -s chring
	-A -u $vip:65535 -s chring
	-A --sctp-service $vip:9 -s chring
	-A -t [$vip6]:443 -s chring
	-A -t [$long]:65535 -s chring
	-A --sctp-service [$long]:65535 -s chring
	-A -f 4294967295 -s chring
	-A -f 5 -6 -s chring
	END
	for name in TCP/$vip:80 UDP/$vip:65535 SCTP/$vip:9 "TCP/[$vip6]:443" \
		"TCP/[fd001111222233334444555566667777]:65535" \
		"SCTP/[fd001111222233334444555566667777]:65535" \
		FWM/4294967295 FWM6/5; do
		there_is "ipvs/$net/$name" || bad "no $name of $(rings)" || return
	done
	[ "$(rings | wc -l)" = 8 ] || bad 'others' || return
	ipvs -C && [ -z "$(rings)" ] || bad 'they stay'
}

# By default everybody has the same key, so that directors agree.
agree()
{
	service && there_is "$ring" && grep -qE "^seed +$published\$" "$dir/ring" &&
	grep -qE '^hash +siphash$' "$dir/ring" || bad 'another key' || return
	owners one "$ring" $who || return
	# Another director of the same service, which has its own order.
	{
		echo "-A -t $vip:80 -s chring"
		destinations "-t $vip:80" '-m -w 10' 8 3 1 2 6 5 7 4
	} | run inside b1 ipvsadm -R &&
	owners two "ipvs/$(stat -Lc %i /run/netns/b1)/TCP/$vip:80" $who &&
	same one two
	set -- $?
	inside b1 ipvsadm -C
	return "$1"
}

# Those who only may read the device do not learn what clients are sent where.
hidden()
{
	service && there_is "$ring" || return
	su -s /bin/sh -c "chringctl ring show '$ring'" nobody >"$dir/out" 2>&1 &&
		bad 'shown' && return 1
	su -s /bin/sh -c 'chringctl ring list' nobody >"$dir/out" 2>&1 &&
	! grep ipvs/ "$dir/out" || bad 'listed'
}

# Nobody but IPVS changes them.
not_changed()
{
	local words

	service || return
	for words in "node add $ring x" "node del $ring 10.0.2.11:80" \
		"node set $ring 10.0.2.11:80 weight 3" "ring del $ring" "pin $ring"; do
		chringctl $words >"$dir/out" 2>"$dir/err" && bad "done: $words" && return 1
	done
	nodes_are "$ring" 8
}

# Who looks at a ring learns that it has ended, and does not keep its name.
held()
{
	local holder

	service || return
	chringctl watch "$ring" >"$dir/watch" 2>&1 &
	holder=$!
	ipvs -e -t $vip:80 -r 10.0.2.11:80 -m -w 5 && waits 10 [ -s "$dir/watch" ] &&
	ipvs -D -t $vip:80 && service && there_is "$ring" ||
		bad 'the name is not free' || return
	wait $holder && bad 'not told'
	grep -q 'deleted meanwhile' "$dir/watch" || bad "says $(cat "$dir/watch")"
}

# Flags of a service do not ask the scheduler; the name of one does.
scheduler_changed()
{
	service && lands "$ring" $who && cp "$dir/asked" "$dir/before" &&
	ipvs -E -t $vip:80 -s rr && gone "$ring" && ask other $who &&
	[ "$(errors other)" = 0 ] && ipvs -E -t $vip:80 -s chring &&
	there_is "$ring" && lands "$ring" $who && same asked before || return
	# Away and back, again and again, while clients come. IPVS itself refuses some meanwhile.
	rm -f "$dir/stop"
	flows ask clients $who until "$dir/stop" >"$dir/other" 2>&1 &
	for _ in 1 2 3 4 5; do
		ipvs -E -t $vip:80 -s rr && ipvs -E -t $vip:80 -s chring || break
	done
	set -- $?
	touch "$dir/stop"
	wait $! && [ "$1" = 0 ] || return
	echo "# $(wc -l <"$dir/other") requests, $(errors other) refused"
	lands "$ring" $who && same asked before
}

# Without memory for a ring the scheduler stays what it was.
change_refused()
{
	local file=/sys/module/chring/parameters/max_total_bytes was

	service && ipvs -E -t $vip:80 -s rr && was=$(cat $file) || return
	echo 1 >$file
	inside director ipvsadm -E -t $vip:80 -s chring 2>"$dir/err"
	set -- $?
	echo "$was" >$file
	[ "$1" != 0 ] || bad 'not refused' || return
	inside director ipvsadm -Ln -t $vip:80 | grep -q ' rr' && ask asked $who &&
	[ "$(errors asked)" = 0 ] || bad 'no service'
}

# Deleted and made again, while clients come.
deleted_while_asked()
{
	service && rm -f "$dir/stop"
	flows ask clients $who wait 2000 until "$dir/stop" >"$dir/other" 2>&1 &
	for _ in 1 2 3 4 5; do
		ipvs -D -t $vip:80 && service && sleep 0.5 || break
	done
	set -- $?
	touch "$dir/stop"
	wait $! && [ "$1" = 0 ] || return
	echo "# $(wc -l <"$dir/other") requests, $(errors other) failed"
	lands "$ring" $who
}

# What they cannot be is refused when the module is loaded.
bad_parameters()
{
	local parameter

	ipvs -C && unload || return
	for parameter in vnodes=0 vnodes=65536 unit=0 unit=65536 secret= secret=12 \
		secret=00000000000000000000000000000000 \
		secret=0x0123456789abcdef0123456789abcdeg \
		secret=0123456789abcdef0123456789abcdef0; do
		! insmod /ip_vs_chring.ko "$parameter" 2>"$dir/err" ||
			bad "taken: $parameter" || return
	done
	load
}

parameters()
{
	local secret=00112233445566778899aabbccddeeff

	ipvs -C && unload && load vnodes=40 unit=2 secret=$secret && service &&
	there_is "$ring" &&
	grep -qE "^seed +0x$secret\$" "$dir/ring" &&
	grep -qE '^vnodes +40$' "$dir/ring" && grep -qE '^unit +2$' "$dir/ring" &&
	grep -qE "^tokens +$((8 * 10 * 40 / 2))\$" "$dir/ring" ||
		bad "$(cat "$dir/ring")"
	set -- $?
	[ ! -e /sys/module/ip_vs_chring/parameters/secret ] || bad 'not secret' || return
	[ "$1" = 0 ] && lands "$ring" $who && ipvs -C && unload && load
}

# chring is of use to ip_vs_chring, and that to a service.
unloading()
{
	service || return
	! rmmod chring 2>/dev/null && ! rmmod ip_vs_chring 2>/dev/null &&
	there_is "$ring" || bad 'unloaded' || return
	ipvs -E -t $vip:80 -s rr && unload && rmmod chring && insmod /chring.ko &&
	load && ipvs -E -t $vip:80 -s chring || return
	lands "$ring" $who && ipvs -C && unload && load
}

# What the module holds, when nothing waits any more.
held_bytes()
{
	local was now

	now=$(chringctl info | awk '$1 == "memory" { print $2 }')
	until [ "$now" = "$was" ]; do
		was=$now
		sleep 1
		now=$(chringctl info | awk '$1 == "memory" { print $2 }')
	done
	echo "$now"
}

# with_share N COMMAND...: with so many tokens for each namespace
with_share()
{
	local was status

	was=$(cat $share)
	echo "$1" >$share
	shift
	"$@"
	status=$?
	echo "$was" >$share
	return $status
}

# Users have namespaces of their own, with as many services as they like, until
# their share is used up. What the host has stays as it is.
user_namespace()
{
	local before user

	ipvs -C && ipvs -A -t $vip:80 -s chring &&
	destinations "-t $vip:80" '-m -w 1' $all | plan && before=$(held_bytes) ||
		return
	mkfifo "$dir/from" "$dir/to"
	# Of the user's, 11 services and one destination fit.
	with_share 3000 user_services
	set -- $?
	exec 3>&-
	wait "$user" && [ "$1" = 0 ] && waits 20 other_rings_are 0 ||
		bad 'they stay' || return
	[ "$(held_bytes)" -le "$before" ] || bad "$(held_bytes) bytes, were $before"
}

user_services()
{
	local digest n with first

	digest=$(chringctl ring show "$ring" | grep ^digest)
	su -s /bin/sh nobody -c 'exec tenant 3' \
		<"$dir/to" >"$dir/from" 2>"$dir/err" &
	user=$!
	exec 3>"$dir/to"
	read -r n <"$dir/from" || bad 'no services' || return
	with=$(held_bytes)
	first=$(rings | grep -v "/$net/" | grep '/10.0.0.1:80$')
	echo "# $n services of a user, $((with - before)) bytes"
	[ "$n" = 11 ] && other_rings_are 11 && nodes_are "$first" 1 &&
	[ $((with - before)) -lt 200000 ] || bad 'not its share' || return
	# A namespace more is not a share more.
	[ "$(su -s /bin/sh nobody -c 'exec tenant 3' </dev/null)" = 0 ] ||
		bad 'another share' || return
	# The host's own are what they were, and change as they did.
	[ "$(chringctl ring show "$ring" | grep ^digest)" = "$digest" ] &&
	lands "$ring" $who && ipvs -A -t $vip:81 -s chring &&
	ipvs -D -t $vip:81 || bad 'not the host' || return
	# Two services less leave room for what waits.
	echo >&3
	waits 15 nodes_are "$first" 3 && other_rings_are 9 || bad 'not caught up'
}

other_rings_are()
{
	[ "$(rings | grep -vc "/$net/")" = "$1" ]
}

# A namespace goes with all that it has, while clients come.
namespace_ends()
{
	service && ipvs -A -t $vip:81 -s chring && ipvs -A -f 3 -s chring &&
	rm -f "$dir/stop" || return
	flows ask clients $who wait 500 until "$dir/stop" >"$dir/other" 2>&1 &
	waits 20 [ -s "$dir/other" ] && ip netns del director && waits 20 gone "$ring"
	set -- $?
	touch "$dir/stop"
	wait $!
	[ "$1" = 0 ] && [ -z "$(rings)" ] || bad 'rings stay'
}

ready || bad 'no network'
net=$(netns)
ring="ipvs/$net/TCP/$vip:80"
run_tests names agree hidden not_changed held scheduler_changed change_refused \
	deleted_while_asked bad_parameters parameters unloading user_namespace \
	namespace_ends
net_down
unload
rm -r "$dir"
