#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A ring that cannot follow the destinations of its IPVS service, for want of
# memory, of tokens or of the time to make it: IPVS goes on, to those that it
# has, each client where the ring will have it, and the ring catches up. In TAP;
# each function of the list at the end is a test.
#
# shellcheck shell=dash disable=SC2015,SC2086,SC2119,SC2154 # bad() is for a failure
# of either; some variables are words; load has parameters; variables of libipvs.sh
# shellcheck source=libipvs.sh
. /lib/ip_vs.sh

count=$(count 200)
who="$vip:80 from 10.1.0.1 count $count"
parameters=/sys/module/chring/parameters
share=/sys/module/ip_vs_chring/parameters/max_tokens_per_netns

# service: with all backends but the last, and no other
service()
{
	ipvs -C && ipvs -A -t $vip:80 -s chring &&
	destinations "-t $vip:80" '-m -w 10' 1 2 3 4 5 6 7 | plan &&
	nodes_are "$ring" 7
}

# From here on no ring changes, and from there on they do again.
no_memory()
{
	budget=$(cat $parameters/max_total_bytes)
	echo 1 >$parameters/max_total_bytes
}

memory()
{
	echo "$budget" >$parameters/max_total_bytes
}

# answers FILE: of all clients, and nobody fails
answers()
{
	ask "$1" $who && [ "$(errors "$1")" = 0 ] || bad "$(errors "$1") failed"
}

epoch()
{
	chringctl ring show "$ring" | awk '$1 == "epoch" { print $2 }'
}

# as_after FILE N: the ring has caught up, has N nodes now, one epoch later, and
# has its clients where they were in FILE
as_after()
{
	local before

	before=$(epoch)
	memory
	waits 15 nodes_are "$ring" "$2" || bad 'it does not catch up' || return
	[ "$(epoch)" = $((before + 1)) ] || bad 'not one epoch' || return
	owners after "$ring" $who && same "$1" after
}

# One has gone, one is told to take no more: nobody is sent there, though the
# ring still has them. One has come, and waits.
without_memory()
{
	service && no_memory &&
	ipvs -d -t $vip:80 -r 10.0.2.13:80 &&
	ipvs -e -t $vip:80 -r 10.0.2.14:80 -m -w 0 && nodes_are "$ring" 7 &&
	answers behind && ! grep -q '	b[34]	' "$dir/behind" || bad 'sent there' ||
		return
	as_after behind 6
}

# It comes back to the slot that it had, and has its clients at once.
back_before()
{
	service && answers before && no_memory &&
	ipvs -d -t $vip:80 -r 10.0.2.13:80 && answers behind &&
	ipvs -a -t $vip:80 -r 10.0.2.13:80 -m -w 10 && answers again &&
	same again before
	set -- $?
	memory
	[ "$1" = 0 ] && ! grep -q '	b3	' "$dir/behind" || bad 'sent there'
}

newcomer_waits()
{
	service && answers before && no_memory &&
	ipvs -a -t $vip:80 -r 10.0.2.18:80 -m -w 10 && answers behind &&
	same behind before && memory && waits 15 nodes_are "$ring" 8 || return
	lands "$ring" $who && grep -q '	b8	' "$dir/asked" || bad 'nothing for b8'
}

# Came and went, and the ring never knew.
came_and_went()
{
	service && answers before && no_memory &&
	ipvs -a -t $vip:80 -r 10.0.2.18:80 -m -w 10 &&
	ipvs -d -t $vip:80 -r 10.0.2.18:80 && answers behind && memory &&
	same behind before && nodes_are "$ring" 7
}

nobody_left()
{
	service && no_memory &&
	for n in 1 2 3 4 5 6 7; do
		echo "-d -t $vip:80 -r 10.0.2.1$n:80"
	done | plan
	ask behind $who && nodes_are "$ring" 7
	set -- $?
	memory
	[ "$1" = 0 ] && [ "$(errors behind)" = "$count" ] || bad 'somebody answers' ||
		return
	waits 15 nodes_are "$ring" 0 || bad 'it does not catch up'
}

# Away and back again; the name is free, the ring is another one.
deleted_while_behind()
{
	local id

	service && id=$(chringctl ring show "$ring" | grep '^id ') && no_memory &&
	ipvs -d -t $vip:80 -r 10.0.2.13:80 && ipvs -D -t $vip:80
	set -- $?
	memory
	[ "$1" = 0 ] && ! chringctl ring show "$ring" >"$dir/out" 2>&1 &&
	service && [ "$(chringctl ring show "$ring" | grep '^id ')" != "$id" ] ||
		bad 'the same ring' || return
	lands "$ring" $who
}

# A service that cannot have a ring is refused, and leaves nothing.
refused_without_memory()
{
	ipvs -C && no_memory
	! inside director ipvsadm -A -t $vip:80 -s chring 2>"$dir/err" &&
	! inside director ipvsadm -Ln -t $vip:80 >"$dir/out" 2>&1
	set -- $?
	memory
	[ "$1" = 0 ] || bad 'not refused' || return
	service
}

