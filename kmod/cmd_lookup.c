// SPDX-License-Identifier: GPL-2.0
/* Commands that ask who owns a key. */
#include <linux/uaccess.h>

#include "budget.h"
#include "chardev.h"
#include "core/hash.h"
#include "trace.h"

#define LOOKUP_FLAGS	(CHRING_LOOKUP_POSITION | CHRING_LOOKUP_ZONES | \
			 CHRING_LOOKUP_PREVIOUS)
/* Zones first or not, the first owner is the same. */
#define BATCH_FLAGS	(CHRING_LOOKUP_POSITION | CHRING_LOOKUP_PREVIOUS)

#define KEY_ON_STACK	256
#define CHUNK_KEYS	512U

static int check_flags(const struct chring_call *call, u32 flags, u32 known)
{
	if (flags & ~known)
		return -EINVAL;
	if (flags & CHRING_LOOKUP_POSITION && !chring_call_sees_tokens(call))
		return -EBADF;
	return 0;
}

static int check_lookup(const struct chring_call *call)
{
	const struct chring_lookup *arg = &call->arg->lookup;
	int ret = check_flags(call, arg->flags, LOOKUP_FLAGS);

	if (ret)
		return ret;
	if (!arg->count || arg->count > CHRING_REPLICAS_MAX ||
	    arg->key_len > CHRING_KEY_MAX)
		return -ERANGE;
	if (arg->flags & CHRING_LOOKUP_POSITION ? arg->key || arg->key_len :
						  !!arg->position)
		return -EINVAL;
	if (arg->reserved || (arg->flags & CHRING_LOOKUP_PREVIOUS &&
			      arg->formers))
		return -EINVAL;
	return chring_check_entry(arg->entry_size,
				  offsetofend(struct chring_owner, cookie));
}

static int long_key_position(const struct chring_ring *ring,
			     const struct chring_lookup *arg, u64 *position)
{
	void *key = chring_buffer_alloc(arg->key_len);
	int ret = 0;

	if (IS_ERR(key))
		return PTR_ERR(key);
	if (copy_from_user(key, u64_to_user_ptr(arg->key), arg->key_len))
		ret = -EFAULT;
	else
		*position = chring_hash_position(&ring->config, key,
						 arg->key_len);
	chring_buffer_free(key);
	return ret;
}

int chring_key_position(const struct chring_ring *ring,
			const struct chring_lookup *arg, u64 *position)
{
	u8 key[KEY_ON_STACK];

	if (arg->flags & CHRING_LOOKUP_POSITION)
		return chring_position_import(&ring->config, arg->position,
					      position);
	if (arg->key_len > sizeof(key))
		return long_key_position(ring, arg, position);
	if (copy_from_user(key, u64_to_user_ptr(arg->key), arg->key_len))
		return -EFAULT;
	*position = chring_hash_position(&ring->config, key, arg->key_len);
	return 0;
}

/**
 * struct owners - owners of a key on their way out
 * @count: how many
 * @owner: they
 */
struct owners {
	u32 count;
	struct chring_owner owner[CHRING_REPLICAS_MAX];
};

typedef int find_fn(const struct chring_view *v, const struct chring_ask *ask,
		    const struct chring_node **node, u32 *visits);

/* Under rcu_read_lock(). Return: 0 or an error. */
static int find(const struct chring_view *v, const struct chring_ask *ask,
		find_fn *fn, struct owners *o)
{
	const struct chring_node *node[CHRING_REPLICAS_MAX];
	u32 visits;
	int ret, i;

	ret = fn(v, ask, node, &visits);
	chring_ring_walked(v->ring, visits);
	if (ret < 0)
		return ret;
	for (i = 0; i < ret; i++) {
		o->owner[i] = (struct chring_owner){
			.node = node[i]->id,
			.cookie = node[i]->cookie,
		};
		trace_chring_lookup(v, node[i]);
	}
	o->count = ret;
	return 0;
}

static int find_both(const struct chring_view *v, struct chring_lookup *arg,
		     const struct chring_ask *ask, struct owners *owners,
		     struct owners *formers)
{
	bool previous = arg->flags & CHRING_LOOKUP_PREVIOUS;
	int ret;

	if (arg->epoch && arg->epoch != v->epoch)
		return -ESTALE;
	if (previous || arg->formers)
		arg->out_former_epoch = v->former.epoch;
	ret = find(v, ask, previous ? chring_view_formers : chring_view_owners,
		   owners);
	/* That there is no former owner is an answer, not an error. */
	if (!ret && arg->formers)
		find(v, ask, chring_view_formers, formers);
	return ret;
}

