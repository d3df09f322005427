// SPDX-License-Identifier: GPL-2.0
/*
 * Arcs, the difference of two circles and the moves between them, in exact
 * arithmetic: against lists that are worked out the slow way, and against
 * lookups and shares, which know nothing of arcs.
 */
#include <stdlib.h>

#include "core/moves.h"
#include "faults.h"
#include "rig.h"
#include "rng.h"
#include "stands.h"
#include "tap.h"

#define MEMBERSHIPS	2000
#define NODES_MAX	10
#define SLOTS_MAX	12

typedef unsigned __int128 u128;

static u128 number(const struct chring_share *s)
{
	return (u128)s->hi << 64 | s->lo;
}

static u128 length(u64 first, u64 last)
{
	return (u128)last - first + 1;
}

/* -- circles by hand: few positions, so that tokens stand on each other */

/**
 * struct scene - a circle and the ids of its nodes
 * @side: both
 * @bits: width of its positions
 * @slots: nodes
 * @out: of @side
 * @id: of @side
 */
struct scene {
	struct chring_side side;
	u32 bits;
	u32 slots;
	unsigned long out[SLOTS_MAX / BITS_PER_LONG + 1];
	u64 id[SLOTS_MAX];
};

/* Close to the ends and to each other, or anywhere. */
static u64 random_position(u32 bits)
{
	u64 end = chring_last_position(bits);

	switch (rng_below(4)) {
	case 0:
		return rng_below(4);
	case 1:
		return end - rng_below(4);
	case 2:
		return (end >> 4) * rng_below(16);
	default:
		return rng() & end;
	}
}

static struct chring_table *random_table(u32 tokens, u32 slots, u32 bits)
{
	const struct chring_run none = {};
	u16 rank[SLOTS_MAX];
	struct chring_table *t;
	struct chring_run run;
	u32 slot, i, k, n = 0;

	NEED(!chring_run_alloc(&run, tokens));
	for (slot = 0; slot < SLOTS_MAX; slot++)
		rank[slot] = slot;
	/* In the order of slots: the sort leaves equal ones in it. */
	for (slot = 0; slot < slots; slot++) {
		k = slot == slots - 1 ? tokens - n : rng_below(tokens - n + 1);
		for (i = 0; i < k; i++) {
			run.token[n] = random_position(bits) << (64 - bits);
			run.owner[n++] = slot;
		}
	}
	NEED(!chring_run_sort(&run));
	t = chring_table_merge(NULL, &run, &none, rank);
	NEED(!IS_ERR(t));
	chring_run_free(&run);
	return t;
}

static void count_live(struct scene *s)
{
	struct chring_circle *c = &s->side.circle;
	u32 slot;

	c->live = 0;
	for (slot = 0; slot < s->slots; slot++)
		c->live += chring_circle_live(c, slot);
}

static void scene_open(struct scene *s, u32 bits)
{
	struct chring_circle *c = &s->side.circle;
	u32 out_of = 1 + rng_below(3), i;

	memset(s, 0, sizeof(*s));
	s->bits = bits;
	s->slots = 1 + rng_below(SLOTS_MAX);
	c->table = random_table(rng_once_in(10) ? rng_below(3) : rng_below(40),
				s->slots, bits);
	c->stand = stands_of(c->table, s->slots, NULL);
	c->slots = s->slots;
	c->out = s->out;
	s->side.id = s->id;
	for (i = 0; i < s->slots; i++) {
		/* The same nodes in other slots of other scenes. */
		s->id[i] = 1 + (i * 5 + s->slots) % SLOTS_MAX;
		if (!rng_once_in(out_of))
			s->out[i / BITS_PER_LONG] |= 1UL << i % BITS_PER_LONG;
	}
	count_live(s);
}

static void scene_close(struct scene *s)
{
	free((void *)s->side.circle.stand);
	chring_table_free((struct chring_table *)s->side.circle.table);
}

