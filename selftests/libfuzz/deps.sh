#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# deps.sh: brings in what the fuzzers in user space need; no kernel. Says nothing
# when all is there.
set -euo pipefail
export LC_ALL=C

# shellcheck source-path=SCRIPTDIR source=../packages.sh
. "$(dirname "$0")/../packages.sh"

packages()
{
	cat <<-END
	build-essential		linker and C library
	clang			compiles for libFuzzer
	libclang-rt-14-dev	libFuzzer, and the sanitizers of that compiler
	liburcu-dev		RCU in user space
	libxxhash-dev		xxh64 outside the kernel
	libsodium-dev		siphash outside the kernel
	libjson-c-dev		what chringctl writes
	python3			counts the results
	END
}

missing=$(packages_missing)
[ -z "$missing" ] || packages_install "$missing"
