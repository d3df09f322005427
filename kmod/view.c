// SPDX-License-Identifier: GPL-2.0
#include "view.h"
#include "ring.h"

struct chring_shared_table *chring_shared_table_wrap(struct chring_table *t,
						     u32 slots)
{
	struct chring_shared_table *s;
	struct chring_places *places;

	if (IS_ERR(t))
		return ERR_CAST(t);
	places = chring_places_build(t, slots);
	if (IS_ERR(places)) {
		chring_table_free(t);
		return ERR_CAST(places);
	}
	s = chring_alloc(sizeof(*s));
	if (IS_ERR(s)) {
		chring_places_free(places);
		chring_table_free(t);
		return s;
	}
	refcount_set(&s->refs, 1);
	s->table = t;
	s->places = places;
	return s;
}

size_t chring_shared_table_bytes(const struct chring_shared_table *s)
{
	return sizeof(*s) + s->table->bytes + s->places->bytes;
}

void chring_shared_table_put(struct chring_shared_table *s)
{
	if (!s || !refcount_dec_and_test(&s->refs))
		return;
	chring_places_free(s->places);
	chring_table_free(s->table);
	chring_free(s, sizeof(*s));
}

struct chring_view *chring_view_alloc(struct chring_ring *ring,
				      struct chring_shared_table *shared,
				      struct chring_roster *roster)
{
	u32 longs = DIV_ROUND_UP(roster->slots, BITS_PER_LONG);
	size_t bytes = sizeof(struct chring_view) + 2 * longs * sizeof(long);
	struct chring_view *v = chring_alloc(bytes);

	if (IS_ERR(v))
		return v;
	refcount_set(&v->refs, 1);
	v->bytes = bytes;
	v->out = (unsigned long *)(v + 1);
	v->down = v->out + longs;
	v->ring = chring_ring_get(ring);
	v->shared = chring_shared_table_get(shared);
	v->table = shared->table;
	v->roster = chring_roster_get(roster);
	v->nodes = roster->count;
	return v;
}

static void view_free(struct chring_view *v)
{
	struct chring_ring *ring = v->ring;

	chring_shared_table_put(v->shared);
	chring_roster_put(v->roster);
	atomic_long_sub(v->retires, &ring->retired_bytes);
	chring_free(v, v->bytes);
	chring_ring_put(ring);
}

static void view_retired(struct chring_retired *retired)
{
	view_free(container_of(retired, struct chring_view, retired));
}

void chring_view_put(struct chring_view *v)
{
	if (v && refcount_dec_and_test(&v->refs))
		chring_retire(&v->retired, view_retired);
}

void chring_view_discard(struct chring_view *v)
{
	if (v)
		view_free(v);
}

size_t chring_view_total_bytes(const struct chring_view *v)
{
	return sizeof(*v->ring) + chring_loads_bytes(&v->ring->loads) +
	       v->bytes + v->roster->bytes +
	       chring_shared_table_bytes(v->shared);
}

u32 chring_view_state(const struct chring_view *v, u32 slot)
{
	if (!chring_slot_set(v->out, slot))
		return CHRING_STATE_UP;
	return chring_slot_set(v->down, slot) ? CHRING_STATE_DOWN :
						CHRING_STATE_DRAIN;
}

bool chring_view_serves(const struct chring_view *v, u32 slot)
{
	return slot < v->roster->slots && v->roster->weight[slot] &&
	       !chring_slot_set(v->out, slot);
}

static void set_slot(unsigned long *set, u32 slot, bool on)
{
	unsigned long bit = 1UL << (slot % BITS_PER_LONG);

	if (on)
		set[slot / BITS_PER_LONG] |= bit;
	else
		set[slot / BITS_PER_LONG] &= ~bit;
}

void chring_view_set_state(struct chring_view *v, u32 slot, u32 state)
{
	set_slot(v->out, slot, state != CHRING_STATE_UP);
	set_slot(v->down, slot, state == CHRING_STATE_DOWN);
}
