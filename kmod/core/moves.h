/* SPDX-License-Identifier: GPL-2.0 */
/* Moves: who gives how much of the circle to whom. */
#ifndef CHRING_MOVES_H
#define CHRING_MOVES_H

#include "diff.h"

/**
 * struct chring_move - what one node gives to another
 * @from: id of the owner before; 0: none was in service
 * @to: id of the owner after; 0: none is in service
 * @share: positions, in the ring's width
 */
struct chring_move {
	u64 from;
	u64 to;
	struct chring_share share;
};

/**
 * struct chring_moves - all moves between two circles
 * @move: each pair once, in the order in which they first occur clockwise
 *	from 0; the memory of all of it
 * @count: how many
 * @room: for how many there is
 * @index: by hash: 1 + place in @move, 0: free; twice as many as @room
 * @moved: sum of all shares, those from and to nobody included
 */
struct chring_moves {
	struct chring_move *move;
	u32 count;
	u32 room;
	u32 *index;
	struct chring_share moved;
};

/**
 * chring_moves_build() - sum up the difference of two circles
 * @m: to be set up; give it back with chring_moves_free(), whatever this
 *	returns
 * @before: circle before
 * @after: circle after, of the same width
 * @bits: width of the rings' positions
 *
 * Takes a walk over all tokens of both, and memory for each pair.
 *
 * May sleep. Return: 0, -ENOMEM, -EDQUOT, or -EINTR if the caller is being
 * killed.
 */
int chring_moves_build(struct chring_moves *m, const struct chring_side *before,
		       const struct chring_side *after, u32 bits);

/**
 * chring_moves_free() - give back moves
 * @m: from chring_moves_build(), or all zeroes
 */
void chring_moves_free(struct chring_moves *m);

#endif /* CHRING_MOVES_H */