static u32 random_bits(void)
{
	return rng_once_in(2) ? 32 : 64;
}

/* By looking at every token. Return: slot or -1. */
static int owner_slowly(const struct chring_circle *c, u64 inside)
{
	const struct chring_table *t = c->table;
	int first = -1;
	u32 i;

	for (i = 0; i < t->count; i++) {
		if (chring_slot_set(c->out, chring_table_owner(t, i)))
			continue;
		if (first < 0)
			first = chring_table_owner(t, i);
		if (chring_table_token(t, i) >= inside)
			return chring_table_owner(t, i);
	}
	return first;
}

/* -- lists of arcs */

struct arcs {
	struct chring_arc *arc;
	u32 count;
};

static struct arcs arcs_alloc(const struct chring_circle *c)
{
	struct arcs l = {
		.arc = calloc(c->table->count + 2, sizeof(*l.arc)),
	};

	NEED(l.arc);
	return l;
}

/* With few steps at a time, so that it stops and goes on everywhere. */
static struct arcs arcs_from(const struct chring_circle *c, u32 bits,
			     u64 position)
{
	struct arcs l = arcs_alloc(c);
	struct chring_arcs walk;
	struct chring_arc arc;
	u32 steps = 0, looks = 0;
	int ret;

	chring_arcs_begin(&walk, c, bits, position);
	while ((ret = chring_arcs_next(&walk, &arc, &steps))) {
		if (ret == -EAGAIN) {
			NEED(!steps && looks++ < 3 * c->table->count + 9);
			steps = 1 + rng_below(3);
			continue;
		}
		NEED(ret == 1 && l.count < c->table->count + 2);
		l.arc[l.count++] = arc;
	}
	CHECK(!chring_arcs_next(&walk, &arc, &steps));
	return l;
}

static void check_arc(const struct chring_circle *c, u32 bits,
		      const struct chring_arc *arc)
{
	const u64 at[] = {
		arc->first, arc->first + (arc->last - arc->first) / 2, arc->last,
	};
	u32 i, visits;

	for (i = 0; i < 3; i++) {
		CHECK(chring_place_owner(c, at[i] << (64 - bits), &visits) ==
		      arc->slot);
		CHECK(owner_slowly(c, at[i] << (64 - bits)) == arc->slot);
	}
}

/* All of the circle and nothing twice, each part as long as can be. */
static void check_partition(const struct chring_circle *c, u32 bits,
			    const struct arcs *l)
{
	u128 sum = 0;
	u32 i;

	if (!c->live) {
		CHECK(!l->count);
		return;
	}
	if (!CHECK(l->count))
		return;
	CHECK(l->arc[0].first == 0);
	CHECK(l->arc[l->count - 1].last == chring_last_position(bits));
	for (i = 0; i < l->count; i++) {
		const struct chring_arc *arc = &l->arc[i];

		CHECK(arc->first <= arc->last);
		if (i) {
			CHECK(arc->first == arc[-1].last + 1);
			CHECK(arc->slot != arc[-1].slot);
		}
		check_arc(c, bits, arc);
		sum += length(arc->first, arc->last);
	}
	CHECK(sum == (u128)1 << bits);
}

static void check_shares(const struct chring_circle *c, u32 bits, u32 slots,
			 const struct arcs *l)
{
	struct chring_share *share = calloc(slots + 1, sizeof(*share));
	u128 *sum = calloc(slots + 1, sizeof(*sum));
	u32 i;

	NEED(share && sum);
	CHECK(!chring_balance_shares(c->table, c->out, bits, share));
	for (i = 0; i < l->count; i++)
		sum[l->arc[i].slot] += length(l->arc[i].first, l->arc[i].last);
	for (i = 0; i < slots; i++)
		CHECK(sum[i] == number(&share[i]));
	free(share);
	free(sum);
}

