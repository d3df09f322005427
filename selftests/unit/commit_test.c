// SPDX-License-Identifier: GPL-2.0
/*
 * Whole memberships in one change, dry runs, and who owned before: against the
 * model of the membership, and against rings that came to it node by node.
 */
#include <stdlib.h>

#include "faults.h"
#include "rig.h"
#include "rng.h"
#include "tap.h"

#define ROUNDS		400
#define NODES_MAX	12

static int node_cmp(const void *a, const void *b)
{
	return model_name_cmp(a, b);
}

/**
 * struct order - a membership as a commit wants it
 * @edit: nodes in the order of names
 * @id: for their ids
 */
struct order {
	struct chring_edit *edit;
	u64 *id;
};

static void order_of(struct order *o, struct model *m)
{
	u32 i;

	if (m->nodes)
		qsort(m->node, m->nodes, sizeof(*m->node), node_cmp);
	model_place(m);
	o->edit = calloc(m->nodes + 1, sizeof(*o->edit));
	o->id = calloc(m->nodes + 1, sizeof(*o->id));
	NEED(o->edit && o->id);
	for (i = 0; i < m->nodes; i++)
		o->edit[i] = (struct chring_edit){
			.flags = CHRING_NODE_ALL,
			.name = m->node[i].name,
			.name_len = m->node[i].name_len,
			.zone = m->node[i].zone,
			.zone_len = m->node[i].zone_len,
			.weight = m->node[i].weight,
			.state = m->node[i].state,
			.cookie = m->node[i].cookie,
		};
}

static void order_free(struct order *o)
{
	free(o->edit);
	free(o->id);
}

/* Names that were there keep their ids, others have never been seen. */
static void check_ids(const struct model *was, const struct model *now,
		      const u64 *id)
{
	u64 last = 0;
	u32 i, k;

	for (k = 0; k < was->nodes; k++)
		last = max(last, was->node[k].id);
	for (i = 0; i < now->nodes; i++) {
		for (k = 0; k < was->nodes; k++)
			if (!model_name_cmp(&was->node[k], &now->node[i]))
				break;
		if (k < was->nodes)
			CHECK(id[i] == was->node[k].id);
		else
			CHECK(id[i] > last);
	}
}

/* The ring of the rig becomes @to, which takes the model's place. */
static void commit(struct rig *rig, struct model *to)
{
	const struct chring_view *v = rig_view(rig);
	u64 epoch = v->epoch, digest = model_digest(&rig->model);
	struct order o;
	u32 i;

	order_of(&o, to);
	/* As if first: what it says comes true, and nothing has changed. */
	rig->rq = (struct chring_request){ .dry_run = true };
	CHECK(!chring_ring_commit(rig->ring, o.edit, to->nodes, o.id,
				  &rig->rq));
	CHECK(rig->rq.facts.digest == model_digest(to));
	CHECK(rig_view(rig) == v && v->digest == digest);
	rig->rq = (struct chring_request){};
	CHECK(!chring_ring_commit(rig->ring, o.edit, to->nodes, o.id,
				  &rig->rq));
	check_ids(&rig->model, to, o.id);
	for (i = 0; i < to->nodes; i++)
		to->node[i].id = o.id[i];
	model_free(&rig->model);
	model_copy(&rig->model, to);
	/* What is as it is wanted makes no epoch. */
	CHECK(rig_view(rig)->epoch == epoch + (rig_view(rig) != v));
	v = rig_view(rig);
	CHECK(!chring_ring_commit(rig->ring, o.edit, to->nodes, o.id,
				  &rig->rq));
	CHECK(rig_view(rig) == v);
	order_free(&o);
}

/* A membership that has some of the nodes, changed or not, and others. */
static void next_membership(const struct model *from, struct model *to)
{
	u32 i;

	model_init(to, &from->config);
	if (rng_once_in(2))
		model_random(to, NODES_MAX);
	for (i = 0; i < from->nodes; i++) {
		struct model_node node = from->node[i];
		u32 k;

		for (k = 0; k < to->nodes; k++)
			if (!model_name_cmp(&to->node[k], &node))
				break;
		if (k < to->nodes || rng_once_in(4))
			continue;
		if (rng_once_in(3))
			node.weight = rng_below(8);
		if (rng_once_in(4))
			node.state = rng_below(3);
		if (rng_once_in(6))
			node.zone_len = rng_below(3);
		if (rng_once_in(6))
			node.cookie = rng();
		model_add(to, &node);
	}
}

static void test_memberships(void)
{
	u32 i, k;

	for (i = 0; i < ROUNDS; i++) {
		struct chring_config config;
		struct model to;
		struct rig rig;

		model_random_config(&config);
		rig_open(&rig, &config);
		for (k = 0; k < 8; k++) {
			next_membership(&rig.model, &to);
			commit(&rig, &to);
			rig_check(&rig);
			rig_check_owners(&rig);
			rig_check_lists(&rig);
			model_free(&to);
			if (rng_once_in(3))
				rig_random_change(&rig);
		}
		rig_close(&rig);
	}
}

