// SPDX-License-Identifier: GPL-2.0
#include "bounded.h"
#include "fit.h"

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

static bool has_room(u32 slot, const void *b)
{
	return chring_bound_fits(b, slot);
}

int chring_place_bounded(const struct chring_circle *c,
			 const struct chring_bound *b, u64 position,
			 u32 *visits)
{
	return chring_place_fit(c, position, has_room, b, visits);
}
