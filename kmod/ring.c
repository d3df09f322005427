// SPDX-License-Identifier: GPL-2.0
#include "ring.h"
#include "status.h"

static atomic64_t last_id = ATOMIC64_INIT(0);

u64 chring_next_id(void)
{
	return atomic64_inc_return(&last_id);
}

struct chring_view *chring_ring_locked_view(struct chring_ring *ring)
{
	return rcu_dereference_protected(ring->view,
					 lockdep_is_held(&ring->lock));
}

const struct chring_view *chring_ring_counted_view(const struct chring_ring *ring)
{
	const struct chring_view *v;

	v = rcu_dereference_protected(ring->view,
				      lockdep_is_held(&ring->loads.lock));
	return chring_ring_deleted(ring) ? NULL : v;
}

int chring_ring_lock(struct chring_ring *ring)
{
	int ret = mutex_lock_killable(&ring->lock);

	if (ret)
		return ret;
	if (chring_ring_deleted(ring)) {
		mutex_unlock(&ring->lock);
		return -ENODEV;
	}
	return 0;
}

void chring_ring_unlock(struct chring_ring *ring)
{
	mutex_unlock(&ring->lock);
}

struct chring_view *chring_ring_view_get(struct chring_ring *ring)
{
	struct chring_view *v;

	rcu_read_lock();
	/* A view that loses its last reference here has a successor. */
	do {
		v = chring_ring_deleted(ring) ? NULL :
						rcu_dereference(ring->view);
	} while (v && !refcount_inc_not_zero(&v->refs));
	rcu_read_unlock();
	return v;
}

struct chring_facts chring_view_facts(const struct chring_view *v)
{
	return (struct chring_facts){
		.ring = v->ring->id,
		.epoch = v->epoch,
		.generation = v->generation,
		.digest = v->digest,
	};
}

/* The first view of a ring: no nodes, epoch 1. */
static struct chring_view *empty_view(struct chring_ring *ring)
{
	const struct chring_run none = {};
	struct chring_shared_table *shared;
	struct chring_roster *roster;
	struct chring_view *v;

	shared = chring_shared_table_wrap(chring_table_merge(NULL, &none, &none,
							     NULL));
	if (IS_ERR(shared))
		return ERR_CAST(shared);
	roster = chring_roster_change(NULL, NULL, 0);
	if (IS_ERR(roster)) {
		v = ERR_CAST(roster);
		goto put_shared;
	}
	v = chring_view_alloc(ring, shared, roster, NULL);
	if (!IS_ERR(v)) {
		int ret;

		v->epoch = 1;
		v->table_epoch = 1;
		v->nodes_epoch = 1;
		ret = chring_view_finish(v, NULL);
		if (ret) {
			chring_view_discard(v);
			v = ERR_PTR(ret);
		}
	}
	chring_roster_put(roster);
put_shared:
	chring_shared_table_put(shared);
	return v;
}

struct chring_ring *chring_ring_create(const char *name, u32 len,
				       const struct chring_config *config)
{
	struct chring_ring *ring = chring_alloc(sizeof(*ring));
	struct chring_view *v;

	if (IS_ERR(ring))
		return ring;
	ring->config = *config;
	ring->id = chring_next_id();
	memcpy(ring->name, name, len);
	ring->name_len = len;
	refcount_set(&ring->refs, 1);
	refcount_set(&ring->users, 1);
	mutex_init(&ring->lock);
	chring_loads_init(&ring->loads);
	chring_log_init(&ring->log, 1);
	v = empty_view(ring);
	if (IS_ERR(v)) {
		chring_ring_put(ring);
		return ERR_CAST(v);
	}
	rcu_assign_pointer(ring->view, v);
	return ring;
}

static void ring_free(struct chring_retired *retired)
{
	struct chring_ring *ring = container_of(retired, struct chring_ring,
						retired);

	mutex_destroy(&ring->lock);
	chring_status_free(ring);
	chring_free(ring, sizeof(*ring));
}

/* After a grace period: the registry's readers may still look at it. */
void chring_ring_put(struct chring_ring *ring)
{
	if (refcount_dec_and_test(&ring->refs))
		chring_retire(&ring->retired, ring_free);
}

void chring_ring_withdraw(struct chring_ring *ring)
{
	struct chring_loads_room room;

	lockdep_assert_held(&ring->lock);
	spin_lock_bh(&ring->loads.lock);
	chring_status_begin(ring->status);
	WRITE_ONCE(ring->deleted, true);
	chring_status_end(ring->status, NULL);
	chring_loads_empty(&ring->loads, &room);
	spin_unlock_bh(&ring->loads.lock);
	chring_loads_room_free(&room);
	chring_log_close(&ring->log);
	chring_notices_tell(ring, CHRING_DELETED, NULL);
}

/*
 * A user comes by chring_ring_use(), from above 0 alone. So when the last one has
 * gone, nobody comes any more who might load the pointer as a user; whoever
 * still reads the view, of users and of programs, does so in a read section or
 * has a reference to it.
 */
void chring_ring_close(struct chring_ring *ring)
{
	struct chring_view *old = chring_ring_locked_view(ring);

	WARN_ON_ONCE(!chring_ring_deleted(ring) ||
		     rcu_access_pointer(ring->notices.first));
	rcu_assign_pointer(ring->view, NULL);
	chring_view_put(old);
}

void chring_ring_abandon(struct chring_ring *ring)
{
	mutex_lock(&ring->lock);
	chring_ring_withdraw(ring);
	WARN_ON_ONCE(!chring_ring_unuse(ring));
	chring_ring_close(ring);
	mutex_unlock(&ring->lock);
	chring_ring_put(ring);
}

/* Rarely more than a look: the longest walk so far is soon not beaten. */
void chring_ring_walked(struct chring_ring *ring, u32 visits)
{
	u32 worst = READ_ONCE(ring->worst_walk);

	while (visits > worst &&
	       !try_cmpxchg(&ring->worst_walk, &worst, visits))
		;
}