/* -- as many nodes as there may be, and no slot left for others */

#define MOST	CHRING_NODES_MAX

static struct chring_edit *crowd(char (*name)[16], u32 n, char kind)
{
	struct chring_edit *edit = calloc(n, sizeof(*edit));
	u32 i;

	NEED(edit);
	for (i = 0; i < n; i++) {
		snprintf(name[i], sizeof(name[i]), "%c%05u", kind, i);
		edit[i] = (struct chring_edit){
			.flags = CHRING_NODE_ALL,
			.name = name[i],
			.name_len = 6,
			.weight = 1 + i % 2,
			.state = i % 5 ? CHRING_STATE_UP : CHRING_STATE_DOWN,
		};
	}
	return edit;
}

static const struct chring_node *owner_at(const struct chring_view *v, u32 at)
{
	return v->roster->node[chring_table_owner(v->table, at)];
}

static void check_same_views(const struct chring_view *v,
			     const struct chring_view *w)
{
	const struct chring_table *a = v->table, *b = w->table;
	u32 i;

	CHECK(v->digest == w->digest && v->live == w->live);
	NEED(a->count == b->count);
	for (i = 0; i < a->count; i++)
		if (!CHECK(chring_table_token(a, i) ==
			   chring_table_token(b, i) &&
			   !chring_node_cmp(owner_at(v, i), owner_at(w, i))))
			return;
}

static void test_no_slot_left(void)
{
	static char first[MOST][16], second[MOST][16];
	struct chring_config config = { .vnodes = 1 };
	struct chring_request rq = {};
	struct chring_ring *ring, *fresh;
	struct chring_edit *a = crowd(first, MOST, 'a');
	struct chring_edit *b = crowd(second, MOST, 'b');
	u64 *id = calloc(MOST, sizeof(*id)), last;

	NEED(id && !chring_config_resolve(&config));
	ring = chring_ring_create("ring", 4, &config);
	fresh = chring_ring_create("fresh", 5, &config);
	NEED(!IS_ERR(ring) && !IS_ERR(fresh));
	CHECK(!chring_ring_commit(ring, a, 40000, id, &rq));
	last = id[39999];
	/* 25,536 slots are free, 30,000 nodes come. */
	CHECK(!chring_ring_commit(ring, b, 30000, id, &rq));
	CHECK(id[0] > last && ring->view->epoch == 3);
	CHECK(!chring_ring_commit(fresh, b, 30000, id, &rq));
	check_same_views(ring->view, fresh->view);
	/* And all there may be, twice. */
	CHECK(!chring_ring_commit(ring, a, MOST, id, &rq));
	CHECK(!chring_ring_commit(ring, b, MOST, id, &rq));
	CHECK(!chring_ring_commit(fresh, b, MOST, id, &rq));
	check_same_views(ring->view, fresh->view);
	CHECK(ring->view->roster->slots == MOST);
	CHECK(!chring_ring_commit(ring, b, 0, id, &rq));
	CHECK(!ring->view->nodes && !ring->view->table->count);
	chring_ring_abandon(ring);
	chring_ring_abandon(fresh);
	free(a);
	free(b);
	free(id);
}

/* One half of a membership is replaced: it is as if it had always been so. */
static void swap_halves(struct chring_ring *ring, struct chring_ring *fresh,
			struct chring_edit *edit, u64 *id)
{
	struct chring_request rq = {};

	CHECK(!chring_ring_commit(ring, edit, MOST, id, &rq));
	CHECK(!chring_ring_commit(fresh, edit, 0, id, &rq));
	CHECK(!chring_ring_commit(fresh, edit, MOST, id, &rq));
	CHECK(ring->view->table->collisions > 10);
	check_same_views(ring->view, fresh->view);
}

/* Nodes that stay, and others in the slots of those that go, at places shared. */
static void test_no_slot_left_at_one_place(void)
{
	static char name[3][MOST / 2][16];
	const u32 half = MOST / 2;
	struct chring_config config = {
		.hash = CHRING_HASH_MURMUR3, .bits = 32, .vnodes = 8,
	};
	struct chring_edit *first = crowd(name[0], half, 'a');
	struct chring_edit *stay = crowd(name[1], half, 'm');
	struct chring_edit *last = crowd(name[2], half, 'z');
	struct chring_edit *all = calloc(3 * half, sizeof(*all));
	u64 *id = calloc(MOST, sizeof(*id));
	struct chring_ring *ring, *fresh;

	NEED(all && id && !chring_config_resolve(&config));
	ring = chring_ring_create("ring", 4, &config);
	fresh = chring_ring_create("fresh", 5, &config);
	NEED(!IS_ERR(ring) && !IS_ERR(fresh));
	memcpy(all, first, half * sizeof(*all));
	memcpy(all + half, stay, half * sizeof(*all));
	memcpy(all + MOST, last, half * sizeof(*all));
	swap_halves(ring, fresh, all, id);
	swap_halves(ring, fresh, all + half, id);
	swap_halves(ring, fresh, all, id);
	chring_ring_abandon(ring);
	chring_ring_abandon(fresh);
	free(first);
	free(stay);
	free(last);
	free(all);
	free(id);
}

