// SPDX-License-Identifier: GPL-2.0
/*
 * balancer: loads balancer.bpf.o, and leaves its programs at a device.
 *
 *	balancer balance DEVICE RING ADDRESS:PORT OUT <BACKENDS
 *		packets that come in at DEVICE for ADDRESS:PORT leave at OUT, to the
 *		backend that owns their flow. BACKENDS is lines COOKIE MAC: where the
 *		node of that cookie is. Ends with `ip link set DEVICE xdp off`
 *	balancer mark DEVICE RING ADDRESS:PORT
 *		their mark is the cookie of the owner. Ends with
 *		`tc qdisc del dev DEVICE clsact`
 *	balancer pass DEVICE
 *		a program that does nothing, for peers of a veth
 */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <err.h>
#include <errno.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <libchring.h>

#include "balancer.h"

#ifndef BALANCER_OBJECT
#define BALANCER_OBJECT	"/bpf/balancer.bpf.o"
#endif

static __u64 ring_id(const char *name)
{
	struct chring_info info;
	struct chring *ring;
	int ret = chring_open(name, CHRING_OPEN_READ, &ring) ?:
		  chring_info(ring, &info);

	if (ret)
		errx(1, "ring %s: %s", name, strerror(-ret));
	chring_close(ring);
	if (!info.out_kfuncs)
		errx(1, "this chring.ko has no kfuncs, see README");
	return info.out_ring;
}

static unsigned int device(const char *name)
{
	unsigned int index = if_nametoindex(name);

	if (!index)
		err(1, "%s", name);
	return index;
}

static void read_target(char *text, struct service *s)
{
	char *port = strrchr(text, ':');
	struct in_addr v4;

	if (!port)
		errx(2, "%s: no port", text);
	*port++ = 0;
	s->port = htons(atoi(port));
	memset(s->address + 10, 0xff, 2);
	if (inet_pton(AF_INET, text, &v4) == 1)
		memcpy(s->address + 12, &v4, 4);
	else if (inet_pton(AF_INET6, text, s->address) != 1)
		errx(2, "%s: no address", text);
}

static void read_mac(const char *name, __u8 *mac)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	struct ifreq req = {};

	snprintf(req.ifr_name, sizeof(req.ifr_name), "%s", name);
	if (ioctl(fd, SIOCGIFHWADDR, &req))
		err(1, "%s", name);
	memcpy(mac, req.ifr_hwaddr.sa_data, 6);
	close(fd);
}

static struct bpf_object *load(const struct service *s)
{
	struct bpf_object *o = bpf_object__open(BALANCER_OBJECT);

	if (!o)
		err(1, BALANCER_OBJECT);
	if (bpf_map__set_initial_value(bpf_object__find_map_by_name(o, ".rodata"),
				       s, sizeof(*s)) ||
	    bpf_object__load(o))
		errx(1, BALANCER_OBJECT " is not loaded");
	return o;
}

static int program(struct bpf_object *o, const char *name)
{
	return bpf_program__fd(bpf_object__find_program_by_name(o, name));
}

static void attach(struct bpf_object *o, const char *name, const char *dev)
{
	int ret = bpf_xdp_attach(device(dev), program(o, name), 0, NULL);

	if (ret)
		errx(1, "%s: %s", dev, strerror(-ret));
}

static void read_backends(struct bpf_object *o)
{
	int map = bpf_object__find_map_fd_by_name(o, "backends");
	unsigned long long cookie;
	struct backend b;

	while (scanf("%llu %hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &cookie, &b.mac[0],
		     &b.mac[1], &b.mac[2], &b.mac[3], &b.mac[4],
		     &b.mac[5]) == 7)
		if (bpf_map_update_elem(map, &cookie, &b, BPF_ANY))
			err(1, "backend %llu", cookie);
}

static void balance(char **arg)
{
	struct service s = { .ring = ring_id(arg[1]), .device = device(arg[3]) };
	struct bpf_object *o;

	read_target(arg[2], &s);
	read_mac(arg[3], s.mac);
	o = load(&s);
	read_backends(o);
	attach(o, "balance", arg[0]);
}

static void mark(char **arg)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = device(arg[0]),
		    .attach_point = BPF_TC_INGRESS);
	LIBBPF_OPTS(bpf_tc_opts, opts);
	struct service s = { .ring = ring_id(arg[1]) };
	int ret;

	read_target(arg[2], &s);
	opts.prog_fd = program(load(&s), "mark");
	ret = bpf_tc_hook_create(&hook) ?: bpf_tc_attach(&hook, &opts);
	if (ret)
		errx(1, "%s: %s", arg[0], strerror(-ret));
}

int main(int argc, char **argv)
{
	if (argc == 6 && !strcmp(argv[1], "balance"))
		balance(argv + 2);
	else if (argc == 5 && !strcmp(argv[1], "mark"))
		mark(argv + 2);
	else if (argc == 3 && !strcmp(argv[1], "pass"))
		attach(load(&(struct service){}), "pass", argv[2]);
	else
		errx(2, "balance DEVICE RING ADDRESS:PORT OUT <BACKENDS; mark DEVICE RING ADDRESS:PORT; pass DEVICE");
	return 0;
}
