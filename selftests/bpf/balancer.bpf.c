// SPDX-License-Identifier: GPL-2.0
/*
 * A balancer of layer 4 whose table is a ring: each flow, an address and a port,
 * goes to the backend that owns it, which answers the client by itself (direct
 * routing, as Katran and IPVS have it). Nothing is remembered of a connection:
 * who balances beside this one, or after it, sends it to the same place.
 *
 * balance (XDP) sends packets on; mark (TC) tells routing whose they are.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include <chring/chring.bpf.h>

#include "balancer.h"

const volatile struct service service;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __u64);
	__type(value, struct backend);
} backends SEC(".maps");

/**
 * struct flow - who asks
 * @key: bytes that the ring is asked for: address and port of the client, as
 *	`chringctl lookup RING --flow ADDRESS:PORT` has them
 * @len: how many
 */
struct flow {
	__u8 key[18];
	__u32 len;
};

/* Both TCP and UDP begin with these. */
struct ports {
	__be16 from;
	__be16 to;
};

static __always_inline int is_service(const __u8 *address, __u32 len)
{
	__u32 i;

	for (i = 0; i < len; i++)
		if (address[i] != service.address[16 - len + i])
			return 0;
	return 1;
}

/* @len: of an address; false: the packet is not for the service. */
static __always_inline int read_ports(void *at, void *end, __u8 proto,
				      struct flow *flow, __u32 len)
{
	struct ports *ports = at;

	if ((proto != IPPROTO_TCP && proto != IPPROTO_UDP) ||
	    (void *)(ports + 1) > end || ports->to != service.port)
		return 0;
	__builtin_memcpy(flow->key + len, &ports->from, 2);
	flow->len = len + 2;
	return 1;
}

/* What has options, or comes in pieces, is not for us. */
static __always_inline int read_ipv4(void *at, void *end, struct flow *flow)
{
	struct iphdr *ip = at;

	if ((void *)(ip + 1) > end || ip->ihl != 5 ||
	    ip->frag_off & bpf_htons(0x3fff) ||
	    !is_service((__u8 *)&ip->daddr, 4))
		return 0;
	__builtin_memcpy(flow->key, &ip->saddr, 4);
	return read_ports(ip + 1, end, ip->protocol, flow, 4);
}

static __always_inline int read_ipv6(void *at, void *end, struct flow *flow)
{
	struct ipv6hdr *ip = at;

	if ((void *)(ip + 1) > end || !is_service((__u8 *)&ip->daddr, 16))
		return 0;
	__builtin_memcpy(flow->key, &ip->saddr, 16);
	return read_ports(ip + 1, end, ip->nexthdr, flow, 16);
}

static __always_inline int read_flow(void *at, void *end, struct flow *flow)
{
	struct ethhdr *eth = at;

	if ((void *)(eth + 1) > end)
		return 0;
	if (eth->h_proto == bpf_htons(ETH_P_IP))
		return read_ipv4(eth + 1, end, flow);
	if (eth->h_proto == bpf_htons(ETH_P_IPV6))
		return read_ipv6(eth + 1, end, flow);
	return 0;
}

/* Who owns a flow. */
static __always_inline int owner(const struct flow *flow,
				 struct chring_bpf_answer *answer)
{
	/* Of one of two lengths, each known to the verifier. */
	if (flow->len == 6)
		return chring_bpf_lookup(service.ring, flow->key, 6, answer,
					 sizeof(*answer));
	return chring_bpf_lookup(service.ring, flow->key, 18, answer,
				 sizeof(*answer));
}

static __always_inline void send_to(struct ethhdr *eth,
				    const struct backend *to)
{
	int i;

	__builtin_memcpy(eth->h_dest, to->mac, 6);
	/* One at a time: what is volatile is not known to memcpy(). */
	for (i = 0; i < 6; i++)
		eth->h_source[i] = service.mac[i];
}

SEC("xdp")
int balance(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;
	void *end = (void *)(long)ctx->data_end;
	struct chring_bpf_answer answer = {};
	struct ethhdr *eth = data;
	struct flow flow = {};
	struct backend *to;

	if ((void *)(eth + 1) > end || !read_flow(data, end, &flow))
		return XDP_PASS;
	if (owner(&flow, &answer))
		return XDP_DROP;
	to = bpf_map_lookup_elem(&backends, &answer.cookie);
	if (!to)
		return XDP_DROP;
	send_to(eth, to);
	return bpf_redirect(service.device, 0);
}

/* The mark is the owner's cookie: `ip rule add fwmark COOKIE lookup ...`. */
SEC("tc")
int mark(struct __sk_buff *skb)
{
	void *data = (void *)(long)skb->data;
	void *end = (void *)(long)skb->data_end;
	struct chring_bpf_answer answer = {};
	struct flow flow = {};

	if (!read_flow(data, end, &flow))
		return TC_ACT_OK;
	if (owner(&flow, &answer))
		return TC_ACT_SHOT;
	skb->mark = answer.cookie;
	return TC_ACT_OK;
}

/* A veth takes frames from `balance` if its peer has a program as well. */
SEC("xdp")
int pass(struct xdp_md *ctx)
{
	return XDP_PASS;
}

char _license[] SEC("license") = "GPL";
