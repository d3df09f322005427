// SPDX-License-Identifier: GPL-2.0
/*
 * Replicas, and replicas by zones, where tokens are far from evenly shared out:
 * a few nodes hold most of them, most nodes are out of service, a zone is rare,
 * many stand at one place. Against a walk that nothing bounds.
 */
#include <stdlib.h>

#include "core/placement.h"
#include "faults.h"
#include "rig.h"
#include "rng.h"
#include "stands.h"
#include "tap.h"

#define POSITIONS	60

/**
 * struct scene - a circle with its owner's lists
 * @c: circle
 * @slots: nodes
 * @bits: of @c
 * @zone: of @c; all nodes are in one at first
 * @worst: visits of the longest walk
 * @by_node: walks that went on node by node
 * @zoned: of these, those by zones
 */
struct scene {
	struct chring_circle c;
	u32 slots;
	unsigned long *bits;
	u16 *zone;
	u32 worst;
	u32 by_node;
	u32 zoned;
};

/**
 * struct plan - what a circle is to be like
 * @tokens: by slot
 * @slots: nodes
 * @position: where the next token stands
 */
struct plan {
	const u32 *tokens;
	u32 slots;
	u64 (*position)(void);
};

/* Node by node in the order of names, which is left among equal tokens. */
static struct chring_table *table_of(const struct plan *p, u16 *rank)
{
	u32 *by_name = calloc(p->slots + 1, sizeof(*by_name));
	const struct chring_run none = {};
	struct chring_table *t;
	struct chring_run run;
	u32 n = 0, i, k;

	for (i = 0; i < p->slots; i++)
		n += p->tokens[i];
	NEED(by_name && !chring_run_alloc(&run, n));
	rng_shuffle(by_name, p->slots);
	for (n = i = 0; i < p->slots; i++) {
		rank[by_name[i]] = i;
		for (k = 0; k < p->tokens[by_name[i]]; k++) {
			run.token[n] = p->position();
			run.owner[n++] = by_name[i];
		}
	}
	NEED(!chring_run_sort(&run));
	t = chring_table_merge(NULL, &run, &none, rank);
	NEED(!IS_ERR(t));
	chring_run_free(&run);
	free(by_name);
	return t;
}

static void scene_open_plan(struct scene *s, const struct plan *p)
{
	u16 *rank = calloc(p->slots + 1, sizeof(*rank));
	struct chring_table *t;

	NEED(rank);
	t = table_of(p, rank);
	*s = (struct scene){
		.c = {
			.table = t,
			.stand = stands_of(t, p->slots, rank),
			.slots = p->slots,
		},
		.slots = p->slots,
		.bits = calloc(p->slots / BITS_PER_LONG + 1, sizeof(long)),
		.zone = calloc(p->slots + 1, sizeof(u16)),
	};
	NEED(s->bits && s->zone);
	s->c.out = s->bits;
	s->c.zone = s->zone;
	free(rank);
}

static void scene_open(struct scene *s, const u32 *tokens, u32 slots)
{
	const struct plan p = { tokens, slots, rng };

	scene_open_plan(s, &p);
}

static void scene_close(struct scene *s)
{
	free((void *)s->c.stand);
	chring_table_free((struct chring_table *)s->c.table);
	free(s->bits);
	free(s->zone);
}

static void count_live(struct scene *s)
{
	bool *seen = calloc(1 << 16, sizeof(*seen));
	u32 slot;

	NEED(seen);
	s->c.live = s->c.zones = 0;
	for (slot = 0; slot < s->slots; slot++) {
		if (!chring_circle_live(&s->c, slot))
			continue;
		s->c.live++;
		s->c.zones += !seen[s->zone[slot]];
		seen[s->zone[slot]] = true;
	}
	free(seen);
}

static void put_out(struct scene *s, u32 slot)
{
	s->bits[slot / BITS_PER_LONG] |= 1UL << slot % BITS_PER_LONG;
}

/* All nodes in service, in the order in which a walk meets them. */
static u32 walk_slowly(const struct scene *s, u64 position, u16 *slot)
{
	const struct chring_table *t = s->c.table;
	bool *seen = calloc(s->slots + 1, sizeof(*seen));
	u32 first = 0, found = 0, i;

	NEED(seen);
	while (first < t->count && chring_table_token(t, first) < position)
		first++;
	for (i = 0; i < t->count && found < s->c.live; i++) {
		u16 mine = chring_table_owner(t, (first + i) % t->count);

		if (seen[mine] || chring_slot_set(s->bits, mine))
			continue;
		seen[mine] = true;
		slot[found++] = mine;
	}
	free(seen);
	return found;
}

