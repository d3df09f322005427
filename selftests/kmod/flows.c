// SPDX-License-Identifier: GPL-2.0
/*
 * chring_flows.ko sends the key of every flow that arrives through a ring, and
 * counts what each node gets: what a balancer would begin with.
 */
#include <linux/debugfs.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/module.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/seq_file.h>
#include <linux/udp.h>
#include <net/ipv6.h>

#include <chring.h>

#define NODES_MAX	256

static char *ring_name = CHRING_DEFAULT_RING;
module_param_named(ring, ring_name, charp, 0444);
MODULE_PARM_DESC(ring, "name of the ring");

static bool with_port;
module_param_named(port, with_port, bool, 0444);
MODULE_PARM_DESC(port, "keys are address and port, not the address alone");

/**
 * struct tally - what a node got
 * @node: its id; 0: nobody's yet
 * @cookie: its cookie
 * @packets: how many
 */
struct tally {
	atomic64_t node;
	u64 cookie;
	atomic64_t packets;
};

static struct chring_ring *ring;
static struct tally tallies[NODES_MAX];
/* Without an owner, and without a tally. */
static atomic64_t nowhere, uncounted;
static struct dentry *dir;

/* A key: see enum chring_keys. */
struct flow {
	u8 byte[sizeof(struct in6_addr) + sizeof(__be16)];
	u32 len;
};

static void put(struct flow *flow, const void *from, u32 len)
{
	memcpy(flow->byte + flow->len, from, len);
	flow->len += len;
}

/* Where the port is: the same for UDP and TCP. */
static bool put_port(struct flow *flow, const struct sk_buff *skb, int offset)
{
	const __be16 *port;
	__be16 room;

	if (!with_port)
		return true;
	port = skb_header_pointer(skb, offset, sizeof(room), &room);
	if (port)
		put(flow, port, sizeof(*port));
	return port;
}

static bool flow_of_ipv4(struct flow *flow, const struct sk_buff *skb)
{
	const struct iphdr *ip = ip_hdr(skb);

	if (ip->protocol != IPPROTO_UDP || ip->frag_off & htons(IP_OFFSET))
		return false;
	put(flow, &ip->saddr, sizeof(ip->saddr));
	return put_port(flow, skb, skb_network_offset(skb) + ip->ihl * 4);
}

static bool flow_of_ipv6(struct flow *flow, const struct sk_buff *skb)
{
	const struct ipv6hdr *ip = ipv6_hdr(skb);

	if (ip->nexthdr != IPPROTO_UDP)
		return false;
	put(flow, &ip->saddr, sizeof(ip->saddr));
	return put_port(flow, skb, skb_network_offset(skb) + sizeof(*ip));
}

static void count(const struct chring_answer *owner)
{
	u32 i = owner->node % NODES_MAX, tries;

	for (tries = 0; tries < NODES_MAX; tries++, i = (i + 1) % NODES_MAX) {
		struct tally *t = &tallies[i];
		u64 was = atomic64_cmpxchg(&t->node, 0, owner->node);

		if (was && was != owner->node)
			continue;
		WRITE_ONCE(t->cookie, owner->cookie);
		atomic64_inc(&t->packets);
		return;
	}
	atomic64_inc(&uncounted);
}

static unsigned int hook(void *priv, struct sk_buff *skb,
			 const struct nf_hook_state *state)
{
	struct chring_answer owner;
	struct flow flow = {};

	if (state->pf == NFPROTO_IPV4 ? !flow_of_ipv4(&flow, skb) :
					!flow_of_ipv6(&flow, skb))
		return NF_ACCEPT;
	if (chring_lookup(ring, flow.byte, flow.len, &owner))
		atomic64_inc(&nowhere);
	else
		count(&owner);
	return NF_ACCEPT;
}

static const struct nf_hook_ops hooks[] = {
	{
		.hook = hook,
		.pf = NFPROTO_IPV4,
		.hooknum = NF_INET_PRE_ROUTING,
		.priority = NF_IP_PRI_RAW,
	},
	{
		.hook = hook,
		.pf = NFPROTO_IPV6,
		.hooknum = NF_INET_PRE_ROUTING,
		.priority = NF_IP6_PRI_RAW,
	},
};

/* A line a node: id, cookie, packets. */
static int nodes_show(struct seq_file *m, void *unused)
{
	u32 i;

	for (i = 0; i < NODES_MAX; i++) {
		const struct tally *t = &tallies[i];

		if (atomic64_read(&t->node))
			seq_printf(m, "%lld %llu %lld\n",
				   atomic64_read(&t->node),
				   READ_ONCE(t->cookie),
				   atomic64_read(&t->packets));
	}
	seq_printf(m, "nowhere %lld\nuncounted %lld\n", atomic64_read(&nowhere),
		   atomic64_read(&uncounted));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(nodes);

static int __init flows_init(void)
{
	int ret;

	ring = chring_get(ring_name);
	if (!ring) {
		pr_err("chring_flows: there is no ring '%s'\n", ring_name);
		return -ENOENT;
	}
	ret = nf_register_net_hooks(&init_net, hooks, ARRAY_SIZE(hooks));
	if (ret) {
		chring_put(ring);
		return ret;
	}
	dir = debugfs_create_dir("chring_flows", NULL);
	debugfs_create_file("nodes", 0444, dir, NULL, &nodes_fops);
	return 0;
}

/* Unregistering waits for those who are in the hook. */
static void __exit flows_exit(void)
{
	debugfs_remove(dir);
	nf_unregister_net_hooks(&init_net, hooks, ARRAY_SIZE(hooks));
	chring_put(ring);
}

module_init(flows_init);
module_exit(flows_exit);

MODULE_DESCRIPTION("Counts flows by the nodes of a chring ring");
MODULE_AUTHOR("The chring developers");
MODULE_IMPORT_NS(CHRING);
MODULE_LICENSE("GPL");
