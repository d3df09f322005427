#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# chringctl against the real /dev/chring, in TAP. Each function of the list at
# the end is a test: true if all is well, and $skipped if it says why it cannot
# be run. Functions are run in order, each on rings of its own.
#
# shellcheck shell=dash disable=SC2015 # bad() is for a failure of either

dir=$(mktemp -d)
matcher=$(mktemp -d)
ctl=chringctl
skipped=77

# bad TEXT: what went wrong, with what the command said; false
bad()
{
	echo "# $*"
	sed 's/^/#   out: /' "$dir/out" | head -n 20
	sed 's/^/#   err: /' "$dir/err" | head -n 20
	return 1
}

# One process that matches lines for all tests: in an emulated kernel that
# watches its memory each of its own would take longer than chringctl does.
# Asked with the name of a file and, on a line of its own, a pattern.
start_matcher()
{
	mkfifo "$matcher/ask" "$matcher/told"
	awk '{
		file = $0
		getline pattern
		found = 0
		while (!found && (getline line <file) > 0)
			found = line ~ pattern
		close(file)
		print found
		fflush()
	}' <"$matcher/ask" >"$matcher/told" &
	exec 3>"$matcher/ask" 4<"$matcher/told"
}

# matches PATTERN FILE: does a line of the file match?
matches()
{
	local found

	printf '%s\n%s\n' "$2" "$1" >&3
	read -r found <&4
	[ "$found" = 1 ]
}

# has_lines N FILE: as many
has_lines()
{
	local n=0

	while read -r _; do
		n=$((n + 1))
	done <"$2"
	[ $n = "$1" ]
}

# run STATUS ARGUMENT...: chringctl ends with STATUS, its output in files
run()
{
	local want=$1 got

	shift
	"$ctl" "$@" >"$dir/out" 2>"$dir/err"
	got=$?
	[ "$got" = "$want" ] || bad "status $got, expected $want: chringctl $*"
}

# silent ARGUMENT...: done, and nothing said
silent()
{
	run 0 "$@" || return
	[ ! -s "$dir/out" ] && [ ! -s "$dir/err" ] || bad "not silent: $*"
}

# answers PATTERN ARGUMENT...: done, and a line of the answer matches
answers()
{
	local pattern=$1

	shift
	run 0 "$@" || return
	[ ! -s "$dir/err" ] || bad "complains: $*" || return
	matches "$pattern" "$dir/out" || bad "no line matches $pattern: $*"
}

# refuses STATUS PATTERN ARGUMENT...: no answer, one line of error, and it matches
refuses()
{
	local status=$1 pattern=$2

	shift 2
	run "$status" "$@" || return
	[ ! -s "$dir/out" ] || bad "has an answer: $*" || return
	has_lines 1 "$dir/err" || bad "not one line: $*" || return
	matches "^chringctl: $pattern" "$dir/err" || bad "does not match $pattern: $*"
}

# ring NAME NODE...: a ring with nodes
ring()
{
	local name=$1 node

	shift
	silent ring add "$name" || return
	for node; do
		silent node add "$name" "$node" || return
	done
}