# The share of a namespace: of tokens, 160 for each unit of weight, and 256 for a
# service.
without_tokens()
{
	local was

	service && answers before && was=$(cat $share) || return
	echo $((70 * 160 + 256 + 100)) >$share
	ipvs -a -t $vip:80 -r 10.0.2.18:80 -m -w 10 && answers behind &&
	same behind before && nodes_are "$ring" 7 &&
	dmesg | grep -q "IPVS: chring: $ring: cannot follow its destinations (error -28)"
	set -- $?
	echo "$was" >$share
	[ "$1" = 0 ] || bad 'not as before' || return
	# The last pause between two tries is ten seconds.
	waits 15 nodes_are "$ring" 8 && dmesg |
		grep -q "IPVS: chring: $ring: follows its destinations again" ||
		bad 'it does not catch up' || return
	lands "$ring" $who
}

# With less of another one there is enough for it.
tokens_of_another()
{
	local was

	service && was=$(cat $share) && ipvs -A -t $vip:81 -s chring &&
	ipvs -a -t $vip:81 -r 10.0.2.11:80 -m -w 30 || return
	echo $((100 * 160 + 2 * 256)) >$share
	ipvs -a -t $vip:80 -r 10.0.2.18:80 -m -w 10 && nodes_are "$ring" 7 &&
	ipvs -e -t $vip:81 -r 10.0.2.11:80 -m -w 20 &&
	waits 15 nodes_are "$ring" 8
	set -- $?
	echo "$was" >$share
	[ "$1" = 0 ] || bad 'it does not catch up'
}

# With less than there is already, what becomes smaller still does.
less_tokens()
{
	local was

	service && was=$(cat $share) || return
	echo 1 >$share
	ipvs -d -t $vip:80 -r 10.0.2.13:80 && nodes_are "$ring" 6 &&
	ipvs -e -t $vip:80 -r 10.0.2.14:80 -m -w 5
	set -- $?
	echo "$was" >$share
	[ "$1" = 0 ] && lands "$ring" $who
}

# Who is killed in the middle of a change leaves it to the worker.
killed()
{
	local pause was

	was=$(cat $share)
	echo 10000000 >$share
	service && dmesg -c >/dev/null || return
	for pause in 0.5 0.3 0.8 0.4 1 0.6 1.5 2 3 4; do
		kill_after $pause || break
		! dmesg | grep -q "$ring: cannot follow its destinations (error -4)" ||
			break
	done
	echo "$was" >$share
	dmesg | grep -q "$ring: cannot follow its destinations (error -4)" ||
		bad 'never in the middle' || return
	lands "$ring" $who
}

# kill_after SECONDS: an ipvsadm that gives a destination a million tokens; the
# ring follows if IPVS has taken it
kill_after()
{
	ipvs -e -t $vip:80 -r 10.0.2.17:80 -m -w 1 || return
	# Not a function: what is killed would be the shell that runs it.
	nsenter --net=/run/netns/director ipvsadm -e -t $vip:80 \
		-r 10.0.2.17:80 -m -w 6000 2>"$dir/err" &
	sleep "$1"
	kill -9 $! 2>/dev/null
	wait $! 2>/dev/null
	inside director ipvsadm -Ln -t $vip:80 | grep -q '10.0.2.17:80 .* 6000 ' ||
		return 0
	waits 60 weight_is 6000 || bad 'it does not catch up'
}

weight_is()
{
	chringctl node list "$ring" |
		awk -v weight="$1" '$1 == "10.0.2.17:80" { found = $3 == weight }
		END { exit !found }'
}

# What it takes is of the memory cgroup of who made the service, also when it is
# the worker that takes it.
memory_group()
{
	local was

	mkdir -p "$group" && mount -t cgroup2 none "$group" &&
	echo +memory >"$group/cgroup.subtree_control" && mkdir "$group/small" ||
		bad 'no memory cgroup' || return
	was=$(cat $share)
	echo 10000000 >$share
	ipvs -C && run in_group ipvsadm -A -t $vip:80 -s chring &&
	destinations "-t $vip:80" '-m -w 10' 1 2 3 4 5 6 7 | plan && small_group
	set -- $?
	echo "$was" >$share
	ipvs -C && rmdir "$group/small" && umount "$group" && [ "$1" = 0 ]
}

# in_group COMMAND...: in the director
in_group()
{
	sh -c "echo \$\$ >$group/small/cgroup.procs && exec \"\$@\"" sh \
		nsenter --net=/run/netns/director "$@"
}

small_group()
{
	local before

	before=$(cat "$group/small/memory.current")
	echo $((before + 4000000)) >"$group/small/memory.max"
	dmesg -c >/dev/null
	run in_group ipvsadm -e -t $vip:80 -r 10.0.2.17:80 -m -w 6000 &&
	dmesg | grep -q "$ring: cannot follow its destinations (error -12)" ||
		bad 'not behind' || return
	sleep 2
	weight_is 10 || bad 'the worker has taken it elsewhere' || return
	echo max >"$group/small/memory.max"
	waits 30 weight_is 6000 || bad 'it does not catch up' || return
	[ $(($(cat "$group/small/memory.current") - before)) -gt 15000000 ] ||
		bad 'charged elsewhere'
}

ready || bad 'no network'
group=$dir/cgroup
ring="ipvs/$(netns)/TCP/$vip:80"
run_tests without_memory back_before newcomer_waits came_and_went nobody_left \
	deleted_while_behind refused_without_memory without_tokens \
	tokens_of_another less_tokens killed memory_group
net_down
unload
rm -r "$dir"
