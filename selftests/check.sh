#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# check.sh TARGET...: makes every target ("check-vm KERNEL=6.12" is one),
# whatever became of those before, and ends with what each came to and the sum.
# The demo counts as one test.
set -uo pipefail

cd "$(dirname "$0")/.." || exit
log=$(mktemp)
trap 'rm -f "$log"' EXIT

passed=0 failed=0 skipped=0
report=()

# add TARGET PASSED FAILED SKIPPED
add()
{
	local scaled

	passed=$((passed + $2)) failed=$((failed + $3)) skipped=$((skipped + $4))
	scaled=$(sed -n 's/^# .*: \(counts of long tests .*\)/; \1/p' "$log")
	report+=("$1: $2 passed, $3 failed, $4 skipped in $SECONDS s$scaled")
}

closing='^([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$'
for target; do
	echo "# == $target"
	status=0 SECONDS=0
	# shellcheck disable=SC2086 # the target and its variables
	make -s --no-print-directory $target | tee "$log" || status=1
	if [ "$target" = demo ]; then
		add "$target" $((1 - status)) "$status" 0
	elif [[ $(tail -n 1 "$log") =~ $closing ]]; then
		# No failed test, yet a failure; or not one test.
		if [ "$status" != "$((BASH_REMATCH[2] > 0))" ] ||
		   [ "${BASH_REMATCH[1]}${BASH_REMATCH[2]}" = 00 ]; then
			echo "not ok - $target # failed, or ran nothing"
			BASH_REMATCH[2]=$((BASH_REMATCH[2] + 1))
		fi
		add "$target" "${BASH_REMATCH[@]:1}"
	else
		echo "not ok - $target # ended without a closing line"
		add "$target" 0 1 0
	fi
done

printf '# %s\n' "${report[@]}"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
