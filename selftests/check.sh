#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# check.sh TARGET...: makes every target ("check-vm KERNEL=6.12" is one),
# whatever becomes of the others, and ends with what each came to and the sum.
# Two run at a time, most of them being one long wait after the other; what one
# has to say is shown when it has ended. The demo counts as one test.
set -uo pipefail

cd "$(dirname "$0")/.." || exit
at_a_time=2

scratch=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP

passed=0 failed=0 skipped=0
report=()

# make_target N TARGET
make_target()
{
	local status=0

	SECONDS=0
	# shellcheck disable=SC2086 # the target and its variables
	make -s --no-print-directory $2 >"$scratch/$1.log" 2>"$scratch/$1.err" ||
		status=$?
	# Seen whole or not at all.
	echo "$status $SECONDS" >"$scratch/$1.part"
	mv "$scratch/$1.part" "$scratch/$1.ended"
}

# add N TARGET SECONDS PASSED FAILED SKIPPED
add()
{
	local scaled

	passed=$((passed + $4)) failed=$((failed + $5)) skipped=$((skipped + $6))
	scaled=$(sed -n 's/^# .*: \(counts of long tests .*\)/; \1/p' "$scratch/$1.log")
	report[$1]="$2: $4 passed, $5 failed, $6 skipped in $3 s$scaled"
}

closing='^([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$'

# judge N TARGET STATUS SECONDS
judge()
{
	echo "# == $2"
	cat "$scratch/$1.log"
	cat "$scratch/$1.err" >&2
	if [ "$2" = demo ]; then
		add "$1" "$2" "$4" $(($3 == 0)) $(($3 != 0)) 0
	elif [[ $(tail -n 1 "$scratch/$1.log") =~ $closing ]]; then
		# No failed test, yet a failure; or not one test.
		if [ $(($3 != 0)) != $((BASH_REMATCH[2] > 0)) ] ||
		   [ "${BASH_REMATCH[1]}${BASH_REMATCH[2]}" = 00 ]; then
			echo "not ok - $2 # failed, or ran nothing"
			BASH_REMATCH[2]=$((BASH_REMATCH[2] + 1))
		fi
		add "$1" "$2" "$4" "${BASH_REMATCH[@]:1}"
	else
		echo "not ok - $2 # ended without a closing line"
		add "$1" "$2" "$4" 0 1 0
	fi
}

targets=("$@")
running=()

# Waits until no more than this many are running.
await()
{
	local n status took

	while [ ${#running[@]} -gt "$1" ]; do
		for n in "${!running[@]}"; do
			[ -e "$scratch/$n.ended" ] || continue
			read -r status took <"$scratch/$n.ended"
			judge "$n" "${targets[n]}" "$status" "$took"
			unset "running[$n]"
		done
		[ ${#running[@]} -le "$1" ] || wait -n
	done
}

for n in "${!targets[@]}"; do
	await $((at_a_time - 1))
	echo "# -- ${targets[n]} begins"
	make_target "$n" "${targets[n]}" &
	running[n]=$!
done
await 0

printf '# %s\n' "${report[@]}"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
