/* SPDX-License-Identifier: GPL-2.0 */
/* Walk policies: which node serves, among those that stand on the circle. */
#ifndef CHRING_PLACEMENT_H
#define CHRING_PLACEMENT_H

#include "platform.h"
#include "table.h"

/**
 * chring_slot_set() - is a slot in a set of slots?
 * @set: bitmap
 * @slot: bit
 */
static inline bool chring_slot_set(const unsigned long *set, u32 slot)
{
	return set[slot / BITS_PER_LONG] >> (slot % BITS_PER_LONG) & 1;
}

/**
 * chring_place_owner() - the owner of a position
 * @t: a table with tokens
 * @out: slots of nodes out of service, stepped over
 * @position: as the inside of the module sees it
 *
 * Any context.
 *
 * Return: slot of the owner, or -EHOSTUNREACH if no token is of a node in
 * service.
 */
int chring_place_owner(const struct chring_table *t, const unsigned long *out,
		       u64 position);

#endif /* CHRING_PLACEMENT_H */
