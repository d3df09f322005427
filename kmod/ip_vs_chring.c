// SPDX-License-Identifier: GPL-2.0
/*
 * The IPVS scheduler ``chring``: each service has a ring of its own, made of its
 * destinations and their weights, and a client is sent to the owner of its
 * address.
 *
 * IPVS changes a service first, tells its scheduler afterwards, and does not
 * listen to what that answers. So the ring may be behind, for want of memory
 * say, and is a proposal only: a node leads to a slot, and the slot to the
 * destination, as long as the service has it. Who is gone, not available or of
 * weight 0 is stepped over, which is where its clients go by the ring too once
 * that has caught up. A destination that leaves takes its reference along at
 * once, whatever becomes of the ring.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/skbuff.h>

#include "compat.h"
#include "ip_vs_service.h"
#include "ip_vs_share.h"

static unsigned int vnodes = 160;
module_param(vnodes, uint, 0444);
MODULE_PARM_DESC(vnodes,
		 "tokens of a destination per unit of weight (default 160)");

static unsigned int unit = 1;
module_param(unit, uint, 0444);
MODULE_PARM_DESC(unit, "weight that has so many tokens (default 1)");

static char *secret;
module_param(secret, charp, 0);
MODULE_PARM_DESC(secret,
		 "key of the hash, 32 hexadecimal digits, the same on all directors of a set (default: one that is known to everybody)");

/*
 * The key that is known to everybody, so that directors agree without being
 * told: the text "chring ip_vs key".
 */
static struct chring_config config = {
	.hash = CHRING_HASH_SIPHASH,
	.seed = { 0x6920676e69726863ULL, 0x79656b2073765f70ULL },
};

/* What is hashed of a client; see enum chring_keys. */
struct flow {
	u8 bytes[sizeof(struct in6_addr) + sizeof(__be16)];
	u32 len;
};

static void flow_add(struct flow *flow, const void *p, u32 len)
{
	memcpy(flow->bytes + flow->len, p, len);
	flow->len += len;
}

/* Of an ICMP error these are the ports of the packet that it is about. */
static __be16 client_port(const struct sk_buff *skb,
			  const struct ip_vs_iphdr *iph)
{
	__be16 space[2];
	const __be16 *ports;

	switch (iph->protocol) {
	case IPPROTO_TCP:
	case IPPROTO_UDP:
	case IPPROTO_SCTP:
		ports = skb_header_pointer(skb, iph->len, sizeof(space), space);
		if (!ports)
			return 0;
		return ports[ip_vs_iph_inverse(iph)];
	default:
		return 0;
	}
}

static void flow_of(struct flow *flow, enum chring_keys keys, u16 af,
		    const struct sk_buff *skb, const struct ip_vs_iphdr *iph)
{
	const union nf_inet_addr *client;
	__be16 port;

	client = ip_vs_iph_inverse(iph) ? &iph->daddr : &iph->saddr;
	flow->len = 0;
	if (af == AF_INET6)
		flow_add(flow, &client->in6, sizeof(client->in6));
	else
		flow_add(flow, &client->ip, sizeof(client->ip));
	if (keys == CHRING_KEYS_FLOW_PORT) {
		port = client_port(skb, iph);
		flow_add(flow, &port, sizeof(port));
	}
}

static bool is_overloaded(const struct ip_vs_dest *dest)
{
	return dest->flags & IP_VS_DEST_F_OVERLOAD;
}

/* Has IPVS a destination that takes new clients at all? */
static bool takes_clients(const struct ip_vs_dest *dest)
{
	return dest && ip_vs_dest_is_available(dest) &&
	       atomic_read(&dest->weight) > 0;
}

/* @data: whether who is overloaded is stepped over as well. */
static bool fits(const struct chring_answer *node, void *data)
{
	const struct slot *slot = node->priv;
	const struct ip_vs_dest *dest = rcu_dereference(slot->dest);
	const bool *fallback = data;

	return takes_clients(dest) && !(*fallback && is_overloaded(dest));
}