/* From there on it is the rest of @all, the first one cut. */
static void check_rest(const struct chring_circle *c, u32 bits,
		       const struct arcs *all, u64 position)
{
	struct arcs l = arcs_from(c, bits, position);
	u32 i = 0, k;

	while (i < all->count && all->arc[i].last < position)
		i++;
	if (CHECK(l.count == all->count - i))
		for (k = 0; k < l.count; k++, i++) {
			CHECK(l.arc[k].first == max(all->arc[i].first, position));
			CHECK(l.arc[k].last == all->arc[i].last);
			CHECK(l.arc[k].slot == all->arc[i].slot);
		}
	free(l.arc);
}

static void check_circle(const struct chring_circle *c, u32 bits, u32 slots)
{
	struct arcs l = arcs_from(c, bits, 0);
	u64 end = chring_last_position(bits);
	u32 i;

	check_partition(c, bits, &l);
	check_shares(c, bits, slots, &l);
	for (i = 0; i < l.count; i++) {
		check_rest(c, bits, &l, l.arc[i].first);
		check_rest(c, bits, &l, l.arc[i].last);
	}
	for (i = 0; i < 8; i++)
		check_rest(c, bits, &l, rng() & end);
	check_rest(c, bits, &l, 0);
	check_rest(c, bits, &l, end);
	free(l.arc);
}

static void test_partition(void)
{
	u32 i, collisions = 0, nobody = 0, alone = 0;

	for (i = 0; i < MEMBERSHIPS; i++) {
		struct scene s;

		scene_open(&s, random_bits());
		check_circle(&s.side.circle, s.bits, s.slots);
		collisions += s.side.circle.table->collisions;
		nobody += !s.side.circle.live;
		alone += s.side.circle.live == 1;
		scene_close(&s);
	}
	tap_note("%u collisions, %u circles of nobody, %u of one node",
		 collisions, nobody, alone);
	CHECK(collisions > MEMBERSHIPS && nobody > 20 && alone > 20);
}

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

/* Of real rings, and against the model. */
static void test_rings(void)
{
	u32 i, k;

	for (i = 0; i < MEMBERSHIPS / 4; i++) {
		struct chring_circle c;
		struct arcs l;
		struct rig rig;
		u32 bits;

		open_random(&rig);
		c = chring_view_circle(rig_view(&rig));
		bits = rig.model.config.bits;
		check_circle(&c, bits, rig_view(&rig)->roster->slots);
		l = arcs_from(&c, bits, 0);
		for (k = 0; k < l.count; k++) {
			u64 last = l.arc[k].last << (64 - bits);

			CHECK((int)rig_node_of(&rig, l.arc[k].slot) ==
			      model_owner(&rig.model, last));
		}
		free(l.arc);
		rig_close(&rig);
	}
}

/* A node alone owns all, as one arc, however many tokens it has. */
static void test_alone(void)
{
	static const u32 bits[] = { 32, 64 };
	u32 i, weight;

	for (i = 0; i < 2; i++)
		for (weight = 1; weight < 4; weight++) {
			struct chring_config config = { .bits = bits[i] };
			struct model_node node = {
				.name = "n", .name_len = 1, .weight = weight,
			};
			struct chring_share share = {};
			struct chring_circle c;
			struct arcs l;
			struct rig rig;

			NEED(!chring_config_resolve(&config));
			rig_open(&rig, &config);
			CHECK(!rig_add(&rig, &node));
			c = chring_view_circle(rig_view(&rig));
			l = arcs_from(&c, bits[i], 0);
			CHECK(l.count == 1);
			CHECK(l.arc[0].first == 0);
			CHECK(l.arc[0].last ==
			      (bits[i] == 32 ? 0xffffffffULL : ~0ULL));
			chring_share_add_arc(&share, l.arc[0].first,
					     l.arc[0].last);
			CHECK(share.hi == (bits[i] == 64));
			CHECK(share.lo == (bits[i] == 64 ? 0 : 1ULL << 32));
			free(l.arc);
			rig_close(&rig);
		}
}

