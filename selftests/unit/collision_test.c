// SPDX-License-Identifier: GPL-2.0
/*
 * Tokens of several nodes at one place: no node is lost, whoever comes and
 * goes in whatever order, and the table is always the one that its membership
 * alone would give.
 */
#include <stdlib.h>

#include "core/config.h"
#include "core/table.h"
#include "faults.h"
#include "rig.h"
#include "rng.h"
#include "tap.h"

/* -- names that MurmurHash3 cannot tell apart */

static u32 rotate(u32 x, u32 n)
{
	return x << n | x >> (32 - n);
}

/* Of an odd number modulo 2^32, by Newton's method. */
static u32 inverse(u32 x)
{
	u32 y = x, i;

	for (i = 0; i < 5; i++)
		y *= 2 - x * y;
	return y;
}

static u32 scramble(u32 word)
{
	return rotate(word * 0xcc9e2d51, 15) * 0x1b873593;
}

static u32 unscramble(u32 word)
{
	return rotate(word * inverse(0x1b873593), 17) * inverse(0xcc9e2d51);
}

/*
 * Eight bytes that lead the hash of this seed to the state @target, so that
 * all labels of all names made so are hashed alike.
 */
static void colliding_name(u32 seed, u32 target, struct model_node *node)
{
	u8 *byte = (u8 *)node->name;
	u32 h, word, i;

	node->name_len = 8;
again:
	rng_name(node->name, 4);
	word = byte[0] | byte[1] << 8 | byte[2] << 16 | (u32)byte[3] << 24;
	h = rotate(seed ^ scramble(word), 13) * 5 + 0xe6546b64;
	word = unscramble(rotate((target - 0xe6546b64) * inverse(5), 19) ^ h);
	for (i = 4; i < 8; i++, word >>= 8) {
		byte[i] = word;
		if (byte[i] <= 0x20 || byte[i] == 0x7f)
			goto again;
	}
}

static void crafted_config(struct chring_config *config)
{
	*config = (struct chring_config){
		.hash = CHRING_HASH_MURMUR3,
		.vnodes = 1 + rng_below(4),
		.seed = { (u32)rng() },
	};
	NEED(!chring_config_resolve(config));
}

/* Every token of every node collides, and some nodes stand apart. */
static void open_crafted(struct rig *rig, u32 nodes)
{
	struct chring_config config;
	u32 target = rng();

	crafted_config(&config);
	rig_open(rig, &config);
	while (nodes--) {
		struct model_node node;

		model_random_node(&node, 4);
		if (!rng_once_in(4))
			colliding_name(config.seed[0], target, &node);
		CHECK(!rig_add(rig, &node) || rig->ret == -EEXIST);
	}
}

static void check_like_fresh(const struct rig *rig)
{
	const struct chring_table *t, *other;
	struct rig fresh;
	u32 i;

	rig_open(&fresh, &rig->model.config);
	rig_fill(&fresh, &rig->model);
	t = rig_view(rig)->table;
	other = rig_view(&fresh)->table;
	NEED(t->count == other->count);
	for (i = 0; i < t->count; i++)
		CHECK(rig_same_node(rig, chring_table_owner(t, i),
				    &fresh, chring_table_owner(other, i)));
	rig_close(&fresh);
}

static void test_crafted_removal(void)
{
	u32 i, most = 0;

	for (i = 0; i < 200; i++) {
		struct rig rig;

		open_crafted(&rig, 2 + rng_below(10));
		most = max(most, rig_view(&rig)->table->collisions);
		while (rig.model.nodes) {
			rig_check(&rig);
			rig_check_owners(&rig);
			check_like_fresh(&rig);
			CHECK(!rig_del(&rig, rng_below(rig.model.nodes)));
		}
		CHECK(!rig_view(&rig)->table->count);
		CHECK(rig_owner(&rig, rng()) == -ENODATA);
		rig_close(&rig);
	}
	tap_note("up to %u collisions in a ring", most);
	CHECK(most > 50);
}

static void crafted_change(struct rig *rig)
{
	u32 node = rng_below(rig->model.nodes);
	struct model_node want;

	model_random_node(&want, 4);
	CHECK(!rig_set(rig, node, CHRING_NODE_WEIGHT | CHRING_NODE_STATE,
		       &want));
}

static void test_crafted_changes(void)
{
	u32 i, k;

	for (i = 0; i < 100; i++) {
		struct rig rig;

		open_crafted(&rig, 2 + rng_below(10));
		for (k = 0; k < 20; k++) {
			crafted_change(&rig);
			rig_check(&rig);
			rig_check_owners(&rig);
		}
		rig_close(&rig);
	}
}

