#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# mutants.sh [REGEX]: do the tests notice? Each patch of selftests/mutants puts
# one fault into a copy of the tree and names the test that must fail then,
#	Killed-by: WORLD TEST
# where WORLD is unit (user space), threads (the same under ThreadSanitizer), vm
# (the stock kernel) or debug (the debug kernel), the cheapest that can tell. The
# same tests pass without the fault in the same run. A survivor is a missing test.
#
# mutants.sh -j clean WORLD TEST... and mutants.sh -j mutant NAME are the jobs
# that this comes to: two at a time, each lane in a copy of its own.
set -euo pipefail

cd "$(dirname "$0")/.."
lanes=2
# Seconds that tests in user space may take: all of them, or those of one mutant,
# that may never end.
patience=1200
copy=$PWD/build/mutants-${LANE:-0}
log=$copy.log

# What is committed and what is about to be; times kept, for make.
copy_tree()
{
	# A run that was broken off may have left a fault in it.
	rm -rf "$copy"
	mkdir -p "$copy"
	git ls-files -z --cached --others --exclude-standard --deduplicate |
		while read -rd '' file; do
			[ ! -e "$file" ] || printf '%s\0' "$file"
		done | xargs -0 cp -p --parents -t "$copy"
}

killer()
{
	sed -n 's/^Killed-by: //p' "selftests/mutants/$1.patch"
}

# A script is one file with sentences for names, a program can pick tests.
pick()
{
	case $1 in
	*' '*) printf '|^%s$' "${1%%.*}" ;;
	*) printf '|^%s$' "${1//./\\.}" ;;
	esac
}

# run WORLD TEST...: runs them in the copy; the log is its TAP. It is of no
# matter here whether other tests fail.
run()
{
	local world=$1 regex='' san='' test
	shift

	case $world in
	unit | threads)
		[ "$world" = unit ] || san=SAN=thread
		timeout "$patience" make -s -C "$copy/selftests/unit" check $san \
			ONLY="$(printf '%s\n' "${@%%.*}" | sort -u | xargs)"
		;;
	vm | debug)
		for test; do
			regex+=$(pick "$test")
		done
		make -s -C "$copy" check-vm ONLY="${regex:1}" \
			KERNEL="$([ "$world" = vm ] && echo 6.1 || echo debug)"
		;;
	esac >"$log" 2>&1 || :
}

# Is the test among those that passed in the last run? A complaint of the
# kernel, or a program that dies, fails the test under which it happens.
passed()
{
	grep -qE "^ok [0-9]+ - $1( |\$)" "$log" &&
		! grep -qE "^not ok [0-9]+ - (${1%%.*}|run)\.fault" "$log"
}

# Is there evidence that the test failed, or its program, or that the kernel had
# to complain? What does not build, boot or end in time has killed nothing.
killed()
{
	local file=${1%%.*}

	grep -qE -e "^not ok [0-9]+ - $1( |\$)" \
		-e "^not ok [0-9]+ - ($file|run)\.fault" \
		-e "^not ok [0-9]+ - $file # " \
		-e "^# $file ended with status" "$log"
}

# result VERDICT TEXT: with the end of the log, if it has not gone well.
result()
{
	echo "$1 - $2"
	[ "$1" = ok ] || tail -n 20 "$log" | sed 's/^/# /'
}

# run_clean WORLD TEST...
run_clean()
{
	local world=$1 test
	shift

	run "$world" "$@"
	for test; do
		if passed "$test"; then
			result ok "without a fault: $world $test"
		else
			result 'not ok' "without a fault: $world $test"
		fi
	done
}

run_mutant()
{
	local patch=$PWD/selftests/mutants/$1.patch world test

	patience=300
	read -r world test < <(killer "$1")
	if ! patch -d "$copy" -p1 -s -F0 --dry-run <"$patch"; then
		echo "not ok - $1: the patch does not apply"
		return
	fi
	patch -d "$copy" -p1 -s -F0 --no-backup-if-mismatch <"$patch"
	run "$world" "$test"
	if passed "$test"; then
		result 'not ok' "$1: survives $test"
	elif killed "$test"; then
		result ok "$1: killed by $world $test"
	else
		result 'not ok' "$1: does not build, boot or end"
	fi
	patch -d "$copy" -p1 -s -R --no-backup-if-mismatch <"$patch"
}

# What a job has to say is said at once, whatever the other lane says.
if [ "${1-}" = -j ]; then
	said=$("run_$2" "${@:3}" 2>&1)
	printf '%s\n' "$said"
	exit
fi

# tests_of WORLD NAME...: that kill these mutants there
tests_of()
{
	local world=$1 name
	shift

	for name; do
		killer "$name"
	done | sed -n "s/^$world //p" | sort -u
}

# list NAME...: the jobs, a line each, words quoted. The longest come first.
list()
{
	local world name tests

	for world in debug vm unit threads; do
		mapfile -t tests < <(tests_of "$world" "$@")
		[ ${#tests[@]} = 0 ] || echo "clean $world$(printf ' "%s"' "${tests[@]}")"
	done
	for world in debug vm threads unit; do
		for name; do
			[[ $(killer "$name") != "$world "* ]] || echo "mutant $name"
		done
	done
}

only=${1-}
mutants=()
for patch in selftests/mutants/*.patch; do
	name=$(basename "$patch" .patch)
	[[ ! $name =~ $only ]] || mutants+=("$name")
done
if [ ${#mutants[@]} = 0 ]; then
	echo "check-mutants: ONLY=$only matches no mutant" >&2
	exit 2
fi

echo "1..$(( ${#mutants[@]} + $(for name in "${mutants[@]}"; do
	killer "$name"; done | sort -u | wc -l) ))"
for ((lane = 0; lane < lanes; lane++)); do
	copy=$PWD/build/mutants-$lane
	copy_tree
done
list "${mutants[@]}" |
	xargs -P "$lanes" -L 1 --process-slot-var=LANE selftests/mutants.sh -j
