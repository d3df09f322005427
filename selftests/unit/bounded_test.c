// SPDX-License-Identifier: GPL-2.0
/*
 * Bounded load: core/ against the rule as it is written down, with a division
 * and a walk all around; then loads of rings through all their changes.
 */
#include <stdlib.h>

#include "core/config.h"
#include "core/points.h"
#include "faults.h"
#include "rig.h"
#include "rng.h"
#include "stands.h"
#include "tap.h"

typedef unsigned __int128 wide;

/* -- the model */

/**
 * struct member - a node
 * @weight: its weight
 * @tokens: it has
 * @out: of service
 * @load: tickets
 */
struct member {
	u32 weight;
	u32 tokens;
	bool out;
	u64 load;
};

/**
 * struct scene - members, and the same as core/ wants it
 * @member: by slot
 * @slots: how many
 * @balance: percent
 * @rank: by slot: place in the order of names
 * @c: circle
 * @b: bound
 * @by_node: walks that went on node by node
 * @moved: positions whose ticket did not go to the owner
 */
struct scene {
	struct member *member;
	u32 slots;
	u32 balance;
	u16 *rank;
	struct chring_circle c;
	struct chring_bound b;
	unsigned long *out;
	struct chring_load *load;
	u16 *weight;
	u32 by_node;
	u32 moved;
};

static bool serves(const struct member *m)
{
	return !m->out && m->tokens;
}

static u64 all_tickets(const struct scene *s)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < s->slots; i++)
		sum += serves(&s->member[i]) ? s->member[i].load : 0;
	return sum;
}

static u64 all_weight(const struct scene *s)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < s->slots; i++)
		sum += serves(&s->member[i]) ? s->member[i].weight : 0;
	return sum;
}

/* ceil(F * (T + 1) * w / (100 * W)) */
static wide model_cap(const struct scene *s, const struct member *m)
{
	wide n = (wide)s->balance * ((wide)all_tickets(s) + 1) * m->weight;
	wide d = (wide)100 * all_weight(s);

	return n / d + (n % d != 0);
}

static bool model_fits(const struct scene *s, const struct member *m)
{
	return serves(m) &&
	       (!s->balance || (wide)m->load + 1 <= model_cap(s, m));
}

/* All around if need be; tokens before the position come last. */
static int model_walk(const struct scene *s, u64 position, bool bounded)
{
	const struct chring_table *t = s->c.table;
	u32 first = 0, i;

	while (first < t->count && chring_table_token(t, first) < position)
		first++;
	for (i = 0; i < t->count; i++) {
		u32 slot = chring_table_owner(t, (first + i) % t->count);
		const struct member *m = &s->member[slot];

		if (bounded ? model_fits(s, m) : serves(m))
			return slot;
	}
	return -EHOSTUNREACH;
}

/* -- scenes */

/* Names in any order; in that order, for the sort to leave equal tokens in. */
static void rank_slots(struct scene *s, u32 *by_name)
{
	u32 i;

	rng_shuffle(by_name, s->slots);
	for (i = 0; i < s->slots; i++)
		s->rank[by_name[i]] = i;
}

/* Tokens stand anywhere, or at @places, if not 0, many of them at each. */
static struct chring_table *table_of(struct scene *s, u32 places)
{
	u32 *by_name = calloc(s->slots + 1, sizeof(*by_name));
	const struct chring_run none = {};
	struct chring_table *t;
	struct chring_run run;
	u32 n = 0, i, k;

	for (i = 0; i < s->slots; i++)
		n += s->member[i].tokens;
	NEED(by_name && !chring_run_alloc(&run, n));
	rank_slots(s, by_name);
	for (n = i = 0; i < s->slots; i++)
		for (k = 0; k < s->member[by_name[i]].tokens; k++) {
			run.token[n] = places ? rng_below(places) * 7919 :
						rng();
			run.owner[n++] = by_name[i];
		}
	NEED(!chring_run_sort(&run));
	t = chring_table_merge(NULL, &run, &none, s->rank);
	NEED(!IS_ERR(t));
	chring_run_free(&run);
	free(by_name);
	return t;
}

