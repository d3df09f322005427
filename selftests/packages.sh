# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Debian packages, for whoever sources this and has a function packages() that
# prints a line for each: its name, and what it is for.

# Those that are not installed, name and reason apart by a tab.
packages_missing()
{
	local -A have=()
	local package status why

	# shellcheck disable=SC2016 # dpkg-query's own fields
	while read -r package status; do
		[ "$status" != ii ] || have[${package%:*}]=1
	done < <(packages | awk '{ print $1 }' |
		 xargs dpkg-query -W -f '${Package} ${db:Status-Abbrev}\n' 2>/dev/null || :)
	while read -r package why; do
		[ -n "${have[$package]-}" ] || printf '%s\t%s\n' "$package" "$why"
	done < <(packages)
}

apt()
{
	DEBIAN_FRONTEND=noninteractive apt-get -qq -o APT::Sandbox::User=root \
		-o Acquire::Retries=3 -o DPkg::Lock::Timeout=600 "$@"
}

# packages_install MISSING [PACKAGE]...: what packages_missing said, and newer
# versions of those that may be there. Says what it is about to do.
packages_install()
{
	local names missing=$1

	shift
	if [ -n "$missing" ]; then
		echo "deps: to be installed:"
		awk -F '\t' '{ printf "  %-21s %s\n", $1, $2 }' <<<"$missing"
	fi
	if ! command -v apt-get >/dev/null; then
		echo "deps: no apt-get here: this is made for Debian 12" >&2
		return 1
	fi
	if [ "$(id -u)" != 0 ]; then
		echo "deps: packages are missing: run the same as root, or install them" >&2
		return 1
	fi
	apt update
	mapfile -t names < <(cut -sf1 <<<"$missing")
	apt install --no-install-recommends -y "${names[@]}" "$@" >/dev/null
}
