/* SPDX-License-Identifier: GPL-2.0 */
/* The difference of two circles: where the owner is another one. */
#ifndef CHRING_DIFF_H
#define CHRING_DIFF_H

#include "arcs.h"

/**
 * struct chring_side - one of two circles
 * @circle: tokens, and who is out of service; @stand and @live of it are not
 *	looked at
 * @id: by slot: of the node, never 0; for all slots that have tokens. A node
 *	that is the same on both sides has the same id, whatever its slots are
 */
struct chring_side {
	struct chring_circle circle;
	const u64 *id;
};

/**
 * struct chring_moved - positions that have another owner
 * @first: of them, as a number of the ring's width
 * @last: of them
 * @from: id of the owner before; 0: none was in service
 * @to: id of the owner after; 0: none is in service
 */
struct chring_moved {
	u64 first;
	u64 last;
	u64 from;
	u64 to;
};

/**
 * struct chring_diff_side - how far a difference has come on one side
 * @arcs: walk
 * @id: by slot
 * @last: the last position of its current arc
 * @owner: id of its owner, or 0
 * @known: @last and @owner are
 */
struct chring_diff_side {
	struct chring_arcs arcs;
	const u64 *id;
	u64 last;
	u64 owner;
	bool known;
};

/**
 * struct chring_diff - a difference, and how far it has come
 * @before: one side
 * @after: the other
 * @from: the first position that is not compared yet
 * @end: the last position of the ring
 * @done: all are
 */
struct chring_diff {
	struct chring_diff_side before;
	struct chring_diff_side after;
	u64 from;
	u64 end;
	bool done;
};

/**
 * chring_diff_begin() - before the first difference
 * @d: difference to be set up; holds nothing that would have to be given back
 * @before: circle before
 * @after: circle after, of the same width
 * @bits: width of the rings' positions
 * @position: of that width: where to begin
 */
void chring_diff_begin(struct chring_diff *d, const struct chring_side *before,
		       const struct chring_side *after, u32 bits,
		       u64 position);

/**
 * chring_diff_next() - the next positions whose owners differ
 * @d: difference
 * @moved: set to them
 * @steps: how many tokens may be looked at; counted down
 *
 * They ascend; each is as long as can be, but none goes over 0. Any context.
 *
 * Return: 1: positions; 0: there are none any more; -EAGAIN: @steps is 0, call
 * again.
 */
int chring_diff_next(struct chring_diff *d, struct chring_moved *moved,
		     u32 *steps);

#endif /* CHRING_DIFF_H */
