#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The demo, in the guest: what a ring does with the keys in /keys and the nodes
# in /nodes, a line each. Every figure is counted from the answers of the ring,
# and what a ring promises is held against them.

vnodes=100
failures=0
tab=$(printf '\t')

say()
{
	printf '\n== %s\n' "$*"
}

# promise STATUS WORDS: what must hold
promise()
{
	if [ "$1" = 0 ]; then
		echo "   holds: $2"
	else
		echo "   DOES NOT HOLD: $2"
		failures=$((failures + 1))
	fi
}

die()
{
	echo "demo: $*" >&2
	exit 1
}

# ring NAME VNODES: with all nodes, in the order of standard input
ring()
{
	chringctl ring add "$1" vnodes "$2" || exit
	while read -r node; do
		chringctl node add "$1" "$node" || exit
	done
}

# owners RING FILE: a line KEY<tab>NODE for every key
owners()
{
	chringctl lookup "$1" - </tmp/keys >"$2" || exit
	[ "$(wc -l <"$2")" = "$keys" ] || die "not every key got an answer"
}

# Positions modulo $1, and modulo $1 + 1: what `hash % N` makes of a change.
modulo()
{
	tr '\n' '\0' </tmp/keys |
	xargs -0 -n 200 chringctl -j lookup demo -- |
	sed -n 's/.*"position": *"0x\([0-9a-f]*\)".*/\1/p' |
	awk -v n="$1" '
	function rest(hex, by,    i, r) {
		for (i = 1; i <= length(hex); i++)
			r = (r * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1) % by
		return r
	}
	{ total++; if (rest($1, n) != rest($1, n + 1)) moved++ }
	END { print total + 0, moved + 0 }'
}

digest()
{
	chringctl -j ring show "$1" | sed -n 's/.*"digest": *"\(0x[0-9a-f]*\)".*/\1/p'
}

percent()
{
	awk -v n="$1" -v of="$2" 'BEGIN { printf "%.2f %%", of ? 100 * n / of : 0 }'
}

grep . /keys >/tmp/keys
grep . /nodes >/tmp/nodes
keys=$(wc -l </tmp/keys)
nodes=$(wc -l </tmp/nodes)
[ "$keys" -gt 0 ] || die "no keys"
[ "$nodes" -gt 1 ] || die "it takes two nodes at least"
new='new-node'
while grep -qxF "$new" /tmp/nodes; do new="${new}er"; done

say "$keys keys, $nodes nodes: shares with $vnodes vnodes a node, and with 1"
ring demo $vnodes </tmp/nodes
ring one 1 </tmp/nodes
owners demo /tmp/before
owners one /tmp/one
awk -F "$tab" -v keys="$keys" '
function bar(n,    i, s) {
	for (i = 0; i < n * 100 / keys; i++)
		s = s "#"
	return s
}
FILENAME == "/tmp/nodes" { name[++n] = $0; next }
FILENAME == "/tmp/before" { many[$NF]++; next }
{ one[$NF]++ }
END {
	for (i = 1; i <= n; i++)
		printf "   %-20s %6.2f %% %-28s %6.2f %% %s\n", substr(name[i], 1, 20),
			100 * many[name[i]] / keys, bar(many[name[i]]),
			100 * one[name[i]] / keys, bar(one[name[i]])
}' /tmp/nodes /tmp/before /tmp/one
sed "s/.*$tab//" /tmp/before | sort -u >/tmp/named
! grep -vxFf /tmp/nodes /tmp/named >/dev/null
promise $? "every key is owned by one of the nodes"

say "one node more: $new"
chringctl node add demo "$new" || exit
owners demo /tmp/after
awk -F "$tab" -v new="$new" '
NR == FNR { was[FNR] = $NF; next }
$NF == new { gained++ }
$NF != was[FNR] { moved++; if ($NF != new) strays++ }
END { print moved + 0, gained + 0, strays + 0 }' /tmp/before /tmp/after >/tmp/verdict
read -r moved gained strays </tmp/verdict
modulo "$nodes" >/tmp/verdict
read -r counted by_modulo </tmp/verdict
echo "   keys that moved:             $moved ($(percent "$moved" "$keys"))"
echo "   1/(N+1) would be:            $((keys / (nodes + 1))) ($(percent 1 $((nodes + 1))))"
echo "   hash % N would have moved:   $by_modulo ($(percent "$by_modulo" "$counted"))"
echo "   moved between two old nodes: $strays"
[ "$counted" = "$keys" ]
promise $? "the same keys were counted"
[ "$strays" = 0 ] && [ "$moved" = "$gained" ]
promise $? "what moved, moved to the new node"

gone=$(head -n 1 /tmp/nodes)
say "a node less: $gone"
chringctl node del demo "$gone" || exit
owners demo /tmp/left
awk -F "$tab" -v gone="$gone" -v out=/tmp/verdict '
NR == FNR { was[FNR] = $NF; names[$NF]; next }
was[FNR] == gone { had++; got[$NF]++; if ($NF == gone) strays++; next }
$NF != was[FNR] { strays++ }
END {
	printf "   its %d keys went to:\n", had
	for (name in names)
		if (name != gone) {
			survivors++
			printf "   %-20s %5d (%.1f %%)\n", substr(name, 1, 20), got[name],
				had ? 100 * got[name] / had : 0 | "sort"
			if (!min || got[name] < least) least = got[name]
			min = 1
			if (got[name] > most) most = got[name]
		}
	close("sort")
	printf "   even would be %.1f each; least %d, most %d\n",
		had / survivors, least, most
	print strays + 0 >out
}' /tmp/after /tmp/left
[ "$(cat /tmp/verdict)" = 0 ]
promise $? "only its keys moved, and all of them"

say "the same membership, built in another order"
{ sed 1d /tmp/nodes; echo "$new"; } | sort -r >/tmp/other
ring again $vnodes </tmp/other
one=$(digest demo) other=$(digest again)
echo "   digest after all these changes: $one"
echo "   digest of a fresh ring:         $other"
[ -n "$one" ] && [ "$one" = "$other" ]
promise $? "equal members, equal digest"
owners again /tmp/again
cmp -s /tmp/left /tmp/again
promise $? "and the same owner for every key"

echo
[ "$failures" = 0 ] && echo "demo: everything holds" && exit 0
echo "demo: $failures promises do not hold" >&2
exit 1
