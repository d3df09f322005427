#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# libchring in a program that uses it: ringcache of selftests/example, installed
# like any other, with memcached servers. What it finds and misses is held
# against what chringctl says of the ring, and against how many values each
# server has. In TAP; each function of the list at the end is a test, and goes
# on from where the one before it has left ring and servers.
#
# shellcheck shell=dash disable=SC2015 # bad() is for a failure of either

dir=$(mktemp -d)
ring=memcached
vnodes=160
count=$((2000 / ${CHRING_SCALE:-1}))
port=11211

# bad TEXT: what went wrong, with what was said last; false
bad()
{
	echo "# $*"
	sed 's/^/#   out: /' "$dir/sum" | head -n 20
	sed 's/^/#   err: /' "$dir/err" | head -n 20
	return 1
}

# node N: the name of the Nth server
node()
{
	echo "127.0.0.1:$((port + $1))"
}

# stat N NAME: what the Nth server says of itself
stat()
{
	printf 'stats\r\nquit\r\n' | nc 127.0.0.1 $((port + $1)) 2>/dev/null |
		tr -d '\r' | awk -v name="$2" '$2 == name { print $3 }'
}

# serve N: starts the Nth server, and waits until it answers. Without what is
# modern it has fewer threads, which look at what is in memory all the time.
serve()
{
	local tries=100

	memcached -u root -l 127.0.0.1 -p $((port + $1)) -t 1 -o no_modern \
		2>"$dir/err" &
	until [ -n "$(stat "$1" pid)" ]; do
		tries=$((tries - 1))
		[ $tries != 0 ] || bad "server $1 does not answer" || return
		sleep 0.1
	done
}

# owners: a line KEY<tab>NODE for every key, in $dir/owners
owners()
{
	chringctl lookup $ring - <"$dir/keys" >"$dir/owners" 2>"$dir/err"
}

# owned N: how many keys the Nth server owns, by $dir/owners
owned()
{
	awk -F '\t' -v node="$(node "$1")" '$2 == node { n++ } END { print n + 0 }' \
		"$dir/owners"
}

# ran STATUS: judges a ringcache that has ended, and takes its sum apart: what
# was missed is in $dir/missed, figures in $hits, $misses, $former, $asked
ran()
{
	local a b c d errors

	sed -n 's/^miss //p' "$dir/out" >"$dir/missed"
	grep -v '^miss ' "$dir/out" >"$dir/sum"
	[ "$1" = 0 ] && [ ! -s "$dir/err" ] || bad "ringcache: status $1" || return
	read -r a hits b misses c former d errors e asked <"$dir/sum"
	[ "$a $b $c $d $e $errors" = 'hits misses former errors asked 0' ] &&
	[ $((hits + misses)) = "$count" ] &&
	[ "$(wc -l <"$dir/missed")" = "$misses" ] || bad 'the sum is wrong'
}

# cache ARGUMENT...: what ringcache does with all keys
cache()
{
	ringcache $ring "$@" >"$dir/out" 2>"$dir/err"
	ran $?
}

all_hit()
{
	[ "$misses" = 0 ] || bad "$misses keys are missed"
}

# at_rest: the ring has not changed, and the kernel is not asked
at_rest()
{
	[ $((asked * 1000)) -lt "$count" ] || bad "the kernel is asked $asked times"
}

# misses_are N: exactly what the Nth server owns, by $dir/owners, is missed
misses_are()
{
	awk -F '\t' -v node="$(node "$1")" '$2 == node { print $1 }' "$dir/owners" \
		>"$dir/expected"
	[ -s "$dir/expected" ] && cmp -s "$dir/expected" "$dir/missed" ||
		bad "$misses missed, $(wc -l <"$dir/expected") are owned by server $1"
}

# as_owned N...: each of these servers has as many values as it owns keys
as_owned()
{
	local n items

	owners || bad 'no owners' || return
	for n; do
		items=$(stat "$n" curr_items)
		[ "$items" = "$(owned "$n")" ] && [ "$items" -gt 0 ] ||
			bad "server $n has $items, owns $(owned "$n")" || return
	done
}

fills()
{
	cache fill "$count" && all_hit && at_rest && as_owned 1 2 3
}

reads()
{
	cache read "$count" && all_hit && at_rest
}

