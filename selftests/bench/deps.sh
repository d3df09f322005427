#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# deps.sh: brings in what the benchmark needs beyond or beside what
# selftests/deps.sh does; no kernel. Says nothing when all is there.
set -euo pipefail
export LC_ALL=C

# shellcheck source-path=SCRIPTDIR source=../packages.sh
. "$(dirname "$0")/../packages.sh"

packages()
{
	cat <<-END
	build-essential		compilers, linker and C library
	python3			tables, plots and the verdict
	liburcu-dev		RCU in user space
	libxxhash-dev		xxh64 outside the kernel
	libsodium-dev		siphash outside the kernel
	libjson-c-dev		the results
	libmemcached-dev	a rival
	libbsd-dev		heapsort, which is what the kernel's sort() does
	libbpf-dev		runs BPF programs
	libelf-dev		likewise
	zlib1g-dev		likewise
	gnuplot-nox		draws the plots
	valgrind		counts instructions
	END
}

missing=$(packages_missing)
[ -z "$missing" ] || packages_install "$missing"
