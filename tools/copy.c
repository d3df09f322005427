// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "copy.h"
#include "handle.h"
#include "ids.h"
#include "core/run.h"

/* A ring that changes during all of so many copies is too quick. */
#define TRIES		100
#define PAGE_TOKENS	0x4000

static void tokens_put(struct copy_tokens *t)
{
	if (!t || --t->refs)
		return;
	chring_table_free(t->table);
	free(t->token);
	free(t->stand);
	free(t);
}

static void nodes_put(struct copy_nodes *n)
{
	if (!n || --n->refs)
		return;
	free(n->zone);
	free(n);
}

void copy_free(struct copy *v)
{
	if (!v)
		return;
	tokens_put(v->tokens);
	nodes_put(v->nodes);
	free(v);
}

/* -- nodes */

static u32 slots_of(const struct chring_nodes *list)
{
	u32 slots = 0;
	size_t i;

	for (i = 0; i < list->count; i++)
		slots = max(slots, list->node[i].bit + 1);
	return slots;
}

static int zone_cmp(const void *a, const void *b)
{
	const struct chring_node *x = *(const struct chring_node *const *)a;
	const struct chring_node *y = *(const struct chring_node *const *)b;

	if (x->zone_len != y->zone_len)
		return x->zone_len < y->zone_len ? -1 : 1;
	return memcmp(x->zone, y->zone, x->zone_len);
}

/* Equal zones have equal numbers; which ones is of no matter. */
static int number_zones(struct copy_nodes *n, const struct chring_nodes *list)
{
	const struct chring_node **by_zone;
	size_t i;
	u16 zone = 0;

	by_zone = calloc(list->count + 1, sizeof(*by_zone));
	if (!by_zone)
		return -ENOMEM;
	for (i = 0; i < list->count; i++)
		by_zone[i] = &list->node[i];
	qsort(by_zone, list->count, sizeof(*by_zone), zone_cmp);
	for (i = 0; i < list->count; i++) {
		zone += i && zone_cmp(&by_zone[i - 1], &by_zone[i]);
		n->zone[by_zone[i]->bit] = zone;
	}
	free(by_zone);
	return 0;
}

static int fill_nodes(struct chring *c, struct copy_nodes *n,
		      const struct chring_nodes *list)
{
	int ret = handle_learn(c, list);
	size_t i;

	for (i = 0; !ret && i < list->count; i++) {
		const struct chring_node *node = &list->node[i];
		const struct chring_name *name;

		ret = handle_name(c, node->id, &name);
		if (!ret)
			n->node[node->bit] = (struct chring_found){
				.node = node->id,
				.cookie = node->cookie,
				.name = name->bytes,
				.name_len = name->len,
			};
	}
	return ret ? ret : number_zones(n, list);
}

static int nodes_make(struct chring *c, const struct chring_nodes *list,
		      struct copy_nodes **out)
{
	u32 slots = slots_of(list);
	struct copy_nodes *n;
	int ret;

	n = calloc(1, sizeof(*n) + slots * sizeof(*n->node));
	if (!n)
		return -ENOMEM;
	n->refs = 1;
	n->epoch = list->epoch;
	n->slots = slots;
	n->zone = calloc(slots + 1, sizeof(*n->zone));
	ret = n->zone ? fill_nodes(c, n, list) : -ENOMEM;
	if (ret)
		nodes_put(n);
	else
		*out = n;
	return ret;
}

/* -- tokens */

/* Nodes of a list by their ids, with which each begins. */
static int ids_of(struct ids *ids, const struct chring_nodes *list)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < list->count && !ret; i++)
		ret = ids_put(ids, &list->node[i].id);
	return ret;
}

/* A page of tokens, behind those that are there. Return: 0, or an error. */
static int run_append(struct chring_run *r, u32 *at, const struct ids *ids,
		      const struct chring_config *config,
		      const struct chring_token *token, u32 n)
{
	u32 i;

	if (n > r->count - *at)
		return -EIO;
	for (i = 0; i < n; i++) {
		const struct chring_node *node = ids_find(ids, token[i].node);

		if (!node || chring_position_import(config, token[i].position,
						    &r->token[*at]))
			return -EIO;
		r->owner[(*at)++] = node->bit;
	}
	return 0;
}

static int run_fetch(struct chring *c, struct chring_run *r,
		     const struct ids *ids, const struct chring_config *config,
		     u64 epoch)
{
	struct chring_token *page = calloc(PAGE_TOKENS, sizeof(*page));
	struct chring_circle_list arg = {
		.epoch = epoch,
		.entries = (uintptr_t)page,
		.count = PAGE_TOKENS,
	};
	u32 at = 0;
	int ret;

	if (!page)
		return -ENOMEM;
	do {
		ret = handle_tokens(c, &arg);
		if (!ret)
			ret = run_append(r, &at, ids, config, page,
					 arg.out_count);
		arg.cursor = arg.out_cursor;
	} while (!ret && arg.out_more);
	free(page);
	return ret ? ret : at == r->count ? 0 : -EIO;
}

/* What each node has of the tokens, in one array, one node after the other. */
static int stands_make(struct copy_tokens *t, const struct chring_nodes *list)
{
	u64 *to;
	size_t i;
	u32 at;

	t->token = malloc((t->table->count + 1) * sizeof(*t->token));
	t->stand = calloc(t->slots + 1, sizeof(*t->stand));
	if (!t->token || !t->stand)
		return -ENOMEM;
	for (i = 0, to = t->token; i < list->count; i++) {
		struct chring_stand *s = &t->stand[list->node[i].bit];

		s->token = to;
		s->rank = i;
		to += list->node[i].tokens;
	}
	for (at = 0; at < t->table->count; at++) {
		struct chring_stand *s;

		s = &t->stand[chring_table_owner(t->table, at)];
		t->token[s->token - t->token + s->count++] =
			chring_table_token(t->table, at);
	}
	return 0;
}

