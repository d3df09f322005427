// SPDX-License-Identifier: GPL-2.0
/*
 * chring's table and walk without a ring around them: for tokens that no
 * membership can be made to have. All nodes are in service: no walk is so long
 * that it would ask where each of them stands.
 */
#include "chring.h"
#include "core/placement.h"
#include "need.h"

struct clustered {
	struct chring_circle circle;
	const void *const *node;
};

static void *build(const struct members *m)
{
	struct chring_run run = { m->token, m->owner, m->tokens }, none = {};
	u16 *rank = need(calloc(m->nodes, sizeof(*rank)));
	struct clustered *c = need(calloc(1, sizeof(*c)));
	struct chring_table *t;
	u32 i;

	for (i = 0; i < m->nodes; i++)
		rank[i] = i;
	t = chring_table_merge(NULL, &run, &none, rank);
	NEED(!IS_ERR(t));
	free(rank);
	c->circle.table = t;
	c->circle.out = need(calloc(DIV_ROUND_UP(m->nodes, BITS_PER_LONG),
				    sizeof(long)));
	c->circle.live = m->nodes;
	c->node = m->node;
	return c;
}

static void clustered_free(void *built)
{
	struct clustered *c = built;

	chring_table_free((void *)c->circle.table);
	free((void *)c->circle.out);
	free(c);
}

static const void *find(const void *built, u64 position)
{
	const struct clustered *c = built;
	u32 visits;
	int slot = chring_place_owner(&c->circle, position, &visits);

	return slot < 0 ? NULL : c->node[slot];
}

const struct rival clustered_rival = {
	.name = "chring",
	.exact = true,
	.modes = ONLY(MODE_LAT) | ONLY(MODE_TPUT),
	.build = build,
	.free = clustered_free,
	.find = find,
};