/* -- who owned before */

/**
 * struct past - what the former owners must be
 * @was: the membership of that time; states say who can answer now
 * @known: there was one
 * @pinned: it stays
 */
struct past {
	struct model was;
	bool known;
	bool pinned;
};

static u32 tokens_of(const struct model *m, u64 id)
{
	u32 i;

	for (i = 0; i < m->nodes; i++)
		if (m->node[i].id == id)
			return model_token_count(&m->config,
						 m->node[i].weight);
	return 0;
}

static bool tokens_differ(const struct model *a, const struct model *b)
{
	u32 i;

	for (i = 0; i < a->nodes; i++)
		if (tokens_of(a, a->node[i].id) != tokens_of(b, a->node[i].id))
			return true;
	for (i = 0; i < b->nodes; i++)
		if (tokens_of(a, b->node[i].id) != tokens_of(b, b->node[i].id))
			return true;
	return false;
}

static void past_take(struct past *p, const struct model *m)
{
	if (p->known)
		model_free(&p->was);
	model_copy(&p->was, m);
	p->known = true;
}

/* A node that is still there is in the state that it is in. */
static void past_follow(struct past *p, const struct model *now)
{
	u32 i, k;

	for (i = 0; p->known && i < p->was.nodes; i++)
		for (k = 0; k < now->nodes; k++)
			if (now->node[k].id == p->was.node[i].id)
				p->was.node[i].state = now->node[k].state;
}

static u64 former_id(const struct past *p, u64 position)
{
	struct model m;
	u64 id = 0;
	int node;
	u32 i;

	if (!p->known)
		return 0;
	model_copy(&m, &p->was);
	for (i = 0; i < m.nodes; i++)
		if (m.node[i].state == CHRING_STATE_DRAIN)
			m.node[i].state = CHRING_STATE_UP;
	node = model_owner(&m, position);
	if (node >= 0)
		id = m.node[node].id;
	model_free(&m);
	return id;
}

static void check_former(const struct rig *rig, const struct past *p,
			 u64 position)
{
	struct chring_ask ask = { .position = position, .n = 1 };
	const struct chring_node *one, *node[CHRING_REPLICAS_MAX];
	u64 id = former_id(p, position);
	u32 visits;
	int ret, i, k;

	ret = chring_view_formers(rig_view(rig), &ask, &one, &visits);
	if (!p->known || !p->was.nodes)
		CHECK(ret == -ENODATA);
	else
		CHECK(id ? ret == 1 && one->id == id : ret == -EHOSTUNREACH);
	ask.n = CHRING_REPLICAS_MAX;
	ask.zones = rng_once_in(2);
	ret = chring_view_formers(rig_view(rig), &ask, node, &visits);
	CHECK((ret > 0) == !!id && (ret <= 0 || node[0] == one));
	for (i = 0; i < ret; i++)
		for (k = 0; k < i; k++)
			CHECK(node[i]->id != node[k]->id);
	/* A node that is still there is told as it is now. */
	for (i = 0; i < ret; i++)
		for (k = 0; k < (int)rig->model.nodes; k++)
			if (rig->model.node[k].id == node[i]->id)
				CHECK(node[i]->cookie ==
				      rig->model.node[k].cookie);
}

static void check_formers(const struct rig *rig, const struct past *p)
{
	u32 i;

	for (i = 0; i < 8; i++) {
		u64 position = rng();

		if (p->known && p->was.tokens && rng_once_in(2))
			position = p->was.token[rng_below(p->was.tokens)].token +
				   rng_below(2);
		check_former(rig, p, position);
	}
	CHECK(rig_view(rig)->pinned == p->pinned);
	CHECK(!p->known == !rig_view(rig)->former.epoch);
}

static void pin_or_unpin(struct rig *rig, struct past *p)
{
	struct chring_request rq = {};
	u64 digest = rig_view(rig)->digest;

	CHECK((p->pinned ? chring_ring_pin(rig->ring, &rq) :
			   chring_ring_unpin(rig->ring, &rq)) ==
	      (p->pinned ? -EBUSY : -ENOENT));
	CHECK(!(p->pinned ? chring_ring_unpin(rig->ring, &rq) :
			    chring_ring_pin(rig->ring, &rq)));
	CHECK(rig_view(rig)->digest == digest);
	p->pinned = !p->pinned;
	if (p->pinned)
		past_take(p, &rig->model);
}

