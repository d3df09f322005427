#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# deps.sh: brings in what the benchmark needs beyond or beside what
# selftests/deps.sh does; no kernel. Says nothing when all is there.
set -euo pipefail
export LC_ALL=C

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
	gnuplot-nox		draws the plots
	valgrind		counts instructions
	END
}

missing()
{
	local package why

	while read -r package why; do
		dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null |
			grep -q '^ii' || printf '%s\t%s\n' "$package" "$why"
	done < <(packages)
}

apt()
{
	DEBIAN_FRONTEND=noninteractive apt-get -qq -o APT::Sandbox::User=root \
		-o Acquire::Retries=3 -o DPkg::Lock::Timeout=600 "$@"
}

wanted=$(missing)
[ -n "$wanted" ] || exit 0
echo "deps: to be installed:"
awk -F '\t' '{ printf "  %-21s %s\n", $1, $2 }' <<<"$wanted"
if ! command -v apt-get >/dev/null; then
	echo "deps: no apt-get here: this is made for Debian 12" >&2
	exit 1
fi
if [ "$(id -u)" != 0 ]; then
	echo "deps: packages are missing: run 'make bench' as root, or install them" >&2
	exit 1
fi
apt update
mapfile -t names < <(cut -f1 <<<"$wanted")
apt install --no-install-recommends -y "${names[@]}" >/dev/null
