/* SPDX-License-Identifier: GPL-2.0 */
/* Who owns how much of the circle. */
#ifndef CHRING_BALANCE_H
#define CHRING_BALANCE_H

#include "platform.h"
#include "table.h"

/**
 * struct chring_share - a number of positions, at most 2^64
 * @lo: lower 64 bits
 * @hi: upper 64 bits
 */
struct chring_share {
	u64 lo;
	u64 hi;
};

static inline void chring_share_add(struct chring_share *s, u64 n)
{
	s->lo += n;
	s->hi += s->lo < n;
}

/**
 * chring_balance_shares() - positions owned, by slot
 * @t: a table, with tokens or without
 * @out: slots of nodes out of service: what they would own is the next node's
 * @bits: width of the ring's positions, the unit of a share
 * @share: by slot, zeroed by the caller; the sum of all is 2^@bits exactly, or
 *	0 if no token is of a node in service
 *
 * May sleep. Return: 0, or -EINTR if the caller is being killed.
 */
int chring_balance_shares(const struct chring_table *t,
			  const unsigned long *out, u32 bits,
			  struct chring_share *share);

/**
 * chring_balance_extremes() - the shortest and the longest arc between tokens
 * @t: a table, with tokens or without
 * @bits: width of the ring's positions, the unit of a share
 * @least: set to the positions of the shortest arc, tokens at one place being
 *	one; 0 if there are none
 * @most: set to those of the longest
 *
 * May sleep. Return: 0, or -EINTR if the caller is being killed.
 */
int chring_balance_extremes(const struct chring_table *t, u32 bits,
			    struct chring_share *least,
			    struct chring_share *most);

#endif /* CHRING_BALANCE_H */