static int lookup_owners(const struct chring_ring *ring,
			 struct chring_lookup *arg, u64 position,
			 struct owners *owners, struct owners *formers)
{
	const struct chring_ask ask = {
		.position = position,
		.n = arg->count,
		.zones = arg->flags & CHRING_LOOKUP_ZONES,
	};
	const struct chring_view *v;
	int ret = -ENODEV;

	rcu_read_lock();
	v = chring_ring_view(ring);
	if (v) {
		arg->out_ring = ring->id;
		arg->out_epoch = v->epoch;
		ret = find_both(v, arg, &ask, owners, formers);
	}
	rcu_read_unlock();
	return ret;
}

static int put_owners(u64 user, u32 entry_size, const struct owners *o)
{
	return chring_put_entries(user, entry_size, o->owner,
				  sizeof(o->owner[0]), o->count);
}

int chring_cmd_lookup(struct chring_call *call)
{
	struct chring_lookup *arg = &call->arg->lookup;
	struct owners owners, formers = {};
	u64 position;
	int ret;

	arg->out_formers = 0;
	arg->out_former_epoch = 0;
	ret = check_lookup(call);
	if (!ret)
		ret = chring_key_position(call->ring, arg, &position);
	if (ret)
		return ret;
	if (chring_call_sees_tokens(call))
		arg->out_position = chring_position_export(&call->ring->config,
							   position);
	ret = lookup_owners(call->ring, arg, position, &owners, &formers);
	if (ret)
		return ret;
	arg->out_count = owners.count;
	arg->out_formers = formers.count;
	ret = put_owners(arg->owners, arg->entry_size, &owners);
	return ret ? ret : put_owners(arg->formers, arg->entry_size, &formers);
}

/**
 * struct chunk - some keys of a batch, on their way through
 * @room: size of @key
 * @value: position of each key, then id of its owner
 * @len: length of each key
 * @key: their bytes
 */
struct chunk {
	u32 room;
	u64 value[CHUNK_KEYS];
	u32 len[CHUNK_KEYS];
	u8 key[];
};

static struct chunk *chunk_alloc(const struct chring_lookup_batch *arg)
{
	u32 room = min_t(u32, arg->keys_size, CHRING_KEY_MAX);
	size_t bytes = sizeof(struct chunk) + room;
	struct chunk *c = chring_buffer_alloc(bytes);

	if (!IS_ERR(c))
		c->room = room;
	return c;
}

static int get_positions(const struct chring_call *call, struct chunk *c,
			 u32 done, u32 n)
{
	const u64 __user *from = u64_to_user_ptr(call->arg->batch.keys);
	u32 i;

	if (copy_from_user(c->value, from + done, n * sizeof(*from)))
		return -EFAULT;
	for (i = 0; i < n; i++) {
		int ret = chring_position_import(&call->ring->config,
						 c->value[i], &c->value[i]);

		if (ret)
			return ret;
	}
	return n;
}

/* How many of @n keys fit into the chunk, and in how many bytes. */
static int fit_keys(const struct chunk *c, u32 n, u32 left, u32 *bytes)
{
	u32 i, sum = 0;

	for (i = 0; i < n; i++) {
		if (c->len[i] > CHRING_KEY_MAX)
			return -ERANGE;
		if (c->len[i] > left - sum)
			return -EINVAL;
		if (c->len[i] > c->room - sum)
			break;
		sum += c->len[i];
	}
	*bytes = sum;
	return i;
}

static int get_keys(const struct chring_call *call, struct chunk *c, u32 done,
		    u32 n, u32 *off)
{
	const struct chring_lookup_batch *arg = &call->arg->batch;
	const u32 __user *lens = u64_to_user_ptr(arg->lens);
	const u8 __user *keys = u64_to_user_ptr(arg->keys);
	u32 bytes, i, at = 0;
	int ret;

	if (copy_from_user(c->len, lens + done, n * sizeof(*lens)))
		return -EFAULT;
	ret = fit_keys(c, n, arg->keys_size - *off, &bytes);
	if (ret < 0)
		return ret;
	if (copy_from_user(c->key, keys + *off, bytes))
		return -EFAULT;
	for (i = 0; i < ret; i++) {
		c->value[i] = chring_hash_position(&call->ring->config,
						   c->key + at, c->len[i]);
		at += c->len[i];
	}
	*off += bytes;
	return ret;
}

