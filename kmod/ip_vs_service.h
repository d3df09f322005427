/* SPDX-License-Identifier: GPL-2.0 */
/* A service of IPVS and its ring, which follows its destinations. */
#ifndef CHRING_IP_VS_SERVICE_H
#define CHRING_IP_VS_SERVICE_H

#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <net/ip_vs.h>

#include "chring.h"

/* Room for an IPv6 address in brackets and a port. */
#define SLOT_NAME_SIZE \
	sizeof("[xxxx:xxxx:xxxx:xxxx:xxxx:xxxx:255.255.255.255]:65535")

/**
 * struct slot - a destination, as the ring knows it: @priv of its node
 * @list: of the service
 * @dest: with a reference; NULL: the service no longer has it
 * @known: the ring has it
 * @name: of the node
 * @name_len: its bytes
 * @rcu: for who has found it in the ring
 */
struct slot {
	struct list_head list;
	struct ip_vs_dest __rcu *dest;
	bool known;
	u32 name_len;
	char name[SLOT_NAME_SIZE];
	struct rcu_head rcu;
};

/**
 * struct service - a service, as the ring knows it
 * @ring: its own; held until IPVS has done with the service
 * @config: of the ring
 * @lock: held by who changes the rest
 * @svc: NULL once IPVS has done with it
 * @slot: slots of all destinations, and of those that only the ring has
 * @slots: how many
 * @tokens: that it has taken of its namespace's share
 * @keys: what the ring says its keys are
 * @memcg: of who made it, and pays for what the worker does as well
 * @behind: the ring is not what the destinations are
 * @delay: from the last try to the next one, in ms
 * @retry: the next try
 * @release: when no one picks any more
 *
 * IPVS calls with its own mutex held, and @lock is taken inside of that. The
 * worker takes @lock alone, and nobody waits for the worker but who frees this,
 * which is a worker as well.
 */
struct service {
	struct chring_ring *ring;
	struct chring_config config;
	struct mutex lock;
	struct ip_vs_service *svc;
	struct list_head slot;
	u32 slots;
	unsigned long tokens;
	enum chring_keys keys;
	struct mem_cgroup *memcg;
	bool behind;
	unsigned int delay;
	struct delayed_work retry;
	struct rcu_work release;
};

/**
 * service_create() - a service with all its destinations
 * @svc: what IPVS has
 * @config: of its ring
 *
 * May sleep. Return: to be given back with service_done(); or ERR_PTR() of what
 * chring_create() and chring_replace() return, or of -ENOSPC: the share of the
 * namespace is used up.
 */
struct service *service_create(struct ip_vs_service *svc,
			       const struct chring_config *config);

/**
 * service_done() - IPVS has done with a service
 * @s: service, for those who pick still there for a grace period
 *
 * Has no reference to a destination any more when it returns. May sleep.
 */
void service_done(struct service *s);

/**
 * service_changed() - a destination has come or has changed
 * @s: service
 * @dest: the destination
 *
 * The ring follows, if it can, or will. May sleep.
 */
void service_changed(struct service *s, struct ip_vs_dest *dest);

/**
 * service_lost() - a destination has gone
 * @s: service
 * @dest: the destination, whose reference is given back
 *
 * As service_changed().
 */
void service_lost(struct service *s, struct ip_vs_dest *dest);

/* The ring should be looked after. Any context; under rcu_read_lock(). */
void service_poke(struct service *s);

/* What keys are those of a service? */
static inline enum chring_keys service_keys(const struct ip_vs_service *svc)
{
	return READ_ONCE(svc->flags) & IP_VS_SVC_F_SCHED2 ?
	       CHRING_KEYS_FLOW_PORT : CHRING_KEYS_FLOW;
}

int service_init(void);
void service_exit(void);

#endif /* CHRING_IP_VS_SERVICE_H */
