// SPDX-License-Identifier: GPL-2.0
#include "arcs.h"

void chring_arcs_begin(struct chring_arcs *a, const struct chring_circle *c,
		       u32 bits, u64 position)
{
	const struct chring_table *t = c->table;
	u32 shift = 64 - bits;
	u64 inside = position << shift;

	*a = (struct chring_arcs){
		.circle = *c,
		.shift = shift,
		.from = position,
	};
	/* Past the last token chring_table_find() would begin again with 0. */
	if (!t->count || inside > chring_table_token(t, t->count - 1))
		a->at = t->count;
	else
		a->at = chring_table_find(t, inside);
}

/*
 * All from @a->from to @last is @slot's: the rest of the arc that is kept, or
 * the beginning of one. Return: the kept one is complete, and in *@arc.
 */
static bool owner_found(struct chring_arcs *a, u64 last, u16 slot,
			struct chring_arc *arc)
{
	u64 first = a->from;
	bool complete = a->kept && a->arc.slot != slot;

	a->from = last + 1;
	a->done = last == ~0ULL >> a->shift;
	if (a->kept && !complete) {
		a->arc.last = last;
		return false;
	}
	*arc = a->arc;
	a->arc = (struct chring_arc){ first, last, slot };
	a->kept = true;
	return complete;
}

/* Look at one token. Return: an arc is complete. */
static bool step(struct chring_arcs *a, struct chring_arc *arc)
{
	const struct chring_table *t = a->circle.table;
	u64 last;
	u16 slot;

	if (a->at == t->count) {
		/* Twice past the last one: nobody is in service. */
		a->done = a->around;
		a->around = true;
		a->at = 0;
		return false;
	}
	last = chring_table_token(t, a->at) >> a->shift;
	slot = chring_table_owner(t, a->at++);
	if (chring_slot_set(a->circle.out, slot))
		return false;
	if (a->around)
		last = ~0ULL >> a->shift;
	else if (last < a->from)
		/* Where another one stands, which was the first. */
		return false;
	return owner_found(a, last, slot, arc);
}

int chring_arcs_next(struct chring_arcs *a, struct chring_arc *arc, u32 *steps)
{
	while (!a->done) {
		if (!*steps)
			return -EAGAIN;
		--*steps;
		if (step(a, arc))
			return 1;
	}
	if (!a->kept)
		return 0;
	a->kept = false;
	*arc = a->arc;
	return 1;
}