/* What core/ sees of the members, after a change of them. */
static void show(struct scene *s)
{
	u32 i;

	s->c.live = 0;
	for (i = 0; i < s->slots; i++) {
		const struct member *m = &s->member[i];
		unsigned long bit = 1UL << i % BITS_PER_LONG;

		if (m->out)
			s->out[i / BITS_PER_LONG] |= bit;
		else
			s->out[i / BITS_PER_LONG] &= ~bit;
		s->load[i].load = m->load;
		s->weight[i] = m->weight;
		s->c.live += serves(m);
	}
	s->b.balance = s->balance;
	s->b.tickets = all_tickets(s);
	s->b.weight_sum = all_weight(s);
}

static void scene_open_at(struct scene *s, const struct member *m, u32 slots,
			  u32 balance, u32 places)
{
	struct chring_table *t;

	*s = (struct scene){ .slots = slots, .balance = balance };
	s->member = calloc(slots + 1, sizeof(*s->member));
	s->out = calloc(slots / BITS_PER_LONG + 1, sizeof(long));
	s->load = calloc(slots + 1, sizeof(*s->load));
	s->weight = calloc(slots + 1, sizeof(*s->weight));
	s->rank = calloc(slots + 1, sizeof(*s->rank));
	NEED(s->member && s->out && s->load && s->weight && s->rank);
	memcpy(s->member, m, slots * sizeof(*m));
	t = table_of(s, places);
	s->c = (struct chring_circle){
		.table = t,
		.stand = stands_of(t, slots, s->rank),
		.slots = slots,
		.out = s->out,
	};
	s->b.load = s->load;
	s->b.weight = s->weight;
	show(s);
}

static void scene_open(struct scene *s, const struct member *m, u32 slots,
		       u32 balance)
{
	scene_open_at(s, m, slots, balance, 0);
}

static void scene_close(struct scene *s)
{
	free((void *)s->c.stand);
	free(s->rank);
	chring_table_free((struct chring_table *)s->c.table);
	free(s->member);
	free(s->out);
	free(s->load);
	free(s->weight);
}

static void check_caps(const struct scene *s)
{
	u32 i;

	for (i = 0; i < s->slots; i++) {
		const struct member *m = &s->member[i];
		wide want = s->balance && serves(m) ? model_cap(s, m) : 0;

		if (serves(m))
			CHECK(chring_bound_cap(&s->b, m->weight) == want);
	}
}

/* Return: slot that gets the ticket. */
static int check_position(struct scene *s, u64 position)
{
	int want = model_walk(s, position, true);
	u32 visits, tokens = min(s->c.table->count, 64U);

	CHECK(chring_place_bounded(&s->c, &s->b, position, &visits) == want);
	CHECK(visits <= tokens + s->slots);
	CHECK(want >= 0 || !s->c.live);
	s->by_node += visits > tokens;
	s->moved += want != model_walk(s, position, false);
	return want;
}

/* So many tickets at random positions, or all at one; then as many back. */
static void take_tickets(struct scene *s, u32 count, bool one_key)
{
	u64 key = rng();

	while (count--) {
		int slot = check_position(s, one_key ? key : rng());

		if (slot < 0)
			return;
		s->member[slot].load++;
		show(s);
	}
	check_caps(s);
}

static void random_member(struct member *m, u32 weight_max)
{
	*m = (struct member){
		.weight = rng_once_in(6) ? 0 : 1 + rng_below(weight_max),
		.out = rng_once_in(5),
		.load = rng_once_in(3) ? rng_below(20) : 0,
	};
	m->tokens = m->weight ? 1 + rng_below(12) : 0;
}

static u32 random_balance(void)
{
	static const u32 balance[] = { 0, 100, 100, 101, 125, 150, 200, 65535 };

	return balance[rng_below(sizeof(balance) / sizeof(*balance))];
}

/* -- tests */