/* From a position on: to the end, and once around to the first in service. */
static u32 steps_needed(const struct chring_circle *c, u64 inside)
{
	const struct chring_table *t = c->table;
	u32 n = 1, i;

	for (i = 0; i < t->count; i++)
		n += chring_table_token(t, i) >= inside;
	for (i = 0; i < t->count; i++) {
		n++;
		if (!chring_slot_set(c->out, chring_table_owner(t, i)))
			return n;
	}
	return n + 1;
}

static void check_steps(const struct scene *s, u64 position)
{
	const struct chring_circle *c = &s->side.circle;
	u32 steps = U32_MAX, n = 0;
	struct chring_arcs walk;
	struct chring_arc arc;

	chring_arcs_begin(&walk, c, s->bits, position);
	while (chring_arcs_next(&walk, &arc, &steps) > 0)
		n++;
	CHECK(U32_MAX - steps <=
	      steps_needed(c, position << (64 - s->bits)));
	CHECK(n <= U32_MAX - steps);
}

/* Steps are tokens looked at: no more than need be, and none is unpaid. */
static void test_steps(void)
{
	u32 i;

	for (i = 0; i < MEMBERSHIPS; i++) {
		struct scene s;

		scene_open(&s, random_bits());
		check_steps(&s, 0);
		check_steps(&s, random_position(s.bits));
		check_steps(&s, chring_last_position(s.bits));
		scene_close(&s);
	}
}

/* -- differences */

struct diff {
	struct chring_moved *moved;
	u32 count;
};

static struct diff diff_alloc(const struct chring_side *a,
			      const struct chring_side *b)
{
	u32 n = a->circle.table->count + b->circle.table->count;
	struct diff d = { .moved = calloc(n + 4, sizeof(*d.moved)) };

	NEED(d.moved);
	return d;
}

static struct diff diff_from(const struct chring_side *a,
			     const struct chring_side *b, u32 bits,
			     u64 position)
{
	struct diff d = diff_alloc(a, b);
	struct chring_diff walk;
	struct chring_moved moved;
	u32 steps = 0;
	int ret;

	chring_diff_begin(&walk, a, b, bits, position);
	while ((ret = chring_diff_next(&walk, &moved, &steps))) {
		if (ret == -EAGAIN) {
			NEED(!steps);
			steps = 1 + rng_below(3);
			continue;
		}
		NEED(ret == 1);
		d.moved[d.count++] = moved;
	}
	CHECK(!chring_diff_next(&walk, &moved, &steps));
	return d;
}

static u64 id_in(const struct arcs *l, const struct chring_side *side, u64 at)
{
	u32 i;

	for (i = 0; i < l->count; i++)
		if (l->arc[i].first <= at && at <= l->arc[i].last)
			return side->id[l->arc[i].slot];
	return 0;
}

/* The next position after @at where an arc of either list ends. */
static u64 next_end(const struct arcs *a, const struct arcs *b, u64 at,
		    u64 end)
{
	u32 i;

	for (i = 0; i < a->count; i++)
		if (a->arc[i].last >= at)
			end = min(end, a->arc[i].last);
	for (i = 0; i < b->count; i++)
		if (b->arc[i].last >= at)
			end = min(end, b->arc[i].last);
	return end;
}

static void diff_append(struct diff *d, const struct chring_moved *moved)
{
	struct chring_moved *last = d->moved + d->count - 1;

	if (moved->from == moved->to)
		return;
	if (d->count && last->last + 1 == moved->first &&
	    last->from == moved->from && last->to == moved->to)
		last->last = moved->last;
	else
		d->moved[d->count++] = *moved;
}

