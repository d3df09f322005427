#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# check.sh TARGET...: makes every target, whatever became of those before, and
# ends with the sum of their closing lines. The demo counts as one test.
set -uo pipefail

cd "$(dirname "$0")/.." || exit
log=$(mktemp)
trap 'rm -f "$log"' EXIT

passed=0 failed=0 skipped=0

add()
{
	passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

closing='^([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$'
for target; do
	echo "# == $target"
	status=0
	make -s --no-print-directory "$target" | tee "$log" || status=1
	if [ "$target" = demo ]; then
		add $((1 - status)) "$status" 0
	elif [[ $(tail -n 1 "$log") =~ $closing ]]; then
		add "${BASH_REMATCH[@]:1}"
		# No failed test, yet a failure; or not one test.
		if [ "$status" != "$((BASH_REMATCH[2] > 0))" ] ||
		   [ "${BASH_REMATCH[1]}${BASH_REMATCH[2]}" = 00 ]; then
			echo "not ok - $target # failed, or ran nothing"
			add 0 1 0
		fi
	else
		echo "not ok - $target # ended without a closing line"
		add 0 1 0
	fi
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
