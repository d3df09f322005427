#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What an operator can watch, in TAP: tracepoints of lookups and commits, and
# the files under debugfs, held against what chringctl says. Each function of
# the list at the end is a test.
#
# shellcheck shell=dash disable=SC2015 # bad() is for a failure of either

tracing=/sys/kernel/tracing
debug=/sys/kernel/debug/chring
ring=traced

bad()
{
	echo "# $*"
	grep -v '^#' $tracing/trace | tail -n 20 | sed 's/^/#   trace: /'
	return 1
}

# traced COMMAND...: runs it while the tracepoints are enabled
traced()
{
	echo >$tracing/trace
	echo 1 >$tracing/events/chring/enable
	"$@" >/tmp/said
	set -- $?
	echo 0 >$tracing/events/chring/enable
	return "$1"
}

# events NAME: fields of what it has told, a line each
events()
{
	sed -n "s/.*: chring_$1: //p" $tracing/trace
}

# of_ring NAME: number of the member of `chringctl -j ring show`
of_ring()
{
	printf '%d\n' "$(chringctl -j ring show $ring |
		sed -n "s/.*\"$1\": \"\(0x[0-9a-f]*\)\".*/\1/p" | head -n 1)"
}

commits()
{
	traced chringctl node add $ring cache-01 generation 7 &&
	traced chringctl node add $ring cache-02 weight 3 &&
	[ "$(events commit | wc -l)" = 1 ] || bad 'not one commit' || return
	events commit | grep -q "^ring=$(of_ring id) name=$ring epoch=$(of_ring epoch) generation=7 digest=0x[0-9a-f]* tokens=640 nodes=2 live=2 added=1 removed=0 changed=0 flipped=0$" ||
		bad "not so: $(events commit)" || return
	traced chringctl node set $ring cache-01 state down &&
	events commit | grep -q ' live=1 added=0 removed=0 changed=0 flipped=1$' ||
		bad "not so: $(events commit)" || return
	chringctl node set $ring cache-01 state up
}

# A change that is refused, or that would be, is no commit.
no_commits()
{
	traced chringctl node add $ring cache-01 2>/dev/null
	traced chringctl node del $ring cache-01 dry-run
	[ -z "$(events commit)" ] || bad 'told of what was not'
}

# Each with the name of the node that chringctl prints.
lookups()
{
	local epoch

	epoch=$(of_ring epoch)
	traced chringctl lookup $ring a b c d e f g h &&
	[ "$(events lookup | wc -l)" = 8 ] || bad 'not 8 lookups' || return
	[ "$(events lookup | sed 's/.* name=//')" = "$(cut -f2 /tmp/said)" ] &&
	[ "$(events lookup | grep -c "^ring=$(of_ring id) epoch=$epoch node=[0-9]* name=")" = 8 ] ||
		bad 'other nodes'
}

# The keys of a batch, and each of several replicas.
several()
{
	seq 1000 >/tmp/keys
	traced sh -c "chringctl lookup $ring - </tmp/keys" &&
	[ "$(events lookup | wc -l)" = 1000 ] &&
	[ "$(events lookup | sed 's/.* name=//')" = "$(cut -f2 /tmp/said)" ] ||
		bad 'a batch' || return
	traced chringctl lookup $ring replicas 2 k &&
	[ "$(events lookup | sed 's/.* name=//' | xargs)" = "$(cut -f2 /tmp/said)" ] ||
		bad 'replicas'
}

# A name of any bytes, as long as there are.
long_names()
{
	local name

	name=$(printf '%0255d' 1)
	chringctl ring add $ring.long && chringctl node add $ring.long "$name" &&
	traced chringctl lookup $ring.long k &&
	[ "$(events lookup | sed 's/.* name=//')" = "$name" ] || bad 'a long name'
}

off()
{
	traced true
	chringctl lookup $ring a
	chringctl node set $ring cache-01 cookie 9
	[ -z "$(events lookup)$(events commit)" ] || bad 'told of what was later'
}

# line RING: its line of the file
line()
{
	awk -v name="$1" '$NF == name' $debug/rings
}

watched()
{
	[ "$(line $ring | awk '{ print $1, $2, $4, $5, $7 }')" = \
	  "$(of_ring id) $(of_ring epoch) 2 2 640" ] || bad "line: $(line $ring)" || return
	[ "$(awk 'NR > 1 { print $1 }' $debug/rings)" = \
	  "$(awk 'NR > 1 { print $1 }' $debug/rings | sort -n)" ] || bad 'order' || return
	[ "$(stat -c %a $debug/rings)" = 400 ]
}

# More rings than a read has room for, and none twice.
many()
{
	local i

	for i in $(seq 60); do
		chringctl ring add "$ring.$i" || return
	done
	[ "$(awk '{ print $NF }' $debug/rings | grep -c "^$ring\.[0-9]")" = 60 ] &&
	[ "$(dd if=$debug/rings bs=64 2>/dev/null | sort | uniq -d)" = '' ] ||
		bad 'not 60 rings' || return
	for i in $(seq 60); do
		chringctl ring del "$ring.$i" || return
	done
	! grep -q " $ring\.[0-9]" $debug/rings
}

memory()
{
	[ "$(awk '$1 == "limit" { print $2 }' $debug/memory)" = \
	  "$(cat /sys/module/chring/parameters/max_total_bytes)" ] &&
	[ "$(awk '$1 == "used" { print $2 }' $debug/memory)" -gt 0 ]
}

[ -e $tracing/trace ] || mount -t tracefs trace $tracing
chringctl ring add $ring

tests="commits no_commits lookups several long_names off watched many memory"
echo "1..$(echo "$tests" | wc -w)"
n=0
for test in $tests; do
	n=$((n + 1))
	if "$test" >/tmp/out 2>&1; then
		echo "ok $n - $test"
	else
		sed 's/^/# /' /tmp/out
		echo "not ok $n - $test"
	fi
done
chringctl ring del $ring
chringctl ring del $ring.long
