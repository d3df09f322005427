// SPDX-License-Identifier: GPL-2.0
#include "model.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/config.h"
#include "core/hash.h"
#include "rng.h"
#include "tap.h"

static void *need_memory(void *p)
{
	NEED(p);
	return p;
}

void model_init(struct model *m, const struct chring_config *config)
{
	memset(m, 0, sizeof(*m));
	m->config = *config;
}

void model_free(struct model *m)
{
	free(m->node);
	free(m->token);
	m->node = NULL;
	m->token = NULL;
}

static void *copy_of(const void *p, size_t size)
{
	/* One more byte, for malloc(0) may be NULL. */
	void *copy = need_memory(malloc(size + 1));

	if (size)
		memcpy(copy, p, size);
	return copy;
}

void model_copy(struct model *to, const struct model *from)
{
	*to = *from;
	to->node = copy_of(from->node, from->nodes * sizeof(*from->node));
	to->token = copy_of(from->token, from->tokens * sizeof(*from->token));
}

u32 model_token_count(const struct chring_config *config, u32 weight)
{
	u64 product = (u64)weight * config->vnodes;

	return product / config->unit + (product % config->unit != 0);
}

/* Bytes and printf(): slow, and with nothing in common with core/points.c. */
static u64 label_position(const struct chring_config *c,
			  const struct model_node *node, u32 index)
{
	char label[CHRING_NAME_MAX + CHRING_SEP_MAX + 16];
	u32 len = node->name_len + c->sep_len;

	memcpy(label, node->name, node->name_len);
	memcpy(label + node->name_len, c->sep, c->sep_len);
	len += sprintf(label + len, "%u", index);
	return chring_hash_position(c, label, len);
}

/* At the end of those placed so far. */
static void place_node(struct model *m, u32 node)
{
	u32 n = model_token_count(&m->config, m->node[node].weight), index;
	size_t room = m->tokens + n + 1;

	m->token = need_memory(realloc(m->token, room * sizeof(*m->token)));
	for (index = 0; index < n; index++)
		m->token[m->tokens++] = (struct model_token){
			.token = label_position(&m->config, &m->node[node],
						index),
			.node = node,
			.index = index,
		};
}

void model_place(struct model *m)
{
	u32 i;

	m->tokens = 0;
	for (i = 0; i < m->nodes; i++)
		place_node(m, i);
}

void model_add(struct model *m, const struct model_node *node)
{
	m->node = need_memory(realloc(m->node,
				      (m->nodes + 1) * sizeof(*m->node)));
	m->node[m->nodes] = *node;
	place_node(m, m->nodes++);
}

static void unplace_node(struct model *m, u32 node)
{
	u32 n = 0, i;

	for (i = 0; i < m->tokens; i++)
		if (m->token[i].node != node)
			m->token[n++] = m->token[i];
	m->tokens = n;
}

/* The last node takes the place of the one that goes. */
void model_del(struct model *m, u32 node)
{
	u32 last = --m->nodes, i;

	unplace_node(m, node);
	m->node[node] = m->node[last];
	for (i = 0; i < m->tokens; i++)
		if (m->token[i].node == last)
			m->token[i].node = node;
}

void model_set_weight(struct model *m, u32 node, u32 weight)
{
	unplace_node(m, node);
	m->node[node].weight = weight;
	place_node(m, node);
}

int model_name_cmp(const struct model_node *a, const struct model_node *b)
{
	u32 i;

	for (i = 0; i < a->name_len && i < b->name_len; i++)
		if (a->name[i] != b->name[i])
			return (u8)a->name[i] < (u8)b->name[i] ? -1 : 1;
	return (a->name_len > b->name_len) - (a->name_len < b->name_len);
}

bool model_same_name(const struct model_node *a, const char *name, u32 len)
{
	return a->name_len == len && !memcmp(a->name, name, len);
}

/* Clockwise from the position; the nearest wins, then the name. */
int model_owner(const struct model *m, u64 position)
{
	const struct model_token *best = NULL;
	u32 i;

	for (i = 0; i < m->tokens; i++) {
		const struct model_token *t = &m->token[i];
		u64 far = t->token - position;

		if (m->node[t->node].state != CHRING_STATE_UP)
			continue;
		if (!best || far < best->token - position ||
		    (far == best->token - position &&
		     model_name_cmp(&m->node[t->node],
				    &m->node[best->node]) < 0))
			best = t;
	}
	if (best)
		return best->node;
	return m->nodes ? -EHOSTUNREACH : -ENODATA;
}

/* qsort() hands on no context. */
static __thread const struct model *sorting;

static int token_cmp(const void *a, const void *b)
{
	const struct model_token *x = a, *y = b;
	int cmp;

	if (x->token != y->token)
		return x->token < y->token ? -1 : 1;
	cmp = model_name_cmp(&sorting->node[x->node], &sorting->node[y->node]);
	if (cmp)
		return cmp;
	return (x->index > y->index) - (x->index < y->index);
}

struct model_token *model_sorted(const struct model *m)
{
	struct model_token *t = copy_of(m->token,
					m->tokens * sizeof(*m->token));

	sorting = m;
	qsort(t, m->tokens, sizeof(*t), token_cmp);
	return t;
}

static int node_cmp(const void *a, const void *b)
{
	return model_name_cmp(*(const struct model_node **)a,
			      *(const struct model_node **)b);
}

