#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Who moves when the destinations of an IPVS service change: with the scheduler
# chring only the clients that a destination gains or loses, while they are being
# served, and without a failed request. Beside it, with the same clients and
# destinations, what mh and sh make of the same changes. In TAP; each function of
# the list at the end is a test.
#
# shellcheck shell=dash disable=SC2015,SC2086,SC2119,SC2154 # bad() is for a failure
# of either; some variables are words; load has parameters; variables of libipvs.sh
# shellcheck source=libipvs.sh
. /lib/ip_vs.sh

count=$(count 400)
from='from 10.1.0.1'

# moved TO FROM FILE FILE: counts between two answers: clients, those that moved,
# strays: moved, and neither to server TO nor away from server FROM; - is none
moved()
{
	awk -F '\t' -v to="$1" -v from="$2" '
	FNR == NR { was[$1] = $2; next }
	{ n++ }
	was[$1] != $2 {
		moved++
		if ($2 != to && was[$1] != from) strays++
	}
	END { print n + 0, moved + 0, strays + 0 }' "$dir/$3" "$dir/$4"
}

# start_clients: they ask, one round after the other, until stop_clients
start_clients()
{
	rm -f "$dir/stop"
	flows ask clients $vip:80 $from count "$count" at-once 16 \
		until "$dir/stop" >"$dir/served" 2>"$dir/served.err" &
	clients=$!
	waits 20 [ -s "$dir/served" ] || bad 'clients do not begin'
}

# rounds N: so many more answers for each client
rounds()
{
	waits 60 served_at_least $(($(wc -l <"$dir/served") + $1 * count)) ||
		bad 'clients are stuck'
}

served_at_least()
{
	[ "$(wc -l <"$dir/served")" -ge "$1" ]
}

stop_clients()
{
	touch "$dir/stop"
	wait $clients || bad 'clients failed'
}

# order FILE...: each client's answers are of these, one after the other, each
# answer that of its owner at that time; none failed
order()
{
	(cd "$dir" && awk -F '\t' '
	FILENAME != file { file = FILENAME; files++ }
	FILENAME != "served" { owner[files, $1] = $2; next }
	!($1 in at) { at[$1] = 1 }
	{
		asked++
		while (at[$1] < files && owner[at[$1], $1] != $2) at[$1]++
		if (at[$1] == files) { print "# " $1 " at " $2; bad++; at[$1] = 1 }
	}
	END {
		print "# " asked " requests, " bad + 0 " where they should not be"
		exit bad || !asked
	}' "$@" served) || bad 'not as the ring says'
}

idle()
{
	inside director ipvsadm -Ln -t $vip:80 |
		awk -v server="$1" '$2 == server { busy = $5 } END { exit busy != 0 }'
}

# All in one: b8 comes, b2 fades out and goes, b4 gets twice the weight.
while_served()
{
	local ring="ipvs/$net/TCP/$vip:80" who="$vip:80 $from count $count"

	ipvs -C && ipvs -A -t $vip:80 -s chring &&
	destinations "-t $vip:80" '-m -w 10' 1 2 3 4 5 6 7 | plan &&
	owners one "$ring" $who && start_clients && rounds 1 &&
	ipvs -a -t $vip:80 -r 10.0.2.18:80 -m -w 10 &&
	owners two "$ring" $who && rounds 2 &&
	ipvs -e -t $vip:80 -r 10.0.2.12:80 -m -w 0 &&
	owners three "$ring" $who && rounds 1 && waits 20 idle 10.0.2.12:80 &&
	ipvs -d -t $vip:80 -r 10.0.2.12:80 &&
	owners four "$ring" $who && rounds 1 &&
	ipvs -e -t $vip:80 -r 10.0.2.14:80 -m -w 20 &&
	owners five "$ring" $who && rounds 2
	set -- $?
	stop_clients && [ "$1" = 0 ] && order one two three four five || return
	same three four || return
	[ "$(moved b8 - one two | cut -d ' ' -f 3)" = 0 ] &&
	[ "$(moved - b2 two three | cut -d ' ' -f 3)" = 0 ] &&
	[ "$(moved b4 - four five | cut -d ' ' -f 3)" = 0 ] || bad 'strays' || return
	[ "$(errors served)" = 0 ] || bad "$(errors served) requests failed"
}

# measure N: who answers now, by each of the schedulers
measure()
{
	ask "chring$1" $vip:80 $from count "$count" &&
	ask "mh$1" $vip:81 $from count "$count" &&
	ask "sh$1" $vip:82 $from count "$count" &&
	[ "$(errors chring"$1")$(errors mh"$1")$(errors sh"$1")" = 000 ] ||
		bad 'failed'
}

# each WHAT REST: a line of ipvsadm for the service of each scheduler
each()
{
	local port

	for port in 80 81 82; do
		echo "$1 -t $vip:$port $2"
	done | plan
}

# report WORDS TO FROM N M: of each scheduler, what has moved from N to M
report()
{
	local scheduler line

	for scheduler in chring mh sh; do
		line=$(moved "$2" "$3" $scheduler"$4" $scheduler"$5")
		echo "$line" | awk -v words="$1" -v scheduler="$scheduler" '{
			printf "# %-18s %-7s %5.1f %% moved, %5.1f %% between others\n",
				words, scheduler, 100 * $2 / $1, 100 * $3 / $1 }'
		[ $scheduler != chring ] || [ "${line##* }" = 0 ] || bad strays || return
	done
}

side_by_side()
{
	ipvs -C &&
	printf '%s\n' "-A -t $vip:80 -s chring" "-A -t $vip:81 -s mh" \
		"-A -t $vip:82 -s sh" | plan &&
	for port in 80 81 82; do
		destinations "-t $vip:$port" '-m -w 10' 1 2 3 4 5 6 7
	done | plan && measure 1 &&
	each -a '-r 10.0.2.18:80 -m -w 10' && measure 2 &&
	each -e '-r 10.0.2.13:80 -m -w 20' && measure 3 &&
	each -d '-r 10.0.2.15:80' && measure 4 || return
	for scheduler in chring mh sh; do
		echo "# $scheduler: $(spread ${scheduler}2)"
	done
	report 'b8 comes' b8 - 1 2 && report 'b3 counts twice' b3 - 2 3 &&
	report 'b5 goes' - b5 3 4
}

# Back to what there was, and back where they were.
and_back()
{
	each -a '-r 10.0.2.15:80 -m -w 10' && each -e '-r 10.0.2.13:80 -m -w 10' &&
	each -d '-r 10.0.2.18:80' && ask again $vip:80 $from count "$count" &&
	same again chring1
}

ready || bad 'no network'
net=$(netns)
run_tests while_served side_by_side and_back
net_down
unload
rm -r "$dir"