static void test_any(void)
{
	u32 round, moved = 0, by_node = 0, i;
	struct member m[24];
	struct scene s;

	for (round = 0; round < 4000; round++) {
		u32 slots = rng_below(24);

		for (i = 0; i < slots; i++)
			random_member(&m[i], rng_once_in(2) ? 3 : 65535);
		scene_open(&s, m, slots, random_balance());
		check_caps(&s);
		take_tickets(&s, rng_below(30), rng_once_in(2));
		moved += s.moved;
		by_node += s.by_node;
		scene_close(&s);
	}
	tap_note("%u tickets not with the owner, %u walks node by node", moved,
		 by_node);
	CHECK(moved && by_node);
}

/* Exactly even where weights are: nothing may be left over. */
static void test_all_but_one_full(void)
{
	struct member m[50];
	u32 i, spare, by_node = 0;
	struct scene s;

	for (i = 0; i < 50; i++)
		m[i] = (struct member){ .weight = 2, .tokens = 7, .load = 3 };
	for (spare = 0; spare < 50; spare++) {
		m[spare].load = 2;
		scene_open(&s, m, 50, 100);
		for (i = 0; i < 20; i++)
			CHECK(check_position(&s, rng()) == (int)spare);
		by_node += s.by_node;
		scene_close(&s);
		m[spare].load = 3;
	}
	CHECK(by_node);
}

static void test_lone_node(void)
{
	struct member m = { .weight = 1, .tokens = 1, .load = 1 };
	u64 load[] = { 0, 1, 2, 99, 1ULL << 40, ~0ULL - 1 };
	struct scene s;
	u32 i;

	for (i = 0; i < sizeof(load) / sizeof(*load); i++) {
		m.load = load[i];
		scene_open(&s, &m, 1, 100);
		CHECK(check_position(&s, rng()) == 0);
		CHECK(chring_bound_cap(&s.b, 1) == load[i] + 1);
		scene_close(&s);
	}
}

/* Fewer tickets than nodes: averages below 1, caps of 1. */
static void test_tiny_averages(void)
{
	struct member m[200];
	struct scene s;
	u32 i, k;

	for (i = 0; i < 200; i++)
		m[i] = (struct member){ .weight = 1, .tokens = 3 };
	scene_open(&s, m, 200, 125);
	take_tickets(&s, 160, true);
	for (i = k = 0; i < 200; i++)
		k += s.member[i].load == 1;
	CHECK(k == 160);
	take_tickets(&s, 1, true);
	scene_close(&s);
}

/* F = 100 and weights that divide nothing: sums of caps are never short. */
static void test_hundred_percent(void)
{
	struct member m[31];
	struct scene s;
	u32 round, i;

	for (round = 0; round < 200; round++) {
		for (i = 0; i < 31; i++)
			m[i] = (struct member){ .weight = 1 + rng_below(65535),
						.tokens = 1 + rng_below(9) };
		scene_open(&s, m, 31, 100);
		take_tickets(&s, 100, true);
		scene_close(&s);
	}
}

static void test_most_are_out(void)
{
	struct member m[500];
	u32 i, k, by_node = 0;
	struct scene s;

	for (k = 0; k < 4; k++) {
		for (i = 0; i < 500; i++)
			m[i] = (struct member){ .weight = 1 + rng_below(9),
						.tokens = 4, .load = 50,
						.out = i % 100 >= k };
		scene_open(&s, m, 500, 125);
		take_tickets(&s, 30, rng_once_in(2));
		by_node += s.by_node;
		scene_close(&s);
	}
	CHECK(by_node);
}

/* Many nodes at a place, most of them full: the first by name has room. */
static void test_equal_tokens(void)
{
	struct member m[60];
	u32 round, i, by_node = 0;
	struct scene s;

	for (round = 0; round < 300; round++) {
		for (i = 0; i < 60; i++) {
			m[i] = (struct member){ .weight = 1 + rng_below(3),
						.tokens = 1 + rng_below(20) };
			m[i].load = rng_once_in(30) ? 0 : 50 * m[i].weight;
		}
		scene_open_at(&s, m, 60, 100, 1 + rng_below(4));
		take_tickets(&s, 8, rng_once_in(2));
		/* At a place and beside it. */
		for (i = 0; i < 12; i++)
			check_position(&s, i / 3 * 7919ULL + i % 3 - 1);
		by_node += s.by_node;
		scene_close(&s);
	}
	tap_note("%u walks node by node", by_node);
	CHECK(by_node);
}

