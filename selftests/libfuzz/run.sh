#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh DIR NAME...: runs the fuzzers DIR/NAME, two at a time, from nothing but a
# seed, in TAP. Each tells how many inputs it tried and how many edges of the program
# they reached; an input that makes it fail is kept in DIR. The environment may say
#	ONLY	regular expression: only fuzzers of which it matches the name
#	MINUTES	that each takes; without, half a minute
#	SEED	of an earlier run; without, a random one, which is printed
set -uo pipefail

dir=$1
shift
ONLY=${ONLY-} SEED=${SEED:-$(((RANDOM << 15 | RANDOM) % 999999999 + 1))}
each=30 at_a_time=2
number='^[1-9][0-9]{0,8}$'

if [ -n "${MINUTES-}" ]; then
	if [[ ! $MINUTES =~ ^[1-9][0-9]{0,3}$ ]]; then
		echo "fuzz-core: MINUTES=$MINUTES: say 1 to 9999" >&2
		exit 2
	fi
	each=$((60 * MINUTES))
fi
if [[ ! $SEED =~ $number ]]; then
	echo "fuzz-core: SEED=$SEED: say 1 to 999999999" >&2
	exit 2
fi

# verdict N NAME STATUS
verdict()
{
	local log=$dir/$2.log tried first last

	tried=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
	first=$(sed -nE 's/^#.*INITED cov: ([0-9]+).*/\1/p' "$log")
	last=$(sed -nE 's/^#.* cov: ([0-9]+) .*/\1/p' "$log" | tail -n 1)
	# What learned nothing did not fuzz.
	if [ "$3" = 0 ] && [ "${last:-0}" -gt "${first:-0}" ]; then
		echo "# $2: $tried inputs, $first edges at first, $last in the end"
		echo "ok $1 - $2"
		return
	fi
	tail -n 40 "$log" | sed 's/^/# /'
	find "$dir" -maxdepth 1 -name "$2-*" -newer "$dir/$2.corpus" \
		-printf "# again: $dir/$2 %p\n"
	echo "not ok $1 - $2 # status $3, ${tried:-no} inputs, ${last:-no} edges"
}

# one N NAME
one()
{
	local said status=0

	rm -rf "$dir/$2.corpus"
	mkdir "$dir/$2.corpus"
	# Without what the program under test prints, which would bury the figures;
	# with long inputs from the start, for a ring of one node has no neighbours;
	# and no longer than this script lives.
	setpriv --pdeathsig TERM timeout $((each + 120)) "$dir/$2" -seed="$SEED" -use_value_profile=1 \
		-len_control=0 -max_len=2048 \
		-max_total_time="$each" -print_final_stats=1 -close_fd_mask=1 \
		-timeout=30 -artifact_prefix="$dir/$2-" "$dir/$2.corpus" \
		>"$dir/$2.log" 2>&1 </dev/null || status=$?
	# In one piece: another may have ended too.
	said=$(verdict "$1" "$2" "$status")
	printf '%s\n' "$said"
}

names=()
for name; do
	[[ ! $name =~ $ONLY ]] || names+=("$name")
done
if [ ${#names[@]} = 0 ]; then
	echo "fuzz-core: ONLY=$ONLY matches none of: $*" >&2
	exit 2
fi

trap 'kill $(jobs -p) 2>/dev/null' EXIT
trap 'exit 130' INT TERM HUP

echo "# SEED=$SEED"
echo "1..${#names[@]}"
n=0
for name in "${names[@]}"; do
	while [ "$(jobs -rp | wc -l)" -ge $at_a_time ]; do
		wait -n
	done
	n=$((n + 1))
	one $n "$name" &
done
wait
