#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Destinations of IPVS that take no clients, with the scheduler chring: crashed,
# of weight 0, or full by -x and -y; with fallback (-b flag-1) and without. In
# TAP; each function of the list at the end is a test.
#
# shellcheck shell=dash disable=SC2015,SC2086,SC2119,SC2154 # bad() is for a failure
# of either; some variables are words; load has parameters; variables of libipvs.sh
# shellcheck source=libipvs.sh
. /lib/ip_vs.sh

count=$(count 200)
who="$vip:80 from 10.1.0.1 count $count"
full=4	# connections

# service OPTIONS [ARGUMENT]...: all destinations with OPTIONS, and more arguments
# of the service
service()
{
	local options=$1

	shift
	ipvs -C && ipvs -A -t $vip:80 -s chring "$@" &&
	destinations "-t $vip:80" "-m $options" $all | plan
}

server()
{
	awk -v name="$1" '$1 == name { print $2 }' "$dir/servers"
}

# Sockets of who is killed are closed only when he gets to run once more.
has_ended()
{
	local i=0

	until ! state=$(sed -n 's/^State:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null) ||
	      case $state in '' | Z*) true ;; *) false ;; esac; do
		sleep 0.1
		i=$((i + 1))
		[ "$i" -lt 300 ] || return
	done
}

# Nobody tells IPVS. Those who had it, and no others, suffer.
crashed()
{
	service '-w 1' "$@" && lands "$ring" $who || return
	set -- "$(server b3)"
	kill "$1" && has_ended "$1" && sed -i '/^b3 /d' "$dir/servers" ||
		bad 'b3 lives on' || return
	ask asked $who
	flows serve 80 b3 >>"$dir/servers"
	awk -F '\t' '
	FNR == NR { owner[$1] = $2; next }
	owner[$1] == "b3" { lost++; if ($2 != "!ECONNREFUSED") bad++; next }
	$2 != owner[$1] { bad++ }
	END {
		print "# " lost " clients of b3 refused, " bad + 0 " others"
		exit bad || !lost
	}' "$dir/owners" "$dir/asked" || bad 'others suffer' || return
	lands "$ring" $who
}

crashed_with_fallback()
{
	crashed -b flag-1
}

# With weight 0 its clients are shared out, the others stay; then nobody is left.
weightless()
{
	service '-w 1' "$@" && owners before "$ring" $who &&
	ipvs -e -t $vip:80 -r 10.0.2.15:80 -m -w 0 &&
	lands "$ring" $who && [ "$(errors asked)" = 0 ] || return
	awk -F '\t' '
	FNR == NR { owner[$1] = $2; next }
	$2 == "b5" || ($2 != owner[$1] && owner[$1] != "b5") { bad++ }
	END { exit bad }' "$dir/before" "$dir/asked" || bad 'others move' || return
	for n in $all; do
		echo "-e -t $vip:80 -r 10.0.2.1$n:80 -m -w 0"
	done | plan &&
	ask asked $who && [ "$(errors asked)" = "$count" ] || bad 'served' || return
	for n in $all; do
		echo "-e -t $vip:80 -r 10.0.2.1$n:80 -m -w 1"
	done | plan &&
	lands "$ring" $who && same asked before
}

# What is open stays open when the weight of its server becomes 0: only new
# clients go elsewhere.
open_stays_open()
{
	service '-w 1' && hold $vip:80 from 10.1.0.1 count 16 || return
	for n in $all; do
		echo "-e -t $vip:80 -r 10.0.2.1$n:80 -m -w 0"
	done | plan && sleep 1
	set -- $?
	open=$(inside director ipvsadm -Ln -t $vip:80 |
	       awk '/->/ { n += $5 } END { print n + 0 }')
	let_go && [ "$1" = 0 ] && [ "$open" = 16 ] || bad "$open are open"
}

# hold ARGUMENT...: of flows ask, one after the other; connections stay open
hold()
{
	rm -f "$dir/go" "$dir/held"
	flows ask clients "$@" at-once 1 hold "$dir/go" >"$dir/held" 2>"$dir/err" &
	holder=$!
	waits 60 [ -s "$dir/held" ] || bad 'no answers'
}

let_go()
{
	touch "$dir/go"
	wait $holder
}

# forgotten PORT: all connections to it
forgotten()
{
	inside director ipvsadm -Ln -t "$vip:$1" |
		awk '/->/ { n += $5 + $6 } END { exit n != 0 }'
}

# full_service PORT [ARGUMENT]...: destinations that take so many. What else
# there has been of a destination counts until it is forgotten, so these are new.
full_service()
{
	local port=$1

	shift
	ipvs -A -t "$vip:$port" -s chring "$@" &&
	destinations "-t $vip:$port" "-m -w 1 -x $full -y 2" $all | plan
}

# After that clients are refused, and those of others are not. In the order of
# the clients: who comes first is served.
full_without_fallback()
{
	full_service 88 &&
	owners owners "ipvs/$net/TCP/$vip:88" $vip:88 $few &&
	hold $vip:88 $few && let_go || return
	awk -F '\t' -v full=$full '
	FNR == NR { owner[$1] = $2; next }
	{ want = taken[owner[$1]]++ < full ? owner[$1] : "!ECONNREFUSED" }
	$2 != want { print "# " $1 " at " $2 ", not " want; bad++ }
	want ~ /^!/ { refused++ }
	END { print "# " refused " refused"; exit bad || !refused }
	' "$dir/owners" "$dir/held" || bad 'not as the thresholds say'
}

# With fallback they go on clockwise, to the first that is not full.
full_with_fallback()
{
	full_service 89 -b flag-1 &&
	flows name clients $vip:89 $few >"$dir/names" &&
	owned "ipvs/$net/TCP/$vip:89" replicas 8 &&
	sed 's/10\.0\.2\.1\([1-8]\):80/b\1/g' "$dir/out" >"$dir/walks" &&
	hold $vip:89 $few && let_go || return
	awk -F '\t' -v full=$full '
	FNR == NR { walk[$1] = $2; next }
	{
		n = split(walk[$1], s, " ")
		for (i = 1; i <= n && taken[s[i]] == full; i++) ;
		want = i <= n ? s[i] : "!ECONNREFUSED"
		if (i <= n) taken[s[i]]++
		if (i > 1 && i <= n) on++
		if (i > n) refused++
	}
	$2 != want { print "# " $1 " at " $2 ", not " want; bad++ }
	END {
		print "# " on + 0 " went on to another, " refused + 0 " refused"
		exit bad || !on || refused != 3
	}' "$dir/walks" "$dir/held" || bad 'not as the thresholds say'
}

# When they have gone, everybody is at home again.
emptied()
{
	waits 30 forgotten 88 && waits 30 forgotten 89 || bad 'they stay' || return
	lands "ipvs/$net/TCP/$vip:88" $vip:88 from 10.1.9.1 count 8 at-once 1 &&
	lands "ipvs/$net/TCP/$vip:89" $vip:89 from 10.1.9.1 count 8 at-once 1
}

ready || bad 'no network'
net=$(netns)
ring="ipvs/$net/TCP/$vip:80"
few="from 10.1.7.1 count $((8 * full + 3))"
run_tests crashed crashed_with_fallback weightless open_stays_open \
	full_without_fallback full_with_fallback emptied
net_down
unload
rm -r "$dir"
