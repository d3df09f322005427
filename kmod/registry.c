// SPDX-License-Identifier: GPL-2.0
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/xarray.h>

#include "registry.h"

/* Held by who adds or removes a ring; looking for one takes RCU alone. */
static DEFINE_MUTEX(registry_lock);
static DEFINE_HASHTABLE(rings_by_name, 8);
static DEFINE_XARRAY(rings_by_id);
static u32 rings;

/* An id, 64 bits, is the index of an xarray. */
static_assert(BITS_PER_LONG == 64);

static u32 name_hash(const char *name, u32 len)
{
	return jhash(name, len, 0);
}

static bool name_is(const struct chring_ring *ring, const char *name, u32 len)
{
	return ring->name_len == len && !memcmp(ring->name, name, len);
}

static struct chring_ring *find_rcu(const char *name, u32 len)
{
	struct chring_ring *ring;

	hash_for_each_possible_rcu(rings_by_name, ring, by_name,
				   name_hash(name, len),
				   lockdep_is_held(&registry_lock))
		if (name_is(ring, name, len))
			return ring;
	return NULL;
}

static bool is_private(const struct chring_ring *ring)
{
	return ring->flags & CHRING_RING_PRIVATE;
}

struct chring_ring *chring_registry_find(const char *name, u32 len,
					 bool private)
{
	struct chring_ring *ring;

	rcu_read_lock();
	ring = find_rcu(name, len);
	if (ring && (chring_ring_deleted(ring) ||
		     (is_private(ring) && !private) ||
		     !chring_ring_tryget(ring)))
		ring = NULL;
	rcu_read_unlock();
	return ring;
}

struct chring_ring *chring_registry_hold(const char *name, u32 len)
{
	struct chring_ring *ring;

	rcu_read_lock();
	ring = find_rcu(name, len);
	if (ring && (is_private(ring) || !chring_ring_use(ring)))
		ring = NULL;
	rcu_read_unlock();
	return ring;
}

const struct chring_ring *chring_registry_rcu(u64 id)
{
	return xa_load(&rings_by_id, id);
}

u32 chring_registry_count(void)
{
	return READ_ONCE(rings);
}

/*
 * Once for every ring that was linked. The end of a private ring and a new one
 * that wants its name may both be about to.
 */
static void unlink_locked(struct chring_ring *ring)
{
	lockdep_assert_held(&registry_lock);
	if (!hash_hashed(&ring->by_name))
		return;
	hash_del_rcu(&ring->by_name);
	xa_erase(&rings_by_id, ring->id);
	if (!is_private(ring))
		WRITE_ONCE(rings, rings - 1);
}

static void unlink_ring(struct chring_ring *ring)
{
	mutex_lock(&registry_lock);
	unlink_locked(ring);
	mutex_unlock(&registry_lock);
}

/* A private ring whose end has only not come yet does not keep its name. */
static bool name_is_free(const char *name, u32 len)
{
	struct chring_ring *old = find_rcu(name, len);

	if (old && chring_ring_deleted(old)) {
		unlink_locked(old);
		old = NULL;
	}
	return !old;
}

