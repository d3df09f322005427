// SPDX-License-Identifier: GPL-2.0
/*
 * What holds of any ring: it is a function of its membership, and a change
 * moves what it must and nothing else. Tried on thousands of random ones.
 */
#include <stdlib.h>

#include "faults.h"
#include "rig.h"
#include "rng.h"
#include "tap.h"

#define MEMBERSHIPS	1000
#define NODES_MAX	10

static void open_random(struct rig *rig)
{
	struct chring_config config;
	struct model m;

	model_random_config(&config);
	model_init(&m, &config);
	model_random(&m, NODES_MAX);
	rig_open(rig, &config);
	rig_fill(rig, &m);
	model_free(&m);
}

/* -- a function of the membership */

/* Two rings of one membership: same digest, same tokens, same owners. */
static void check_same(const struct rig *a, const struct rig *b)
{
	const struct chring_view *v = rig_view(a), *w = rig_view(b);
	u32 i;

	CHECK(v->digest == w->digest);
	CHECK(v->live == w->live && v->nodes == w->nodes);
	CHECK(v->table->collisions == w->table->collisions);
	if (!CHECK(v->table->count == w->table->count))
		return;
	for (i = 0; i < v->table->count; i++) {
		CHECK(chring_table_token(v->table, i) ==
		      chring_table_token(w->table, i));
		CHECK(rig_same_node(a, chring_table_owner(v->table, i),
				    b, chring_table_owner(w->table, i)));
	}
}

static void history(struct rig *rig)
{
	u32 changes = 1 + rng_below(25);

	while (changes--)
		rig_random_change(rig);
}

static void test_order_and_history(void)
{
	u32 i;

	for (i = 0; i < MEMBERSHIPS; i++) {
		struct rig rig, fresh;

		open_random(&rig);
		history(&rig);
		rig_check(&rig);
		rig_check_owners(&rig);
		rig_open(&fresh, &rig.model.config);
		rig_fill(&fresh, &rig.model);
		check_same(&rig, &fresh);
		rig_close(&fresh);
		rig_close(&rig);
	}
}

static void test_every_step(void)
{
	u32 i, k;

	for (i = 0; i < MEMBERSHIPS / 20; i++) {
		struct rig rig;

		open_random(&rig);
		for (k = 0; k < 30; k++) {
			rig_random_change(&rig);
			rig_check(&rig);
			rig_check_owners(&rig);
		}
		while (rig.model.nodes)
			CHECK(!rig_del(&rig, rng_below(rig.model.nodes)));
		rig_check(&rig);
		CHECK(!rig_view(&rig)->table->count);
		rig_close(&rig);
	}
}

/* A digest tells a change of @flags, and tells when it is undone. */
static void check_digest_tells(struct rig *rig, u32 flags)
{
	u32 node = rng_below(rig->model.nodes);
	struct model_node was = rig->model.node[node], want = was;
	u64 before = rig_view(rig)->digest;

	want.weight++;
	want.state = (want.state + 1) % 3;
	want.cookie++;
	want.zone[0] ^= 1;
	want.zone_len = 1;
	CHECK(!rig_set(rig, node, flags, &want));
	CHECK((rig_view(rig)->digest == before) ==
	      (flags == CHRING_NODE_COOKIE));
	CHECK(!rig_set(rig, node, flags, &was));
	CHECK(rig_view(rig)->digest == before);
}

static void test_digest_tells_nodes(void)
{
	u32 i;

	for (i = 0; i < MEMBERSHIPS / 4; i++) {
		struct rig rig;

		open_random(&rig);
		if (rig.model.nodes) {
			u64 before = rig_view(&rig)->digest;

			check_digest_tells(&rig, CHRING_NODE_WEIGHT);
			check_digest_tells(&rig, CHRING_NODE_STATE);
			check_digest_tells(&rig, CHRING_NODE_ZONE);
			check_digest_tells(&rig, CHRING_NODE_COOKIE);
			CHECK(!rig_del(&rig, 0));
			CHECK(rig_view(&rig)->digest != before);
		}
		rig_close(&rig);
	}
}