/* Owners one after the other, each out of service for those that follow. */
static u32 check_walk(const struct rig *rig, u64 position)
{
	const struct chring_node *node[CHRING_REPLICAS_MAX];
	struct chring_ask ask = { .position = position, .n = 1 + rng_below(3) };
	struct model left;
	u32 visits;
	int ret, i;

	ret = chring_view_owners(rig_view(rig), &ask, node, &visits);
	model_copy(&left, &rig->model);
	for (i = 0; i < ret; i++) {
		int want = model_owner(&left, position);

		NEED(want >= 0);
		CHECK(node[i]->id == left.node[want].id);
		left.node[want].state = CHRING_STATE_DOWN;
	}
	CHECK(ret == (int)ask.n || model_owner(&left, position) < 0);
	model_free(&left);
	return visits > 64 * min(ask.n, rig_view(rig)->live);
}

/* Most are out of service, so that walks go on node by node. */
static void test_crafted_walks(void)
{
	const struct model_node drained = { .state = CHRING_STATE_DRAIN };
	u32 i, k, walks = 0;

	for (i = 0; i < 40; i++) {
		struct rig rig;

		open_crafted(&rig, 80);
		for (k = 0; k < rig.model.nodes; k++)
			if (!rng_once_in(30))
				CHECK(!rig_set(&rig, k, CHRING_NODE_STATE,
					       &drained));
		for (k = 0; k < 20; k++)
			walks += check_walk(&rig, rng_once_in(2) ? rng() :
				rig.model.token[rng_below(rig.model.tokens)].token +
				rng_below(3) - 1);
		rig_close(&rig);
	}
	tap_note("%u walks node by node", walks);
	CHECK(walks);
}

/* -- by chance, as on any 32-bit ring that is large enough */

static void check_some_owners(const struct rig *rig)
{
	u32 i;

	for (i = 0; i < 20; i++) {
		u64 position = rng();

		CHECK(rig_owner(rig, position) ==
		      model_owner(&rig->model, position));
	}
}

static void test_by_chance(void)
{
	struct chring_config config = { .bits = 32, .vnodes = 2000 };
	struct model_node node = { .weight = 1 };
	struct rig rig;
	u32 i;

	NEED(!chring_config_resolve(&config));
	rig_open(&rig, &config);
	for (i = 0; i < 120; i++) {
		node.name_len = 4 + rng_below(8);
		rng_name(node.name, node.name_len);
		CHECK(!rig_add(&rig, &node));
	}
	tap_note("%u collisions of %u tokens", rig_view(&rig)->table->collisions,
		 rig_view(&rig)->table->count);
	CHECK(rig_view(&rig)->table->collisions);
	rig_check(&rig);
	check_some_owners(&rig);
	while (rig.model.nodes) {
		CHECK(!rig_del(&rig, rng_below(rig.model.nodes)));
		if (rig.model.nodes % 40 == 0) {
			rig_check(&rig);
			check_some_owners(&rig);
		}
	}
	CHECK(!rig_view(&rig)->table->count);
	rig_close(&rig);
}

/* -- tables alone, with tokens of a few places */

#define SLOTS		8
#define TOKENS_MAX	12

/* Nodes of a table by slot: tokens at places 0 .. 3, sorted. */
struct places {
	u64 token[SLOTS][TOKENS_MAX];
	u32 count[SLOTS];
	u16 rank[SLOTS];
};

static void random_places(struct places *p)
{
	u32 order[SLOTS], slot, i, k;

	rng_shuffle(order, SLOTS);
	for (slot = 0; slot < SLOTS; slot++) {
		p->rank[slot] = order[slot];
		p->count[slot] = rng_below(TOKENS_MAX + 1);
		for (i = 0; i < p->count[slot]; i++) {
			u64 token = (u64)rng_below(4) << 62;

			for (k = i; k && p->token[slot][k - 1] > token; k--)
				p->token[slot][k] = p->token[slot][k - 1];
			p->token[slot][k] = token;
		}
	}
}

static struct chring_run run_of(struct places *p, u32 slot)
{
	struct chring_run run;
	u32 i;

	NEED(!chring_run_alloc(&run, p->count[slot]));
	for (i = 0; i < run.count; i++) {
		run.token[i] = p->token[slot][i];
		run.owner[i] = slot;
	}
	return run;
}

