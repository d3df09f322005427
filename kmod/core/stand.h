/* SPDX-License-Identifier: GPL-2.0 */
/* A stand: where on the circle one node stands. */
#ifndef CHRING_STAND_H
#define CHRING_STAND_H

#include "platform.h"

/**
 * struct chring_stand - tokens of one node, in order
 * @token: positions, ascending; not owned
 * @count: how many; 0: the node stands nowhere, or there is none
 * @rank: place of the node in the order of names, for tokens of several nodes
 *	at one place; of no matter to a node by itself
 *
 * Small, for walks that go over the stands of all nodes.
 */
struct chring_stand {
	const u64 *token;
	u32 count;
	u16 rank;
};

/**
 * chring_stand_far() - how far it is from a position clockwise to a node
 * @s: stand with tokens
 * @position: as the inside of the module sees it
 *
 * O(log tokens of the node). Any context.
 *
 * Return: distance to the first token at or after the position; past the last
 * the circle begins again.
 */
u64 chring_stand_far(const struct chring_stand *s, u64 position);

/**
 * chring_stand_merge() - tokens of both of two stands
 * @a: stand
 * @b: stand
 * @token: for as many as both have; set, ascending
 *
 * May sleep. Return: 0, or -EINTR if the caller is being killed.
 */
int chring_stand_merge(const struct chring_stand *a,
		       const struct chring_stand *b, u64 *token);

/**
 * chring_stand_except() - tokens of a stand that another one has not
 * @all: stand
 * @but: stand of some of its tokens; of equal ones as many or fewer
 * @token: for as many as @all has more; set, ascending
 *
 * May sleep. Return: 0, -EINTR if the caller is being killed, or -EUCLEAN: @but
 * has a token that @all has not.
 */
int chring_stand_except(const struct chring_stand *all,
			const struct chring_stand *but, u64 *token);

#endif /* CHRING_STAND_H */
