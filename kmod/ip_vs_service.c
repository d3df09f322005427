// SPDX-License-Identifier: GPL-2.0
#define pr_fmt(fmt) "IPVS: chring: " fmt

#include <linux/math64.h>
#include <linux/memcontrol.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "ip_vs_service.h"
#include "ip_vs_share.h"

/* What a service counts for besides its tokens: its ring takes memory too. */
#define SERVICE_TOKENS	256

/* From a try to the next one: at first, and at last. In ms. */
#define RETRY_FIRST	10
#define RETRY_LAST	10000

/* Rather behind than a victim of the OOM killer. */
#define GFP_SERVICE	(GFP_KERNEL_ACCOUNT | __GFP_NOWARN | \
			 __GFP_RETRY_MAYFAIL)

static struct workqueue_struct *wq;

static const char *proto_name(u16 protocol)
{
	switch (protocol) {
	case IPPROTO_TCP:
		return "TCP";
	case IPPROTO_UDP:
		return "UDP";
	case IPPROTO_SCTP:
		return "SCTP";
	default:
		return "IP";
	}
}

/*
 * The longest is cut, and as long as it was: then there is a shorter form,
 * with the address as 32 digits.
 */
static int print_name(char *name, size_t size, const struct ip_vs_service *svc,
		      bool digits)
{
	unsigned int netns = svc->ipvs->net->ns.inum;
	u16 port = ntohs(svc->port);

	if (svc->fwmark)
		return snprintf(name, size, "ipvs/%u/%s/%u", netns,
				svc->af == AF_INET6 ? "FWM6" : "FWM",
				svc->fwmark);
	if (svc->af != AF_INET6)
		return snprintf(name, size, "ipvs/%u/%s/%pI4:%u", netns,
				proto_name(svc->protocol), &svc->addr.ip, port);
	if (digits)
		return snprintf(name, size, "ipvs/%u/%s/[%pi6]:%u", netns,
				proto_name(svc->protocol), &svc->addr.in6, port);
	return snprintf(name, size, "ipvs/%u/%s/[%pI6c]:%u", netns,
			proto_name(svc->protocol), &svc->addr.in6, port);
}

static void ring_name(char *name, size_t size, const struct ip_vs_service *svc)
{
	if (print_name(name, size, svc, false) >= size)
		print_name(name, size, svc, true);
}

static u32 slot_name(char *name, const struct ip_vs_dest *dest)
{
	u16 port = ntohs(dest->port);

	if (dest->af == AF_INET6)
		return scnprintf(name, SLOT_NAME_SIZE, "[%pI6c]:%u",
				 &dest->addr.in6, port);
	return scnprintf(name, SLOT_NAME_SIZE, "%pI4:%u", &dest->addr.ip, port);
}

static struct ip_vs_dest *slot_dest(const struct slot *slot,
				    const struct service *s)
{
	return rcu_dereference_protected(slot->dest,
					 lockdep_is_held(&s->lock));
}

/*
 * IPVS has the destination already and would not hear of an error, so this
 * cannot fail. It takes less memory than IPVS did.
 */
static struct slot *new_slot(struct service *s, const char *name, u32 len)
{
	struct slot *slot = kzalloc(sizeof(*slot), GFP_KERNEL | __GFP_NOFAIL);

	memcpy(slot->name, name, len);
	slot->name_len = len;
	list_add_tail(&slot->list, &s->slot);
	s->slots++;
	return slot;
}

/* One that only the ring still has will do: its destination is back. */
static struct slot *get_slot(struct service *s, const struct ip_vs_dest *dest)
{
	char name[SLOT_NAME_SIZE];
	u32 len = slot_name(name, dest);
	struct slot *slot;

	list_for_each_entry(slot, &s->slot, list)
		if (slot->name_len == len && !memcmp(slot->name, name, len))
			return slot;
	return new_slot(s, name, len);
}

static void take_dest(struct service *s, struct ip_vs_dest *dest)
{
	struct slot *slot = get_slot(s, dest);
	struct ip_vs_dest *was = slot_dest(slot, s);

	if (was == dest)
		return;
	ip_vs_dest_hold(dest);
	rcu_assign_pointer(slot->dest, dest);
	if (was)
		ip_vs_dest_put(was);
}