static void change(struct rig *rig)
{
	struct model to;

	if (!rng_once_in(8)) {
		rig_random_change(rig);
		return;
	}
	next_membership(&rig->model, &to);
	commit(rig, &to);
	model_free(&to);
}

static void test_formers(void)
{
	u32 i, k, pins = 0;

	for (i = 0; i < ROUNDS; i++) {
		struct past p = {};
		struct chring_config config;
		struct rig rig;

		model_random_config(&config);
		rig_open(&rig, &config);
		for (k = 0; k < 40; k++) {
			struct model before;

			if (rng_once_in(8)) {
				pin_or_unpin(&rig, &p);
				pins++;
			}
			model_copy(&before, &rig.model);
			change(&rig);
			if (!p.pinned && tokens_differ(&before, &rig.model))
				past_take(&p, &before);
			past_follow(&p, &rig.model);
			check_formers(&rig, &p);
			if (k % 8 == 0)
				rig_check_lists(&rig);
			model_free(&before);
		}
		rig_close(&rig);
		if (p.known)
			model_free(&p.was);
	}
	CHECK(pins);
}

/* -- memory: all of it is counted, and once */

static void change_or_pin(struct rig *rig)
{
	struct chring_request rq = {};

	if (!rng_once_in(6))
		change(rig);
	else if (rig_view(rig)->pinned)
		CHECK(!chring_ring_unpin(rig->ring, &rq));
	else
		CHECK(!chring_ring_pin(rig->ring, &rq));
}

static void check_bytes(struct rig *rig)
{
	struct chring_view *old = chring_ring_view_get(rig->ring);
	const struct chring_view *v;

	change_or_pin(rig);
	/* The one before is held: what it retires is still there. */
	v = rig_view(rig);
	CHECK(chring_platform_bytes() == chring_view_total_bytes(v) +
	      (v == old ? 0 : old->retires));
	chring_view_put(old);
	chring_retire_wait();
	CHECK(chring_platform_bytes() == chring_view_total_bytes(v));
}

static void test_bytes(void)
{
	u32 i, k;

	for (i = 0; i < 20; i++) {
		struct chring_config config;
		struct rig rig;

		model_random_config(&config);
		rig_open(&rig, &config);
		for (k = 0; k < 40; k++)
			check_bytes(&rig);
		rig_close(&rig);
		rig_check_memory();
	}
}

/* What a version of a node has of the one before. */
static void test_shared_tokens(void)
{
	struct chring_config config = { .vnodes = 3, .unit = 2 };
	struct model_node node = { .name = "n", .name_len = 1, .weight = 3 };
	const struct chring_node_tokens *sorted;
	struct rig rig;
	u32 slot;

	NEED(!chring_config_resolve(&config));
	rig_open(&rig, &config);
	NEED(!rig_add(&rig, &node));
	slot = rig_view(&rig)->roster->order[0];
	sorted = rig_view(&rig)->roster->node[slot]->sorted;
	CHECK(sorted->count == 5);
	node.cookie = 7;
	node.zone_len = 1;
	node.zone[0] = 'z';
	node.state = CHRING_STATE_DRAIN;
	CHECK(!rig_set(&rig, 0, CHRING_NODE_COOKIE | CHRING_NODE_ZONE |
		       CHRING_NODE_STATE, &node));
	CHECK(rig_view(&rig)->roster->node[slot]->sorted == sorted);
	node.weight = 4;
	CHECK(!rig_set(&rig, 0, CHRING_NODE_WEIGHT, &node));
	CHECK(rig_view(&rig)->roster->node[slot]->sorted != sorted);
	/* Those of before have what was. */
	CHECK(rig_view(&rig)->former.roster->node[slot]->sorted == sorted);
	node.weight = 0;
	CHECK(!rig_set(&rig, 0, CHRING_NODE_WEIGHT, &node));
	CHECK(!rig_view(&rig)->roster->node[slot]->sorted);
	rig_check(&rig);
	rig_close(&rig);
}

static const struct tap_test tests[] = {
	{ "memberships", test_memberships },
	{ "no_slot_left", test_no_slot_left },
	{ "no_slot_left_at_one_place", test_no_slot_left_at_one_place },
	{ "formers", test_formers },
	{ "bytes", test_bytes },
	{ "shared_tokens", test_shared_tokens },
};

int main(void)
{
	faults_init();
	rng_init();
	return tap_run(tests, sizeof(tests) / sizeof(*tests), rig_check_memory);
}