static u64 digest_of(struct chring_config config)
{
	struct model_node node = { .name = "n", .name_len = 1, .weight = 1 };
	struct rig rig;
	u64 digest;

	NEED(!chring_config_resolve(&config));
	rig_open(&rig, &config);
	CHECK(!rig_add(&rig, &node));
	digest = rig_view(&rig)->digest;
	CHECK(digest == model_digest(&rig.model));
	rig_close(&rig);
	return digest;
}

static void test_digest_tells_config(void)
{
	static const struct chring_config config[] = {
		{},
		{ .bits = 32 },
		{ .hash = CHRING_HASH_MURMUR64 },
		{ .hash = CHRING_HASH_MURMUR3 },
		{ .hash = CHRING_HASH_SIPHASH, .seed = { 1, 0 } },
		{ .hash = CHRING_HASH_SIPHASH, .seed = { 0, 1 } },
		{ .vnodes = 161 },
		{ .unit = 2 },
		{ .sep = "-", .sep_len = 1 },
		{ .sep = "#-", .sep_len = 2 },
		{ .seed = { 1 } },
	};
	const u32 n = sizeof(config) / sizeof(*config);
	u32 i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < n; k++)
			CHECK((digest_of(config[i]) == digest_of(config[k])) ==
			      (i == k));
}

/* -- minimal movement */

enum kind {
	ADD, DEL, HEAVIER, LIGHTER, TO_SERVICE, OUT_OF_SERVICE, UNMOVING, KINDS
};

/**
 * struct movement - a change, and where keys were before it
 * @rig: ring
 * @kind: of the change
 * @node: index of the node that changes; not for ADD
 * @id: of the node that changes
 * @position: where to look
 * @before: id of the owner before, 0 for none
 * @count: positions
 * @moved: of them, how many have another owner after
 */
struct movement {
	struct rig *rig;
	enum kind kind;
	u32 node;
	u64 id;
	u64 *position;
	u64 *before;
	u32 count;
	u32 moved;
};

static u64 owner_id(const struct rig *rig, u64 position)
{
	const struct chring_view *v = rig_view(rig);
	int slot = rig_view_owner(v, position);

	return slot < 0 ? 0 : v->roster->node[slot]->id;
}

/* Each token and both sides of it, and as many anywhere. */
static void movement_begin(struct movement *m)
{
	const struct chring_table *t = rig_view(m->rig)->table;
	u32 i;

	m->count = 0;
	m->position = calloc(t->count * 4 + 64, sizeof(u64));
	m->before = calloc(t->count * 4 + 64, sizeof(u64));
	NEED(m->position && m->before);
	for (i = 0; i < t->count; i++) {
		m->position[m->count++] = chring_table_token(t, i) - 1;
		m->position[m->count++] = chring_table_token(t, i);
		m->position[m->count++] = chring_table_token(t, i) + 1;
	}
	for (i = 0; i < t->count + 64; i++)
		m->position[m->count++] = rng();
	for (i = 0; i < m->count; i++)
		m->before[i] = owner_id(m->rig, m->position[i]);
}

/* Where the owner is another one, one of the two is the node that changes. */
static void movement_end(struct movement *m)
{
	bool gains = m->kind == ADD || m->kind == HEAVIER ||
		     m->kind == TO_SERVICE;
	u32 i;

	for (i = 0; i < m->count; i++) {
		u64 after = owner_id(m->rig, m->position[i]);

		if (after == m->before[i])
			continue;
		m->moved++;
		CHECK(m->kind != UNMOVING);
		CHECK((gains ? after : m->before[i]) == m->id);
	}
	free(m->position);
	free(m->before);
}