/* As large as anything gets: no product overflows. */
static void test_large(void)
{
	struct member m[3] = {
		{ .weight = 65535, .tokens = 2, .load = 1ULL << 62 },
		{ .weight = 65535, .tokens = 2, .load = (1ULL << 62) - 1 },
		{ .weight = 1, .tokens = 2, .load = 1ULL << 60 },
	};
	static const u32 balance[] = { 0, 100, 125, 65535 };
	struct scene s;
	u32 i, k;

	for (i = 0; i < 4; i++) {
		scene_open(&s, m, 3, balance[i]);
		for (k = 0; k < 20; k++)
			check_position(&s, rng());
		if (balance[i] < 65535)
			check_caps(&s);
		else
			CHECK(chring_bound_cap(&s.b, 65535) == ~0ULL);
		scene_close(&s);
	}
}

/* -- rings: loads through changes of the nodes */

struct held {
	u64 node;
	u32 slot;
	u64 count;
};

#define HELD_MAX	4096

/* Loads are what the holders hold, of nodes that live; T is their sum. */
static void check_loads(const struct rig *rig, const struct held *held, u32 n)
{
	const struct chring_loads *l = &rig->ring->loads;
	const struct chring_view *v = rig_view(rig);
	u64 tickets = 0, weight = 0, want;
	u32 slot, i;

	CHECK(l->slots >= v->roster->slots);
	for (slot = 0; slot < v->roster->slots; slot++) {
		const struct chring_node *node = v->roster->node[slot];

		want = 0;
		for (i = 0; node && i < n; i++)
			want += held[i].node == node->id ? held[i].count : 0;
		CHECK(l->load[slot].load == want);
		CHECK(l->load[slot].node == (node ? node->id : 0));
		if (node && node->tokens &&
		    chring_view_state(v, slot) == CHRING_STATE_UP) {
			tickets += want;
			weight += node->weight;
		}
	}
	CHECK(l->tickets == tickets);
	CHECK(v->weight == weight);
}

static void hold(struct held *held, u32 *n, const struct chring_grant *g)
{
	u32 i;

	for (i = 0; i < *n; i++)
		if (held[i].node == g->node) {
			held[i].count++;
			return;
		}
	NEED(*n < HELD_MAX);
	held[(*n)++] = (struct held){ g->node, g->slot, 1 };
}

static void some_grants(struct rig *rig, struct held *held, u32 *n)
{
	u32 i = rng_below(12);
	struct chring_grant g;

	while (i--) {
		int ret = chring_loads_acquire(rig->ring, rng(), 0, &g);

		CHECK(g.epoch == rig_view(rig)->epoch);
		if (!ret)
			hold(held, n, &g);
		CHECK(ret == (rig_view(rig)->live ? 0 : rig->model.nodes ?
			      -EHOSTUNREACH : -ENODATA));
	}
}

static void some_releases(struct rig *rig, struct held *held, u32 n)
{
	struct chring_grant g;
	u32 i;

	for (i = 0; i < n; i++) {
		u32 count = held[i].count && rng_once_in(4) ?
			    1 + rng_below(held[i].count) : 0;

		if (!count)
			continue;
		CHECK(!chring_loads_release(rig->ring, held[i].node,
					    held[i].slot, count, &g));
		if (rng_once_in(8))
			chring_loads_restore(rig->ring, held[i].node,
					     held[i].slot, count);
		else
			held[i].count -= count;
	}
}

static void test_ring_through_changes(void)
{
	static struct held held[HELD_MAX];
	struct chring_config config = { .vnodes = 3 };
	struct chring_grant g;
	u32 round, step, n, i;
	struct rig rig;

	for (round = 0; round < 20; round++) {
		config.balance = rng_once_in(3) ? 0 : 100 + rng_below(50);
		NEED(!chring_config_resolve(&config));
		rig_open(&rig, &config);
		for (step = n = 0; step < 200; step++) {
			rig_random_change(&rig);
			some_grants(&rig, held, &n);
			some_releases(&rig, held, n);
			check_loads(&rig, held, n);
		}
		for (i = 0; i < n; i++)
			if (held[i].count)
				CHECK(!chring_loads_release(rig.ring,
					held[i].node, held[i].slot,
					held[i].count, &g));
		check_loads(&rig, held, 0);
		rig_close(&rig);
	}
}

