// SPDX-License-Identifier: GPL-2.0
/*
 * The door for other kernel modules: rings that are held, and what they answer.
 *
 * A lookup of theirs is in one read section from the load of the view to the
 * last field of the answer, so that it is of one epoch; @priv of it stays for as
 * long as the section of the caller, if that began before.
 */
#include <linux/export.h>

#include "chring.h"
#include "core/hash.h"
#include "registry.h"
#include "trace.h"

struct chring_ring *chring_get(const char *name)
{
	return chring_registry_hold(name, strlen(name));
}
EXPORT_SYMBOL_NS_GPL(chring_get, CHRING);

void chring_put(struct chring_ring *ring)
{
	if (ring)
		chring_registry_drop(ring);
}
EXPORT_SYMBOL_NS_GPL(chring_put, CHRING);

u64 chring_id(const struct chring_ring *ring)
{
	return ring->id;
}
EXPORT_SYMBOL_NS_GPL(chring_id, CHRING);

const char *chring_name(const struct chring_ring *ring)
{
	return ring->name;
}
EXPORT_SYMBOL_NS_GPL(chring_name, CHRING);

u64 chring_epoch(const struct chring_ring *ring)
{
	const struct chring_view *v;
	u64 epoch;

	rcu_read_lock();
	v = chring_ring_used_view(ring);
	epoch = likely(v) ? v->epoch : 0;
	rcu_read_unlock();
	return epoch;
}
EXPORT_SYMBOL_NS_GPL(chring_epoch, CHRING);

u64 chring_position(const struct chring_ring *ring, const void *key, u32 len)
{
	const struct chring_config *config = &ring->config;

	return chring_position_export(config,
				      chring_hash_position(config, key, len));
}
EXPORT_SYMBOL_NS_GPL(chring_position, CHRING);

static void put_node(struct chring_answer *answer, const struct chring_view *v,
		     const struct chring_node *node)
{
	*answer = (struct chring_answer){
		.ring = v->ring->id,
		.epoch = v->epoch,
		.node = node->id,
		.cookie = node->cookie,
		.priv = node->priv,
	};
}

/* Whose answer it is that there is none; @v may be NULL. */
static void put_none(struct chring_answer *answer,
		     const struct chring_ring *ring, const struct chring_view *v)
{
	*answer = (struct chring_answer){
		.ring = ring->id,
		.epoch = v ? v->epoch : 0,
	};
}

static int put_owner(struct chring_answer *answer, const struct chring_view *v,
		     const struct chring_node *node)
{
	if (IS_ERR(node)) {
		put_none(answer, v->ring, v);
		return PTR_ERR(node);
	}
	put_node(answer, v, node);
	trace_chring_lookup(v, node);
	return 0;
}

/* A question that there cannot be. */
static int refuse(const struct chring_ring *ring, struct chring_answer *answer)
{
	rcu_read_lock();
	put_none(answer, ring, chring_ring_used_view(ring));
	rcu_read_unlock();
	return -ERANGE;
}

/* The last reference went while the caller was in its read section. */
static int ended(const struct chring_ring *ring, struct chring_answer *answer)
{
	put_none(answer, ring, NULL);
	return -ENODEV;
}

static int find_owner(const struct chring_ring *ring, u64 position,
		      struct chring_answer *answer)
{
	const struct chring_view *v;
	int ret;

	rcu_read_lock();
	v = chring_ring_used_view(ring);
	ret = likely(v) ? put_owner(answer, v, chring_view_owner(v, position)) :
			  ended(ring, answer);
	rcu_read_unlock();
	return ret;
}

int chring_lookup(const struct chring_ring *ring, const void *key, u32 len,
		  struct chring_answer *answer)
{
	if (unlikely(len > CHRING_KEY_MAX))
		return refuse(ring, answer);
	return find_owner(ring, chring_hash_position(&ring->config, key, len),
			  answer);
}
EXPORT_SYMBOL_NS_GPL(chring_lookup, CHRING);

