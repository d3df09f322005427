// SPDX-License-Identifier: GPL-2.0
/*
 * Lookups: in the copy if it holds, else by the kernel. What is refused, or has
 * no owner, is left to the kernel too, which says why.
 */
#include "handle.h"

/* Of lookups in a copy. */
#define FLAGS	(CHRING_LOOKUP_POSITION | CHRING_LOOKUP_ZONES)

/* As a reader: a copy that holds, and in which there are owners. */
static inline const struct copy *usable(const struct chring *c)
{
	const struct copy *v = mirror_copy(&c->mirror);

	return v && v->key_end ? v : NULL;
}

/* The owner's slot. */
static inline u32 owner_of(const struct copy *v, u64 position)
{
	const struct chring_table *t = v->circle.table;
	u16 slot = chring_table_owner(t, chring_table_seek(t, position));
	u32 visits;

	if (likely(!chring_slot_set(v->out, slot)))
		return slot;
	return chring_place_owner(&v->circle, position, &visits);
}

static inline void put_found(const struct copy *v, u64 position,
			     struct chring_found *out)
{
	/* What the node says, at once: a few wide moves. */
	memcpy(out, &v->nodes->node[owner_of(v, position)],
	       offsetof(struct chring_found, ring));
	out->ring = v->ring;
	out->epoch = v->epoch;
}

/* The kernel's answer, with the name that belongs to it. */
static int find_asking(struct chring *c, const struct chring_query *query,
		       struct chring_found *out)
{
	struct chring_answer answer;
	const char *name = NULL;
	size_t len = 0;
	int ret = handle_lookup(c, query, &answer);

	*out = (struct chring_found){
		.ring = answer.ring,
		.epoch = answer.epoch,
		.asked = 1,
	};
	if (ret)
		return ret;
	out->node = answer.owner[0].node;
	out->cookie = answer.owner[0].cookie;
	ret = chring_node_name(c, out->node, &name, &len);
	/* Deleted since: the answer holds for its epoch all the same. */
	if (ret && ret != -ENOENT)
		return ret;
	out->name = name;
	out->name_len = len;
	return 0;
}

static bool found_position(const struct chring *c, u64 outside,
			   struct chring_found *out)
{
	const struct copy *v;
	u64 position;

	readers_begin();
	v = usable(c);
	if (v && !chring_position_import(&v->config, outside, &position))
		put_found(v, position, out);
	else
		v = NULL;
	readers_end();
	return v;
}

static __attribute__((always_inline)) inline bool
found_key(const struct chring *c, const void *key, size_t len,
	  struct chring_found *out)
{
	const struct copy *v;

	readers_begin();
	v = mirror_copy(&c->mirror);
	if (likely(v) && likely(len < v->key_end)) {
		put_found(v, chring_hash_position(&v->config, key, len), out);
		readers_end();
		return true;
	}
	readers_end();
	return false;
}

/* What is done seldom is kept out of the shortest way. */
static __attribute__((noinline)) int
find_key(struct chring *c, const void *key, size_t len,
	 struct chring_found *out)
{
	const struct chring_query query = {
		.key = key,
		.key_len = len,
		.count = 1,
	};

	if (mirror_renew(c, 1) && found_key(c, key, len, out))
		return 0;
	return find_asking(c, &query, out);
}

int chring_find(struct chring *c, const void *key, size_t len,
		struct chring_found *out)
{
	if (likely(found_key(c, key, len, out)))
		return 0;
	return find_key(c, key, len, out);
}

int chring_find_position(struct chring *c, __u64 position,
			 struct chring_found *out)
{
	const struct chring_query query = {
		.position = position,
		.flags = CHRING_LOOKUP_POSITION,
		.count = 1,
	};

	if (found_position(c, position, out) ||
	    (mirror_renew(c, 1) && found_position(c, position, out)))
		return 0;
	return find_asking(c, &query, out);
}

/* -- several owners */

static bool is_plain(const struct chring_query *q)
{
	bool at = q->flags & CHRING_LOOKUP_POSITION;

	return !(q->flags & ~FLAGS) && !q->formers && q->count &&
	       q->count <= CHRING_REPLICAS_MAX && q->key_len <= CHRING_KEY_MAX &&
	       (at ? !q->key && !q->key_len : !q->position);
}

static int query_position(const struct copy *v, const struct chring_query *q,
			  u64 *position)
{
	if (q->flags & CHRING_LOOKUP_POSITION)
		return chring_position_import(&v->config, q->position,
					      position);
	*position = chring_hash_position(&v->config, q->key, q->key_len);
	return 0;
}

static bool find_owners(const struct copy *v, const struct chring_query *q,
			struct chring_answer *answer)
{
	u16 slot[CHRING_REPLICAS_MAX];
	u64 position;
	u32 visits;
	int i, n;