/* The first of each zone come first, else the order stays. */
static void zones_first(const struct scene *s, const u16 *walk, u32 n, u16 *to)
{
	bool *seen = calloc(1 << 16, sizeof(*seen)), *taken;
	u32 found = 0, i;

	taken = calloc(n + 1, sizeof(*taken));
	NEED(seen && taken);
	for (i = 0; i < n; i++) {
		if (seen[s->zone[walk[i]]])
			continue;
		seen[s->zone[walk[i]]] = taken[i] = true;
		to[found++] = walk[i];
	}
	for (i = 0; i < n; i++)
		if (!taken[i])
			to[found++] = walk[i];
	free(seen);
	free(taken);
}

typedef int place_fn(const struct chring_circle *c, u64 position, u32 n,
		     u16 *slot, u32 *visits);

/* Return: how many of the walks went on node by node. */
static u32 check_lists(struct scene *s, u64 position, place_fn *place,
		       const u16 *want, u32 all)
{
	u16 slot[CHRING_REPLICAS_MAX];
	u32 visits, by_node = 0, n, i;
	int ret;

	for (n = 1; n <= CHRING_REPLICAS_MAX; n++) {
		ret = place(&s->c, position, n, slot, &visits);
		CHECK(ret == (all ? (int)min(n, all) : -EHOSTUNREACH));
		for (i = 0; (int)i < ret; i++)
			CHECK(slot[i] == want[i]);
		CHECK(visits <= 64 * min(n, s->c.live) + s->slots);
		by_node += visits > 64 * min(n, s->c.live);
		s->worst = max(s->worst, visits);
	}
	return by_node;
}

static void check_position(struct scene *s, u64 position)
{
	u16 *walk = calloc(s->slots + 1, sizeof(*walk));
	u16 *want = calloc(s->slots + 1, sizeof(*want));
	u32 all, by_node, visits;

	NEED(walk && want);
	all = walk_slowly(s, position, walk);
	CHECK(all == s->c.live);
	CHECK(chring_place_owner(&s->c, position, &visits) ==
	      (all ? walk[0] : -EHOSTUNREACH));
	s->by_node += check_lists(s, position, chring_place_replicas, walk,
				  all);
	zones_first(s, walk, all, want);
	by_node = check_lists(s, position, chring_place_zones, want, all);
	s->by_node += by_node;
	s->zoned += by_node;
	free(walk);
	free(want);
}

static void check_positions(struct scene *s)
{
	const struct chring_table *t = s->c.table;
	u32 i;

	count_live(s);
	for (i = 0; i < POSITIONS; i++) {
		u64 token = t->count ?
			    chring_table_token(t, rng_below(t->count)) : 0;

		check_position(s, token + rng_below(3) - 1);
		check_position(s, rng());
	}
	check_position(s, 0);
	check_position(s, ~0ULL);
}

static void report(const struct scene *s)
{
	tap_note("%u tokens, %u of %u nodes, %u zones in service: at most %u visits, %u walks node by node, %u of them by zones",
		 s->c.table->count, s->c.live, s->slots, s->c.zones, s->worst,
		 s->by_node, s->zoned);
}

static void test_few_hold_most(void)
{
	u32 tokens[80], i, heavy;
	struct scene s;

	for (heavy = 1; heavy <= 4; heavy++) {
		for (i = 0; i < 80; i++)
			tokens[i] = i < heavy ? 20000 : rng_below(4);
		scene_open(&s, tokens, 80);
		check_positions(&s);
		report(&s);
		CHECK(s.by_node);
		scene_close(&s);
	}
}

static void test_most_are_out(void)
{
	u32 tokens[500], i, round;
	struct scene s;

	for (round = 0; round < 6; round++) {
		for (i = 0; i < 500; i++)
			tokens[i] = 1 + rng_below(40);
		scene_open(&s, tokens, 500);
		for (i = 0; i < 500; i++)
			if (i != 77 && !rng_once_in(1 + 100 * round))
				put_out(&s, i);
		check_positions(&s);
		report(&s);
		CHECK(s.by_node || s.c.live > 50);
		scene_close(&s);
	}
}

/* Memberships of any kind, those without a node in service included. */
static void test_any(void)
{
	u32 tokens[70], i, round, walks = 0;
	struct scene s;

	for (round = 0; round < 60; round++) {
		u32 slots = rng_below(70), out = 1 + rng_below(5);

		for (i = 0; i < slots; i++)
			tokens[i] = rng_once_in(3) ? 0 : rng_once_in(8) ?
				    rng_below(3000) : rng_below(20);
		scene_open(&s, tokens, slots);
		for (i = 0; i < slots; i++) {
			s.zone[i] = rng_below(1 + round % 9);
			if (!rng_once_in(out))
				put_out(&s, i);
		}
		check_positions(&s);
		walks += s.by_node;
		scene_close(&s);
	}
	tap_note("%u walks node by node", walks);
	CHECK(walks);
}

