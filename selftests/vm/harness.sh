#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# harness.sh KERNEL MODULE: does the machinery of the tests tell the truth?
# Guests that panic, hang or never start, tests that die or stay silent: each
# has to be noticed, in time, with the console log where the message says.
set -uo pipefail

here=$(dirname "$0")
kernel=$1 module=$2

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
out=$scratch/out err=$scratch/err

count=0
planned=17

# judge NAME: as the status of the command before says
judge()
{
	local status=$? word=ok

	count=$((count + 1))
	if [ "$status" != 0 ]; then
		word='not ok'
		sed 's/^/# out: /' "$out" | tail -n 20
		sed 's/^/# err: /' "$err" | tail -n 20
		echo "# exit status $rc, after $took s"
	fi
	echo "$word $count $1"
}

# try SECONDS COMMAND...: sets rc and took, and fails if it took longer
try()
{
	local limit=$1 from=$SECONDS

	shift
	"$@" >"$out" 2>"$err" </dev/null
	rc=$?
	took=$((SECONDS - from))
	[ "$took" -le "$limit" ]
}

vm()
{
	"$here/run" --kernel "$kernel" --name harness --module "$module" "$@"
}

# The message, and a console log that is where it says.
told()
{
	local log

	grep -qF "vm: $1" "$err" || return
	log=$(sed -n 's/^vm: console log: //p' "$err")
	[ -f "$log" ]
}

# no_process WORD: none has WORD on its command line. (Nor may this grep.)
no_process()
{
	! grep -qasF -f <(echo "$1") /proc/[0-9]*/cmdline
}

echo 1..$planned

head -c 3000000 /dev/urandom >"$scratch/in"
printf 'a\r\nb\0c' >>"$scratch/in"
try 60 vm --in "$scratch/in" --cmd 'cat /in; printf "e\r\n\0" >&2; exit 41' &&
	[ "$rc" = 41 ] && cmp -s "$out" "$scratch/in" &&
	printf 'e\r\n\0' | cmp -s - "$err"
judge 'bytes, both streams and the status come through unchanged'

# shellcheck disable=SC2016 # for the guest's shell
hard='printf "%s|" "a  $0" '\''$x "y"'\'' "`echo z`"; echo "
b"; [ -c /dev/chring ]'
try 60 vm --cmd "$hard" && [ "$rc" = 0 ] &&
	[ "$(cat "$out")" = $'a  /cmd|$x "y"|z|\nb' ] && [ ! -s "$err" ]
judge 'quotes, dollars and newlines of a command come through'

# shellcheck disable=SC2016
try 60 make -s --no-print-directory -C "$here/../.." vm KERNEL="$kernel" \
	CMD='x=3; echo "$x$(shell echo no)"; exit $x' && [ "$rc" = 3 ]
judge 'make vm ends with the status of the command'

try 60 vm --cmd 'echo before; echo c >/proc/sysrq-trigger; sleep 60' &&
	[ "$rc" = 125 ] && [ "$(cat "$out")" = before ] &&
	told 'the guest panicked: sysrq triggered crash'
judge 'a panic'

try 60 vm --timeout 3 --cmd 'echo before; sleep 1000' && [ "$rc" = 124 ] &&
	told 'the command was still running after 3 s'
judge 'a command that hangs'

try 20 vm --boot-timeout 5 --append 'rdinit=/bin/sleep -- 1000' --cmd true &&
	[ "$rc" = 124 ] && told 'the guest did not start within 5 s'
judge 'a guest that never says a word'

try 60 vm --append 'rdinit=/nowhere root=/dev/nowhere' --cmd true &&
	[ "$rc" = 125 ] && told 'the guest panicked: VFS: Unable to mount root'
judge 'a guest without init'

echo 'no kernel' >"$scratch/vmlinux"
try 20 vm --vmlinux "$scratch/vmlinux" --cmd true && [ "$rc" = 125 ] &&
	told 'the guest never started'
judge 'a kernel that is none'

try 60 vm --module "$scratch/in" --cmd true && [ "$rc" = 125 ] &&
	told 'chring.ko does not load'
judge 'a module that does not load'