static struct ip_vs_dest *pick(const struct service *s, const struct flow *flow,
			       bool fallback)
{
	u64 position = chring_position(s->ring, flow->bytes, flow->len);
	struct chring_answer answer;
	const struct slot *slot;
	struct ip_vs_dest *dest;

	/* Again if the destination has gone since it was found to fit. */
	do {
		if (chring_lookup_fit(s->ring, position, fits, &fallback,
				      &answer))
			return NULL;
		slot = answer.priv;
		dest = rcu_dereference(slot->dest);
	} while (!dest);
	return fallback || !is_overloaded(dest) ? dest : NULL;
}

/* IPVS calls this under rcu_read_lock(). */
static struct ip_vs_dest *chring_schedule(struct ip_vs_service *svc,
					  const struct sk_buff *skb,
					  struct ip_vs_iphdr *iph)
{
	enum chring_keys keys = service_keys(svc);
	struct service *s = svc->sched_data;
	struct ip_vs_dest *dest;
	struct flow flow;

	if (unlikely(keys != READ_ONCE(s->keys)))
		service_poke(s);
	flow_of(&flow, keys, svc->af, skb, iph);
	dest = pick(s, &flow, svc->flags & IP_VS_SVC_F_SCHED1);
	if (!dest)
		ip_vs_scheduler_err(svc, "no destination available");
	return dest;
}

static int chring_init_service(struct ip_vs_service *svc)
{
	struct service *s = service_create(svc, &config);

	if (IS_ERR(s))
		return PTR_ERR(s);
	svc->sched_data = s;
	return 0;
}

static void chring_done_service(struct ip_vs_service *svc)
{
	service_done(svc->sched_data);
}

static int chring_dest_changed(struct ip_vs_service *svc,
			       struct ip_vs_dest *dest)
{
	service_changed(svc->sched_data, dest);
	return 0;
}

static int chring_dest_lost(struct ip_vs_service *svc, struct ip_vs_dest *dest)
{
	service_lost(svc->sched_data, dest);
	return 0;
}

static struct ip_vs_scheduler scheduler = {
	.name = "chring",
	.refcnt = ATOMIC_INIT(0),
	.module = THIS_MODULE,
	.n_list = LIST_HEAD_INIT(scheduler.n_list),
	.init_service = chring_init_service,
	.done_service = chring_done_service,
	.add_dest = chring_dest_changed,
	.del_dest = chring_dest_lost,
	.upd_dest = chring_dest_changed,
	.schedule = chring_schedule,
};

/* As the seed of a ring is written: most significant digits first. */
static int __init read_secret(const char *text, u64 *seed)
{
	__be64 half[2];

	if (!strncmp(text, "0x", 2))
		text += 2;
	if (strlen(text) != 2 * sizeof(half) ||
	    hex2bin((u8 *)half, text, sizeof(half)))
		return -EINVAL;
	seed[1] = be64_to_cpu(half[0]);
	seed[0] = be64_to_cpu(half[1]);
	return seed[0] || seed[1] ? 0 : -EINVAL;
}

static int __init read_parameters(void)
{
	config.vnodes = vnodes;
	config.unit = unit;
	if (!vnodes || vnodes > CHRING_VNODES_MAX ||
	    !unit || unit > CHRING_UNIT_MAX)
		return -EINVAL;
	return secret ? read_secret(secret, config.seed) : 0;
}

static int __init ip_vs_chring_init(void)
{
	int ret;

	ret = read_parameters();
	if (ret)
		return ret;
	ret = service_init();
	if (ret)
		return ret;
	ret = ip_vs_share_init();
	if (ret)
		goto exit_service;
	ret = register_ip_vs_scheduler(&scheduler);
	if (ret)
		goto exit_share;
	return 0;

exit_share:
	ip_vs_share_exit();
exit_service:
	service_exit();
	return ret;
}

static void __exit ip_vs_chring_exit(void)
{
	unregister_ip_vs_scheduler(&scheduler);
	service_exit();
	ip_vs_share_exit();
}

module_init(ip_vs_chring_init);
module_exit(ip_vs_chring_exit);

MODULE_DESCRIPTION("IPVS scheduler on consistent-hash rings");
MODULE_AUTHOR("The chring developers");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(CHRING);