/* Place by place, rank by rank, node by node: what the table must be. */
static void check_places(const struct chring_table *t, const struct places *p,
			 u32 here)
{
	u32 place, rank, slot, i, n = 0;

	for (place = 0; place < 4; place++)
		for (rank = 0; rank < SLOTS; rank++)
			for (slot = 0; slot < SLOTS; slot++)
				for (i = 0; i < p->count[slot]; i++) {
					u64 token = p->token[slot][i];

					if (!(here >> slot & 1) ||
					    p->rank[slot] != rank ||
					    token >> 62 != place)
						continue;
					NEED(n < t->count);
					CHECK(chring_table_token(t, n) == token);
					CHECK(chring_table_owner(t, n++) == slot);
				}
	CHECK(n == t->count);
}

/* The node in a slot comes if it is not here, and goes if it is. */
static struct chring_table *toggle(struct chring_table *t, struct places *p,
				   u32 slot, u32 *here)
{
	const struct chring_run none = {};
	struct chring_run run = run_of(p, slot);
	struct chring_table *next;
	bool goes = *here >> slot & 1;

	next = chring_table_merge(t, goes ? &none : &run, goes ? &run : &none,
				  p->rank);
	NEED(!IS_ERR(next));
	*here ^= 1U << slot;
	check_places(next, p, *here);
	chring_run_free(&run);
	chring_table_free(t);
	return next;
}

static void test_few_places(void)
{
	u32 order[SLOTS], i, k;

	for (i = 0; i < 500; i++) {
		struct chring_table *t = NULL;
		struct places p;
		u32 here = 0;

		random_places(&p);
		for (k = 0; k < 3 * SLOTS; k++)
			t = toggle(t, &p, rng_below(SLOTS), &here);
		/* All that are here go, in any order. */
		rng_shuffle(order, SLOTS);
		for (k = 0; k < SLOTS; k++)
			if (here >> order[k] & 1)
				t = toggle(t, &p, order[k], &here);
		CHECK(!t->count && !t->collisions);
		chring_table_free(t);
	}
}

/* All at once, as a membership is replaced: several owners in each run. */
static void sort_by_rank(struct chring_run *run, struct places *p, u32 here)
{
	u32 rank, slot, i, n = 0;

	for (slot = 0; slot < SLOTS; slot++)
		n += here >> slot & 1 ? p->count[slot] : 0;
	NEED(!chring_run_alloc(run, n));
	for (rank = 0, n = 0; rank < SLOTS; rank++)
		for (slot = 0; slot < SLOTS; slot++) {
			if (p->rank[slot] != rank || !(here >> slot & 1))
				continue;
			for (i = 0; i < p->count[slot]; i++) {
				run->token[n] = p->token[slot][i];
				run->owner[n++] = slot;
			}
		}
	CHECK(!chring_run_sort(run));
}

static void test_many_at_once(void)
{
	u32 i, k;

	for (i = 0; i < 500; i++) {
		struct chring_table *t = NULL, *next;
		struct places p;
		u32 here = 0;

		random_places(&p);
		for (k = 0; k < 6; k++) {
			u32 want = rng_below(1 << SLOTS);
			struct chring_run add, del;

			sort_by_rank(&add, &p, want & ~here);
			sort_by_rank(&del, &p, here & ~want);
			next = chring_table_merge(t, &add, &del, p.rank);
			NEED(!IS_ERR(next));
			check_places(next, &p, want);
			chring_run_free(&add);
			chring_run_free(&del);
			chring_table_free(t);
			t = next;
			here = want;
		}
		chring_table_free(t);
	}
}

/* A token that is not there cannot go: an error, and no table. */
static void test_foreign_token(void)
{
	const u16 rank[] = { 0, 1 };
	const struct chring_run none = {};
	struct chring_run mine, other;
	struct chring_table *t;

	NEED(!chring_run_alloc(&mine, 3) && !chring_run_alloc(&other, 1));
	mine.token[1] = 5;
	mine.token[2] = 9;
	t = chring_table_merge(NULL, &mine, &none, rank);
	NEED(!IS_ERR(t));
	other.token[0] = 5;
	other.owner[0] = 1;
	CHECK(chring_table_merge(t, &none, &other, rank) ==
	      ERR_PTR(-EUCLEAN));
	other.token[0] = 6;
	other.owner[0] = 0;
	CHECK(chring_table_merge(t, &none, &other, rank) ==
	      ERR_PTR(-EUCLEAN));
	chring_table_free(t);
	chring_run_free(&mine);
	chring_run_free(&other);
}

static const struct tap_test tests[] = {
	{ "crafted_removal", test_crafted_removal },
	{ "crafted_changes", test_crafted_changes },
	{ "crafted_walks", test_crafted_walks },
	{ "by_chance", test_by_chance },
	{ "few_places", test_few_places },
	{ "many_at_once", test_many_at_once },
	{ "foreign_token", test_foreign_token },
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
