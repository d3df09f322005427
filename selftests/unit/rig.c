// SPDX-License-Identifier: GPL-2.0
#include "rig.h"

#include <stdlib.h>

#include "core/balance.h"
#include "core/digest.h"
#include "rng.h"
#include "tap.h"

void rig_open(struct rig *rig, const struct chring_config *config)
{
	memset(rig, 0, sizeof(*rig));
	rig->ring = chring_ring_create("rig", 3, config);
	NEED(!IS_ERR(rig->ring));
	model_init(&rig->model, config);
}

void rig_close(struct rig *rig)
{
	chring_ring_abandon(rig->ring);
	model_free(&rig->model);
}

struct chring_view *rig_view(const struct rig *rig)
{
	return rig->ring->view;
}

int rig_add(struct rig *rig, const struct model_node *node)
{
	const struct chring_edit edit = {
		.name = node->name,
		.name_len = node->name_len,
		.zone = node->zone,
		.zone_len = node->zone_len,
		.weight = node->weight,
		.state = node->state,
		.cookie = node->cookie,
	};

	rig->ret = chring_ring_node_add(rig->ring, &edit, &rig->rq);
	if (!rig->ret) {
		model_add(&rig->model, node);
		rig->model.node[rig->model.nodes - 1].id = rig->rq.node;
	}
	return rig->ret;
}

static void model_set(struct model *m, u32 node, u32 flags,
		      const struct model_node *want)
{
	struct model_node *n = &m->node[node];

	if (flags & CHRING_NODE_STATE)
		n->state = want->state;
	if (flags & CHRING_NODE_COOKIE)
		n->cookie = want->cookie;
	if (flags & CHRING_NODE_ZONE) {
		n->zone_len = want->zone_len;
		memcpy(n->zone, want->zone, sizeof(n->zone));
	}
	if (flags & CHRING_NODE_WEIGHT && n->weight != want->weight)
		model_set_weight(m, node, want->weight);
}

int rig_set(struct rig *rig, u32 node, u32 flags,
	    const struct model_node *want)
{
	const struct model_node *is = &rig->model.node[node];
	bool by_id = rng_once_in(2);
	const struct chring_edit edit = {
		.flags = flags,
		.node = by_id ? is->id : 0,
		.name = by_id ? NULL : is->name,
		.name_len = by_id ? 0 : is->name_len,
		.zone = want->zone,
		.zone_len = want->zone_len,
		.weight = want->weight,
		.state = want->state,
		.cookie = want->cookie,
	};

	rig->ret = chring_ring_node_set(rig->ring, &edit, &rig->rq);
	if (!rig->ret) {
		CHECK(rig->rq.node == is->id);
		model_set(&rig->model, node, flags, want);
	}
	return rig->ret;
}

int rig_del(struct rig *rig, u32 node)
{
	const struct model_node *is = &rig->model.node[node];
	bool by_id = rng_once_in(2);
	const struct chring_edit edit = {
		.node = by_id ? is->id : 0,
		.name = by_id ? NULL : is->name,
		.name_len = by_id ? 0 : is->name_len,
	};

	rig->ret = chring_ring_node_del(rig->ring, &edit, &rig->rq);
	if (!rig->ret) {
		CHECK(rig->rq.node == is->id);
		model_del(&rig->model, node);
	}
	return rig->ret;
}

void rig_fill(struct rig *rig, const struct model *from)
{
	u32 *order = calloc(from->nodes + 1, sizeof(*order));
	u32 i;

	NEED(order);
	rng_shuffle(order, from->nodes);
	for (i = 0; i < from->nodes; i++)
		NEED(!rig_add(rig, &from->node[order[i]]));
	free(order);
}

static u32 random_flag(void)
{
	static const u32 flags[] = {
		CHRING_NODE_WEIGHT, CHRING_NODE_WEIGHT, CHRING_NODE_STATE,
		CHRING_NODE_STATE, CHRING_NODE_ZONE, CHRING_NODE_COOKIE,
		CHRING_NODE_WEIGHT | CHRING_NODE_STATE,
	};

	return flags[rng_below(sizeof(flags) / sizeof(*flags))];
}

void rig_random_change(struct rig *rig)
{
	u32 nodes = rig->model.nodes;
	struct model_node node;

	model_random_node(&node, 8);
	/* Two of one name are possible, and rightly refused. */
	if (!nodes || rng_once_in(4))
		CHECK(!rig_add(rig, &node) || rig->ret == -EEXIST);
	else if (rng_once_in(5))
		CHECK(!rig_del(rig, rng_below(nodes)));
	else
		CHECK(!rig_set(rig, rng_below(nodes), random_flag(), &node));
}