static void drop_dest(struct service *s, struct slot *slot)
{
	struct ip_vs_dest *dest = slot_dest(slot, s);

	if (!dest)
		return;
	RCU_INIT_POINTER(slot->dest, NULL);
	ip_vs_dest_put(dest);
}

static u32 dest_weight(struct ip_vs_dest *dest)
{
	return clamp(atomic_read(&dest->weight), 0, CHRING_WEIGHT_MAX);
}

/* As CHRING_IOC_NODE_ADD counts them. */
static u64 count_tokens(const struct service *s, u32 weight)
{
	return DIV_ROUND_UP_ULL((u64)weight * s->config.vnodes, s->config.unit);
}

/* Return: how many destinations there are; their tokens are added up. */
static u32 list_servers(const struct service *s, struct chring_server *server,
			u64 *tokens)
{
	struct slot *slot;
	u32 n = 0;

	list_for_each_entry(slot, &s->slot, list) {
		struct ip_vs_dest *dest = slot_dest(slot, s);

		if (!dest)
			continue;
		server[n] = (struct chring_server){
			.name = slot->name,
			.name_len = slot->name_len,
			.weight = dest_weight(dest),
			.state = CHRING_STATE_UP,
			.priv = slot,
		};
		*tokens += count_tokens(s, server[n].weight);
		n++;
	}
	return n;
}

/* The ring is what the destinations are: slots without any can go. */
static void settle_slots(struct service *s)
{
	struct slot *slot, *next;

	list_for_each_entry_safe(slot, next, &s->slot, list) {
		slot->known = slot_dest(slot, s);
		if (slot->known)
			continue;
		list_del(&slot->list);
		s->slots--;
		kfree_rcu(slot, rcu);
	}
}

/* What a change adds is taken before it, what it gives up is given after. */
static int replace(struct service *s, const struct chring_server *server,
		   u32 n, u64 tokens)
{
	u64 more = tokens > s->tokens ? tokens - s->tokens : 0;
	struct net *net = s->svc->ipvs->net;
	int ret;

	ret = ip_vs_share_take(net, more);
	if (ret)
		return ret;
	ret = chring_replace(s->ring, server, n);
	if (ret) {
		ip_vs_share_give(net, more);
		return ret;
	}
	if (tokens < s->tokens)
		ip_vs_share_give(net, s->tokens - tokens);
	s->tokens = tokens;
	settle_slots(s);
	return 0;
}

/* On failure the ring is as it was, and so is every reference. */
static int rebuild(struct service *s)
{
	struct chring_server *server;
	u64 tokens = SERVICE_TOKENS;
	int ret;
	u32 n;

	/* One at least: an allocation is never of nothing. */
	server = kvmalloc_array(s->slots + 1, sizeof(*server), GFP_SERVICE);
	if (!server)
		return -ENOMEM;
	n = list_servers(s, server, &tokens);
	ret = n > CHRING_NODES_MAX ? -ENOSPC : replace(s, server, n, tokens);
	kvfree(server);
	return ret;
}

static void try_again(struct service *s, int error)
{
	s->behind = true;
	pr_warn_ratelimited("%s: cannot follow its destinations (error %d), next try in %u ms\n",
			    chring_name(s->ring), error, s->delay);
	mod_delayed_work(wq, &s->retry, msecs_to_jiffies(s->delay));
	s->delay = min_t(unsigned int, 2 * s->delay, RETRY_LAST);
}

static void follow(struct service *s)
{
	int ret = rebuild(s);

	if (ret) {
		try_again(s, ret);
		return;
	}
	if (s->behind)
		pr_info_ratelimited("%s: follows its destinations again\n",
				    chring_name(s->ring));
	s->behind = false;
	s->delay = RETRY_FIRST;
}

/* Flags change without a word to the scheduler. */
static void follow_keys(struct service *s)
{
	enum chring_keys keys = service_keys(s->svc);

	if (keys == READ_ONCE(s->keys))
		return;
	WRITE_ONCE(s->keys, keys);
	chring_keys_set(s->ring, keys);
}

static void retry_work(struct work_struct *work)
{
	struct service *s = container_of(to_delayed_work(work),
					 struct service, retry);
	struct mem_cgroup *was = set_active_memcg(s->memcg);

	mutex_lock(&s->lock);
	if (s->svc) {
		follow_keys(s);
		if (s->behind)
			follow(s);
	}
	mutex_unlock(&s->lock);
	set_active_memcg(was);
}

