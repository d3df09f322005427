# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2015,SC2034 # bad() is for a failure of either
#
# For scripts that send real connections to backends that a ring chooses: a network
# of namespaces, and what is asked of it. To be sourced; the script has a function
# for each test, and ends in run_tests with their names.
#
#	clients --front-- director --back-- lan --back-- b1 ... b8
#	        --back------------------------/
#
# The director has what chooses. Clients of 10.1/16 and fd01::/16 are answered
# through it, as masquerading wants it; those of 10.2/16 past it, as direct
# routing has it. All of 10.3/16 is b8 as well.

dir=$(mktemp -d)
vip=10.0.1.1 vip_direct=10.0.1.2 vip_mark=10.0.1.3 vip6=fd00:1::1
all='1 2 3 4 5 6 7 8'
skipped=77

# count N: that many clients, and a third of them where counts are divided: what
# is said of all servers wants some for each
count()
{
	[ "${CHRING_SCALE:-1}" = 1 ] && echo "$1" || echo $(($1 / 3))
}

# bad TEXT: what went wrong, with what was said last; false
bad()
{
	echo "# $*"
	sed 's/^/#   out: /' "$dir/out" | head -n 20
	sed 's/^/#   err: /' "$dir/err" | head -n 20
	return 1
}

# That of busybox knows no namespaces, and is what the shell would take.
ip()
{
	/sbin/ip "$@"
}

# run COMMAND...: done, and nothing to complain about
run()
{
	"$@" >"$dir/out" 2>"$dir/err" && [ ! -s "$dir/err" ] || bad "failed: $*"
}

# waits SECONDS COMMAND...: until it is true
waits()
{
	local tries=$(($1 * 10 * ${CHRING_SCALE:-1}))

	shift
	until "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return
		sleep 0.1
	done
}

# modules LIST: what the kernel has of it, but what is there already
modules()
{
	local module name

	while read -r module; do
		name=$(basename "$module" .ko | tr - _)
		[ -d "/sys/module/$name" ] || insmod "$module" || return
	done <"/lib/modules/$1"
}

# inside NAMESPACE COMMAND...
inside()
{
	local netns=$1

	shift
	nsenter "--net=/run/netns/$netns" "$@"
}

links()
{
	local n

	for n in lan director clients b1 b2 b3 b4 b5 b6 b7 b8; do
		echo "netns add $n"
	done
	echo 'link add front netns director type veth peer name front netns clients'
	for n in director clients b1 b2 b3 b4 b5 b6 b7 b8; do
		echo "link add back netns $n type veth peer name $n netns lan"
	done
}

lan()
{
	local n

	echo 'link add lan type bridge forward_delay 0 mcast_snooping 0'
	echo 'link set lan up'
	for n in director clients b1 b2 b3 b4 b5 b6 b7 b8; do
		echo "link set $n master lan up"
	done
}

director()
{
	cat <<-END
	link set lo up
	link set front up
	link set back up
	addr add 10.0.0.1/24 dev front
	addr add fd00::1/64 dev front nodad
	addr add 10.0.2.1/24 dev back
	addr add fd00:2::1/64 dev back nodad
	addr add $vip/32 dev front
	addr add $vip_direct/32 dev front
	addr add $vip_mark/32 dev front
	addr add $vip6/128 dev front nodad
	route add 10.1.0.0/16 via 10.0.0.2
	route add 10.2.0.0/16 via 10.0.0.2
	route add fd01::/16 via fd00::2
	route add 10.3.0.0/16 via 10.0.2.18
	END
}

clients()
{
	cat <<-END
	link set lo up
	link set front up
	link set back up
	addr add 10.0.0.2/24 dev front
	addr add fd00::2/64 dev front nodad
	addr add 10.0.2.2/24 dev back
	route add local 10.1.0.0/16 dev lo
	route add local 10.2.0.0/16 dev lo
	route add local fd01::/16 dev lo
	route add 10.0.1.0/24 via 10.0.0.1
	route add fd00:1::/64 via fd00::1
	END
}

