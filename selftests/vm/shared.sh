#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# shared.sh GUEST=HOST...: for programs that are not linked statically. Prints
# options of run that put each program HOST into the guest as GUEST, and with
# them what the guest has not: their shared libraries and the dynamic loader.
# LD_LIBRARY_PATH says here where libraries are that are not installed; in the
# guest all of them are where the loader looks without being told.
set -euo pipefail

libraries=/lib/x86_64-linux-gnu

# A line GUEST=HOST for each that PROGRAM needs, as ldd found it.
needed()
{
	local list

	list=$(ldd "$1" 2>&1) || { echo "shared.sh: $1: $list" >&2; return 1; }
	if grep -F 'not found' <<<"$list" >&2; then
		echo "shared.sh: $1: libraries are missing" >&2
		return 1
	fi
	awk -v dir="$libraries" '
	$2 == "=>" { print dir "/" $1 "=" $3 }
	$1 ~ /^\// { print $1 "=" $1 }' <<<"$list"
}

all=
for program; do
	more=$(needed "${program#*=}")
	all+=$program$'\n'$more$'\n'
done
sort -u <<<"$all" | sed -n 's/./--file &/p'