# Tokens stand at random: of M on the circle, V have a share with a beta
# distribution, of mean p = V/M and variance p (1 - p) / (M + 1). The names
# are always the same here, and so is the share. Beyond 4 sigma, chance would
# have had it once in 16,000 times.
share_is_fair()
{
	local percent

	serve 4 && chringctl node add $ring "$(node 4)" || bad 'no node 4' || return
	percent=$(chringctl stats $ring |
		  awk -v node="$(node 4)" '$1 == node { print $5 }')
	share=$(awk -v percent="$percent" 'BEGIN { print percent / 100 }')
	echo "# node 4 has $percent % of the circle"
	awk -v share="$share" -v tokens=$((4 * vnodes)) 'BEGIN {
		off = share - 1 / 4
		exit off * off * (tokens + 1) > 4 * 4 * (1 / 4) * (3 / 4)
	}' || bad "a share of $share"
}

# Keys too are hashed to where chance has it: misses are binomial, N of the
# share that the node has.
misses_the_share()
{
	cache read "$count" && at_rest || return
	echo "# $misses of $count missed; by the share $(awk -v n="$count" \
		-v share="$share" 'BEGIN { print n * share }')"
	awk -v misses="$misses" -v n="$count" -v p="$share" 'BEGIN {
		off = misses - n * p
		exit off * off > 4 * 4 * n * p * (1 - p)
	}' || bad "$misses misses" || return
	owners && misses_are 4
}

finds_with_former()
{
	local before=$misses

	cache read "$count" former && all_hit || return
	[ "$former" = "$before" ] || bad "$before were missed, $former found" || return
	asked=$((asked - former))
	at_rest
}

values_moved()
{
	cache read "$count" && all_hit && at_rest && as_owned 1 2 3 4
}

# Former owners are those of the last change of tokens: who is down is not asked,
# and nobody asks a dead server, which would be an error.
misses_who_is_down()
{
	local pid

	owners && chringctl node set $ring "$(node 3)" state down &&
	pid=$(stat 3 pid) && kill "$pid" || bad 'server 3 stays' || return
	wait "$pid"
	cache read "$count" && misses_are 3 && at_rest
}

fills_up()
{
	cache fill "$count" && all_hit
}

# The reader is stopped when it has read a key or some, and goes on after the
# change. Then the kernel is asked for every former owner, and for some owners,
# until that has cost as much as the new copy does: a few to a hundred tokens.
goes_on_while_it_changes()
{
	local reader had before

	owners && had=$(owned 4) && before=$(stat 1 cmd_get) || return
	ringcache $ring read "$count" former >"$dir/out" 2>"$dir/err" &
	reader=$!
	while kill -STOP $reader && [ "$(stat 1 cmd_get)" = "$before" ]; do
		kill -CONT $reader
		sleep 0.02
	done
	chringctl node del $ring "$(node 4)" || bad 'node 4 stays'
	kill -CONT $reader
	wait $reader
	ran $? && all_hit || return
	echo "# $former of $had moved back while all were read, the kernel asked $asked times"
	[ "$former" -gt 0 ] || bad 'nothing was asked of the node that went' || return
	[ "$(stat 4 curr_items)" = $((had - former)) ] || bad 'not moved' || return
	asked=$((asked - former))
	[ "$asked" -gt 0 ] && [ "$asked" -lt $((4 * vnodes / 10)) ] ||
		bad "the kernel is asked for $asked owners"
}

# One asks, one answers, in turns: waking another processor each time would take
# most of the time.
taskset -p 1 $$ >/dev/null

tests="fills reads share_is_fair misses_the_share finds_with_former values_moved
	misses_who_is_down fills_up goes_on_while_it_changes"

touch "$dir/sum" "$dir/err"
awk -v n="$count" 'BEGIN { for (i = 0; i < n; i++) print "user:" i }' >"$dir/keys"
# shellcheck disable=SC2086 # a list of words
set -- $tests
echo "1..$#"
chringctl ring add $ring vnodes $vnodes &&
for n in 1 2 3; do
	serve $n && chringctl node add $ring "$(node $n)" || break
done || bad 'no ring'
for test; do
	number=$((number + 1))
	if "$test"; then
		echo "ok $number - $test"
	else
		echo "not ok $number - $test"
	fi
done
# shellcheck disable=SC2046 # a word each
kill $(jobs -p) 2>/dev/null
chringctl ring del $ring
rm -rf "$dir"
