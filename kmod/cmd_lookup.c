// SPDX-License-Identifier: GPL-2.0
/* Commands that ask who owns a key. */
#include <linux/uaccess.h>

#include "chardev.h"
#include "core/hash.h"

/* Known; what is not in LOOKUP_OFFERED is not offered yet. */
#define LOOKUP_FLAGS	(CHRING_LOOKUP_POSITION | CHRING_LOOKUP_ZONES | \
			 CHRING_LOOKUP_PREVIOUS)
#define LOOKUP_OFFERED	CHRING_LOOKUP_POSITION

#define KEY_ON_STACK	256
#define CHUNK_KEYS	512U
/* Tokens and nodes to look at in one read section, and then a key's more. */
#define VISITS_AT_ONCE	0x4000U

static int check_flags(const struct chring_call *call, u32 flags)
{
	if (flags & ~LOOKUP_FLAGS)
		return -EINVAL;
	if (flags & ~LOOKUP_OFFERED)
		return -EOPNOTSUPP;
	if (flags & CHRING_LOOKUP_POSITION && !chring_call_sees_tokens(call))
		return -EBADF;
	return 0;
}

static int check_lookup(const struct chring_call *call)
{
	const struct chring_lookup *arg = &call->arg->lookup;
	int ret = check_flags(call, arg->flags);

	if (ret)
		return ret;
	if (!arg->count || arg->count > CHRING_REPLICAS_MAX ||
	    arg->key_len > CHRING_KEY_MAX)
		return -ERANGE;
	if (arg->flags & CHRING_LOOKUP_POSITION ? arg->key || arg->key_len :
						  !!arg->position)
		return -EINVAL;
	return chring_check_entry(arg->entry_size,
				  offsetofend(struct chring_owner, cookie));
}

static int long_key_position(const struct chring_ring *ring,
			     const struct chring_lookup *arg, u64 *position)
{
	void *key = chring_alloc(arg->key_len);
	int ret = 0;

	if (IS_ERR(key))
		return PTR_ERR(key);
	if (copy_from_user(key, u64_to_user_ptr(arg->key), arg->key_len))
		ret = -EFAULT;
	else
		*position = chring_hash_position(&ring->config, key,
						 arg->key_len);
	chring_free(key, arg->key_len);
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

static void tell_owner(const struct chring_view *v, u32 slot,
		       struct chring_owner *owner)
{
	const struct chring_node *node = v->roster->node[slot];

	owner->node = node->id;
	owner->cookie = node->cookie;
}

/* Under rcu_read_lock(). Return: how many, or an error. */
static int find_replicas(const struct chring_view *v, u64 position, u32 count,
			 struct chring_owner *owner)
{
	u16 slot[CHRING_REPLICAS_MAX];
	u32 visits;
	int ret, i;

	ret = chring_view_replicas(v, position, count, slot, &visits);
	for (i = 0; i < ret; i++)
		tell_owner(v, slot[i], &owner[i]);
	return ret;
}

static int lookup_owners(const struct chring_ring *ring,
			 struct chring_lookup *arg, u64 position,
			 struct chring_owner *owner)
{
	const struct chring_view *v;
	int ret = -ENODEV;

	rcu_read_lock();
	v = chring_ring_view(ring);
	if (v) {
		arg->out_ring = ring->id;
		arg->out_epoch = v->epoch;
		ret = arg->epoch && arg->epoch != v->epoch ? -ESTALE :
		      find_replicas(v, position, arg->count, owner);
	}
	rcu_read_unlock();
	return ret;
}

int chring_cmd_lookup(struct chring_call *call)
{
	struct chring_lookup *arg = &call->arg->lookup;
	struct chring_owner owner[CHRING_REPLICAS_MAX];
	u64 position;
	int ret;

	ret = check_lookup(call);
	if (!ret)
		ret = chring_key_position(call->ring, arg, &position);
	if (ret)
		return ret;
	if (chring_call_sees_tokens(call))
		arg->out_position = chring_position_export(&call->ring->config,
							   position);
	ret = lookup_owners(call->ring, arg, position, owner);
	if (ret < 0)
		return ret;
	arg->out_count = ret;
	return chring_put_entries(arg->owners, arg->entry_size, owner,
				  sizeof(owner[0]), ret);
}

/**
 * struct chunk - some keys of a batch, on their way through
 * @bytes: size of all of it
 * @room: size of @key
 * @value: position of each key, then id of its owner
 * @len: length of each key
 * @key: their bytes
 */
struct chunk {
	size_t bytes;
	u32 room;
	u64 value[CHUNK_KEYS];
	u32 len[CHUNK_KEYS];
	u8 key[];
};

static struct chunk *chunk_alloc(const struct chring_lookup_batch *arg)
{
	u32 room = min_t(u32, arg->keys_size, CHRING_KEY_MAX);
	size_t bytes = sizeof(struct chunk) + room;
	struct chunk *c = chring_alloc(bytes);

	if (!IS_ERR(c)) {
		c->bytes = bytes;
		c->room = room;
	}
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

/*
 * In one read section, of bounded length: positions become ids from *@done up
 * to @n. Return: 0, an error, or 1 if the ring is no longer at the epoch of
 * the first of all.
 */
static int find_some(const struct chring_ring *ring,
		     struct chring_lookup_batch *arg, struct chunk *c,
		     u32 *done, u32 n)
{
	const struct chring_view *v;
	u32 visits = 0, more;
	int ret = 0;
	u16 slot;

	rcu_read_lock();
	v = chring_ring_view(ring);
	if (!v) {
		ret = -ENODEV;
	} else if (arg->out_epoch && arg->out_epoch != v->epoch) {
		ret = 1;
	} else {
		arg->out_ring = ring->id;
		arg->out_epoch = v->epoch;
		if (arg->epoch && arg->epoch != v->epoch)
			ret = -ESTALE;
	}
	while (!ret && *done < n && visits < VISITS_AT_ONCE) {
		ret = min(chring_view_replicas(v, c->value[*done], 1, &slot,
					       &more), 0);
		if (!ret)
			c->value[(*done)++] = v->roster->node[slot]->id;
		visits += more;
	}
	rcu_read_unlock();
	return ret;
}

/* Return: how many positions are ids now, fewer at a new epoch; or an error. */
static int find_owners(const struct chring_ring *ring,
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
	int ret = check_flags(call, arg->flags);

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
	chring_free(c, c->bytes);
	return ret;
}