/* From two lists of ranges. */
static struct diff diff_slowly(const struct chring_side *a,
			       const struct chring_side *b, u32 bits)
{
	struct arcs before = arcs_from(&a->circle, bits, 0);
	struct arcs after = arcs_from(&b->circle, bits, 0);
	u64 end = chring_last_position(bits), at = 0, last;
	struct diff d = diff_alloc(a, b);

	do {
		struct chring_moved moved = {
			.first = at,
			.from = id_in(&before, a, at),
			.to = id_in(&after, b, at),
		};

		last = moved.last = next_end(&before, &after, at, end);
		diff_append(&d, &moved);
		at = last + 1;
	} while (last != end);
	free(before.arc);
	free(after.arc);
	return d;
}

static void check_diff_rest(const struct chring_side *a,
			    const struct chring_side *b, u32 bits,
			    const struct diff *all, u64 position)
{
	struct diff d = diff_from(a, b, bits, position);
	u32 i = 0, k;

	while (i < all->count && all->moved[i].last < position)
		i++;
	if (CHECK(d.count == all->count - i))
		for (k = 0; k < d.count; k++, i++) {
			const struct chring_moved *is = &d.moved[k];
			const struct chring_moved *want = &all->moved[i];

			CHECK(is->first == max(want->first, position));
			CHECK(is->last == want->last);
			CHECK(is->from == want->from && is->to == want->to);
		}
	free(d.moved);
}

/* -- moves */

static u128 sum_of(const struct diff *d, u64 from, u64 to)
{
	u128 sum = 0;
	u32 i;

	for (i = 0; i < d->count; i++)
		if (d->moved[i].from == from && d->moved[i].to == to)
			sum += length(d->moved[i].first, d->moved[i].last);
	return sum;
}

static void check_moves(const struct chring_side *a,
			const struct chring_side *b, u32 bits,
			const struct diff *d)
{
	struct chring_moves m;
	u128 sum = 0, all = 0;
	u32 i, k;

	NEED(!chring_moves_build(&m, a, b, bits));
	for (i = 0; i < m.count; i++) {
		CHECK(m.move[i].from != m.move[i].to);
		CHECK(number(&m.move[i].share) ==
		      sum_of(d, m.move[i].from, m.move[i].to));
		sum += number(&m.move[i].share);
		for (k = 0; k < i; k++)
			CHECK(m.move[i].from != m.move[k].from ||
			      m.move[i].to != m.move[k].to);
	}
	for (i = 0; i < d->count; i++)
		all += length(d->moved[i].first, d->moved[i].last);
	CHECK(sum == all);
	CHECK(number(&m.moved) == all);
	chring_moves_free(&m);
}

static void check_two(const struct chring_side *a, const struct chring_side *b,
		      u32 bits, struct diff *d)
{
	u32 i;

	*d = diff_slowly(a, b, bits);
	check_diff_rest(a, b, bits, d, 0);
	for (i = 0; i < d->count; i++) {
		check_diff_rest(a, b, bits, d, d->moved[i].first);
		check_diff_rest(a, b, bits, d, d->moved[i].last);
	}
	check_diff_rest(a, b, bits, d, chring_last_position(bits));
	check_diff_rest(a, b, bits, d, rng() & chring_last_position(bits));
	check_moves(a, b, bits, d);
}

/* Any two: other tokens, other slots for the same ids, nobody in service. */
static void test_diff(void)
{
	u32 i, arcs = 0, to_nobody = 0, all = 0;

	for (i = 0; i < MEMBERSHIPS; i++) {
		u32 bits = random_bits();
		struct scene a, b;
		struct diff d;

		scene_open(&a, bits);
		scene_open(&b, bits);
		check_two(&a.side, &b.side, bits, &d);
		arcs += d.count;
		to_nobody += d.count && !d.moved[0].to;
		all += d.count == 1 && !d.moved[0].first &&
		       d.moved[0].last == ~0ULL;
		free(d.moved);
		/* Nothing differs from itself. */
		check_two(&a.side, &a.side, bits, &d);
		CHECK(!d.count);
		free(d.moved);
		scene_close(&a);
		scene_close(&b);
	}
	tap_note("%u arcs, %u to nobody, %u circles as a whole", arcs,
		 to_nobody, all);
	CHECK(arcs > MEMBERSHIPS && to_nobody > 20 && all > 5);
}

