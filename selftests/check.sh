#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# check.sh TARGET...: makes every target ("check-vm KERNEL=6.12" is one),
# whatever becomes of the others, and ends with what each came to and the sum.
# Three run at a time, for each waits now and then, and two processors are to be
# busy; what one has to say is shown when it has ended. The demo counts as one
# test.
set -uo pipefail

cd "$(dirname "$0")/.." || exit
at_a_time=3

scratch=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP

passed=0 failed=0 skipped=0
targets=("$@")
began=() report=()
declare -A running=()	# by process: number of its target

# add N SECONDS PASSED FAILED SKIPPED
add()
{
	local scaled

	passed=$((passed + $3)) failed=$((failed + $4)) skipped=$((skipped + $5))
	scaled=$(sed -n 's/^# .*: \(counts of long tests .*\)/; \1/p' "$scratch/$1.log")
	report[$1]="${targets[$1]}: $3 passed, $4 failed, $5 skipped in $2 s$scaled"
}

closing='^([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$'

# judge N STATUS SECONDS
judge()
{
	local target=${targets[$1]}

	echo "# == $target"
	cat "$scratch/$1.log"
	cat "$scratch/$1.err" >&2
	if [ "$target" = demo ]; then
		add "$1" "$3" $(($2 == 0)) $(($2 != 0)) 0
	elif [[ $(tail -n 1 "$scratch/$1.log") =~ $closing ]]; then
		# No failed test, yet a failure; or not one test.
		if [ $(($2 != 0)) != $((BASH_REMATCH[2] > 0)) ] ||
		   [ "${BASH_REMATCH[1]}${BASH_REMATCH[2]}" = 00 ]; then
			echo "not ok - $target # failed, or ran nothing"
			BASH_REMATCH[2]=$((BASH_REMATCH[2] + 1))
		fi
		add "$1" "$3" "${BASH_REMATCH[@]:1}"
	else
		echo "not ok - $target # ended without a closing line"
		add "$1" "$3" 0 1 0
	fi
}

# Waits until no more than this many are running.
await()
{
	local pid status n

	while [ ${#running[@]} -gt "$1" ]; do
		status=0
		wait -n -p pid "${!running[@]}" || status=$?
		n=${running[$pid]}
		unset "running[$pid]"
		judge "$n" "$status" $((SECONDS - began[n]))
	done
}

for n in "${!targets[@]}"; do
	await $((at_a_time - 1))
	echo "# -- ${targets[n]} begins"
	began[n]=$SECONDS
	# shellcheck disable=SC2086 # the target and its variables
	make -s --no-print-directory ${targets[n]} \
		>"$scratch/$n.log" 2>"$scratch/$n.err" &
	running[$!]=$n
done
await 0

printf '# %s\n' "${report[@]}"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