# backend N
backend()
{
	cat <<-END
	link set lo up
	link set back up
	addr add 10.0.2.1$1/24 dev back
	addr add fd00:2::1$1/64 dev back nodad
	addr add $vip_direct/32 dev lo
	route add 10.1.0.0/16 via 10.0.2.1
	route add 10.2.0.0/16 via 10.0.2.2
	route add fd01::/16 via fd00:2::1
	END
	[ "$1" != 8 ] || echo 'route add local 10.3.0.0/16 dev lo'
}

# network: without servers
network()
{
	local n

	mkdir -p /run
	modules net
	links | ip -batch - &&
	lan | ip -n lan -batch - &&
	director | ip -n director -batch - &&
	clients | ip -n clients -batch - || return
	for n in $all; do
		backend "$n" | ip -n "b$n" -batch - || return
	done
	inside director sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward &&
		echo 1 >/proc/sys/net/ipv6/conf/all/forwarding'
}

# net_up: the network, and a server on port 80 of each backend
net_up()
{
	network && flows serve 80 b1 b2 b3 b4 b5 b6 b7 b8 >"$dir/servers"
}

# unused: does nobody hold the module? Programs go with their devices
unused()
{
	[ "$(cat /sys/module/chring/refcnt)" = 0 ]
}

# Namespaces go in their own time.
net_down()
{
	sed 's/.* //' "$dir/servers" | xargs kill 2>/dev/null
	ip -all netns del
}

# ask FILE SERVER [OPTION VALUE]...: who answers, in $dir/FILE: CLIENT bN ADDRESS
ask()
{
	local file=$1

	shift
	flows ask clients "$@" >"$dir/$file" 2>"$dir/err" ||
		bad "flows: $*"
}

# owned RING [OPTION]...: $dir/out is CLIENT NODE for each of $dir/names
owned()
{
	# shellcheck disable=SC2046 # addresses
	run chringctl lookup "$@" --flow $(cat "$dir/names")
}

# owners FILE RING SERVER [OPTION VALUE]...: who should, by the ring
owners()
{
	local file=$1 ring=$2

	shift 2
	flows name clients "$@" >"$dir/names" &&
	owned "$ring" || return
	sed -e 's/	10\.0\.2\.1\([1-8]\):.*/	b\1/' \
		-e 's/	\[fd00:2::1\([1-8]\)\]:.*/	b\1/' "$dir/out" >"$dir/$file"
}

# same FILE FILE: each client has the same server in both
same()
{
	awk -F '\t' -v one="$1" '
	FNR == NR { server[$1] = $2; n++; next }
	server[$1] != $2 && bad++ < 5 {
		print "# " $1 ": " server[$1] ", " one ": " $2
	}
	{ m++ }
	END { exit bad || n != m || !n }' "$dir/$2" "$dir/$1" ||
		bad "$1 and $2 are not the same"
}

# lands RING SERVER [OPTION VALUE]...: each client is answered by its owner
lands()
{
	local ring=$1

	shift
	ask asked "$@" && owners owners "$ring" "$@" && same asked owners
}

# errors FILE: how many clients had no answer
errors()
{
	grep -c '	!' "$dir/$1"
}

# spread FILE: how many clients each server has
spread()
{
	awk -F '\t' '{ n[$2]++; t++ }
	END {
		for (s in n) {
			if (n[s] > most) most = n[s]
			if (!least || n[s] < least) least = n[s]
			k++
		}
		printf "%d clients, %d servers, least %d, most %d", t, k, least, most
	}' "$dir/$1"
}

# known RING N: the ring has so many nodes
nodes_are()
{
	[ "$(chringctl node list "$1" 2>/dev/null | tail -n +2 | wc -l)" = "$2" ]
}

# run_tests NAME...: each is a function; true, or $skipped with a reason
run_tests()
{
	local n=0 test name

	echo "1..$#"
	for test; do
		n=$((n + 1))
		name=$(echo "$test" | tr _ ' ')
		: >"$dir/out"
		: >"$dir/err"
		"$test" >"$dir/said" 2>&1
		case $? in
		0)
			grep '^# ' "$dir/said"
			echo "ok $n - $name"
			;;
		"$skipped") echo "ok $n - $name # SKIP $(cat "$dir/said")" ;;
		*)
			cat "$dir/said"
			echo "not ok $n - $name"
			;;
		esac
	done
}