static int link_ring(struct chring_ring *ring, struct chring_request *rq)
{
	int ret;

	lockdep_assert_held(&registry_lock);
	if (!name_is_free(ring->name, ring->name_len))
		return -EEXIST;
	if (!is_private(ring) && rings >= CHRING_RINGS_MAX)
		return -ENOSPC;
	/* Room first, so that nothing can fail once the answer is given. */
	ret = xa_reserve(&rings_by_id, ring->id,
			 GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (ret)
		return ret;
	if (rq->answer) {
		ret = rq->answer(rq);
		if (ret) {
			xa_release(&rings_by_id, ring->id);
			return ret;
		}
	}
	xa_store(&rings_by_id, ring->id, ring, GFP_KERNEL);
	hash_add_rcu(rings_by_name, &ring->by_name,
		     name_hash(ring->name, ring->name_len));
	if (!is_private(ring))
		WRITE_ONCE(rings, rings + 1);
	return 0;
}

static int add_ring(struct chring_ring *ring, struct chring_request *rq)
{
	int ret;

	rq->facts = (struct chring_facts){ .ring = ring->id, .epoch = 1 };
	ret = mutex_lock_killable(&registry_lock);
	if (!ret) {
		ret = link_ring(ring, rq);
		mutex_unlock(&registry_lock);
	}
	if (ret)
		chring_ring_abandon(ring);
	return ret;
}

int chring_registry_create(const char *name, u32 len,
			   const struct chring_config *config,
			   struct chring_request *rq)
{
	struct chring_ring *ring = chring_ring_create(name, len, config);

	/* What makes it is the user that its name is from then on. */
	return IS_ERR(ring) ? PTR_ERR(ring) : add_ring(ring, rq);
}

struct chring_ring *chring_registry_make(const char *name, u32 len,
					 const struct chring_config *config,
					 u32 keys)
{
	struct chring_ring *ring = chring_ring_create(name, len, config);
	struct chring_request rq = {};
	int ret;

	if (IS_ERR(ring))
		return ring;
	ring->flags = CHRING_RING_PRIVATE;
	ring->keys = keys;
	ret = add_ring(ring, &rq);
	return ret ? ERR_PTR(ret) : ring;
}

/* Locked: the name is no user any more. Return: it was the last one. */
static bool drop_name(struct chring_ring *ring)
{
	bool last;

	unlink_ring(ring);
	chring_ring_withdraw(ring);
	last = chring_ring_unuse(ring);
	if (last)
		chring_ring_close(ring);
	return last;
}

/*
 * What the last user leaves, who may not sleep: it needs the ring's lock, and it
 * may free much. A private ring is still to be withdrawn.
 */
static void ring_end(struct chring_deferred *d)
{
	struct chring_ring *ring = container_of(d, struct chring_ring, end);

	mutex_lock(&ring->lock);
	if (is_private(ring)) {
		unlink_ring(ring);
		chring_ring_withdraw(ring);
	}
	chring_ring_close(ring);
	mutex_unlock(&ring->lock);
	chring_ring_put(ring);
}

void chring_registry_drop(struct chring_ring *ring)
{
	if (!chring_ring_unuse(ring))
		return;
	/*
	 * Of a public ring the name was a user, and it is deleted already. For a
	 * private one nobody is in the middle of a change, which its owner would
	 * have made: to programs, and for its name, it is gone at once.
	 */
	WRITE_ONCE(ring->deleted, true);
	chring_defer(&ring->end, ring_end);
}

/* @ring is locked: nobody else deletes it or changes it. */
static int delete_locked(struct chring_ring *ring, struct chring_request *rq,
			 bool *last)
{
	int ret;

	rq->facts.ring = ring->id;
	if (rq->answer) {
		ret = rq->answer(rq);
		if (ret)
			return ret;
	}
	*last = drop_name(ring);
	return 0;
}

int chring_registry_delete(const char *name, u32 len,
			   struct chring_request *rq)
{
	struct chring_ring *ring;
	bool last = false;
	int ret;

	if (len == strlen(CHRING_DEFAULT_RING) &&
	    !memcmp(name, CHRING_DEFAULT_RING, len))
		return -EPERM;
	ring = chring_registry_find(name, len, true);
	if (!ring)
		return -ENOENT;
	ret = is_private(ring) ? -EPERM : chring_ring_lock(ring);
	if (!ret) {
		ret = delete_locked(ring, rq, &last);
		chring_ring_unlock(ring);
	} else if (ret == -ENODEV) {
		ret = -ENOENT;
	}
	/* One for the users that it had, one for having found it. */
	if (last)
		chring_ring_put(ring);
	chring_ring_put(ring);
	return ret;
}

static void fill_entry(struct chring_ring_entry *e,
		       const struct chring_ring *ring,
		       const struct chring_view *v)
{
	*e = (struct chring_ring_entry){
		.ring = ring->id,
		.epoch = v->epoch,
		.generation = v->generation,
		.digest = v->digest,
		.tokens = v->table->count,
		.bytes = chring_view_total_bytes(v),
		.nodes = v->nodes,
		.live = v->live,
		.flags = ring->flags,
		.keys = READ_ONCE(ring->keys),
	};
	memcpy(e->name, ring->name, ring->name_len);
}

u32 chring_registry_list(u64 *after, bool private,
			 struct chring_ring_entry *entry, u32 room)
{
	struct chring_ring *ring;
	unsigned long id;
	u32 n = 0;

	rcu_read_lock();
	xa_for_each_start(&rings_by_id, id, ring, *after + 1) {
		const struct chring_view *v = chring_ring_view(ring);

		if (!v || (is_private(ring) && !private))
			continue;
		if (room && n == room)
			break;
		if (room)
			fill_entry(&entry[n], ring, v);
		*after = id;
		n++;
	}
	rcu_read_unlock();
	return n;
}

struct chring_ring *chring_registry_next(u64 from)
{
	struct chring_ring *ring;
	unsigned long id;

	rcu_read_lock();
	xa_for_each_start(&rings_by_id, id, ring, from)
		if (chring_ring_tryget(ring))
			break;
	rcu_read_unlock();
	return ring;
}

int chring_registry_init(void)
{
	struct chring_config config = {};
	struct chring_request rq = {};
	int ret;

	ret = chring_config_resolve(&config);
	if (ret)
		return ret;
	return chring_registry_create(CHRING_DEFAULT_RING,
				      strlen(CHRING_DEFAULT_RING), &config,
				      &rq);
}

void chring_registry_exit(void)
{
	struct chring_ring *ring;
	unsigned long id;

	/* What the last users have left. Who made a private ring has gone by now. */
	chring_defer_wait();
	xa_for_each(&rings_by_id, id, ring) {
		WARN_ON_ONCE(is_private(ring));
		unlink_ring(ring);
		chring_ring_abandon(ring);
	}
	xa_destroy(&rings_by_id);
}