u32 rig_node_of(const struct rig *rig, u32 slot)
{
	const struct chring_node *node = rig_view(rig)->roster->node[slot];
	const struct model *m = &rig->model;
	u32 i;

	NEED(node);
	for (i = 0; i < m->nodes; i++)
		if (model_same_name(&m->node[i], node->name, node->name_len))
			return i;
	NEED(!"a node that the model does not have");
	return 0;
}

bool rig_same_node(const struct rig *a, u32 slot_a, const struct rig *b,
		   u32 slot_b)
{
	return !model_name_cmp(&a->model.node[rig_node_of(a, slot_a)],
			       &b->model.node[rig_node_of(b, slot_b)]);
}

int rig_view_owner(const struct chring_view *v, u64 position)
{
	const struct chring_ask ask = { .position = position, .n = 1 };
	const struct chring_circle c = chring_view_circle(v);
	const struct chring_node *node, *same, *each;
	struct chring_visits visits = {};
	u32 walked;
	int ret, slot;

	ret = chring_view_owners(v, &ask, &node, &walked);
	same = chring_view_owner(v, position);
	CHECK(ret < 0 ? same == ERR_PTR(ret) : same == node);
	CHECK(chring_view_each_owner(v, &position, 1, &each, &visits) == ret);
	if (ret < 0)
		return ret;
	slot = chring_place_owner(&c, position, &walked);
	CHECK(ret == 1 && slot >= 0 && v->roster->node[slot] == node);
	CHECK(each == node && visits.worst == walked);
	return slot;
}

int rig_owner(const struct rig *rig, u64 position)
{
	int slot = rig_view_owner(rig_view(rig), position);

	return slot < 0 ? slot : (int)rig_node_of(rig, slot);
}

static void check_tokens(const struct rig *rig)
{
	const struct chring_table *t = rig_view(rig)->table;
	struct model_token *want = model_sorted(&rig->model);
	u32 collisions = 0, n = rig->model.tokens, i;

	if (CHECK(t->count == n))
		for (i = 0; i < n; i++) {
			CHECK(chring_table_token(t, i) == want[i].token);
			CHECK(rig_node_of(rig, chring_table_owner(t, i)) == want[i].node);
			collisions += i && want[i].token == want[i - 1].token;
		}
	CHECK(t->collisions == collisions);
	free(want);
}

/* @sorted has all tokens of the node, as the model sorts them, and no more. */
static void check_sorted(const struct chring_node_tokens *sorted, u32 node,
			 const struct model_token *want, u32 tokens)
{
	u32 n = 0, i;

	for (i = 0; i < tokens; i++) {
		if (want[i].node != node)
			continue;
		if (!CHECK(sorted && n < sorted->count &&
			   sorted->token[n++] == want[i].token))
			return;
	}
	CHECK(n == (sorted ? sorted->count : 0));
}

static void check_node(const struct rig *rig, const struct chring_node *node,
		       u32 slot)
{
	const struct model_node *want =
		&rig->model.node[rig_node_of(rig, slot)];

	CHECK(node->id == want->id);
	CHECK(node->cookie == want->cookie);
	CHECK(node->weight == want->weight);
	CHECK(node->tokens == model_token_count(&rig->model.config,
						want->weight));
	CHECK(node->zone_len == want->zone_len);
	CHECK(!memcmp(chring_node_zone(node), want->zone, want->zone_len));
	CHECK(chring_view_state(rig_view(rig), slot) == want->state);
}

static void check_nodes(const struct rig *rig)
{
	const struct chring_roster *r = rig_view(rig)->roster;
	struct model_token *sorted;
	u32 i;

	if (!CHECK(r->count == rig->model.nodes))
		return;
	sorted = model_sorted(&rig->model);
	for (i = 0; i < r->count; i++) {
		const struct chring_node *node = r->node[r->order[i]];

		check_node(rig, node, r->order[i]);
		check_sorted(node->sorted, rig_node_of(rig, r->order[i]),
			     sorted, rig->model.tokens);
		CHECK(chring_roster_find(r, node->name, node->name_len) ==
		      r->order[i]);
		CHECK(chring_roster_find_id(r, node->id) == r->order[i]);
	}
	free(sorted);
}

static void check_checksum(const struct rig *rig)
{
	const struct chring_view *v = rig_view(rig);
	u64 *hash = calloc(v->roster->slots + 1, sizeof(*hash));
	u64 sum = 0;
	u32 slot;

	NEED(hash);
	for (slot = 0; slot < v->roster->slots; slot++) {
		const struct chring_node *node = v->roster->node[slot];

		if (node)
			hash[slot] = xxh64(node->name, node->name_len, 0);
	}
	CHECK(!chring_checksum(v->table, &rig->ring->config, hash, &sum));
	CHECK(sum == model_checksum(&rig->model));
	free(hash);
}