static const struct model_node **nodes_by_name(const struct model *m)
{
	const struct model_node **by_name;
	u32 i;

	by_name = need_memory(calloc(m->nodes + 1, sizeof(*by_name)));
	for (i = 0; i < m->nodes; i++)
		by_name[i] = &m->node[i];
	qsort(by_name, m->nodes, sizeof(*by_name), node_cmp);
	return by_name;
}

/* As the header tells it: bytes one after the other, hashed at the end. */
struct bytes {
	u8 byte[CHRING_NAME_MAX * 2 + 32];
	size_t len;
};

static void put(struct bytes *b, const void *data, size_t len)
{
	memcpy(b->byte + b->len, data, len);
	b->len += len;
}

static void put_number(struct bytes *b, u64 v, u32 size)
{
	for (; size--; v >>= 8)
		b->byte[b->len++] = v;
}

static u64 hash_of(const struct bytes *b)
{
	return XXH64(b->byte, b->len, 0);
}

static u64 config_digest(const struct chring_config *c)
{
	struct bytes b = {};

	put_number(&b, c->hash, 4);
	put_number(&b, c->bits, 4);
	put_number(&b, c->layout, 4);
	put_number(&b, c->vnodes, 4);
	put_number(&b, c->unit, 4);
	put_number(&b, c->sep_len, 4);
	put(&b, c->sep, 16);
	put_number(&b, c->seed[0], 8);
	put_number(&b, c->seed[1], 8);
	put_number(&b, c->balance, 4);
	put_number(&b, 0, 4);
	return hash_of(&b);
}

static u64 node_key(const struct model_node *node)
{
	struct bytes b = {};

	put(&b, node->name, node->name_len);
	put_number(&b, 0, 1);
	put(&b, node->zone, node->zone_len);
	return hash_of(&b);
}

u64 model_digest(const struct model *m)
{
	const struct model_node **by_name = nodes_by_name(m);
	XXH64_state_t *state = XXH64_createState();
	struct bytes b = {};
	u64 digest;
	u32 i;

	XXH64_reset(state, 0);
	put_number(&b, config_digest(&m->config), 8);
	XXH64_update(state, b.byte, b.len);
	for (i = 0; i < m->nodes; i++) {
		b.len = 0;
		put_number(&b, node_key(by_name[i]), 8);
		put_number(&b, by_name[i]->weight, 4);
		put_number(&b, by_name[i]->state, 4);
		XXH64_update(state, b.byte, b.len);
	}
	digest = XXH64_digest(state);
	XXH64_freeState(state);
	free(by_name);
	return digest;
}

static u64 finalize(u64 h)
{
	h ^= h >> 33;
	h *= 0xff51afd7ed558ccdULL;
	h ^= h >> 33;
	h *= 0xc4ceb9fe1a85ec53ULL;
	h ^= h >> 33;
	return h;
}

u64 model_checksum(const struct model *m)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < m->tokens; i++) {
		const struct model_node *node = &m->node[m->token[i].node];
		u64 token = m->token[i].token;

		if (m->config.bits == 32)
			token /= 1ULL << 32;
		sum += finalize(token + XXH64(node->name, node->name_len, 0));
	}
	return sum;
}

u32 model_live(const struct model *m)
{
	u32 live = 0, i;

	for (i = 0; i < m->nodes; i++)
		live += m->node[i].weight &&
			m->node[i].state == CHRING_STATE_UP;
	return live;
}

void model_random_node(struct model_node *node, u32 weight_max)
{
	memset(node, 0, sizeof(*node));
	node->name_len = rng_once_in(20) ? 1 + rng_below(CHRING_NAME_MAX) :
					   1 + rng_below(12);
	rng_name(node->name, node->name_len);
	node->zone_len = rng_once_in(2) ? 0 : 1 + rng_below(5);
	rng_name(node->zone, node->zone_len);
	node->weight = rng_once_in(6) ? 0 : 1 + rng_below(weight_max);
	node->state = rng_once_in(4) ? 1 + rng_below(2) : CHRING_STATE_UP;
	node->cookie = rng();
}

static void random_sep(struct chring_config *c)
{
	u32 i;

	c->sep_len = 1 + rng_below(CHRING_SEP_MAX);
	rng_name((char *)c->sep, c->sep_len);
	for (i = 0; i < c->sep_len; i++)
		if (c->sep[i] >= '0' && c->sep[i] <= '9')
			c->sep[i] = '#';
}

void model_random_config(struct chring_config *c)
{
	memset(c, 0, sizeof(*c));
	c->hash = CHRING_HASH_XXH64 + rng_below(4);
	c->bits = c->hash == CHRING_HASH_MURMUR3 || rng_once_in(2) ? 32 : 64;
	c->vnodes = 1 + rng_below(12);
	c->unit = 1 + rng_below(4);
	c->seed[0] = c->hash == CHRING_HASH_MURMUR3 ? (u32)rng() : rng() | 1;
	c->seed[1] = c->hash == CHRING_HASH_SIPHASH ? rng() : 0;
	random_sep(c);
	NEED(!chring_config_resolve(c));
}

static bool has_name(const struct model *m, const struct model_node *node)
{
	u32 i;

	for (i = 0; i < m->nodes; i++)
		if (!model_name_cmp(&m->node[i], node))
			return true;
	return false;
}

void model_random(struct model *m, u32 nodes_max)
{
	u32 nodes = rng_below(nodes_max + 1);
	struct model_node node;

	while (m->nodes < nodes) {
		model_random_node(&node, 8);
		if (!has_name(m, &node))
			model_add(m, &node);
	}
}
