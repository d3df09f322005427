// SPDX-License-Identifier: GPL-2.0
/*
 * Maglev's lookup table (Eisenbud et al., NSDI 2016): nodes take turns in
 * filling it, each in an order of its own. A position becomes an entry by a
 * division, as in IPVS, Envoy and Cilium, whose size is not a constant either;
 * or by a multiplication, which nobody seems to deploy. An entry is the address
 * of a node, as in IPVS: one load and no more.
 */
#include <xxhash.h>

#include "array.h"
#include "need.h"
#include "rival.h"

struct maglev {
	u32 size;
	const void **entry;
};

/**
 * struct turn - how far a node has come in its order of entries
 * @at: entry that is next
 * @skip: from one to the next
 */
struct turn {
	u32 at;
	u32 skip;
};

static void take_turn(struct maglev *g, struct turn *t, const void *node)
{
	while (g->entry[t->at])
		t->at = (t->at + t->skip) % g->size;
	g->entry[t->at] = node;
}

static void fill(struct maglev *g, struct turn *turn, u32 nodes,
		 const void *const *node)
{
	u32 i;

	for (i = 0; i < nodes; i++)
		turn[i] = (struct turn){
			.at = XXH64(&i, sizeof(i), 1) % g->size,
			.skip = XXH64(&i, sizeof(i), 2) % (g->size - 1) + 1,
		};
	for (i = 0; i < g->size; i++)
		take_turn(g, &turn[i % nodes], node[i % nodes]);
}

static void *build(const struct members *m, u32 size)
{
	struct turn *turn = need(calloc(m->nodes, sizeof(*turn)));
	struct maglev *g = need(calloc(1, sizeof(*g)));

	g->size = size;
	g->entry = array_alloc(size, sizeof(*g->entry));
	fill(g, turn, m->nodes, m->node);
	free(turn);
	return g;
}

static void *build_small(const struct members *m)
{
	return build(m, 65537);
}

static void *build_large(const struct members *m)
{
	return build(m, 655373);
}

static void maglev_free(void *built)
{
	struct maglev *g = built;

	free(g->entry);
	free(g);
}

static const void *find_mod(const void *built, u64 position)
{
	const struct maglev *g = built;

	return g->entry[position % g->size];
}

static const void *find_fast(const void *built, u64 position)
{
	const struct maglev *g = built;

	return g->entry[(__uint128_t)position * g->size >> 64];
}

const struct rival maglev65537_mod_rival = {
	.name = "maglev65537_mod",
	.modes = ALL_MODES,
	.build = build_small,
	.free = maglev_free,
	.find = find_mod,
};

const struct rival maglev65537_fast_rival = {
	.name = "maglev65537_fast",
	.modes = ALL_MODES,
	.build = build_small,
	.free = maglev_free,
	.find = find_fast,
};

const struct rival maglev655373_mod_rival = {
	.name = "maglev655373_mod",
	.modes = ALL_MODES,
	.build = build_large,
	.free = maglev_free,
	.find = find_mod,
};