void service_poke(struct service *s)
{
	queue_delayed_work(wq, &s->retry, 0);
}

void service_changed(struct service *s, struct ip_vs_dest *dest)
{
	mutex_lock(&s->lock);
	take_dest(s, dest);
	follow(s);
	mutex_unlock(&s->lock);
}

/* Its reference goes first, whatever becomes of the rest. */
static void lose_dest(struct service *s, const struct ip_vs_dest *dest)
{
	struct slot *slot;

	list_for_each_entry(slot, &s->slot, list) {
		if (slot_dest(slot, s) != dest)
			continue;
		drop_dest(s, slot);
		if (!slot->known) {
			list_del(&slot->list);
			s->slots--;
			kfree(slot);
		}
		return;
	}
}

void service_lost(struct service *s, struct ip_vs_dest *dest)
{
	mutex_lock(&s->lock);
	lose_dest(s, dest);
	follow(s);
	mutex_unlock(&s->lock);
}

static struct chring_ring *make_ring(const struct service *s)
{
	char name[CHRING_RING_NAME_MAX + 1];
	const struct chring_maker maker = {
		.name = name,
		.config = s->config,
		.keys = s->keys,
	};

	ring_name(name, sizeof(name), s->svc);
	return chring_create(&maker);
}

static int make_first(struct service *s)
{
	struct ip_vs_dest *dest;
	int ret;

	s->ring = make_ring(s);
	if (IS_ERR(s->ring))
		return PTR_ERR(s->ring);
	mutex_lock(&s->lock);
	/* The newest is first in this list. */
	list_for_each_entry_reverse(dest, &s->svc->destinations, n_list)
		take_dest(s, dest);
	ret = rebuild(s);
	mutex_unlock(&s->lock);
	return ret;
}

static void free_slots(struct service *s)
{
	struct slot *slot, *next;

	list_for_each_entry_safe(slot, next, &s->slot, list)
		kfree(slot);
}

/* A grace period after service_done(): the ring has no readers with slots. */
static void release_work(struct work_struct *work)
{
	struct service *s = container_of(to_rcu_work(work), struct service,
					 release);

	/* Who picked may have poked it until a moment ago. */
	cancel_delayed_work_sync(&s->retry);
	free_slots(s);
	mem_cgroup_put(s->memcg);
	mutex_destroy(&s->lock);
	kfree(s);
}

static struct service *alloc_service(struct ip_vs_service *svc,
				     const struct chring_config *config)
{
	struct service *s = kzalloc(sizeof(*s), GFP_SERVICE);

	if (!s)
		return NULL;
	s->svc = svc;
	s->config = *config;
	s->keys = service_keys(svc);
	s->delay = RETRY_FIRST;
	s->memcg = get_mem_cgroup_from_mm(current->mm);
	mutex_init(&s->lock);
	INIT_LIST_HEAD(&s->slot);
	INIT_DELAYED_WORK(&s->retry, retry_work);
	INIT_RCU_WORK(&s->release, release_work);
	return s;
}

struct service *service_create(struct ip_vs_service *svc,
			       const struct chring_config *config)
{
	struct service *s = alloc_service(svc, config);
	int ret;

	if (!s)
		return ERR_PTR(-ENOMEM);
	ret = make_first(s);
	if (!ret)
		return s;
	service_done(s);
	return ERR_PTR(ret);
}

void service_done(struct service *s)
{
	struct slot *slot;

	mutex_lock(&s->lock);
	list_for_each_entry(slot, &s->slot, list)
		drop_dest(s, slot);
	ip_vs_share_give(s->svc->ipvs->net, s->tokens);
	s->svc = NULL;
	mutex_unlock(&s->lock);
	if (!IS_ERR(s->ring))
		chring_put(s->ring);
	queue_rcu_work(wq, &s->release);
}

int service_init(void)
{
	wq = alloc_workqueue("ip_vs_chring", WQ_UNBOUND, 0);
	return wq ? 0 : -ENOMEM;
}

/* All services are done with: their grace periods first, which queue work. */
void service_exit(void)
{
	rcu_barrier();
	destroy_workqueue(wq);
}
