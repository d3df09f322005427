// SPDX-License-Identifier: GPL-2.0
/*
 * Tokens for the rivals are hashed and sorted here, by the C library: what they
 * agree on with chring is not chring's own work.
 */
#include "members.h"

#include <stdlib.h>

#include "array.h"
#include "core/config.h"
#include "core/points.h"
#include "mix.h"
#include "need.h"

/* What kmod/budget.c says in the kernel. */
u32 chring_max_tokens(void)
{
	return 1U << 24;
}

struct chring_edit members_edit(u32 number, char name[16])
{
	int len = snprintf(name, 16, "node-%05u", number);

	return (struct chring_edit){
		.flags = CHRING_NODE_ALL,
		.name = name,
		.name_len = len,
		.weight = 1,
		.cookie = number,
	};
}

struct chring_ring *members_ring(u32 vnodes)
{
	struct chring_config config = { .vnodes = vnodes };
	struct chring_ring *ring;

	NEED(!chring_config_resolve(&config));
	ring = chring_ring_create("bench", 5, &config);
	NEED(!IS_ERR(ring));
	return ring;
}

void members_commit(struct chring_ring *ring, u32 nodes)
{
	struct chring_edit *edit = need(calloc(nodes, sizeof(*edit)));
	char (*name)[16] = need(calloc(nodes, sizeof(*name)));
	u64 *id = need(calloc(nodes, sizeof(*id)));
	struct chring_request rq = {};
	u32 i;

	for (i = 0; i < nodes; i++)
		edit[i] = members_edit(i, name[i]);
	NEED(!chring_ring_commit(ring, edit, nodes, id, &rq));
	free(edit);
	free(name);
	free(id);
}

void members_points(const struct chring_ring *ring, u32 number, u64 *token)
{
	char name[16];
	struct chring_edit edit = members_edit(number, name);

	NEED(!chring_points_fill(&ring->config, name, edit.name_len, 0,
				 ring->config.vnodes, token));
}

int members_pair_cmp(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->token != y->token)
		return x->token < y->token ? -1 : 1;
	return x->owner < y->owner ? -1 : x->owner > y->owner;
}

void members_pairs(const struct chring_ring *ring, u32 nodes, u32 vnodes,
		   struct pair *pair)
{
	u64 *token = need(calloc(vnodes, sizeof(*token)));
	u32 i, j;

	for (i = 0; i < nodes; i++) {
		members_points(ring, i, token);
		for (j = 0; j < vnodes; j++)
			*pair++ = (struct pair){ token[j], i };
	}
	free(token);
}

/* Sorted, and taken apart. */
static void set_tokens(struct members *m, struct pair *pair)
{
	u32 i;

	qsort(pair, m->tokens, sizeof(*pair), members_pair_cmp);
	m->token = array_alloc(m->tokens, sizeof(*m->token));
	m->owner = array_alloc(m->tokens, sizeof(*m->owner));
	for (i = 0; i < m->tokens; i++) {
		m->token[i] = pair[i].token;
		m->owner[i] = pair[i].owner;
	}
}

static void find_nodes(struct members *m)
{
	const struct chring_view *v = chring_ring_view_get(m->ring);
	char name[16];
	u32 i;

	for (i = 0; i < m->nodes; i++) {
		struct chring_edit edit = members_edit(i, name);
		int slot = chring_roster_find(v->roster, name, edit.name_len);

		NEED(slot >= 0);
		m->node[i] = v->roster->node[slot];
	}
	NEED(v->table->count == m->tokens);
	m->footprint = v->table->bytes;
	chring_view_put((struct chring_view *)v);
}

static struct members *members_alloc(u32 nodes, u32 vnodes, u32 tokens)
{
	struct members *m = need(calloc(1, sizeof(*m)));

	m->nodes = nodes;
	m->vnodes = vnodes;
	m->tokens = tokens;
	m->node = need(calloc(nodes, sizeof(*m->node)));
	return m;
}

struct members *members_make(u32 nodes, u32 vnodes)
{
	struct members *m = members_alloc(nodes, vnodes, nodes * vnodes);
	struct pair *pair = need(calloc(m->tokens, sizeof(*pair)));

	snprintf(m->name, sizeof(m->name), "%ux%u", nodes, vnodes);
	m->mask = ~0ULL;
	m->ring = members_ring(vnodes);
	members_commit(m->ring, nodes);
	members_pairs(m->ring, nodes, vnodes, pair);
	set_tokens(m, pair);
	free(pair);
	find_nodes(m);
	return m;
}

struct members *members_cluster(u32 nodes, u32 tokens, u32 bits)
{
	struct members *m = members_alloc(nodes, tokens / nodes, tokens);
	struct pair *pair = need(calloc(tokens, sizeof(*pair)));
	u32 i;

	snprintf(m->name, sizeof(m->name), "clustered-%u", bits);
	m->from = 1ULL << 63;
	m->mask = (1ULL << bits) - 1;
	for (i = 0; i < nodes; i++)
		m->node[i] = &m->node[i];
	for (i = 0; i < tokens; i++)
		pair[i] = (struct pair){
			.token = m->from | (mix(~i) & m->mask),
			.owner = i % nodes,
		};
	set_tokens(m, pair);
	free(pair);
	return m;
}

void members_free(struct members *m)
{
	if (m->ring)
		chring_ring_abandon(m->ring);
	free(m->token);
	free(m->owner);
	free(m->node);
	free(m);
}

void *members_themselves(const struct members *m)
{
	return (void *)m;
}
