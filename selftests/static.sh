#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# static.sh KERNEL: what can be said of the sources without running them, in
# TAP. Each function below is a test: silent and true if all is well.
set -uo pipefail

cd "$(dirname "$0")/.." || exit
# shellcheck source-path=SCRIPTDIR source=vm/kernel.sh
. selftests/vm/kernel.sh
kernel_select "$1" && kernel_locate || exit
kernel=$1

# files PATTERN...: sources as git knows them, committed or not yet.
files()
{
	git -c safe.directory='*' ls-files -co --exclude-standard -- "$@" |
		while read -r file; do [ ! -f "$file" ] || echo "$file"; done
}

# none PATTERN FILE...: no line of them matches; shows those that do.
none()
{
	local pattern=$1

	shift
	[ $# = 0 ] || ! grep -nEH -e "$pattern" "$@"
}

compiler()
{
	selftests/build.sh "$kernel" &&
	selftests/kmod/build.sh "$kernel"
}

sparse()
{
	set -- C=2 CHECK=sparse CF=-D__CHECK_ENDIAN__
	selftests/build.sh "$kernel" "build/$kernel-sparse" "$@" &&
	selftests/kmod/build.sh "$kernel" "build/$kernel-kmod-sparse" "$@"
}

# Not asked of checkpatch:
#   FILE_PATH_CHANGES		there is no MAINTAINERS file here
#   LINUX_VERSION_CODE		it has one home, and layers_version looks after that
# nor of what runs in user space, where the kernel's macros and types are either
# missing or made for core/, and tests build on those of kselftest_harness.h:
#   PREFER_DEFINED_ATTRIBUTE_MACRO, NEW_TYPEDEFS, VOLATILE
#   COMPLEX_MACRO, MACRO_WITH_FLOW_CONTROL
checkpatch_c()
{
	local everywhere=FILE_PATH_CHANGES,LINUX_VERSION_CODE
	local user=PREFER_DEFINED_ATTRIBUTE_MACRO,NEW_TYPEDEFS,VOLATILE
	user+=,COMPLEX_MACRO,MACRO_WITH_FLOW_CONTROL

	checkpatch_of $everywhere 'kmod/*.[ch]' 'uapi/*.h' 'selftests/kmod/*.[ch]' &&
	checkpatch_of $everywhere,$user 'tools/*.[ch]' 'selftests/*.[ch]' ':!selftests/kmod'
}

checkpatch_of()
{
	local ignore=$1

	shift
	files "$@" | xargs -r perl "$k_src/scripts/checkpatch.pl" --no-tree \
		--no-summary --terse --quiet --show-types --ignore "$ignore" --file
}

shellcheck_scripts()
{
	files | xargs grep -lE '^#!.*\b(ba)?sh$|^# shellcheck shell=' |
		xargs shellcheck -x -P SCRIPTDIR
}

codespell_all()
{
	files ':!COPYING' ':!.clang-format' | xargs codespell --ignore-words-list=nd # a macro of man pages
}

licence_lines()
{
	local without

	without=$(files ':!COPYING' ':!*.md' ':!*.patch' |
		  xargs grep -L 'SPDX-License-Identifier: ')
	[ -z "$without" ] || { echo "no SPDX line:" "$without"; return 1; }
}

# core/ reaches the kernel through platform.h alone.
layers_core()
{
	local core

	mapfile -t core < <(files 'kmod/core/*.[ch]' ':!*/platform.h')
	none '^#[[:space:]]*include[[:space:]]*<' "${core[@]}" &&
	none '^#[[:space:]]*include[[:space:]]*"[^"]*/' "${core[@]}"
}

layers_version()
{
	local all

	mapfile -t all < <(files '*.[ch]' ':!kmod/compat.h')
	none 'LINUX_VERSION_CODE|KERNEL_VERSION\(' "${all[@]}"
}

# Memory of programs is seen by floor 3 only.
layers_user()
{
	local below

	mapfile -t below < <(files 'kmod/core/*.[ch]' 'kmod/ring.[ch]' 'kmod/registry.[ch]' \
		'kmod/view.[ch]' 'kmod/roster.[ch]' 'kmod/sync.[ch]' 'kmod/budget.[ch]' \
		'kmod/log.[ch]' 'kmod/loads.[ch]' 'kmod/draft.[ch]' 'kmod/change.c' \
		'kmod/commit.c' 'kmod/order.[ch]' 'kmod/notices.[ch]' 'kmod/chring.h' \
		'kmod/tokens.[ch]' 'kmod/status.[ch]' 'kmod/listing.[ch]')
	none '\<__user\>|copy_(from|to)_user' "${below[@]}"
}

# Who uses the API from outside sees what is installed, and nothing of chring's.
layers_api()
{
	none 'kmod/' selftests/kmod/*.[ch] &&
	none '^#[[:space:]]*include[[:space:]]*"' kmod/chring.h
}

# The IPVS scheduler is a module of its own, and sees no more of chring than that.
layers_ip_vs()
{
	none '^#[[:space:]]*include[[:space:]]*"' kmod/ip_vs_*.[ch] |
		grep -vE '"(chring|compat|ip_vs_[a-z]+)\.h"$' && return 1
	return 0
}

# Two worlds meet in twins, not in ifdefs.
layers_ifdef()
{
	local all

	mapfile -t all < <(files '*.[ch]')
	none '^#[[:space:]]*if.*__KERNEL__' "${all[@]}"
}

layers_ioctl()
{
	local tools

	mapfile -t tools < <(files 'tools/*.[ch]' ':!tools/libchring.c')
	none '\<(ioctl|mmap)[[:space:]]*\(' "${tools[@]}"
}

# What the library gives away is what its header declares, and nothing else.
exports()
{
	diff <(grep -oE '^[a-z].*\<chring_[a-z_]+\(' tools/libchring.h |
		grep -oE 'chring_[a-z_]+\(' | tr -d '(' | sort) \
		<(sed -n 's/^\t\(chring_[a-z_]*\);$/\1/p' tools/libchring.map | sort)
}

uapi_compiles()
{
	local dialect

	for dialect in 'c -std=c99' 'c -std=gnu11' 'c++ -std=c++11' 'c++ -std=c++20'; do
		# shellcheck disable=SC2086 # two words
		"${CC:-cc}" -x $dialect -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
			-Iuapi - <<<'#include <linux/chring.h>' || return
	done
}

# A fault that no longer fits the sources kills nothing.
mutants_apply()
{
	local patch status=0

	for patch in selftests/mutants/*.patch; do
		patch -p1 -s -f -F0 --dry-run <"$patch" >/dev/null ||
			{ echo "$patch does not apply"; status=1; }
	done
	return "$status"
}

# What dkms does when a kernel has come: both modules, with types for BPF programs,
# of the version that the sources have.
dkms_builds()
{
	local dir status=0 version

	version=$(sed -n 's/^#define CHRING_VERSION_TEXT\t"\(.*\)"$/\1/p' kmod/version.h)
	dir=$(mktemp -d)
	mkdir -p "$dir/tree" "$dir/src/chring-$version"
	files | cpio -pdm --quiet "$dir/src/chring-$version"
	VMLINUX=$k_vmlinux dkms build -m chring -v "$version" -k "$k_release" \
		--kernelsourcedir "$k_dir" --dkmstree "$dir/tree" --sourcetree "$dir/src" \
		>"$dir/log" 2>&1 &&
	[ "$(find "$dir/tree" -path '*/module/*chring.ko*' -printf '%f\n' | sort | cut -d . -f 1 | xargs)" = \
		'chring ip_vs_chring' ] &&
	[ "$(modinfo -F kfuncs "$dir/tree/chring/$version/$k_release"/*/module/chring.ko*)" = yes ] ||
		status=1
	[ "$status" = 0 ] || find "$dir/tree" "$dir/log" -name '*log' -type f -exec cat {} +
	rm -rf "$dir"
	return "$status"
}

if [ -z "$(files Kbuild)" ]; then
	echo "static.sh: no git checkout, no sources to look at" >&2
	exit 1
fi

tests="compiler sparse checkpatch_c shellcheck_scripts codespell_all
	licence_lines layers_core layers_version layers_user layers_api layers_ip_vs
	layers_ifdef layers_ioctl exports uapi_compiles mutants_apply
	dkms_builds"

echo '#> begin static'
echo "1..$(wc -w <<<"$tests")"
for test in $tests; do
	if said=$("$test" 2>&1) && [ -z "$said" ]; then
		echo "ok - $test"
	else
		printf '%s\n' "$said"
		echo "not ok - $test"
	fi
done
echo '#> end static 0'