/* What to set, or 0 if this node cannot change in this way. */
static u32 wanted(const struct movement *m, struct model_node *want)
{
	const struct model_node *is = &m->rig->model.node[m->node];

	*want = *is;
	switch (m->kind) {
	case HEAVIER:
		want->weight = is->weight + 1 + rng_below(4);
		return CHRING_NODE_WEIGHT;
	case LIGHTER:
		want->weight = rng_below(is->weight + 1);
		return is->weight ? CHRING_NODE_WEIGHT : 0;
	case TO_SERVICE:
		want->state = CHRING_STATE_UP;
		return is->state ? CHRING_NODE_STATE : 0;
	case OUT_OF_SERVICE:
		want->state = 1 + rng_below(2);
		return is->state ? 0 : CHRING_NODE_STATE;
	default:
		want->cookie++;
		want->zone_len = !is->zone_len;
		want->zone[0] = 'z';
		return CHRING_NODE_COOKIE | CHRING_NODE_ZONE;
	}
}

static void move_by_add(struct movement *m)
{
	struct model_node node;

	model_random_node(&node, 8);
	movement_begin(m);
	CHECK(!rig_add(m->rig, &node) || m->rig->ret == -EEXIST);
	m->id = m->rig->rq.node;
	movement_end(m);
}

static void move(struct movement *m)
{
	struct model_node want;
	u32 flags;

	if (m->kind == ADD) {
		move_by_add(m);
		return;
	}
	if (!m->rig->model.nodes)
		return;
	m->node = rng_below(m->rig->model.nodes);
	m->id = m->rig->model.node[m->node].id;
	flags = wanted(m, &want);
	if (m->kind != DEL && !flags)
		return;
	movement_begin(m);
	if (m->kind == DEL)
		CHECK(!rig_del(m->rig, m->node));
	else
		CHECK(!rig_set(m->rig, m->node, flags, &want));
	movement_end(m);
}

static u32 moved_by(enum kind kind)
{
	struct rig rig;
	struct movement m = { .rig = &rig, .kind = kind };
	u32 i;

	for (i = 0; i < MEMBERSHIPS / 2; i++) {
		open_random(&rig);
		move(&m);
		rig_close(&rig);
	}
	return m.moved;
}

/* A test in which nothing ever moves would find nothing. */
static void test_move_add(void)
{
	CHECK(moved_by(ADD) > MEMBERSHIPS);
}

static void test_move_del(void)
{
	CHECK(moved_by(DEL) > MEMBERSHIPS);
}

static void test_move_heavier(void)
{
	CHECK(moved_by(HEAVIER) > MEMBERSHIPS);
}

static void test_move_lighter(void)
{
	CHECK(moved_by(LIGHTER) > MEMBERSHIPS);
}

static void test_move_to_service(void)
{
	CHECK(moved_by(TO_SERVICE) > MEMBERSHIPS);
}

static void test_move_out_of_service(void)
{
	CHECK(moved_by(OUT_OF_SERVICE) > MEMBERSHIPS);
}

static void test_move_nothing(void)
{
	CHECK(!moved_by(UNMOVING));
}

/* -- weight */

static struct chring_table *table_copy(const struct chring_table *t)
{
	const u16 rank[CHRING_NODES_MAX] = {};
	const struct chring_run none = {};
	struct chring_table *copy;

	copy = chring_table_merge(t, &none, &none, rank);
	NEED(!IS_ERR(copy));
	return copy;
}

/* @more is @less and tokens of @slot beside, in this order. */
static void check_only_adds(const struct chring_table *less,
			    const struct chring_table *more, u32 slot)
{
	u32 i, k = 0;

	for (i = 0; i < more->count; i++)
		if (k < less->count && chring_table_token(more, i) ==
				       chring_table_token(less, k) &&
		    chring_table_owner(more, i) == chring_table_owner(less, k))
			k++;
		else
			CHECK(chring_table_owner(more, i) == slot);
	CHECK(k == less->count);
}