/* Is the ring at the epoch that is asked for, and all answers are of? */
static int check_epoch(const struct chring_ring *ring,
		       struct chring_lookup_batch *arg,
		       const struct chring_view *v)
{
	if (!v)
		return -ENODEV;
	if (arg->out_epoch && arg->out_epoch != v->epoch)
		return 1;
	arg->out_ring = ring->id;
	arg->out_epoch = v->epoch;
	return arg->epoch && arg->epoch != v->epoch ? -ESTALE : 0;
}

typedef int find_each_fn(const struct chring_view *v, const u64 *position,
			 u32 n, const struct chring_node **node,
			 struct chring_visits *visits);

/* Positions become ids. Return: how many, or an error. */
static int find_together(const struct chring_view *v, find_each_fn *fn,
			 u64 *value, u32 n, struct chring_visits *visits)
{
	const struct chring_node *node[CHRING_TOGETHER];
	int ret = fn(v, value, min_t(u32, n, CHRING_TOGETHER), node, visits);
	int i;

	for (i = 0; i < ret; i++) {
		value[i] = node[i]->id;
		trace_chring_lookup(v, node[i]);
	}
	return ret;
}

/*
 * In one read section, of bounded length: positions become ids from *@done up
 * to @n. Return: 0, an error, or 1 if the ring is no longer at the epoch of
 * the first of all.
 */
static int find_some(struct chring_ring *ring, struct chring_lookup_batch *arg,
		     struct chunk *c, u32 *done, u32 n)
{
	find_each_fn *fn = arg->flags & CHRING_LOOKUP_PREVIOUS ?
			   chring_view_each_former : chring_view_each_owner;
	struct chring_visits visits = {};
	const struct chring_view *v;
	int ret;

	rcu_read_lock();
	v = chring_ring_view(ring);
	ret = check_epoch(ring, arg, v);
	while (!ret && *done < n && visits.all < CHRING_VISITS_AT_ONCE) {
		int more = find_together(v, fn, c->value + *done, n - *done,
					 &visits);

		ret = min(more, 0);
		*done += max(more, 0);
	}
	rcu_read_unlock();
	chring_ring_walked(ring, visits.worst);
	return ret;
}

/* Return: how many positions are ids now, fewer at a new epoch; or an error. */
static int find_owners(struct chring_ring *ring,
		       struct chring_lookup_batch *arg, struct chunk *c, u32 n)
{
	u32 done = 0;
	int ret;

	do {
		ret = find_some(ring, arg, c, &done, n);
		if (!ret)
			ret = chring_pause();
	} while (!ret && done < n);
	return ret < 0 ? ret : done;
}

static int batch_chunks(struct chring_call *call, struct chunk *c)
{
	struct chring_lookup_batch *arg = &call->arg->batch;
	u64 __user *nodes = u64_to_user_ptr(arg->nodes);
	u32 done = 0, off = 0;

	do {
		u32 n = min(CHUNK_KEYS, arg->count - done);
		int got, ret;

		got = arg->flags & CHRING_LOOKUP_POSITION ?
		      get_positions(call, c, done, n) :
		      get_keys(call, c, done, n, &off);
		if (got < 0)
			return got;
		ret = find_owners(call->ring, arg, c, got);
		if (ret < 0)
			return ret;
		if (copy_to_user(nodes + done, c->value, ret * sizeof(*nodes)))
			return -EFAULT;
		done += ret;
		if (ret < got)
			break;
	} while (done < arg->count);
	arg->out_done = done;
	return 0;
}

static int check_batch(const struct chring_call *call)
{
	const struct chring_lookup_batch *arg = &call->arg->batch;
	int ret = check_flags(call, arg->flags, BATCH_FLAGS);

	if (ret)
		return ret;
	if (arg->count > CHRING_BATCH_MAX ||
	    arg->keys_size > CHRING_BATCH_BYTES_MAX)
		return -ERANGE;
	if (arg->flags & CHRING_LOOKUP_POSITION &&
	    (arg->lens || arg->keys_size < arg->count * sizeof(u64)))
		return -EINVAL;
	return 0;
}

int chring_cmd_lookup_batch(struct chring_call *call)
{
	struct chunk *c;
	int ret = check_batch(call);

	if (ret)
		return ret;
	c = chunk_alloc(&call->arg->batch);
	if (IS_ERR(c))
		return PTR_ERR(c);
	ret = batch_chunks(call, c);
	chring_buffer_free(c);
	return ret;
}