/* -- so many moves that room has to be made again and again */

#define MANY_SLOTS	200
#define MANY_TOKENS	40000

/**
 * struct many - two circles that have little in common
 * @side: the two
 * @out: nobody
 * @id: by slot, of both
 */
struct many {
	struct chring_side side[2];
	unsigned long out[MANY_SLOTS / BITS_PER_LONG + 1];
	u64 id[MANY_SLOTS];
};

static struct chring_table *many_tokens(void)
{
	const struct chring_run none = {};
	u16 rank[MANY_SLOTS];
	struct chring_table *t;
	struct chring_run run;
	u32 i;

	NEED(!chring_run_alloc(&run, MANY_TOKENS));
	for (i = 0; i < MANY_SLOTS; i++)
		rank[i] = i;
	for (i = 0; i < MANY_TOKENS; i++) {
		run.token[i] = rng();
		run.owner[i] = rng_below(MANY_SLOTS);
	}
	NEED(!chring_run_sort(&run));
	t = chring_table_merge(NULL, &run, &none, rank);
	NEED(!IS_ERR(t));
	chring_run_free(&run);
	return t;
}

static void many_open(struct many *m)
{
	u32 i;

	memset(m, 0, sizeof(*m));
	for (i = 0; i < MANY_SLOTS; i++)
		m->id[i] = 1000 - i;
	for (i = 0; i < 2; i++)
		m->side[i] = (struct chring_side){
			.circle = { .table = many_tokens(), .out = m->out },
			.id = m->id,
		};
}

static void many_close(struct many *m)
{
	u32 i;

	for (i = 0; i < 2; i++)
		chring_table_free((struct chring_table *)
				  m->side[i].circle.table);
}

static int many_moves(const struct many *many, struct chring_moves *m)
{
	return chring_moves_build(m, &many->side[0], &many->side[1], 64);
}

static void test_many_moves(void)
{
	struct chring_moves m;
	struct many many;
	u128 sum = 0;
	u32 i;

	many_open(&many);
	NEED(!many_moves(&many, &m));
	tap_note("%u pairs", m.count);
	CHECK(m.count > 10000);
	for (i = 0; i < m.count; i++)
		sum += number(&m.move[i].share);
	CHECK(sum == number(&m.moved));
	chring_moves_free(&m);
	many_close(&many);
}

/* What fails on the way leaves nothing behind. */
static void test_moves_fail(void)
{
	struct chring_moves m;
	struct many many;
	u32 allocs = 0, pauses = 0;
	size_t held;

	many_open(&many);
	held = chring_platform_bytes();
	faults_alloc(0, -EDQUOT);
	CHECK(many_moves(&many, &m) == -EDQUOT);
	chring_moves_free(&m);
	for (;; allocs++) {
		int ret;

		faults_alloc(allocs, -ENOMEM);
		ret = many_moves(&many, &m);
		chring_moves_free(&m);
		CHECK(chring_platform_bytes() == held);
		if (!ret)
			break;
		CHECK(ret == -ENOMEM);
	}
	faults_clear();
	for (;; pauses++) {
		int ret;

		faults_kill(pauses);
		ret = many_moves(&many, &m);
		chring_moves_free(&m);
		CHECK(chring_platform_bytes() == held);
		if (!ret)
			break;
		CHECK(ret == -EINTR);
	}
	faults_clear();
	tap_note("%u allocations and %u pauses failed", allocs, pauses);
	CHECK(allocs >= 9 && pauses >= 1);
	many_close(&many);
}

/* -- changes of a ring */