static bool same_tokens(const struct chring_table *a,
			const struct chring_table *b)
{
	return a->count == b->count && a->collisions == b->collisions &&
	       !memcmp(a->entry, b->entry, a->count * sizeof(*a->entry)) &&
	       !memcmp(a->low, b->low, a->count * sizeof(*a->low));
}

static void up_and_down(struct rig *rig, u32 node)
{
	struct model_node heavy = rig->model.node[node], light = heavy;
	struct chring_table *before = table_copy(rig_view(rig)->table);
	u32 slot = chring_roster_find(rig_view(rig)->roster, heavy.name,
				      heavy.name_len);

	heavy.weight += 1 + rng_below(5);
	CHECK(!rig_set(rig, node, CHRING_NODE_WEIGHT, &heavy));
	check_only_adds(before, rig_view(rig)->table, slot);
	CHECK(!rig_set(rig, node, CHRING_NODE_WEIGHT, &light));
	CHECK(same_tokens(before, rig_view(rig)->table));
	chring_table_free(before);
}

static void test_weight_only_adds(void)
{
	u32 i;

	for (i = 0; i < MEMBERSHIPS / 2; i++) {
		struct rig rig;

		open_random(&rig);
		if (rig.model.nodes)
			up_and_down(&rig, rng_below(rig.model.nodes));
		rig_close(&rig);
	}
}

/* -- what is shared, and what never comes again */

static void check_shares_table(struct rig *rig, u32 flags)
{
	const struct chring_table *table = rig_view(rig)->table;
	const struct chring_roster *roster = rig_view(rig)->roster;
	u32 node = rng_below(rig->model.nodes);
	struct model_node want = rig->model.node[node];
	u64 epoch = rig_view(rig)->epoch;

	want.state = (want.state + 1) % 3;
	want.cookie++;
	want.zone_len = !want.zone_len;
	want.zone[0] = 'z';
	CHECK(!rig_set(rig, node, flags, &want));
	CHECK(rig_view(rig)->epoch == epoch + 1);
	CHECK(rig_view(rig)->table == table);
	if (flags == CHRING_NODE_STATE)
		CHECK(rig_view(rig)->roster == roster);
	rig_check(rig);
}

static void test_flips_share_the_table(void)
{
	u32 i;

	for (i = 0; i < MEMBERSHIPS / 10; i++) {
		struct rig rig;

		open_random(&rig);
		if (rig.model.nodes) {
			check_shares_table(&rig, CHRING_NODE_STATE);
			check_shares_table(&rig, CHRING_NODE_ZONE);
			check_shares_table(&rig, CHRING_NODE_COOKIE);
			check_shares_table(&rig, CHRING_NODE_STATE |
						 CHRING_NODE_ZONE);
		}
		rig_close(&rig);
	}
}

/* With 2 tokens for 5 units of weight, 6 and 7 have as many. */
static void test_weight_of_no_token_shares_the_table(void)
{
	struct chring_config config = { .vnodes = 2, .unit = 5 };
	struct model_node node = { .name = "n", .name_len = 1, .weight = 6 };
	const struct chring_table *table;
	struct rig rig;

	NEED(!chring_config_resolve(&config));
	rig_open(&rig, &config);
	CHECK(!rig_add(&rig, &node));
	table = rig_view(&rig)->table;
	node.weight = 7;
	CHECK(!rig_set(&rig, 0, CHRING_NODE_WEIGHT, &node));
	CHECK(rig_view(&rig)->epoch == 3);
	CHECK(rig_view(&rig)->table == table);
	rig_check(&rig);
	rig_close(&rig);
}