/* One zone of all but one node; one of a node or two each; many. */
static void test_zones(void)
{
	static const u32 zones[] = { 1, 2, 3, 7, 100, 300 };
	u32 tokens[300], i, k, uneven, zoned = 0;
	struct scene s;

	for (k = 0; k < sizeof(zones) / sizeof(*zones); k++) {
		for (uneven = 0; uneven < 3; uneven++) {
			for (i = 0; i < 300; i++)
				tokens[i] = 1 + rng_below(30);
			scene_open(&s, tokens, 300);
			for (i = 0; i < 300; i++) {
				/* The first has nearly all of them. */
				s.zone[i] = uneven && i >= zones[k] ? 0 :
					    i % zones[k];
				if (uneven == 2 && rng_once_in(3))
					put_out(&s, i);
			}
			check_positions(&s);
			report(&s);
			zoned += s.zoned;
			scene_close(&s);
		}
	}
	CHECK(zoned);
}

static u64 at_few_places(void)
{
	static const u64 place[] = { 0, 1, 1ULL << 63, ~0ULL - 1, ~0ULL };

	return place[rng_below(sizeof(place) / sizeof(*place))];
}

/* Few at a place, and positions between which a 32-bit ring has none. */
static u64 in_narrow_ring(void)
{
	return (u64)(rng_below(40) - 20) << 32;
}

static void try_equal_tokens(struct scene *s, u32 slots, u32 round)
{
	u32 tokens[150], i;
	const struct plan p = {
		tokens, slots, round % 2 ? at_few_places : in_narrow_ring,
	};

	for (i = 0; i < slots; i++)
		tokens[i] = rng_once_in(10) ? 0 :
			    1 + rng_below(1 + round % 5 * 40);
	scene_open_plan(s, &p);
	for (i = 0; i < slots; i++) {
		s->zone[i] = rng_below(1 + round % 7);
		if (round % 3 && !rng_once_in(1 + round % 4))
			put_out(s, i);
	}
	check_positions(s);
}

/* All nodes stand on each other: names decide, whoever is asked. */
static void test_equal_tokens(void)
{
	u32 round, walks = 0, zoned = 0;
	struct scene s;

	for (round = 1; round <= 60; round++) {
		try_equal_tokens(&s, 1 + rng_below(150), round);
		walks += s.by_node;
		zoned += s.zoned;
		scene_close(&s);
	}
	tap_note("%u walks node by node, %u of them by zones", walks, zoned);
	CHECK(walks > zoned && zoned);
}

/* As many nodes as a ring may have, and most or all but a few of them out. */
static void test_most_nodes(void)
{
	static const u32 left[] = { 5536, 100, 5, 1 };
	u32 *tokens = calloc(CHRING_NODES_MAX, sizeof(*tokens)), out = 0, i, k;
	struct scene s;

	NEED(tokens);
	for (i = 0; i < CHRING_NODES_MAX; i++)
		tokens[i] = 3;
	scene_open(&s, tokens, CHRING_NODES_MAX);
	for (i = 0; i < CHRING_NODES_MAX; i++)
		s.zone[i] = i % 1000 ? 0 : i / 1000;
	for (k = 0; k < sizeof(left) / sizeof(*left); k++) {
		while (out < CHRING_NODES_MAX - left[k])
			put_out(&s, out++ * 7919U % CHRING_NODES_MAX);
		count_live(&s);
		CHECK(s.c.live == left[k]);
		s.by_node = s.worst = 0;
		for (i = 0; i < 10; i++)
			check_position(&s, rng());
		report(&s);
		CHECK(s.by_node || left[k] > 1000);
	}
	scene_close(&s);
	free(tokens);
}

static void check_memory(void)
{
	CHECK(!chring_platform_bytes());
}

static const struct tap_test tests[] = {
	{ "few_hold_most", test_few_hold_most },
	{ "most_are_out", test_most_are_out },
	{ "any", test_any },
	{ "zones", test_zones },
	{ "equal_tokens", test_equal_tokens },
	{ "most_nodes", test_most_nodes },
};

int main(void)
{
	faults_init();
	rng_init();
	return tap_run(tests, sizeof(tests) / sizeof(*tests), check_memory);
}