/**
 * struct held - a view of a ring that others follow
 * @v: view, with a reference
 * @id: by slot
 * @share: by slot
 */
struct held {
	struct chring_view *v;
	u64 *id;
	struct chring_share *share;
};

static struct held hold(struct rig *rig)
{
	struct held h = { .v = chring_ring_view_get(rig->ring) };
	u32 slots = h.v->roster->slots, slot;

	h.id = calloc(slots + 1, sizeof(*h.id));
	h.share = calloc(slots + 1, sizeof(*h.share));
	NEED(h.id && h.share);
	for (slot = 0; slot < slots; slot++)
		h.id[slot] = h.v->roster->node[slot] ?
			     h.v->roster->node[slot]->id : 0;
	NEED(!chring_balance_shares(h.v->table, h.v->out,
				    rig->model.config.bits, h.share));
	return h;
}

static void let_go(struct held *h)
{
	chring_view_put(h->v);
	free(h->id);
	free(h->share);
}

static u128 share_of(const struct held *h, u64 id)
{
	u32 slot;

	for (slot = 0; slot < h->v->roster->slots; slot++)
		if (h->id[slot] == id)
			return number(&h->share[slot]);
	return 0;
}

enum kind { ADD, DEL, WEIGHT, STATE, KINDS };

/* Return: id of the node that changed, 0: none did. */
static u64 change(struct rig *rig, enum kind kind)
{
	u32 nodes = rig->model.nodes, node = nodes ? rng_below(nodes) : 0;
	struct model_node want;

	if (kind == ADD) {
		model_random_node(&want, 8);
		return rig_add(rig, &want) ? 0 : rig->rq.node;
	}
	if (!nodes)
		return 0;
	want = rig->model.node[node];
	want.weight = rng_below(9);
	want.state = rng_below(3);
	if (kind == DEL)
		CHECK(!rig_del(rig, node));
	else
		CHECK(!rig_set(rig, node, kind == WEIGHT ? CHRING_NODE_WEIGHT :
			       CHRING_NODE_STATE, &want));
	return want.id;
}

/* One node gains or loses, and exactly what its share tells. */
static u32 check_change(struct rig *rig, enum kind kind)
{
	u32 bits = rig->model.config.bits, count, i;
	struct held a = hold(rig), b;
	u64 id = change(rig, kind);
	u128 before, after, sum = 0;
	struct chring_side from, to;
	struct diff d;

	b = hold(rig);
	from = (struct chring_side){ chring_view_circle(a.v), a.id };
	to = (struct chring_side){ chring_view_circle(b.v), b.id };
	check_two(&from, &to, bits, &d);
	before = share_of(&a, id);
	after = share_of(&b, id);
	for (i = 0; i < d.count; i++) {
		sum += length(d.moved[i].first, d.moved[i].last);
		CHECK((after > before ? d.moved[i].to : d.moved[i].from) == id);
	}
	CHECK(sum == (after > before ? after - before : before - after));
	count = d.count;
	free(d.moved);
	let_go(&a);
	let_go(&b);
	return count;
}

static void test_changes(void)
{
	u32 i, k, arcs[KINDS] = {};

	for (i = 0; i < MEMBERSHIPS / 4; i++) {
		struct rig rig;

		open_random(&rig);
		for (k = 0; k < 6; k++) {
			enum kind kind = rng_below(KINDS);

			arcs[kind] += check_change(&rig, kind);
		}
		rig_close(&rig);
	}
	for (k = 0; k < KINDS; k++)
		CHECK(arcs[k] > MEMBERSHIPS / 4);
}

static const struct tap_test tests[] = {
	{ "partition", test_partition },
	{ "rings", test_rings },
	{ "alone", test_alone },
	{ "steps", test_steps },
	{ "diff", test_diff },
	{ "many_moves", test_many_moves },
	{ "moves_fail", test_moves_fail },
	{ "changes", test_changes },
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
