/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bounded load: the first node clockwise with room for one more. (Mirrokni,
 * Thorup, Zadimoghaddam, "Consistent Hashing with Bounded Loads", SODA 2018.)
 */
#ifndef CHRING_BOUNDED_H
#define CHRING_BOUNDED_H

#include "placement.h"
#include "platform.h"

/**
 * struct chring_load - the load of a slot
 * @node: id of the node that bears it, 0: none
 * @load: tickets out
 */
struct chring_load {
	u64 node;
	u64 load;
};

/**
 * struct chring_bound - what nodes bear, and may bear
 * @balance: in percent of the average, at least 100; 0: any load
 * @tickets: load of all nodes in service
 * @weight_sum: weight of all nodes in service
 * @load: by slot
 * @weight: by slot
 */
struct chring_bound {
	u32 balance;
	u64 tickets;
	u64 weight_sum;
	const struct chring_load *load;
	const u16 *weight;
};

/**
 * chring_bound_fits() - may a node bear one more?
 * @b: bound
 * @slot: of a node in service
 *
 * load + 1 <= ceil(balance * (tickets + 1) * weight / (100 * weight_sum)), for
 * whole numbers the same as load < what the ceiling is of: without a division.
 * The left side stays below 2^103, the right one below 2^97.
 */
static inline bool chring_bound_fits(const struct chring_bound *b, u32 slot)
{
	unsigned __int128 load = b->load[slot].load;
	unsigned __int128 all = b->tickets;

	return !b->balance || load * 100 * b->weight_sum <
			      (all + 1) * b->balance * b->weight[slot];
}

/**
 * chring_bound_cap() - the most that a node may bear after the next ticket
 * @b: bound; @load and @weight do not matter
 * @weight: of a node in service
 *
 * Return: that load, more than 0; 0 if there is no bound.
 */
u64 chring_bound_cap(const struct chring_bound *b, u32 weight);

/**
 * chring_place_bounded() - the first node in service clockwise with room
 * @c: circle
 * @b: bound, for every slot of @c
 * @position: as the inside of the module sees it
 * @visits: set to how many tokens and nodes were looked at
 *
 * A walk of chring_place_fit().
 *
 * With a balance of 100 or more the caps of all nodes in service come to more
 * than @b->tickets, so that one of them has room. Any context.
 *
 * Return: slot, or -EHOSTUNREACH if no node is in service with tokens.
 */
int chring_place_bounded(const struct chring_circle *c,
			 const struct chring_bound *b, u64 position,
			 u32 *visits);

#endif /* CHRING_BOUNDED_H */
