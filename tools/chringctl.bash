# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Completion of chringctl for bash.

# Names of rings, without the row of headings.
_chringctl_rings()
{
	chringctl ring list 2>/dev/null | awk 'NR > 1 { print $1 }'
}

# _chringctl_nodes RING: those names that a line of words can hold
_chringctl_nodes()
{
	chringctl node list "$1" 2>/dev/null | awk 'NR > 1 { print $1 }'
}

# _chringctl_values WORD: what may follow it, if that can be known
_chringctl_values()
{
	case $1 in
	hash) echo 'xxh64 siphash murmur64 murmur3' ;;
	bits) echo '64 32' ;;
	layout) echo plain ;;
	seed) echo random ;;
	state) echo 'up drain down' ;;
	esac
}

# _chringctl_after OBJECT [COMMAND] [RING] [NODE]...: words that come next
_chringctl_after()
{
	local node='weight zone cookie state generation epoch dry-run'

	case "$1 $2" in
	'ring ') echo 'add del list show' ;;
	'node ') echo 'add set del list' ;;
	'lookup ' | 'acquire ' | 'stats ' | 'ranges ' | 'diff ' | 'tokens ' | 'pin ' | 'unpin ')
		_chringctl_rings
		;;
	'watch ') _chringctl_rings; echo count ;;
	watch\ *) [ $# -gt 2 ] || [ "$2" = count ] || echo count ;;
	'ring del' | 'ring show') [ $# -gt 2 ] || _chringctl_rings ;;
	'ring add')
		[ $# = 2 ] ||
			echo 'hash bits vnodes unit seed sep layout balance tickets'
		;;
	'node list') [ $# -gt 2 ] || _chringctl_rings ;;
	node\ *)
		case $# in
		2) _chringctl_rings ;;
		3) [ "$2" = add ] || _chringctl_nodes "$3" ;;
		*) [ "$2" = del ] && echo 'generation epoch dry-run' || echo "$node" ;;
		esac
		;;
	pin\ * | unpin\ *) echo 'generation epoch' ;;
	lookup\ *) echo 'replicas zones previous former position --flow -0 -- -' ;;
	acquire\ *) echo 'hold position -0 -- -' ;;
	stats\ *) echo '-0 -' ;;
	ranges\ *)
		[ $# -gt 2 ] || _chringctl_nodes "$2"
		echo previous
		;;
	' ') echo '-j -o -0 -h -V ring node lookup acquire stats ranges diff tokens pin unpin watch info' ;;
	esac
}

_chringctl()
{
	local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
	local -a before words
	local i choices word

	# Options stand before the object, and -o takes a file.
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		-o | --output) ((i++)) ;;
		-*) ;;
		*) break ;;
		esac
	done
	before=("${COMP_WORDS[@]:i:COMP_CWORD - i}")
	if [ "${#before[@]}" = 0 ] && [[ $previous = -o || $previous = --output ]]; then
		mapfile -t COMPREPLY < <(compgen -f -- "$current")
		return
	fi
	choices=
	[ "${#before[@]}" -lt 3 ] || choices=$(_chringctl_values "$previous")
	[ -n "$choices" ] || choices=$(_chringctl_after "${before[@]}")
	# Not compgen -W: it would run what the name of a node says in $().
	read -rd '' -a words <<<"$choices"
	COMPREPLY=()
	for word in "${words[@]}"; do
		[[ $word != "$current"* ]] || COMPREPLY+=("$(printf %q "$word")")
	done
}

complete -F _chringctl chringctl
