// SPDX-License-Identifier: GPL-2.0
/*
 * chring as shipped: the read section, the load of the view, the walk with its
 * test for nodes in service, down to the node.
 *
 * RCU is liburcu's memb flavour, inlined (_LGPL_SOURCE): its rcu_read_lock() is
 * a load and a store of a word of the thread, without a fence, which is what
 * the preemptible RCU of Debian's kernels does (an increment of a word of the
 * task). QSBR would do nothing at all there, and be too kind.
 */
#include "chring.h"
#include "core/hash.h"

/* As many as the device looks up in one read section. */
#define BATCH	512U

/* It is its members', and goes with them. */
static void *build(const struct members *m)
{
	return m->ring;
}

static const void *find_position(const void *built, u64 position)
{
	const struct chring_node *node = NULL;
	const struct chring_view *v;

	rcu_read_lock();
	v = chring_ring_view(built);
	if (v)
		node = view_owner(v, position);
	rcu_read_unlock();
	return node;
}

static const void *find_key(const void *built, const char *key)
{
	const struct chring_ring *ring = built;

	return find_position(ring, chring_hash_position(&ring->config, key,
							KEY_LEN));
}

/* What a door gives back: who it is, and when that was. */
struct answer {
	u64 node;
	u64 cookie;
	const char *name;
	size_t name_len;
	u64 ring;
	u64 epoch;
};

static const void *answer_key(const void *built, const char *key)
{
	const struct chring_ring *ring = built;
	const struct chring_node *node = NULL;
	const struct chring_view *v;
	struct answer answer;
	u64 position = chring_hash_position(&ring->config, key, KEY_LEN);

	rcu_read_lock();
	v = chring_ring_view(ring);
	if (v)
		node = view_owner(v, position);
	if (node)
		answer = (struct answer){
			.node = node->id,
			.cookie = node->cookie,
			.name = node->name,
			.name_len = node->name_len,
			.ring = ring->id,
			.epoch = v->epoch,
		};
	rcu_read_unlock();
	/* It is there for somebody to read. */
	asm volatile("" : : "r" (&answer) : "memory");
	return node;
}

static void find_some(const void *built, const u64 *position, u32 n,
		      const void **node)
{
	const struct chring_node *owner[CHRING_TOGETHER];
	struct chring_visits visits = {};
	const struct chring_view *v;
	int done, i;

	rcu_read_lock();
	v = chring_ring_view(built);
	while (v && n) {
		done = chring_view_each_owner(v, position,
					      min_t(u32, n, CHRING_TOGETHER),
					      owner, &visits);
		if (done < 0)
			break;
		for (i = 0; i < done; i++)
			*node++ = owner[i];
		position += done;
		n -= done;
	}
	rcu_read_unlock();
}

static void find_many(const void *built, const u64 *position, u32 n,
		      const void **node)
{
	u32 i;

	for (i = 0; i < n; i += BATCH)
		find_some(built, position + i, min(n - i, BATCH), node + i);
}

static void find_many_keys(const void *built, const char *key, u32 n,
			   const void **node)
{
	const struct chring_ring *ring = built;
	u64 position[BATCH];
	u32 i, j, some;

	for (i = 0; i < n; i += some) {
		some = min(n - i, BATCH);
		for (j = 0; j < some; j++, key += KEY_LEN)
			position[j] = chring_hash_position(&ring->config, key,
							   KEY_LEN);
		find_some(ring, position, some, node + i);
	}
}

const struct rival chring_rival = {
	.name = "chring",
	.exact = true,
	.modes = ALL_MODES,
	.build = build,
	.find = find_position,
	.find_key = find_key,
};

const struct rival chring_batch_rival = {
	.name = "chring_batch",
	.exact = true,
	.modes = ONLY(MODE_KEY) | ONLY(MODE_TPUT),
	.build = build,
	.find_many = find_many,
	.find_many_keys = find_many_keys,
};

const struct rival chring_answer_rival = {
	.name = "chring_answer",
	.exact = true,
	.modes = ONLY(MODE_KEY),
	.build = build,
	.find = find_position,
	.find_key = answer_key,
};
