# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2015,SC2034,SC2119,SC2120,SC2154 # bad() is for a failure
# of either; load has parameters; variables of libnet.sh
#
# For scripts that test the IPVS scheduler with real connections: libnet.sh, and
# services of its director. To be sourced.
#
# shellcheck source=libnet.sh
. /lib/net.sh

# load [PARAMETER=VALUE]...: the scheduler, and once what it needs
load()
{
	[ -e /proc/net/ip_vs ] || modules ip_vs
	insmod /ip_vs_chring.ko "$@"
}

unload()
{
	waits 20 rmmod ip_vs_chring 2>"$dir/err" || bad 'ip_vs_chring stays'
}

# ipvs ARGUMENT...: ipvsadm in the director
ipvs()
{
	run inside director ipvsadm "$@"
}

# keep_hooks: a service that nobody asks, in a namespace that nobody enters. With the
# first service and the last one the kernel patches the code that packets run
# through, and an emulated processor may still run into what was there before: a
# breakpoint that is no longer known, and panics (seen on 6.12). With one that stays
# there is no first and no last.
keep_hooks()
{
	ip netns add keeper && run inside keeper ipvsadm -A -f 9 -s rr &&
	run inside keeper ipvsadm -A -f 9 -6 -s rr
}

# ready: the scheduler, the network, and short waits for what has ended
ready()
{
	load && net_up && keep_hooks && ipvs --set 900 2 300
}

# plan: lines of ipvsadm on standard input, all in one process
plan()
{
	run inside director ipvsadm -R
}

# netns: of the director, as the names of rings have it
netns()
{
	stat -Lc %i /run/netns/director
}

# destinations SERVICE OPTIONS N...: lines of ipvsadm; SERVICE as -t 10.0.1.1:80
destinations()
{
	local service=$1 options=$2 n

	shift 2
	for n; do
		echo "-a $service -r 10.0.2.1$n:80 $options"
	done
}