static void test_no_change_no_epoch(void)
{
	const u32 all = CHRING_NODE_WEIGHT | CHRING_NODE_STATE |
			CHRING_NODE_ZONE | CHRING_NODE_COOKIE;
	u32 flags, i;

	for (i = 0; i < MEMBERSHIPS / 10; i++) {
		const struct chring_view *v;
		struct rig rig;

		open_random(&rig);
		v = rig_view(&rig);
		for (flags = 1; rig.model.nodes && flags <= all; flags++) {
			u32 node = rng_below(rig.model.nodes);

			CHECK(!rig_set(&rig, node, flags,
				       &rig.model.node[node]));
			CHECK(rig_view(&rig) == v);
			CHECK(rig.rq.facts.epoch == v->epoch);
			CHECK(rig.rq.facts.digest == v->digest);
		}
		rig_close(&rig);
	}
}

static void test_ids_never_come_again(void)
{
	struct model_node node = { .name = "n", .name_len = 1, .weight = 1 };
	u64 last = 0;
	u32 i, k;

	for (i = 0; i < 20; i++) {
		struct chring_config config = {};
		struct rig rig;

		NEED(!chring_config_resolve(&config));
		rig_open(&rig, &config);
		CHECK(rig.ring->id > last);
		last = rig.ring->id;
		for (k = 0; k < 10; k++) {
			CHECK(!rig_add(&rig, &node));
			CHECK(rig.rq.node > last);
			last = rig.rq.node;
			CHECK(rig_add(&rig, &node) == -EEXIST);
			CHECK(!rig_del(&rig, 0));
		}
		rig_close(&rig);
	}
}

/* The generation is the caller's: it comes with a change, or alone. */
static void test_generation(void)
{
	struct chring_config config = {};
	struct model_node node = { .name = "n", .name_len = 1, .weight = 1 };
	const struct chring_view *v;
	struct rig rig;

	NEED(!chring_config_resolve(&config));
	rig_open(&rig, &config);
	CHECK(!rig_view(&rig)->generation);
	rig.rq.generation = 7;
	CHECK(!rig_add(&rig, &node));
	CHECK(rig_view(&rig)->generation == 7);
	v = rig_view(&rig);
	CHECK(!rig_set(&rig, 0, CHRING_NODE_WEIGHT, &node));
	CHECK(rig_view(&rig) == v);
	rig.rq.generation = 9;
	CHECK(!rig_set(&rig, 0, CHRING_NODE_WEIGHT, &node));
	CHECK(rig_view(&rig)->generation == 9);
	CHECK(rig_view(&rig)->epoch == 3);
	CHECK(rig.rq.facts.generation == 9 && rig.rq.facts.epoch == 3);
	rig.rq.generation = 0;
	CHECK(!rig_del(&rig, 0));
	CHECK(rig_view(&rig)->generation == 9);
	rig_close(&rig);
}

static const struct tap_test tests[] = {
	{ "order_and_history", test_order_and_history },
	{ "every_step", test_every_step },
	{ "digest_tells_nodes", test_digest_tells_nodes },
	{ "digest_tells_config", test_digest_tells_config },
	{ "move_add", test_move_add },
	{ "move_del", test_move_del },
	{ "move_heavier", test_move_heavier },
	{ "move_lighter", test_move_lighter },
	{ "move_to_service", test_move_to_service },
	{ "move_out_of_service", test_move_out_of_service },
	{ "move_nothing", test_move_nothing },
	{ "weight_only_adds", test_weight_only_adds },
	{ "flips_share_the_table", test_flips_share_the_table },
	{ "weight_of_no_token_shares_the_table",
	  test_weight_of_no_token_shares_the_table },
	{ "no_change_no_epoch", test_no_change_no_epoch },
	{ "ids_never_come_again", test_ids_never_come_again },
	{ "generation", test_generation },
};

int main(void)
{
	int status;

	faults_init();
	chring_sync_init();
	rng_init();
	status = tap_run(tests, sizeof(tests) / sizeof(*tests),
			 rig_check_memory);
	chring_sync_exit();
	return status;
}
