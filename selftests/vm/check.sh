#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# check.sh KERNEL TESTS [OPTION-OF-RUN]...: boots KERNEL and runs there the
# programs and scripts of directory TESTS. The environment may say
#	ONLY	regular expression: only tests of which it matches the name
#	PART	K/N: of N parts that the files are dealt to in turn, only the K-th
#	LIMIT	seconds that one file may take
#	SCALE	by what the counts of long tests are divided; 1: by nothing. Those
#		of 32-bit programs by ten times that: they come in by a door of
#		their own, and behind it find what their twins do
set -euo pipefail

here=$(dirname "$0")
kernel=$1 tests=$2
shift 2
ONLY=${ONLY-} PART=${PART:-1/1} SCALE=${SCALE:-1} LIMIT=${LIMIT:-1200}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/tests"

# names FILE: a script has one name, a program knows the names of its tests. A
# 32-bit program has those of its twin; not every host could run it.
names()
{
	local name

	name=$(basename "$1" .sh)
	case $1 in
	*.sh) echo "$name" ;;
	*32) "${1%32}" -l | sed "s/^${name%32}\./$name./" ;;
	*) "$1" -l ;;
	esac
}

number='[1-9][0-9]{0,3}'
[[ $PART =~ ^($number)/($number)$ ]] || BASH_REMATCH=(0 1 0)
part=${BASH_REMATCH[1]} parts=${BASH_REMATCH[2]}
if [ "$part" -gt "$parts" ]; then
	echo "check-vm: PART=$PART: say which part of how many, as in PART=1/2" >&2
	exit 2
fi

files=0 seen=0
for test in "$tests"/*; do
	if ! list=$(names "$test") || [ -z "$list" ]; then
		echo "check-vm: cannot list the tests of $test" >&2
		exit 1
	fi
	grep -qE -- "$ONLY" <<<"$list" || continue
	seen=$((seen + 1))
	[ $(((seen - part) % parts)) = 0 ] || continue
	cp "$test" "$scratch/tests/"
	files=$((files + 1))
done
if [ "$files" = 0 ]; then
	if [ "$seen" = 0 ]; then
		echo "check-vm: ONLY=$ONLY matches no test" >&2
	else
		echo "check-vm: PART=$PART of $seen files is none" >&2
	fi
	exit 2
fi

# Said at the end, where the sum is.
scaled()
{
	echo "# $kernel: counts of long tests divided by $SCALE, of 32-bit ones by $((10 * SCALE))"
}

printf -v cmd 'ONLY=%q LIMIT=%q SCALE=%q SCALE32=%q sh /run-tests' "$ONLY" "$LIMIT" \
	"$SCALE" "$((10 * SCALE))"
"$here/run" --kernel "$kernel" --name check --timeout "${TIMEOUT:-4800}" "$@" \
	--file "/tests=$scratch/tests" --file "/run-tests=$here/tests" --cmd "$cmd" |
	{ cat; scaled; } | "$here/../tap.py" --files "$files"