static void check_shares(const struct rig *rig)
{
	const struct chring_view *v = rig_view(rig);
	struct chring_share *share = calloc(v->roster->slots + 1,
					    sizeof(*share));
	u32 bits = rig->ring->config.bits, slot;
	u64 hi = 0, lo = 0;

	NEED(share);
	CHECK(!chring_balance_shares(v->table, v->out, bits, share));
	for (slot = 0; slot < v->roster->slots; slot++) {
		lo += share[slot].lo;
		hi += share[slot].hi + (lo < share[slot].lo);
	}
	CHECK(hi == (v->live && bits == 64));
	CHECK(lo == (v->live && bits == 32 ? 1ULL << 32 : 0));
	free(share);
}

void rig_check(const struct rig *rig)
{
	const struct chring_view *v = rig_view(rig);

	CHECK(v->nodes == rig->model.nodes);
	CHECK(v->live == model_live(&rig->model));
	CHECK(v->digest == model_digest(&rig->model));
	CHECK(v->ring == rig->ring);
	check_nodes(rig);
	check_tokens(rig);
	check_checksum(rig);
	check_shares(rig);
}

static void check_owner(const struct rig *rig, u64 position)
{
	CHECK(rig_owner(rig, position) == model_owner(&rig->model, position));
}

void rig_check_owners(const struct rig *rig)
{
	u32 i;

	for (i = 0; i < rig->model.tokens; i++) {
		u64 token = rig->model.token[i].token;

		check_owner(rig, token - 1);
		check_owner(rig, token);
		check_owner(rig, token + 1);
	}
	for (i = 0; i < 16; i++)
		check_owner(rig, rng());
	check_owner(rig, 0);
	check_owner(rig, ~0ULL);
}

static bool same_zone(const struct model_node *a, const struct model_node *b)
{
	return a->zone_len == b->zone_len &&
	       !memcmp(a->zone, b->zone, a->zone_len);
}

/* Owners one after the other, each out of service for those that follow. */
static u32 walk_slowly(const struct model *m, u64 position, u32 *walk)
{
	struct model left;
	u32 n = 0;
	int node;

	model_copy(&left, m);
	while ((node = model_owner(&left, position)) >= 0) {
		left.node[node].state = CHRING_STATE_DOWN;
		walk[n++] = node;
	}
	model_free(&left);
	return n;
}

static bool zone_before(const struct model *m, const u32 *walk, u32 i)
{
	u32 k;

	for (k = 0; k < i; k++)
		if (same_zone(&m->node[walk[k]], &m->node[walk[i]]))
			return true;
	return false;
}

/* Those that are the first of their zone, then those that are not. */
static void zones_first(const struct model *m, const u32 *walk, u32 n, u32 *to)
{
	u32 found = 0, i;

	for (i = 0; i < n; i++)
		if (!zone_before(m, walk, i))
			to[found++] = walk[i];
	for (i = 0; i < n; i++)
		if (zone_before(m, walk, i))
			to[found++] = walk[i];
}

static void check_list(const struct rig *rig, struct chring_ask *ask,
		       const u32 *want, u32 all)
{
	const struct chring_node *node[CHRING_REPLICAS_MAX];
	u32 visits, i;
	int ret;

	for (ask->n = 1; ask->n <= min_t(u32, all + 1, CHRING_REPLICAS_MAX);
	     ask->n++) {
		ret = chring_view_owners(rig_view(rig), ask, node, &visits);
		CHECK(all ? ret == (int)min(ask->n, all) :
		      ret == (rig->model.nodes ? -EHOSTUNREACH : -ENODATA));
		for (i = 0; (int)i < ret; i++)
			CHECK(node[i]->id == rig->model.node[want[i]].id);
	}
}

void rig_check_lists(const struct rig *rig)
{
	u32 walk[100], zoned[100], n, i;

	NEED(rig->model.nodes <= sizeof(walk) / sizeof(*walk));
	/* One of them is past the last token, or on it. */
	for (i = 0; i < 4; i++) {
		struct chring_ask ask = { .position = i ? rng() : ~0ULL };

		n = walk_slowly(&rig->model, ask.position, walk);
		check_list(rig, &ask, walk, n);
		zones_first(&rig->model, walk, n, zoned);
		ask.zones = true;
		check_list(rig, &ask, zoned, n);
	}
}

void rig_check_memory(void)
{
	/* Twice: what the first round frees holds rings. */
	chring_retire_wait();
	chring_retire_wait();
	CHECK(!chring_platform_bytes());
}
