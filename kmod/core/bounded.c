// SPDX-License-Identifier: GPL-2.0
#include "bounded.h"

#define VISITS_MAX	64U

/* Digits of a long division: a remainder and one more stay within a u64. */
#define DIGIT_BITS	16

/* Rounded up, and no more than a u64 holds; @d is below 2^48. */
static u64 divide_up(unsigned __int128 n, u64 d)
{
	unsigned __int128 q = 0;
	u64 left = 0;
	int at;

	for (at = 128 - DIGIT_BITS; at >= 0; at -= DIGIT_BITS) {
		left = left << DIGIT_BITS | (u16)(n >> at);
		q = q << DIGIT_BITS | left / d;
		left %= d;
	}
	q += !!left;
	return q >> 64 ? ~0ULL : (u64)q;
}

u64 chring_bound_cap(const struct chring_bound *b, u32 weight)
{
	unsigned __int128 all = b->tickets;

	if (!b->balance)
		return 0;
	return divide_up((all + 1) * b->balance * weight, 100 * b->weight_sum);
}

static bool has_room(const struct chring_circle *c,
		     const struct chring_bound *b, u32 slot)
{
	return !chring_slot_set(c->out, slot) && chring_bound_fits(b, slot);
}

static int walk_tokens(const struct chring_circle *c,
		       const struct chring_bound *b, u64 position, u32 *visits)
{
	const struct chring_table *t = c->table;
	u32 end = min(t->count, VISITS_MAX);
	u32 at = chring_table_find(t, position);

	while (*visits < end) {
		u16 slot = chring_table_owner(t, at);

		++*visits;
		if (has_room(c, b, slot))
			return slot;
		if (++at == t->count)
			at = 0;
	}
	return -EHOSTUNREACH;
}

static int walk_nodes(const struct chring_circle *c,
		      const struct chring_bound *b, u64 position, u32 *visits)
{
	int found = -EHOSTUNREACH;
	u64 nearest = 0;
	u32 slot;

	for (slot = 0; slot < c->slots; slot++) {
		u64 far;

		if (!has_room(c, b, slot) || !c->stand[slot].count)
			continue;
		far = chring_stand_far(&c->stand[slot], position);
		if (found < 0 ||
		    chring_circle_before(c, slot, far, found, nearest)) {
			nearest = far;
			found = slot;
		}
	}
	*visits += c->slots;
	return found;
}

int chring_place_bounded(const struct chring_circle *c,
			 const struct chring_bound *b, u64 position,
			 u32 *visits)
{
	int slot;

	*visits = 0;
	if (!c->live)
		return -EHOSTUNREACH;
	slot = walk_tokens(c, b, position, visits);
	return slot < 0 ? walk_nodes(c, b, position, visits) : slot;
}
