/* SPDX-License-Identifier: GPL-2.0 */
/* Walk policies: which nodes serve, among those that stand on the circle. */
#ifndef CHRING_PLACEMENT_H
#define CHRING_PLACEMENT_H

#include "platform.h"
#include "stand.h"
#include "table.h"

/**
 * struct chring_circle - what is walked over
 * @table: tokens
 * @stand: by slot: the same by node, with ranks by which equal tokens stand in
 *	@table
 * @slots: how many
 * @out: slots of nodes out of service, stepped over
 * @zone: by slot: number of the node's zone; only zones are asked for it
 * @live: nodes in service with tokens
 * @zones: zones with such a node
 */
struct chring_circle {
	const struct chring_table *table;
	const struct chring_stand *stand;
	u32 slots;
	const unsigned long *out;
	const u16 *zone;
	u32 live;
	u32 zones;
};

/**
 * chring_slot_set() - is a slot in a set of slots?
 * @set: bitmap
 * @slot: bit
 */
static inline bool chring_slot_set(const unsigned long *set, u32 slot)
{
	return set[slot / BITS_PER_LONG] >> (slot % BITS_PER_LONG) & 1;
}

/* Is the node of a slot in service with tokens? */
static inline bool chring_circle_live(const struct chring_circle *c, u32 slot)
{
	return !chring_slot_set(c->out, slot) && c->stand[slot].count;
}

/**
 * chring_circle_before() - is one of two nodes met before the other?
 * @c: circle
 * @a: slot of a node
 * @far_a: how far its next token is
 * @b: slot of another node
 * @far_b: how far its next token is
 *
 * As a walk along the table would meet them.
 */
static inline bool chring_circle_before(const struct chring_circle *c, u32 a,
					u64 far_a, u32 b, u64 far_b)
{
	if (far_a != far_b)
		return far_a < far_b;
	return c->stand[a].rank < c->stand[b].rank;
}

/**
 * chring_place_owner() - the owner of a position
 * @c: circle
 * @position: as the inside of the module sees it
 * @visits: set to how many tokens and nodes were looked at
 *
 * Bounded as chring_place_replicas(). Any context.
 *
 * Return: slot of the owner, or -EHOSTUNREACH if no node is in service with
 * tokens.
 */
int chring_place_owner(const struct chring_circle *c, u64 position,
		       u32 *visits);

/**
 * struct chring_visits - how many tokens and nodes several walks looked at
 * @all: all of them
 * @worst: the longest
 */
struct chring_visits {
	u32 all;
	u32 worst;
};

/* Walks that looked at so much together leave what is left for later. */
#define CHRING_VISITS_AT_ONCE	0x4000U

/**
 * chring_place_owners() - the owners of some positions
 * @c: circle
 * @position: as the inside of the module sees them
 * @n: how many, 1..CHRING_TOGETHER
 * @slot: for @n slots
 * @visits: of this and earlier calls; at least one position is done, and no
 *	more once @visits->all is CHRING_VISITS_AT_ONCE
 *
 * As chring_place_owner() for each, but quicker. Any context.
 *
 * Return: positions done, or -EHOSTUNREACH.
 */
int chring_place_owners(const struct chring_circle *c, const u64 *position,
			u32 n, u16 *slot, struct chring_visits *visits);

/**
 * chring_place_replicas() - the first distinct nodes in service clockwise
 * @c: circle
 * @position: as the inside of the module sees it
 * @n: nodes wanted, 1..CHRING_REPLICAS_MAX
 * @slot: for @n slots, in the order of the walk
 * @visits: set to how many tokens and nodes were looked at
 *
 * The walk visits at most 64 @n tokens. Where that is not enough, for a few
 * nodes hold most tokens or most are out of service, it goes over the nodes in
 * service instead and takes the nearest, O(nodes (n + log tokens of a node)).
 *
 * The list for n is the beginning of the list for n + 1. (The preference list
 * of DeCandia et al., "Dynamo", SOSP 2007.) Any context.
 *
 * Return: nodes found, fewer than @n only if fewer are in service with tokens;
 * -EHOSTUNREACH if none is.
 */
int chring_place_replicas(const struct chring_circle *c, u64 position, u32 n,
			  u16 *slot, u32 *visits);

/**
 * chring_place_zones() - distinct nodes in service, those of new zones first
 * @c: circle
 * @position: as the inside of the module sees it
 * @n: nodes wanted, 1..CHRING_REPLICAS_MAX
 * @slot: for @n slots
 * @visits: set to how many tokens and nodes were looked at
 *
 * One walk: the first node of each zone is taken, the others are put aside;
 * when every zone in service has been seen, those put aside follow in the order
 * of the walk, then the walk goes on. (The set of Cassandra's
 * NetworkTopologyStrategy with racks for zones, its new zones first.)
 *
 * Bounded, and the list for n the beginning of the list for n + 1, as
 * chring_place_replicas(). Any context.
 *
 * Return: as chring_place_replicas().
 */
int chring_place_zones(const struct chring_circle *c, u64 position, u32 n,
		       u16 *slot, u32 *visits);

#endif /* CHRING_PLACEMENT_H */