int chring_lookup_position(const struct chring_ring *ring, u64 position,
			   struct chring_answer *answer)
{
	if (chring_position_import(&ring->config, position, &position))
		return refuse(ring, answer);
	return find_owner(ring, position, answer);
}
EXPORT_SYMBOL_NS_GPL(chring_lookup_position, CHRING);

/**
 * struct fit_call - a walk to the first node that fits
 * @fit: says whether one does
 * @data: for @fit
 * @v: where
 */
struct fit_call {
	chring_fit_fn *fit;
	void *data;
	const struct chring_view *v;
};

static bool node_fits(const struct chring_node *node, void *data)
{
	const struct fit_call *f = data;
	struct chring_answer answer;

	put_node(&answer, f->v, node);
	return f->fit(&answer, f->data);
}

static int find_fitting(u64 position, struct fit_call *f,
			struct chring_answer *answer)
{
	const struct chring_node *node;
	u32 visits;

	node = chring_view_fitting(f->v, position, node_fits, f, &visits);
	chring_ring_walked(f->v->ring, visits);
	return put_owner(answer, f->v, node);
}

int chring_lookup_fit(const struct chring_ring *ring, u64 position,
		      chring_fit_fn *fit, void *data,
		      struct chring_answer *answer)
{
	struct fit_call f = { .fit = fit, .data = data };
	int ret;

	if (chring_position_import(&ring->config, position, &position))
		return refuse(ring, answer);
	rcu_read_lock();
	f.v = chring_ring_used_view(ring);
	ret = likely(f.v) ? find_fitting(position, &f, answer) :
			    ended(ring, answer);
	rcu_read_unlock();
	return ret;
}
EXPORT_SYMBOL_NS_GPL(chring_lookup_fit, CHRING);

#define REPLICA_FLAGS	(CHRING_LOOKUP_ZONES | CHRING_LOOKUP_PREVIOUS)

static int find_replicas(const struct chring_view *v, bool former,
			 const struct chring_ask *ask,
			 struct chring_answer *answer)
{
	const struct chring_node *node[CHRING_REPLICAS_MAX];
	u32 visits;
	int ret, i;

	ret = former ? chring_view_formers(v, ask, node, &visits) :
		       chring_view_owners(v, ask, node, &visits);
	chring_ring_walked(v->ring, visits);
	for (i = 0; i < ret; i++) {
		put_node(&answer[i], v, node[i]);
		trace_chring_lookup(v, node[i]);
		/* Its owner has been free to free that since it went. */
		if (former && !chring_view_has(v, node[i]))
			answer[i].priv = NULL;
	}
	return ret;
}

int chring_replicas(const struct chring_ring *ring, u64 position, u32 flags,
		    struct chring_answer *answer, u32 n)
{
	struct chring_ask ask = {
		.n = n,
		.zones = flags & CHRING_LOOKUP_ZONES,
	};
	const struct chring_view *v;
	int ret;

	if (flags & ~REPLICA_FLAGS)
		return -EINVAL;
	if (!n || n > CHRING_REPLICAS_MAX ||
	    chring_position_import(&ring->config, position, &ask.position))
		return -ERANGE;
	rcu_read_lock();
	v = chring_ring_used_view(ring);
	ret = likely(v) ? find_replicas(v, flags & CHRING_LOOKUP_PREVIOUS, &ask,
					answer) : -ENODEV;
	rcu_read_unlock();
	return ret;
}
EXPORT_SYMBOL_NS_GPL(chring_replicas, CHRING);

int chring_notifier_register(struct chring_ring *ring,
			     struct notifier_block *nb)
{
	return chring_notices_add(ring, nb);
}
EXPORT_SYMBOL_NS_GPL(chring_notifier_register, CHRING);

int chring_notifier_unregister(struct chring_ring *ring,
			       struct notifier_block *nb)
{
	return chring_notices_remove(ring, nb);
}
EXPORT_SYMBOL_NS_GPL(chring_notifier_unregister, CHRING);