mark=chring.mark.$$
for signal in INT TERM KILL; do
	try 20 timeout --foreground -s "$signal" 2 "$here/run" --kernel "$kernel" \
		--append "$mark" --name harness --cmd 'sleep 1000'
	sleep 0.2
	no_process "$mark"
	judge "QEMU does not outlive a runner that got SIG$signal"
done

mkdir "$scratch/tests"
cat >"$scratch/tests/1-good.sh" <<'END'
echo 1..2; echo ok 1 one; echo 'ok 2 two # SKIP no two'
END
# shellcheck disable=SC2016
echo 'echo 1..2; echo ok 1 one; kill -SEGV $$' >"$scratch/tests/2-crash.sh"
echo 'echo ok 1 one' >"$scratch/tests/3-noplan.sh"
echo 'echo 1..2; echo ok 1 one' >"$scratch/tests/4-short.sh"
echo 'echo 1..1; echo ok 1 one; exit 9' >"$scratch/tests/5-status.sh"
echo 'echo 1..1; sleep 1000' >"$scratch/tests/6-hang.sh"
cat >"$scratch/tests/7-warns.sh" <<'END'
echo 1..1; echo 'WARNING: a test of the tests' >/dev/kmsg; echo ok 1 one
END
LIMIT=5 try 90 "$here/check.sh" "$kernel" "$scratch/tests" --module "$module" &&
	[ "$rc" = 1 ] && [ "$(tail -n 1 "$out")" = '6 passed, 6 failed, 1 skipped' ] &&
	grep -q 'not ok .* 2-crash # killed by signal 11' "$out" &&
	grep -q 'not ok .* 3-noplan # printed no plan' "$out" &&
	grep -q 'not ok .* 4-short # ran 1 of 2' "$out" &&
	grep -q 'not ok .* 5-status # exit status 9' "$out" &&
	grep -q 'not ok .* 6-hang # killed by signal 15' "$out" &&
	grep -q 'not ok .* 7-warns.fault # .*a test of the tests' "$out"
judge 'tests that crash, stay silent, stop early, hang, or upset the kernel'

mkdir "$scratch/panic"
echo 'echo 1..1; echo c >/proc/sysrq-trigger; echo ok 1 one' >"$scratch/panic/1-panic.sh"
cp "$scratch/tests/1-good.sh" "$scratch/panic/2-good.sh"
try 60 "$here/check.sh" "$kernel" "$scratch/panic" --module "$module" &&
	[ "$rc" != 0 ] && [ "$(tail -n 1 "$out")" = '0 passed, 2 failed, 0 skipped' ] &&
	grep -q 'not ok .* 1-panic # never ended' "$out" &&
	grep -q 'not ok .* # 1 of 2 files did not run' "$out" &&
	told 'the guest panicked: sysrq triggered crash'
judge 'a test that takes the kernel down'

ONLY=nothing.of.this try 20 "$here/check.sh" "$kernel" "$scratch/tests" \
	--module "$module" && [ "$rc" = 2 ] &&
	grep -q 'matches no test' "$err"
judge 'ONLY that matches nothing'

# Every file belongs to one of the parts.
mkdir "$scratch/three"
for name in a b c; do
	echo "echo 1..1; echo ok 1 $name" >"$scratch/three/$name.sh"
done
: >"$scratch/parts"
for part in 1/2 2/2; do
	PART=$part try 60 "$here/check.sh" "$kernel" "$scratch/three" \
		--module "$module" && [ "$rc" = 0 ] &&
		sed -n 's/^ok [0-9]* - //p' "$out" | xargs >>"$scratch/parts"
done
[ "$(cat "$scratch/parts")" = $'a.a c.c\nb.b' ]
judge 'parts of the tests'

refused=0
for part in 0/2 3/2 1 / x/2 4/4; do
	if PART=$part try 20 "$here/check.sh" "$kernel" "$scratch/three" \
		--module "$module" && [ "$rc" = 2 ] && grep -q "PART=$part" "$err"; then
		refused=$((refused + 1))
	fi
done
[ "$refused" = 6 ]
judge 'PART that is none'