	if ((q->epoch && q->epoch != v->epoch) ||
	    query_position(v, q, &position))
		return false;
	n = q->flags & CHRING_LOOKUP_ZONES ?
	    chring_place_zones(&v->circle, position, q->count, slot, &visits) :
	    chring_place_replicas(&v->circle, position, q->count, slot,
				  &visits);
	if (n < 0)
		return false;
	answer->position = chring_position_export(&v->config, position);
	answer->ring = v->ring;
	answer->epoch = v->epoch;
	answer->count = n;
	for (i = 0; i < n; i++) {
		const struct chring_found *node = &v->nodes->node[slot[i]];

		answer->owner[i] = (struct chring_owner){
			.node = node->node,
			.cookie = node->cookie,
		};
	}
	answer->formers = 0;
	answer->former_epoch = 0;
	answer->asked = 0;
	return true;
}

static bool looked_up(const struct chring *c, const struct chring_query *q,
		      struct chring_answer *answer)
{
	const struct copy *v;
	bool ret;

	readers_begin();
	v = usable(c);
	ret = v && find_owners(v, q, answer);
	readers_end();
	return ret;
}

int chring_lookup(struct chring *c, const struct chring_query *query,
		  struct chring_answer *answer)
{
	if (is_plain(query) &&
	    (looked_up(c, query, answer) ||
	     (mirror_renew(c, 1) && looked_up(c, query, answer))))
		return 0;
	answer->asked = 1;
	return handle_lookup(c, query, answer);
}

/* -- many keys */

/**
 * struct some - keys of a batch that are looked up side by side
 * @batch: all of them
 * @done: that have been
 * @key: bytes of the next one
 * @left: bytes from there on
 */
struct some {
	struct chring_batch *batch;
	u32 done;
	const char *key;
	size_t left;
};

static int some_positions(struct some *s, const struct copy *v, u64 *position)
{
	const struct chring_batch *b = s->batch;
	u32 n = min_t(u32, b->count - s->done, CHRING_TOGETHER), i;

	for (i = 0; i < n; i++) {
		bool at = b->flags & CHRING_LOOKUP_POSITION;
		size_t len = at ? sizeof(u64) : b->lens[s->done + i];
		u64 outside;

		if (len > s->left || len > CHRING_KEY_MAX)
			return -EINVAL;
		if (at) {
			memcpy(&outside, s->key, sizeof(outside));
			if (chring_position_import(&v->config, outside,
						   &position[i]))
				return -ERANGE;
		} else {
			position[i] = chring_hash_position(&v->config, s->key,
							   len);
		}
		s->key += len;
		s->left -= len;
	}
	return n;
}

static int some_owners(struct some *s, const struct copy *v,
		       const u64 *position, u32 n)
{
	u16 slot[CHRING_TOGETHER];
	u32 done = 0;

	while (done < n) {
		struct chring_visits visits = {};
		int some = chring_place_owners(&v->circle, position + done,
					       n - done, slot, &visits), i;

		if (some < 0)
			return some;
		for (i = 0; i < some; i++)
			s->batch->nodes[s->done++] =
				v->nodes->node[slot[i]].node;
		done += some;
	}
	return 0;
}

static bool find_batch(const struct copy *v, struct chring_batch *batch)
{
	struct some s = {
		.batch = batch,
		.key = batch->keys,
		.left = batch->keys_size,
	};
	u64 position[CHRING_TOGETHER];

	if (batch->epoch && batch->epoch != v->epoch)
		return false;
	while (s.done < batch->count) {
		int n = some_positions(&s, v, position);

		if (n < 0 || some_owners(&s, v, position, n))
			return false;
	}
	batch->out_done = s.done;
	batch->out_ring = v->ring;
	batch->out_epoch = v->epoch;
	batch->out_asked = 0;
	return true;
}

static bool looked_up_batch(const struct chring *c, struct chring_batch *batch)
{
	const struct copy *v;
	bool ret;

	readers_begin();
	v = usable(c);
	ret = v && find_batch(v, batch);
	readers_end();
	return ret;
}

static bool is_plain_batch(const struct chring_batch *b)
{
	return !(b->flags & ~CHRING_LOOKUP_POSITION) && b->count &&
	       b->count <= CHRING_BATCH_MAX &&
	       b->keys_size <= CHRING_BATCH_BYTES_MAX &&
	       !(b->flags & CHRING_LOOKUP_POSITION && b->lens);
}

int chring_lookup_batch(struct chring *c, struct chring_batch *batch)
{
	if (is_plain_batch(batch) &&
	    (looked_up_batch(c, batch) ||
	     (mirror_renew(c, batch->count) && looked_up_batch(c, batch))))
		return 0;
	batch->out_asked = 1;
	return handle_lookup_batch(c, batch);
}