# field NAME: the value of a member in the JSON of the last answer
field()
{
	local line

	while IFS= read -r line; do
		case $line in
		*"\"$1\": "*)
			line=${line#*"\"$1\": "}
			line=${line#\"}
			echo "${line%%[\",]*}"
			return ;;
		esac
	done <"$dir/out"
}

# field_of_line NAME: the value behind a name in the text of the last answer
field_of_line()
{
	awk -v name="$1" '$1 == name { print $2; exit }' "$dir/out"
}

info()
{
	answers '^version +[0-9]+\.[0-9]+\.[0-9]+$' info &&
	answers '^hashes +xxh64, siphash' info &&
	answers '^  "max_total_bytes": "0x[0-9a-f]+",$' -j info &&
	answers '^  "max_tokens": [0-9]+,$' -j info &&
	refuses 2 "unexpected word 'x'" info x
}

usage()
{
	refuses 2 'expected an object' &&
	refuses 2 "unknown object 'wash'; expected one of ring, node" wash &&
	refuses 2 "'ring': expected a command: one of add, del" ring &&
	refuses 2 "unknown command 'x' of 'node'; expected one of" node x &&
	refuses 2 "option '-x'" -x ring list &&
	refuses 2 "option '-o': expected a value" -o &&
	refuses 2 "unexpected '-j': options stand first" ring list -j &&
	answers '^Usage: chringctl' --help &&
	answers '^chringctl [0-9]' --version
}

ring_add()
{
	silent ring add r.add hash murmur64 bits 32 vnodes 7 unit 2 seed 5381 sep '#v-' &&
	answers '^hash +murmur64$' ring show r.add &&
	answers '^bits +32$' ring show r.add &&
	answers '^sep +#v-$' ring show r.add &&
	answers '^seed +0x0000000000001505$' ring show r.add &&
	answers '^    "vnodes": 7,$' -j ring show r.add &&
	answers '^    "seed": "0x0000000000001505",$' -j ring show r.add &&
	answers '^  "epoch": "0x1",$' -j ring show r.add &&
	answers '^  "name": "r.json",$' -j ring add r.json &&
	answers '^    "name": "r.json",$' -j ring list &&
	answers '^r\.json  +0  +0  +0 ' ring list &&
	refuses 1 "ring 'r.add': there is one already" ring add r.add &&
	silent ring del r.add &&
	answers '^  "id": "0x[0-9a-f]+"$' -j ring del r.json &&
	refuses 1 "ring 'r.add': no such ring; 'chringctl ring list'" ring show r.add
}

ring_refused()
{
	refuses 1 "ring 'default': it cannot be deleted" ring del default &&
	refuses 1 "ring 'no': no such ring" ring del no &&
	refuses 1 "ring 'no': no such ring" node list no &&
	refuses 1 "ring 'no': no such ring" lookup no k &&
	refuses 1 "ring 'no': no such ring" stats no &&
	refuses 1 "ring 'x': hash 'murmur3' has 32 bits" ring add x hash murmur3 bits 64 &&
	refuses 1 "ring 'x': hash 'murmur3' takes a seed of 32" ring add x hash murmur3 seed 0x100000000 &&
	refuses 1 "ring 'x': hash 'siphash' is keyed" ring add x hash siphash &&
	refuses 2 "ring '': the name is empty" ring add '' &&
	refuses 2 "ring '\.x': the name begins with a dot" ring add .x &&
	refuses 2 "ring 'a/b': byte 0x2f" ring add a/b &&
	refuses 2 "ring .*: the name has 64 bytes; expected at most 63" ring add "$(seq -s '' 0 36)" &&
	refuses 1 "ring 'x': no such ring" ring show x
}

# What is not a number, or not in range, or not a word, is named.
bad_words()
{
	local v

	for v in 0 65536 -1 +1 1x '1 ' '' 0x 99999999999999999999999; do
		refuses 2 "vnodes '[+]?${v#+}': expected a number from 1 to 65535" \
			ring add x vnodes "$v" || return
	done
	refuses 2 "hash 'fnv': expected one of xxh64, siphash" ring add x hash fnv &&
	refuses 2 "layout 'round': expected one of plain, ketama" ring add x layout round &&
	refuses 2 "bits '48': expected 64 or 32" ring add x bits 48 &&
	refuses 2 "sep 'a1': byte 0x31" ring add x sep a1 &&
	refuses 2 "sep 'aaaaaaaaaaaaaaaaa': it has 17 bytes" ring add x sep aaaaaaaaaaaaaaaaa &&
	refuses 2 "seed 'y': expected a number of at most 128 bits" ring add x seed y &&
	refuses 2 "seed '0x1[0]{32}': expected" ring add x seed 0x100000000000000000000000000000000 &&
	refuses 2 "'unit': expected a value" ring add x unit &&
	refuses 2 "'unit' is given twice" ring add x unit 1 unit 1 &&
	refuses 2 "unknown word 'size'; expected one of hash, bits" ring add x size 1 &&
	refuses 2 "weight '65536': expected a number from 0 to 65535" node add default n weight 65536 &&
	refuses 2 "state 'off': expected one of up, drain, down" node add default n state off &&
	refuses 2 "node 'a b': byte 0x20" node add default 'a b' &&
	refuses 2 "zone 'a b': byte 0x20" node add default n zone 'a b' &&
	refuses 2 "node '': the name is empty" node add default '' &&
	refuses 2 "node 'n': nothing to set" node set default n &&
	refuses 2 "unknown word 'weight'; expected one of generation, epoch" node del default n weight 1 &&
	refuses 2 'expected the name of a node' node del default &&
	refuses 2 "balance '99': expected a number from 100 to 65535" ring add x balance 99 &&
	refuses 2 "balance '65536': expected a number" ring add x balance 65536 &&
	refuses 2 "tickets '0': expected a number from 1 to 1048576" ring add x tickets 0 &&
	refuses 1 "ring 'x': no such ring" ring show x
}

not_offered()
{
	refuses 1 "ring 'x': layout 'ketama' is known, .* offered: plain$" ring add x layout ketama &&
	refuses 1 "ring 'x': hash 'md5' is known, .* offered: xxh64, siphash" ring add x hash md5
}

# Of each of three zones one, whatever stands next to each other.
zones()
{
	local i k zone

	silent ring add r.zones || return
	for i in 1 2 3 4 5 6 7 8 9; do
		silent node add r.zones "n$i" zone "z$((i % 3))" || return
	done
	for k in a b c d e f g h; do
		run 0 lookup r.zones replicas 3 zones "$k" || return
		zone=$(tr -dc 0-9 <"$dir/out" | sed 's/[0369]/x/; s/[147]/y/; s/[258]/z/')
		[ "$(echo "$zone" | fold -w1 | sort | tr -d '\n')" = xyz ] ||
			bad "not of three zones: $(cat "$dir/out")" || return
	done
	answers '^zones +3$' stats r.zones &&
	echo k >"$dir/key" &&
	[ "$(chringctl lookup r.zones zones - <"$dir/key")" = "$(chringctl lookup r.zones k)" ]
}

former()
{
	ring r.form a && silent node add r.form b weight 50 &&
	refuses 1 "ring 'no': no such ring" pin no &&
	answers '^k	a$' lookup r.form previous k &&
	answers '^k	b	a$' lookup r.form former k &&
	answers '"formers": \[ \{ "node": "a"' -j lookup r.form former k &&
	echo k >"$dir/key" &&
	answers '^k	b	a$' lookup r.form former - <"$dir/key" &&
	answers '^k	a$' lookup r.form previous - <"$dir/key" &&
	refuses 2 "'previous' shows former owners alone" lookup r.form previous former k &&
	silent node set r.form a state down &&
	refuses 1 "ring 'r.form': none of its former owners can answer" lookup r.form previous k &&
	answers '^k	b	$' lookup r.form former k &&
	silent node set r.form a state drain && answers '^k	b	a$' lookup r.form former k &&
	ring r.forn && refuses 1 "ring 'r.forn': it had no nodes before" lookup r.forn previous k
}

pins()
{
	ring r.pin a b && refuses 1 "ring 'r.pin': it is not pinned" unpin r.pin &&
	refuses 1 "ring 'r.pin': it is at epoch 3, not 9; nothing was changed" pin r.pin epoch 9 &&
	silent pin r.pin generation 7 &&
	refuses 1 "ring 'r.pin': it is pinned already; 'chringctl unpin r.pin'" pin r.pin &&
	answers '^former +3, pinned$' stats r.pin &&
	silent node del r.pin a && silent node add r.pin c weight 9 &&
	answers '^former +3, pinned$' stats r.pin &&
	answers '^[a-z]+	[ab]$' lookup r.pin previous k &&
	refuses 1 "ring 'r.pin': it is at generation 7, and it never falls" unpin r.pin generation 6 &&
	answers '"epoch": "0x7",$' -j unpin r.pin &&
	answers '^former +3$' stats r.pin && silent node del r.pin c &&
	answers '^former +7$' stats r.pin
}

digest_of()
{
	chringctl stats "$1" | sed -n 's/^digest *//p'
}

# What would be, and is not; and then is.
dry_run()
{
	local digest

	ring r.dry a b && digest=$(digest_of r.dry) &&
	answers '^moved +[1-9][0-9]\.[0-9]{4}%$' node add r.dry c dry-run &&
	answers '^a +c +[1-9][0-9]\.[0-9]{4}$' node add r.dry c dry-run &&
	answers '^b +c ' node add r.dry c dry-run weight 1 &&
	answers '"id": ?null,$' -j node add r.dry c dry-run &&
	answers '^ +"to": ?"c",$' -j node add r.dry c dry-run &&
	answers '^ +"from": ?"[ab]",$' -j node add r.dry c dry-run &&
	answers '^moved +0\.0000%$' node set r.dry a cookie 3 dry-run &&
	answers '^a +b ' node set r.dry a state down dry-run &&
	answers '^b +a +[0-9.]+$' node del r.dry b dry-run &&
	refuses 1 "node 'a': ring 'r.dry' has it already" node add r.dry a dry-run &&
	refuses 2 "'dry-run' is given twice" node del r.dry b dry-run dry-run &&
	[ "$(digest_of r.dry)" = "$digest" ] || bad 'it has changed' || return
	digest=$(chringctl node add r.dry c dry-run | sed -n 's/^digest *//p') &&
	silent node add r.dry c && [ "$(digest_of r.dry)" = "$digest" ] &&
	silent node del r.dry a && silent node del r.dry c &&
	answers '^b +- +100\.0000$' node del r.dry b dry-run
}

replicas()
{
	ring r.rep a b c &&
	answers '^k	[abc]$' lookup r.rep replicas 1 k &&
	answers '^k	[abc] [abc] [abc]$' lookup r.rep replicas 3 k &&
	answers '^k	[abc] [abc] [abc]$' lookup r.rep replicas 32 k &&
	three=$(chringctl lookup r.rep replicas 3 k) &&
	[ "$(chringctl lookup r.rep replicas 2 k)" = "${three% *}" ] &&
	[ "$(echo k | chringctl lookup r.rep replicas 3 -)" = "$three" ] &&
	[ "$(echo "${three#k	}" | tr ' ' '\n' | sort -u | wc -l)" = 3 ] &&
	silent node set r.rep a state down &&
	answers '^k	[bc] [bc]$' lookup r.rep replicas 3 k
}

node_add()
{
	silent ring add r.node &&
	silent node add r.node b weight 3 zone z1 cookie 0xff state drain generation 7 epoch 1 &&
	silent node add r.node a &&
	answers '^NODE +STATE +WEIGHT +ZONE +COOKIE +TOKENS +ID$' node list r.node &&
	answers '^a +up +1 +- +0x0 +160 +[0-9]+$' node list r.node &&
	answers '^b +drain +3 +z1 +0xff +480 +[0-9]+$' node list r.node &&
	answers '^  "generation": "0x7",$' -j node list r.node &&
	answers '^      "name": "a",$' -j node list r.node &&
	[ "$(field name)" = a ] &&
	answers '^      "zone": "z1",$' -j node list r.node &&
	answers '^      "cookie": "0xff",$' -j node list r.node &&
	refuses 1 "node 'a': ring 'r.node' has it already" node add r.node a &&
	refuses 1 "node 'c': ring 'r.node' is at epoch 3, not 2" node add r.node c epoch 2 &&
	refuses 1 "node 'c': ring 'r.node' is at generation 7, .* not 6" node add r.node c generation 6 &&
	answers '^  "epoch": "0x4",$' -j node add r.node c epoch 3
}

node_set()
{
	ring r.set a b &&
	silent node set r.set a weight 2 zone z cookie 5 state down &&
	answers '^a +down +2 +z +0x5 +320 ' node list r.set &&
	silent node set r.set a zone '' state up &&
	answers '^a +up +2 +- +0x5 +320 ' node list r.set &&
	answers '^  "epoch": "0x5",$' -j node set r.set a state up &&
	refuses 1 "node 'x': ring 'r.set' has no such node; 'chringctl node list r.set'" \
		node set r.set x weight 1
}

node_del()
{
	ring r.del a b &&
	answers '^  "epoch": "0x4",$' -j node del r.del a &&
	refuses 1 "node 'a': ring 'r.del' has no such node" node del r.del a &&
	refuses 1 "node 'b': ring 'r.del' is at epoch 4, not 3" node del r.del b epoch 3 &&
	silent node del r.del b epoch 4 generation 1 &&
	refuses 1 "ring 'r.del': it has no nodes" lookup r.del k
}

in_service()
{
	ring r.out a &&
	silent node set r.out a state down &&
	refuses 1 "ring 'r.out': it has nodes, but none in service" lookup r.out k &&
	refuses 1 "ring 'r.out': it has nodes, but none in service" -j lookup r.out k &&
	answers '^max/mean +-$' stats r.out &&
	answers '^  "max_to_mean": null,$' -j stats r.out
}

lookup_keys()
{
	ring r.look a b c || return
	run 0 lookup r.look k1 k2 || return
	[ "$(cut -f1 "$dir/out" | xargs)" = 'k1 k2' ] || bad 'keys' || return
	cut -f2 "$dir/out" | grep -qvE '^[abc]$' && bad 'owners' && return 1
	answers '^\{ "key": "k1", "position": "0x[0-9a-f]{16}", "owners": \[ \{ "node": "[abc]", "id": "0x[0-9a-f]+", "cookie": "0x0" \} \], "ring": "0x[0-9a-f]+", "epoch": "0x4" \}$' \
		-j lookup r.look k1 &&
	answers '^zones	[abc]$' lookup r.look -- zones &&
	answers '^-	[abc]$' lookup r.look -- - &&
	answers '^	[abc]$' lookup r.look '' &&
	refuses 2 "unknown option '-k'" lookup r.look -k &&
	refuses 2 'lookup: expected a key' lookup r.look &&
	refuses 2 "unexpected word 'k' after '-'" lookup r.look - k &&
	refuses 2 "replicas '33': expected a number from 1 to 32" lookup r.look replicas 33 k
}

# The position of a key has the key's owner.
lookup_positions()
{
	local key owner position

	ring r.pos a b c || return
	for key in $(seq 20); do
		run 0 -j lookup r.pos "$key" || return
		owner=$(field node) position=$(field position)
		answers "^$position	$owner\$" lookup r.pos position "$position" || return
		echo "$position" >"$dir/positions"
		answers "\"position\": \"$position\", \"owners\": \[ \{ \"node\": \"$owner\"" \
			-j lookup r.pos position - <"$dir/positions" || return
	done
	echo x >"$dir/positions"
	refuses 2 "position 'x': expected a number" lookup r.pos position x &&
	refuses 1 "position 1 on standard input: 'x': expected a number" \
		lookup r.pos position - <"$dir/positions" &&
	silent ring add r.pos32 bits 32 && silent node add r.pos32 a &&
	refuses 1 "ring 'r.pos32': a position is wider than the 32 bits" \
		lookup r.pos32 position 0x100000000
}

# A hundred thousand keys: in order, and each as if it were asked for alone.
stream()
{
	local key

	ring r.stream a b c d e || return
	seq 100000 >"$dir/keys"
	run 0 lookup r.stream - <"$dir/keys" || return
	cut -f1 "$dir/out" | cmp -s - "$dir/keys" || bad 'other keys' || return
	cut -f2 "$dir/out" | sort -u | xargs >"$dir/owners"
	[ "$(cat "$dir/owners")" = 'a b c d e' ] || bad 'other owners' || return
	cp "$dir/out" "$dir/lines"
	for key in 1 8192 8193 65537 100000; do
		run 0 lookup r.stream "$key" || return
		cmp -s "$dir/out" - <<-END || bad "alone: $key" || return
		$(sed -n "${key}p" "$dir/lines")
		END
	done
	tr '\n' '\0' <"$dir/keys" >"$dir/keys0"
	run 0 -0 lookup r.stream - <"$dir/keys0" &&
	cmp -s "$dir/out" "$dir/lines" &&
	run 0 lookup r.stream -0 - <"$dir/keys0" &&
	cmp -s "$dir/out" "$dir/lines" &&
	run 0 -o "$dir/file" lookup r.stream - <"$dir/keys" &&
	[ ! -s "$dir/out" ] && cmp -s "$dir/file" "$dir/lines"
}

stream_json()
{
	ring r.sjson a b || return
	seq 3 >"$dir/keys"
	answers '^\{ "key": "3", "owners": \[ \{ "node": "[ab]", "id": "0x[0-9a-f]+" \} \], "ring": "0x[0-9a-f]+", "epoch": "0x3" \}$' \
		-j lookup r.sjson - <"$dir/keys" || return
	[ "$(sed -n '1p;$p' "$dir/out" | xargs)" = '[ ]' ] &&
	[ "$(grep -c '},$' "$dir/out")" = 2 ] || bad 'not an array' || return
	run 0 -j lookup r.sjson - </dev/null &&
	[ "$(cat "$dir/out")" = '[]' ]
}

# Keys of no bytes, of all bytes, of many bytes; the last without its newline.
stream_bytes()
{
	ring r.bytes a || return
	printf '\nx\n\n\377\ty' >"$dir/keys"
	printf '\ta\nx\ta\n\ta\n\377\ty\ta\n' >"$dir/lines"
	run 0 lookup r.bytes - <"$dir/keys" &&
	cmp -s "$dir/out" "$dir/lines" || bad 'short ones' || return
	printf 'a\nb\000' >"$dir/keys"
	answers '^\{ "key": "a\\nb", ' -j -0 lookup r.bytes - <"$dir/keys" || return
	head -c 65536 /dev/zero | tr '\0' x >"$dir/keys"
	run 0 lookup r.bytes - <"$dir/keys" &&
	[ "$(wc -c <"$dir/out")" = 65539 ] || bad 'a long one' || return
	printf 'xy\nz' >>"$dir/keys"
	run 1 lookup r.bytes - <"$dir/keys" &&
	grep -q '^chringctl: key 1 on standard input: .* is longer than 65536 bytes$' "$dir/err" ||
		bad 'too long' || return
	printf 'k\n' | cat - "$dir/keys" >"$dir/more"
	run 1 lookup r.bytes - <"$dir/more" &&
	[ "$(cat "$dir/out")" = 'k	a' ] && grep -q 'key 2 on' "$dir/err" ||
		bad 'those before it'
}

# Whoever waits for the answer to a key does not have to close the pipe.
stream_waits()
{
	local i=0

	ring r.wait a || return
	mkfifo "$dir/in" "$dir/end"
	(echo k; cat "$dir/end") >"$dir/in" &
	"$ctl" lookup r.wait - <"$dir/in" >"$dir/out" 2>"$dir/err" &
	while [ ! -s "$dir/out" ] && [ $i -lt 100 ]; do
		sleep 0.1
		i=$((i + 1))
	done
	[ "$(cat "$dir/out")" = 'k	a' ] || bad 'no answer yet'
	i=$?
	: >"$dir/end"
	wait
	return $i
}

# A stream whose ring is deleted ends with the reason.
stream_deleted()
{
	local i=0 pid

	ring r.gone a || return
	mkfifo "$dir/in" "$dir/end"
	(echo k; cat "$dir/end"; echo l) >"$dir/in" &
	"$ctl" lookup r.gone - <"$dir/in" >"$dir/out" 2>"$dir/err" &
	pid=$!
	while [ ! -s "$dir/out" ] && [ $i -lt 100 ]; do
		sleep 0.1
		i=$((i + 1))
	done
	"$ctl" ring del r.gone
	: >"$dir/end"
	wait $pid
	[ $? = 1 ] && [ "$(cat "$dir/out")" = 'k	a' ] &&
	grep -q "^chringctl: ring 'r.gone': it was deleted meanwhile" "$dir/err" ||
		bad 'not said'
}

# More than lists have room for at first.
many()
{
	local i tail=-----------------------------------------------------------

	silent ring add r.many vnodes 1 || return
	for i in $(seq 101 400); do
		silent node add r.many "$i$tail" zone "$tail" || return
	done
	run 0 node list r.many || return
	[ "$(awk 'NR > 1 && $4 == zone { print $1 }' zone="$tail" "$dir/out")" = \
	  "$(seq 101 400 | sed "s/\$/$tail/")" ] || bad 'nodes' || return
	run 0 stats r.many || return
	[ "$(grep -c -e "$tail" "$dir/out")" = 300 ] || bad 'stats' || return
	seq 10000 >"$dir/keys"
	run 0 lookup r.many - <"$dir/keys" || return
	grep -q "^9999	[1-4]..$tail\$" "$dir/out" || bad 'keys' || return
	for i in $(seq 101 180); do
		silent ring add "r.many.$i" || return
	done
	run 0 ring list || return
	[ "$(grep -c '^r\.many\.' "$dir/out")" = 80 ] || bad 'rings'
}

# The ring changes below a stream; every key has one owner all the same.
stream_changes()
{
	local changer

	ring r.change a b c || return
	while :; do
		"$ctl" node add r.change d && "$ctl" node del r.change d
	done >/dev/null 2>&1 &
	changer=$!
	seq 300000 >"$dir/keys"
	run 0 lookup r.change - <"$dir/keys"
	set -- $?
	kill "$changer"
	wait "$changer" 2>/dev/null
	[ "$1" = 0 ] || return
	cut -f1 "$dir/out" | cmp -s - "$dir/keys" || bad 'other keys' || return
	! cut -f2 "$dir/out" | grep -qvE '^([abcd]|id:[0-9]+)$' || bad 'other owners' || return
	run 0 -j ring show r.change && [ $(($(field epoch))) -gt 5 ] || bad 'no changes'
}

bytes()
{
	local name

	name=$(printf 'n\377')
	ring r.utf8 "$name" 'a"\b' "$(printf 'caf\303\251')" &&
	answers '^      "name_hex": "6eff",$' -j node list r.utf8 &&
	answers '^      "name": "a\\"\\\\b",$' -j node list r.utf8 &&
	answers '^      "name": "café",$' -j node list r.utf8 &&
	silent node set r.utf8 "$name" zone "$(printf '\200')" cookie 9 &&
	answers '^      "zone_hex": "80",$' -j node list r.utf8 &&
	silent node del r.utf8 'a"\b' && silent node del r.utf8 café &&
	answers '"key_hex": "fe", .*"node_hex": "6eff", .*"cookie": "0x9"' \
		-j lookup r.utf8 "$(printf '\376')" &&
	answers '"key": "k"' -j lookup r.utf8 k &&
	refuses 1 "node '\\\\xfe': ring 'r.utf8' has no such node" \
		node del r.utf8 "$(printf '\376')"
}

stats()
{
	silent ring add r.stats && silent node add r.stats a weight 2 &&
	answers '^a +up +2 +320 +100\.0000 +100\.0000 +1\.0000 +0 +-$' stats r.stats &&
	answers '^      "share": "0x10000000000000000",$' -j stats r.stats &&
	silent node add r.stats b && silent node add r.stats c state down &&
	silent node add r.stats d weight 0 &&
	answers '^tokens +640$' stats r.stats &&
	answers '^c +down +1 +160 +0\.0000 +0\.0000 +- +0 +-$' stats r.stats &&
	answers '^d +up +0 +0 +0\.0000 +0\.0000 +- +0 +-$' stats r.stats &&
	answers '^b +up +1 +160 +[0-9.]+ +33\.3333 +[01]\.[0-9]{4} +0 +-$' stats r.stats || return
	awk '/^[abcd] / { sum += $5; if ($7 != "-") max = $7 > max ? $7 : max }
	     /^max.mean/ { said = $2 }
	     END { exit !(sum > 99.9997 && sum < 100.0003 && max == said) }' "$dir/out" ||
		bad 'does not add up' || return
	answers '^      "share": "0x0000000000000000",$' -j stats r.stats &&
	silent ring add r.stats32 bits 32 && silent node add r.stats32 a &&
	answers '^a +up +1 +160 +100\.0000 +100\.0000 +1\.0000 +0 +-$' stats r.stats32 &&
	answers '^      "share": "0x0000000100000000",$' -j stats r.stats32
}

# lines N: the last answer has as many
lines()
{
	has_lines "$1" "$dir/out" || bad "not $1 lines"
}

ranges()
{
	local max=0xffffffffffffffff arcs

	silent ring add r.arcs &&
	run 0 ranges r.arcs && lines 1 &&
	answers '^\{ .*"epoch": "0x1", "bits": 64, "ranges": \[\] \}$' -j ranges r.arcs &&
	silent node add r.arcs a &&
	answers "^0x0{16}  $max  100\.0000  a\$" ranges r.arcs && lines 2 &&
	answers '"share": "0x10000000000000000", "percent": 100\.000000, "node": "a", "id": "0x[0-9a-f]+" \}$' -j ranges r.arcs &&
	silent node add r.arcs b && silent node add r.arcs previous state down &&
	answers "^0x0{16}  0x[0-9a-f]{16} +[0-9.]+  [ab]\$" ranges r.arcs &&
	answers "^0x[0-9a-f]{16}  $max +[0-9.]+  [ab]\$" ranges r.arcs || return
	arcs=$(wc -l <"$dir/out")
	[ "$arcs" -gt 100 ] || bad 'few arcs' || return
	answers ' previous$' tokens r.arcs && lines 481 &&
	answers '"tokens": \[$' -j tokens r.arcs && lines 482 &&
	answers '^\{ "position": "0x[0-9a-f]{16}", "node": "previous", "id": "0x' -j tokens r.arcs &&
	answers '^\] \}$' -j ranges r.arcs && lines $((arcs + 1)) &&
	answers ' a$' ranges r.arcs a && ! grep -q ' b$' "$dir/out" || return
	arcs=$((arcs - $(wc -l <"$dir/out") + 1))
	answers ' b$' ranges r.arcs b && lines "$arcs" &&
	run 0 ranges r.arcs -- previous && lines 1 &&
	answers '"former_epoch": "0x3"' -j ranges r.arcs a previous &&
	refuses 1 "node 'x': ring 'r.arcs' has no such node" ranges r.arcs x &&
	refuses 1 "ring 'no': no such ring" ranges no &&
	refuses 2 "unexpected word 'y'" ranges r.arcs a previous y &&
	refuses 2 "unexpected word 'y'" tokens r.arcs y &&
	silent ring add r.arcs32 bits 32 && silent node add r.arcs32 a &&
	answers '^0x0{16}  0x00000000ffffffff  100\.0000  a$' ranges r.arcs32
}

diff()
{
	silent ring add r.diff &&
	refuses 1 "ring 'r.diff': it has no former owners yet" diff r.diff &&
	refuses 1 "ring 'r.diff': it has no former owners yet" ranges r.diff previous &&
	silent node add r.diff a &&
	answers '^moved +100\.0000%$' diff r.diff &&
	answers '^-  +a  +100\.0000$' diff r.diff &&
	answers '"moves": \[ \{ "from": null, "from_id": null, "to": "a", ' -j diff r.diff &&
	silent node add r.diff b &&
	answers '^epoch +3$' diff r.diff && answers '^former +2$' diff r.diff &&
	answers '^moved +[1-9][0-9]\.[0-9]{4}%$' diff r.diff &&
	answers '^a +b +[1-9][0-9]\.[0-9]{4}$' diff r.diff &&
	answers '^0x[0-9a-f]{16}  0x[0-9a-f]{16} +[0-9.]+  a +b$' diff r.diff || return
	[ "$(grep -c '  b$' "$dir/out")" = "$(field_of_line arcs)" ] || bad 'arcs' || return
	answers '"former_epoch": "0x2", "bits": 64, "share": "0x[0-9a-f]{16}", ' -j diff r.diff &&
	answers '^\{ "first": "0x.*", "from": "a", .*"to": "b", ' -j diff r.diff &&
	silent node set r.diff b state down &&
	answers '^arcs +0$' diff r.diff && lines 4 &&
	answers '"moves": \[ \], "arcs": \[\] \}$' -j diff r.diff &&
	refuses 2 "unexpected word 'y'" diff r.diff y
}

acquire()
{
	silent ring add r.acq balance 100 && answers '^balance +100$' ring show r.acq &&
	silent node add r.acq a && silent node add r.acq b weight 3 || return
	# Of 8 there are 2 for a and 6 for b, whoever owns the key.
	run 0 acquire r.acq k k k k k k k k || return
	[ "$(grep -c '^k	[ab]	[1-8]$' "$dir/out")" = 8 ] || bad 'not 8 tickets' || return
	[ "$(grep -c '^k	a	' "$dir/out")" = 2 ] || bad 'over the cap' || return
	grep -qE '^keys +8$' "$dir/out" && grep -qE '^moved +[1-8]$' "$dir/out" &&
		grep -qE '^max load +[1-8] of [1-8]$' "$dir/out" || bad 'no summary' || return
	# They came back.
	answers '^b +up +3 .* 0 +1$' stats r.acq &&
	answers '"taken": "0x2",' -j acquire r.acq k k &&
	answers '"load": "0x1",' -j acquire r.acq k &&
	answers '"cap": "0x[12]"' -j acquire r.acq position 0 &&
	answers '^--	[ab]	1$' acquire r.acq -- -- - &&
	seq 400 >"$dir/keys" &&
	run 0 acquire r.acq - <"$dir/keys" || return
	[ "$(grep -c '	' "$dir/out")" = 400 ] || bad 'not all keys' || return
	tr '\n' '\0' <"$dir/keys" >"$dir/keys0" &&
	answers '^keys +400$' acquire r.acq -0 - <"$dir/keys0" &&
	answers '^keys +0$' acquire r.acq - </dev/null
}

# Held for as long as it runs, shown to others, and gone with it.
acquire_holds()
{
	local pid i

	silent ring add r.hold balance 100 && silent node add r.hold a || return
	chringctl acquire r.hold hold 1000 x y z >"$dir/held" &
	pid=$!
	i=0
	until grep -q '^max load' "$dir/held" || [ $i = 100 ]; do
		i=$((i + 1))
		sleep 0.1
	done
	answers '^a +up .* 3 +4$' stats r.hold &&
	answers '^      "load": "0x3",$' -j stats r.hold &&
	answers '^      "cap": "0x4"$' -j stats r.hold
	set -- $?
	kill -9 $pid
	wait $pid
	[ "$1" = 0 ] && answers '^a +up .* 0 +1$' stats r.hold
}

acquire_refused()
{
	silent ring add r.aref balance 125 &&
	refuses 2 'acquire: expected a key' acquire r.aref &&
	refuses 2 "hold 'x': expected a number" acquire r.aref hold x k &&
	refuses 2 "'hold': expected a number" acquire r.aref hold &&
	refuses 2 "position 'x': expected a number" acquire r.aref position x &&
	refuses 2 "unexpected word 'k' after '-'" acquire r.aref - k &&
	refuses 1 "ring 'r.aref': it has no nodes" acquire r.aref k &&
	refuses 1 "ring 'no': no such ring" acquire no k &&
	silent node add r.aref a state down &&
	refuses 1 "ring 'r.aref': it has nodes, but none in service" acquire r.aref k &&
	silent node set r.aref a state up && silent ring add r.afew tickets 2 &&
	silent node add r.afew a || return
	ctl=as_nobody
	refuses 1 "ring 'r.aref': only who may write to /dev/chring takes tickets" acquire r.aref k &&
	answers '^moved +0$' acquire r.afew k l &&
	run 1 acquire r.afew k l m &&
	grep -q "^chringctl: ring 'r.afew': it gives 2 tickets to who may only read" "$dir/err"
}

# What nodes got adds up to what there was, and is what lookups say.
audit()
{
	local node

	ring r.audit a b c d && silent node set r.audit d state drain || return
	seq 100000 >"$dir/keys"
	answers '^keys +100000$' stats r.audit - <"$dir/keys" &&
	answers '^d +drain +1 +0 +0\.0000 +0\.0000 +-$' stats r.audit - <"$dir/keys" || return
	cp "$dir/out" "$dir/audit"
	[ "$(awk '/^[abcd] / { sum += $4 } END { print sum }' "$dir/audit")" = 100000 ] ||
		bad 'does not add up' || return
	run 0 lookup r.audit - <"$dir/keys" || return
	for node in a b c; do
		[ "$(grep -c "	$node\$" "$dir/out")" = \
		  "$(awk -v n="$node" '$1 == n { print $4 }' "$dir/audit")" ] ||
			bad "another count for $node" || return
	done
	answers '^  "keys": "0x186a0",$' -j stats r.audit - <"$dir/keys" &&
	answers '^  "keys": "0x0",$' -j stats r.audit - </dev/null &&
	tr '\n' '\0' <"$dir/keys" >"$dir/keys0" &&
	answers '^keys +100000$' -0 stats r.audit - <"$dir/keys0" &&
	refuses 2 "unexpected word 'x'" stats r.audit x &&
	silent ring add r.audit0 &&
	refuses 1 "ring 'r.audit0': it has no nodes" stats r.audit0 - <"$dir/keys"
}

# watching RING ARGUMENT...: chringctl in the background, its process in $pid,
# with files of its own; true once it has told of a change of node a
watching()
{
	local ring=$1 i=0

	shift
	: >"$dir/watch"
	"$ctl" "$@" >"$dir/watch" 2>"$dir/watch.err" &
	pid=$!
	while [ ! -s "$dir/watch" ] && [ $i -lt 100 ]; do
		i=$((i + 1))
		"$ctl" node set "$ring" a cookie $i && sleep 0.1
	done
	[ -s "$dir/watch" ] || bad "sees nothing: $*"
}

# awaits PATTERN: a line of the one in the background matches, or will soon
awaits()
{
	local i=0

	while ! matches "$1" "$dir/watch"; do
		i=$((i + 1))
		[ $i -lt 100 ] || bad "no line matches $1 of: $(cat "$dir/watch")" || return
		sleep 0.1
	done
}

# watched STATUS: the one in the background has ended like that
watched()
{
	wait "$pid"
	set -- $? "$1"
	[ "$1" = "$2" ] || bad "status $1, expected $2: $(cat "$dir/watch.err")"
}

watch()
{
	local line='^[0-9-]{10} [0-9:]{8}\.[0-9]{3} epoch [0-9]+ generation' pid

	ring r.watch a && watching r.watch watch r.watch &&
	awaits "$line 0 digest 0x[0-9a-f]{16}: 1 changed; 1 of 1 live$" &&
	silent node add r.watch b generation 7 &&
	awaits "$line 7 digest 0x[0-9a-f]{16}: 1 added; 2 of 2 live$" &&
	silent node set r.watch b state down weight 2 &&
	awaits "$line 7 digest 0x[0-9a-f]{16}: 1 changed, 1 flipped; 1 of 2 live$" &&
	silent node set r.watch b generation 8 weight 2 &&
	awaits "$line 8 digest 0x[0-9a-f]{16}: no node; 1 of 2 live$" &&
	silent node del r.watch a &&
	awaits "$line 8 digest 0x[0-9a-f]{16}: 1 removed; 0 of 1 live$" || return
	grep -vE "$line" "$dir/watch" && bad 'other lines' && return 1
	silent ring del r.watch && watched 1 &&
	grep -q "^chringctl: ring 'r.watch': it was deleted meanwhile" "$dir/watch.err" ||
		bad 'not said'
}

watch_words()
{
	local pid

	ring r.count a && watching r.count watch r.count count 1 && watched 0 &&
	[ "$(wc -l <"$dir/watch")" = 1 ] || bad 'not one line' || return
	silent node add default a && watching default watch count 1 && watched 0 &&
	silent node del default a &&
	refuses 1 "ring 'no': no such ring" watch no &&
	refuses 1 "ring 'count': no such ring" watch count &&
	refuses 2 "count '0': expected a number from 1" watch count 0 &&
	refuses 2 "'count': expected a value after it" watch r.count count &&
	refuses 2 "unknown word 'x'; expected one of count" watch r.count x
}

watch_json()
{
	local pid

	ring r.wjson a && watching r.wjson -j watch r.wjson &&
	silent node del r.wjson a generation 3 &&
	awaits '^\{ "type": "change", "ring": "0x[0-9a-f]+", "old_epoch": "0x[0-9a-f]+", "epoch": "0x[0-9a-f]+", "generation": "0x3", "digest": "0x[0-9a-f]{16}", "time": "0x[0-9a-f]+", "added": 0, "removed": 1, "changed": 0, "flipped": 0, "tokens_changed": true, "pinned": false, "nodes": 0, "live": 0, "tokens": "0x0" \}$' &&
	awaits '"changed": 1, "flipped": 0, "tokens_changed": false, "pinned": false, "nodes": 1, "live": 1, "tokens": "0xa0" \}$' &&
	silent ring del r.wjson && watched 1
}

# Stopped for more changes than are kept, it says how many it lost.
watch_lost()
{
	local pid

	if [ "${CHRING_SCALE:-1}" != 1 ]; then
		echo '1040 processes take minutes on this kernel; others run them'
		return $skipped
	fi
	ring r.lost a && watching r.lost watch r.lost || return
	kill -STOP "$pid"
	for _ in $(seq 520); do
		"$ctl" node add r.lost b weight 0 && "$ctl" node del r.lost b || return
	done
	kill -CONT "$pid"
	awaits "^[0-9]+ records lost, of epochs [0-9]+ to [0-9]+: see 'chringctl node list r.lost'$" &&
	silent ring del r.lost && watched 1
}

# as_nobody ARGUMENT...: chringctl, run by who may only read
as_nobody()
{
	su -s /bin/sh -c 'exec chringctl "$@"' -- nobody sh "$@"
}

unprivileged()
{
	ctl=as_nobody
	ring r.priv a >/dev/null 2>&1 && bad 'anybody may change' && return 1
	refuses 1 '/dev/chring: permission denied; only root changes rings' ring add r.priv || return
	ctl=chringctl
	ring r.priv a && silent ring add r.keyed hash siphash seed 0x0123456789abcdef0011223344556677 &&
	silent node add r.keyed a &&
	answers '^seed +0x0123456789abcdef0011223344556677$' ring show r.keyed &&
	answers '"position": "0x' -j lookup r.keyed k &&
	answers '^0	a$' lookup r.keyed position 0 || return
	ctl=as_nobody
	answers '^k	a$' lookup r.priv k &&
	answers '^k	a$' lookup r.keyed k &&
	answers '^seed +hidden$' ring show r.keyed &&
	answers '^    "seed": null,$' -j ring show r.keyed &&
	answers '^\{ "key": "k", "owners"' -j lookup r.keyed k &&
	refuses 1 "ring 'r.keyed': it is keyed" lookup r.keyed position 0 &&
	refuses 1 "ring 'r.keyed': it is keyed" ranges r.keyed &&
	refuses 1 "ring 'r.keyed': it is keyed" diff r.keyed &&
	refuses 1 "ring 'r.keyed': it is keyed" tokens r.keyed &&
	answers '"position": "0x0000000000000000"' -j lookup r.priv position 0
}

seed_random()
{
	local first

	silent ring add r.rand1 hash siphash seed random &&
	silent ring add r.rand2 hash siphash seed random &&
	answers '^seed +0x[0-9a-f]{32}$' ring show r.rand1 || return
	first=$(grep '^seed' "$dir/out")
	answers '^seed +0x[0-9a-f]{32}$' ring show r.rand2 &&
	[ "$(grep '^seed' "$dir/out")" != "$first" ] &&
	silent ring add r.rand3 hash murmur3 seed random &&
	answers '^seed +0x00000000[0-9a-f]{8}$' ring show r.rand3
}

# with_parameter NAME VALUE COMMAND...: a limit of the module, for one command
with_parameter()
{
	local file=/sys/module/chring/parameters/$1 value=$2 was status

	shift 2
	was=$(cat "$file")
	echo "$value" >"$file"
	"$@"
	status=$?
	echo "$was" >"$file"
	return $status
}

limits()
{
	ring r.limit a &&
	with_parameter max_tokens 500 \
		refuses 1 "node 'b': weight 3 x vnodes 160 / unit 1 = 480 tokens, and ring 'r.limit' has 160 of at most 500" \
		node add r.limit b weight 3 &&
	with_parameter max_tokens 500 \
		refuses 1 "node 'a': weight 4 x .* 640 tokens, and ring 'r.limit' has 160" \
		node set r.limit a weight 4 &&
	with_parameter max_total_bytes 4096 \
		refuses 1 "ring 'r.limit': no room in the module's memory budget: .* may hold 4096" \
		node add r.limit b &&
	answers '^tokens +160$' ring show r.limit
}

write_errors()
{
	ring r.write a || return
	seq 100000 >"$dir/keys"
	: >"$dir/out"
	"$ctl" lookup r.write - <"$dir/keys" >/dev/full 2>"$dir/err"
	[ $? = 1 ] && [ "$(wc -l <"$dir/err")" = 1 ] &&
	grep -q '^chringctl: standard output: No space left on device' "$dir/err" ||
		bad 'a full disk' || return
	"$ctl" ring list >/dev/full 2>"$dir/err"
	[ $? = 1 ] || bad 'a full disk, and a short answer' || return
	refuses 1 "'/no/file': No such file" -o /no/file node del r.write a &&
	answers '^a ' node list r.write || return
	("$ctl" lookup r.write - <"$dir/keys" 2>"$dir/err"; echo $? >"$dir/status") | head -n 1 >"$dir/out"
	[ "$(cat "$dir/status")" = 141 ] && [ ! -s "$dir/err" ] || bad 'a closed pipe'
}

no_device()
{
	local numbers

	numbers=$(cat /sys/class/misc/chring/dev)
	# A node made anew would outlive the module.
	mv /dev/chring /dev/away
	refuses 1 "/dev/chring: no such device, though the module is loaded; make it: 'mknod -m 644 /dev/chring c ${numbers%:*} ${numbers#*:}'" \
		ring list
	set -- $?
	mv /dev/away /dev/chring
	[ "$1" = 0 ] && answers '^default ' ring list
}

no_module()
{
	rmmod chring || return
	refuses 1 "/dev/chring: no such device; load the module: 'modprobe chring' or 'insmod chring.ko'" \
		ring list
	set -- $?
	insmod /chring.ko && [ "$1" = 0 ] && answers '^default ' ring list
}

# probe KEYS: the kernel has a ring of its own, probe/tool[1], of such keys
probe()
{
	probe_gone
	insmod /kmod/chring_probe.ko make='probe/tool[1]' keys="$1"
}

probe_gone()
{
	[ ! -e /sys/module/chring_probe ] || rmmod chring_probe
}

private_rings()
{
	probe 1 &&
	answers '^probe/tool\[1\] +3  +3 .* yes +flow$' ring list &&
	answers '^default .* no +bytes$' ring list &&
	answers '^    "private": true,$' -j ring list &&
	answers '^    "keys": "flow"$' -j ring list &&
	answers '^    "private": false,$' -j ring list &&
	answers '^ring +probe/tool\[1\]$' ring show 'probe/tool[1]' &&
	answers '^a +up +1 ' node list 'probe/tool[1]' &&
	answers '^nodes +3$' stats 'probe/tool[1]' &&
	answers '^key	[abc]$' lookup 'probe/tool[1]' key &&
	refuses 1 "ring 'probe/tool\[1\]': it is private: the kernel code" node add 'probe/tool[1]' d &&
	refuses 1 "ring 'probe/tool\[1\]': it is private: the kernel code" node set 'probe/tool[1]' a weight 2 &&
	refuses 1 "ring 'probe/tool\[1\]': it is private: the kernel code" node del 'probe/tool[1]' a dry-run &&
	refuses 1 "ring 'probe/tool\[1\]': it is private: the kernel code" pin 'probe/tool[1]' &&
	refuses 1 "ring 'probe/tool\[1\]': it is private: the kernel code" acquire 'probe/tool[1]' key &&
	refuses 1 "ring 'probe/tool\[1\]': it is private: it goes with" ring del 'probe/tool[1]' &&
	refuses 1 "ring 'probe/no': no such ring, or not to be seen" ring show probe/no &&
	refuses 2 "ring 'probe/no': byte 0x2f in the name" ring add probe/no &&
	refuses 2 "ring '/probe': the name begins with a slash" ring show /probe &&
	refuses 2 "ring 'no\[1\]': byte 0x5b in the name" ring show 'no[1]' || return
	ctl=as_nobody
	answers '^default .* no +bytes$' ring list &&
	! grep -q probe "$dir/out" || bad 'nobody sees a private ring' || return
	refuses 1 "ring 'probe/tool\[1\]': no such ring, or not to be seen" lookup 'probe/tool[1]' key &&
	refuses 1 "ring 'probe/tool\[1\]': no such ring, or not to be seen" node list 'probe/tool[1]' || return
	ctl=chringctl
	probe_gone && ! chringctl ring list | grep -q probe
}

# flow FLOW KEY WORD...: a flow goes where the bytes of its key go
flow()
{
	local flow=$1 key=$2 want got

	shift 2
	# shellcheck disable=SC2059 # the key in octal
	want=$(printf "$key" | "$ctl" lookup "$flow_ring" - | tr '\0' '?' | sed 's/.*	//')
	run 0 lookup "$flow_ring" "$@" --flow "$flow" || return
	got=$(cut -f 2 "$dir/out")
	[ -n "$want" ] && [ "$want" = "$got" ] && [ "$(cut -f 1 "$dir/out")" = "$flow" ] ||
		bad "$flow goes to $got, its key to $want"
}

lookup_flow()
{
	local flow_ring='probe/tool[1]'

	probe 1 &&
	flow 192.0.2.1 '\300\000\002\001' &&
	flow 192.0.2.1:80 '\300\000\002\001' &&
	flow 2001:db8::2 '\040\001\015\270\0\0\0\0\0\0\0\0\0\0\0\002' &&
	flow '[2001:db8::2]' '\040\001\015\270\0\0\0\0\0\0\0\0\0\0\0\002' &&
	flow '[2001:db8::2]:443' '\040\001\015\270\0\0\0\0\0\0\0\0\0\0\0\002' || return
	probe 2 &&
	flow 192.0.2.7:80 '\300\000\002\007\000\120' &&
	flow 192.0.2.7:65535 '\300\000\002\007\377\377' &&
	flow '[::1]:258' '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\001\001\002' &&
	answers '^192.0.2.7:81	[abc] [abc]$' lookup 'probe/tool[1]' replicas 2 --flow 192.0.2.7:80 192.0.2.7:81 &&
	answers '"key": *"192.0.2.7:80"' -j lookup 'probe/tool[1]' --flow 192.0.2.7:80 &&
	refuses 1 "flow '192.0.2.7': keys of ring 'probe/tool\[1\]' have a port" lookup 'probe/tool[1]' --flow 192.0.2.7 &&
	refuses 1 "flow '::1': keys of ring .* have a port" lookup 'probe/tool[1]' --flow ::1 || return
	probe 0 &&
	refuses 1 "ring 'probe/tool\[1\]': its keys are bytes, not flows" lookup 'probe/tool[1]' --flow 192.0.2.7:80 &&
	flow_ring=r.flow &&
	silent ring add r.flow && silent node add r.flow a && silent node add r.flow b &&
	flow 192.0.2.1 '\300\000\002\001' &&
	flow 192.0.2.7:80 '\300\000\002\007\000\120' &&
	flow '[::1]:258' '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\001\001\002' &&
	for flow in 1.2.3 1.2.3.4: 1.2.3.4:65536 1.2.3.4:x 1.2.3.4:80:81 ::1:z '[::1' '[::1]80' '[1.2.3.4]:80' '' - \
		1.2.3.4.5 '[]:80' host:80; do
		refuses 2 "flow '$(echo "$flow" | sed 's/[].[]/\\&/g')': expected ADDRESS" lookup default --flow "$flow" || return
	done
	refuses 2 "'--flow': expected an address" lookup default --flow &&
	refuses 2 "'--flow' and 'position'" lookup default position --flow 1.2.3.4 &&
	probe_gone
}

tests="info usage ring_add ring_refused bad_words not_offered replicas zones former pins dry_run node_add node_set
	node_del in_service lookup_keys lookup_positions stream stream_json
	stream_bytes stream_waits stream_deleted stream_changes many bytes
	stats ranges diff audit acquire acquire_holds acquire_refused watch
	watch_words watch_json watch_lost unprivileged private_rings lookup_flow
	seed_random limits write_errors no_device no_module"

chmod 755 "$dir"
start_matcher
echo "1..$(echo "$tests" | wc -w)"
n=0
for test in $tests; do
	n=$((n + 1))
	rm -f "$dir"/*
	: >"$dir/out"
	: >"$dir/err"
	said=$("$test" 2>&1)
	case $? in
	0) echo "ok $n - $test" ;;
	"$skipped") echo "ok $n - $test # SKIP $said" ;;
	*)
		printf '%s\n' "$said"
		echo "not ok $n - $test"
		;;
	esac
done

probe_gone
for ring in $(chringctl ring list | awk '$1 ~ /^r\./ { print $1 }'); do
	chringctl ring del "$ring"
done
exec 3>&-
rm -r "$dir" "$matcher"
