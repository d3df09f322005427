// SPDX-License-Identifier: GPL-2.0
/*
 * Rendezvous hashing (Thaler and Ravishankar, 1998): every node bids for the
 * position, the highest bid owns it. Bids are mixed as MurmurHash3 ends.
 */
#include <xxhash.h>

#include "need.h"
#include "rival.h"

struct rendezvous {
	u32 nodes;
	const void *const *node;
	u64 seed[];
};

static void *build(const struct members *m)
{
	struct rendezvous *r = need(malloc(sizeof(*r) +
					   m->nodes * sizeof(u64)));
	u32 i;

	r->nodes = m->nodes;
	r->node = m->node;
	for (i = 0; i < m->nodes; i++)
		r->seed[i] = XXH64(&i, sizeof(i), 0);
	return r;
}

static u64 bid(u64 seed, u64 position)
{
	u64 h = seed ^ position;

	h ^= h >> 33;
	h *= 0xff51afd7ed558ccdULL;
	h ^= h >> 33;
	h *= 0xc4ceb9fe1a85ec53ULL;
	return h ^ h >> 33;
}

static const void *find(const void *built, u64 position)
{
	const struct rendezvous *r = built;
	u64 highest = 0;
	u32 best = 0, i;

	for (i = 0; i < r->nodes; i++) {
		u64 b = bid(r->seed[i], position);

		if (b > highest) {
			highest = b;
			best = i;
		}
	}
	return r->node[best];
}

const struct rival rendezvous_rival = {
	.name = "rendezvous",
	.modes = ALL_MODES,
	.build = build,
	.free = free,
	.find = find,
};