static void add_named(struct rig *rig, char name)
{
	struct model_node node = { .weight = 1, .name_len = 1, .name = { name } };

	rig_add(rig, &node);
}

/* The fifth node needs more room: each failure on the way leaves all loads. */
static void test_ring_room(void)
{
	struct chring_config config = { .vnodes = 3, .balance = 150 };
	static struct held held[HELD_MAX];
	u32 n = 0, k, failures = 0;
	struct rig rig;
	size_t bytes;

	NEED(!chring_config_resolve(&config));
	rig_open(&rig, &config);
	for (k = 0; k < 4; k++)
		add_named(&rig, 'a' + k);
	for (k = 0; k < 20; k++)
		some_grants(&rig, held, &n);
	CHECK(rig.ring->loads.slots == 4);
	bytes = chring_view_total_bytes(rig_view(&rig));
	for (k = 0; ; k++) {
		faults_alloc(k, -ENOMEM);
		add_named(&rig, 'e');
		if (!faults_clear())
			break;
		CHECK(rig.ret == -ENOMEM);
		CHECK(rig.ring->loads.slots == 4);
		CHECK(chring_view_total_bytes(rig_view(&rig)) == bytes);
		check_loads(&rig, held, n);
		failures++;
	}
	CHECK(failures > 3 && !rig.ret);
	CHECK(rig.ring->loads.slots == 8);
	CHECK(chring_view_total_bytes(rig_view(&rig)) >=
	      bytes + 4 * sizeof(struct chring_load));
	check_loads(&rig, held, n);
	rig_close(&rig);
}

static void test_ring_epoch_and_end(void)
{
	struct model_node node = { .name = "a", .name_len = 1, .weight = 1 };
	struct chring_config config = { .balance = 100 };
	struct chring_grant g;
	struct rig rig;
	u64 serial;

	NEED(!chring_config_resolve(&config));
	rig_open(&rig, &config);
	CHECK(chring_loads_acquire(rig.ring, 0, 0, &g) == -ENODATA);
	NEED(!rig_add(&rig, &node));
	CHECK(chring_loads_acquire(rig.ring, 0, 1, &g) == -ESTALE);
	CHECK(g.epoch == 2 && g.ring == rig.ring->id && !g.serial);
	CHECK(!chring_loads_acquire(rig.ring, 0, 2, &g));
	CHECK(g.load == 1 && g.tickets == 1 && g.serial == 1);
	serial = g.serial;
	CHECK(!chring_loads_acquire(rig.ring, 0, 0, &g));
	CHECK(g.load == 2 && g.serial == serial + 1);
	CHECK(!chring_loads_release(rig.ring, g.node, g.slot, 2, &g));
	CHECK(!g.load && !g.tickets && g.serial == serial + 2);
	/* Closed while somebody holds the ring: nothing to count on. */
	mutex_lock(&rig.ring->lock);
	chring_ring_withdraw(rig.ring);
	CHECK(chring_ring_unuse(rig.ring));
	chring_ring_close(rig.ring);
	mutex_unlock(&rig.ring->lock);
	CHECK(chring_loads_acquire(rig.ring, 0, 0, &g) == -ENODEV);
	CHECK(chring_loads_release(rig.ring, g.node, 0, 1, &g) == -ENODEV);
	CHECK(!chring_loads_bytes(&rig.ring->loads));
	chring_ring_put(rig.ring);
	model_free(&rig.model);
}

static const struct tap_test tests[] = {
	{ "any", test_any },
	{ "all_but_one_full", test_all_but_one_full },
	{ "lone_node", test_lone_node },
	{ "tiny_averages", test_tiny_averages },
	{ "hundred_percent", test_hundred_percent },
	{ "most_are_out", test_most_are_out },
	{ "equal_tokens", test_equal_tokens },
	{ "large", test_large },
	{ "ring_through_changes", test_ring_through_changes },
	{ "ring_room", test_ring_room },
	{ "ring_epoch_and_end", test_ring_epoch_and_end },
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