static int table_make(struct copy_tokens *t, const struct chring_run *run,
		      const struct chring_nodes *list)
{
	const struct chring_run none = {};
	u16 *rank = calloc(t->slots + 1, sizeof(*rank));
	size_t i;

	if (!rank)
		return -ENOMEM;
	for (i = 0; i < list->count; i++)
		rank[list->node[i].bit] = i;
	t->table = chring_table_merge(NULL, run, &none, rank);
	free(rank);
	if (IS_ERR(t->table)) {
		int ret = PTR_ERR(t->table);

		t->table = NULL;
		return ret;
	}
	return 0;
}

static int tokens_fill(struct chring *c, struct copy_tokens *t,
		       const struct chring_nodes *list,
		       const struct chring_config *config)
{
	struct chring_run run = {};
	struct ids ids = {};
	u32 count = 0;
	size_t i;
	int ret = ids_of(&ids, list);

	for (i = 0; i < list->count; i++)
		count += list->node[i].tokens;
	if (!ret)
		ret = chring_run_alloc(&run, count);
	if (!ret)
		ret = run_fetch(c, &run, &ids, config, list->epoch);
	if (!ret)
		ret = table_make(t, &run, list);
	if (!ret)
		ret = stands_make(t, list);
	chring_run_free(&run);
	ids_free(&ids);
	return ret;
}

static int tokens_make(struct chring *c, const struct chring_nodes *list,
		       const struct chring_config *config,
		       struct copy_tokens **out)
{
	struct copy_tokens *t = calloc(1, sizeof(*t));
	int ret;

	if (!t)
		return -ENOMEM;
	t->refs = 1;
	t->epoch = list->epoch;
	t->slots = slots_of(list);
	ret = tokens_fill(c, t, list, config);
	if (ret)
		tokens_put(t);
	else
		*out = t;
	return ret;
}

/* -- both */

static bool holds(const struct copy *v, const struct status_words *w)
{
	return v->tokens && v->tokens->epoch >= w->table_epoch &&
	       v->nodes && v->nodes->epoch >= w->nodes_epoch;
}

/* Bring in what does not hold any more, all of one epoch. */
static int copy_fetch(struct chring *c, struct copy *v,
		      const struct status_words *w)
{
	struct chring_nodes *list;
	int ret = chring_node_list(c, &list);

	if (ret)
		return ret;
	nodes_put(v->nodes);
	v->nodes = NULL;
	ret = nodes_make(c, list, &v->nodes);
	if (!ret && (!v->tokens || v->tokens->epoch < w->table_epoch)) {
		tokens_put(v->tokens);
		v->tokens = NULL;
		ret = tokens_make(c, list, &v->config, &v->tokens);
	}
	chring_nodes_free(list);
	return ret;
}

static void copy_share(struct copy *v, const struct copy *old)
{
	if (!old)
		return;
	v->tokens = old->tokens;
	v->tokens->refs++;
	v->nodes = old->nodes;
	v->nodes->refs++;
}

/* Room for the bits of all nodes that there are in it. */
static int make_room(struct copy **copy, u32 *longs)
{
	u32 slots = 0;
	struct copy *v;

	if ((*copy)->tokens)
		slots = (*copy)->tokens->slots;
	if ((*copy)->nodes)
		slots = max(slots, (*copy)->nodes->slots);
	*longs = DIV_ROUND_UP(slots, BITS_PER_LONG);
	v = realloc(*copy, sizeof(*v) + *longs * sizeof(long));
	if (!v)
		return -ENOMEM;
	*copy = v;
	return 0;
}

/*
 * Who is in service, at a moment at which all the rest holds. Return: 0;
 * -ESTALE: it does not hold, as @w tells.
 */
static int copy_finish(struct copy **copy, const struct chring_status *status,
		       struct status_words *w)
{
	struct copy *v;
	u32 longs;
	int ret = make_room(copy, &longs);

	if (ret)
		return ret;
	v = *copy;
	ret = status_read(status, w, v->out, longs);
	if (ret)
		return ret;
	if (w->flags & CHRING_STATUS_DELETED)
		return -ENODEV;
	if (!holds(v, w))
		return -ESTALE;
	v->sequence = w->sequence;
	v->key_end = w->live ? CHRING_KEY_MAX + 1 : 0;
	v->ring = w->ring;
	v->epoch = w->epoch;
	v->circle = (struct chring_circle){
		.table = v->tokens->table,
		.stand = v->tokens->stand,
		.slots = v->tokens->slots,
		.out = v->out,
		.zone = v->nodes->zone,
		.live = w->live,
		.zones = w->zones,
	};
	return 0;
}

int copy_make(struct chring *c, const struct chring_status *status,
	      const struct chring_config *config, const struct copy *old,
	      struct copy **out)
{
	struct copy *v = calloc(1, sizeof(*v));
	struct status_words w = {};
	int tries, ret;

	if (!v)
		return -ENOMEM;
	v->config = *config;
	copy_share(v, old);
	for (tries = 0; tries < TRIES; tries++) {
		ret = copy_finish(&v, status, &w);
		if (ret != -ESTALE)
			break;
		ret = copy_fetch(c, v, &w);
		if (ret && ret != -ESTALE)
			break;
		ret = -ESTALE;
	}
	if (ret)
		copy_free(v);
	else
		*out = v;
	return ret;
}
