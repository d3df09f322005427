/* SPDX-License-Identifier: GPL-2.0 */
/* Arcs: the circle as its owners divide it. */
#ifndef CHRING_ARCS_H
#define CHRING_ARCS_H

#include "balance.h"
#include "placement.h"
#include "platform.h"

/**
 * struct chring_arc - positions with one owner, one after the other
 * @first: of them, as a number of the ring's width
 * @last: of them; not before @first
 * @slot: of the owner
 */
struct chring_arc {
	u64 first;
	u64 last;
	u16 slot;
};

/**
 * struct chring_arcs - a walk over arcs, and how far it has come
 * @circle: that is walked over
 * @shift: of a position of the ring's width to one of the inside
 * @at: place of the token to look at next
 * @around: the last token is behind; what is left has the owner of the first
 * @done: no token is to be looked at any more
 * @kept: @arc is begun, and not given yet
 * @from: the first position whose owner is not known yet
 * @arc: as far as it is known
 */
struct chring_arcs {
	struct chring_circle circle;
	u32 shift;
	u32 at;
	bool around;
	bool done;
	bool kept;
	u64 from;
	struct chring_arc arc;
};

/* The last position of a ring of this width. */
static inline u64 chring_last_position(u32 bits)
{
	return ~0ULL >> (64 - bits);
}

/**
 * chring_arcs_begin() - before the first arc
 * @a: walk to be set up; holds nothing that would have to be given back
 * @c: circle; @stand and @live of it are not looked at
 * @bits: width of the ring's positions
 * @position: of the ring's width: where the first arc begins
 */
void chring_arcs_begin(struct chring_arcs *a, const struct chring_circle *c,
		       u32 bits, u64 position);

/**
 * chring_arcs_next() - the next arc
 * @a: walk
 * @arc: set to it
 * @steps: how many tokens may be looked at; counted down
 *
 * Arcs ascend and none is left out between two of them; each is as long as
 * can be. None goes over 0: what the owner of position 0 has before 0 is an
 * arc of its own, the last one. So from position 0 on they are a partition of
 * the circle.
 *
 * Tokens of nodes out of service are stepped over, and there may be any number
 * of them: hence @steps. Any context.
 *
 * Return: 1: an arc; 0: there is none any more, or no token is of a node in
 * service; -EAGAIN: @steps is 0, call again.
 */
int chring_arcs_next(struct chring_arcs *a, struct chring_arc *arc,
		     u32 *steps);

/* Add a number of positions, all those from @first to @last. */
static inline void chring_share_add_arc(struct chring_share *s, u64 first,
					u64 last)
{
	/* In two parts: there may be 2^64. */
	chring_share_add(s, last - first);
	chring_share_add(s, 1);
}

#endif /* CHRING_ARCS_H */
