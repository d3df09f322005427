/* SPDX-License-Identifier: GPL-2.0 */
/* Places: where in a table each node's tokens are. */
#ifndef CHRING_PLACES_H
#define CHRING_PLACES_H

#include "platform.h"
#include "table.h"

/**
 * struct chring_places - the places of a table, by node
 * @slots: nodes are in slots below this
 * @bytes: size of all of it
 * @first: by slot: where its places begin; one more entry ends the last
 * @place: places, ascending within a slot
 *
 * One allocation, beside the table: for walks that the table alone cannot
 * bound.
 */
struct chring_places {
	u32 slots;
	size_t bytes;
	u32 *first;
	u32 *place;
};

/**
 * chring_places_build() - find the places of a table's tokens
 * @t: table
 * @slots: more than any slot in @t
 *
 * May sleep. Return: places for chring_places_free(), or ERR_PTR() of -ENOMEM,
 * -EDQUOT, or -EINTR if the caller is being killed.
 */
struct chring_places *chring_places_build(const struct chring_table *t,
					  u32 slots);

/**
 * chring_places_free() - give back places
 * @p: from chring_places_build(), or NULL
 */
void chring_places_free(struct chring_places *p);

/**
 * chring_places_count() - tokens of a node
 * @p: places
 * @slot: of the node
 */
static inline u32 chring_places_count(const struct chring_places *p, u32 slot)
{
	return p->first[slot + 1] - p->first[slot];
}

/**
 * chring_places_next() - a node's first token at or clockwise after a place
 * @p: places
 * @slot: of a node with tokens
 * @at: place
 *
 * O(log tokens of the node). Any context.
 *
 * Return: place of that token.
 */
u32 chring_places_next(const struct chring_places *p, u32 slot, u32 at);

/**
 * chring_places_distance() - how many tokens after a place a node's first is
 * @p: places
 * @slot: of a node with tokens
 * @from: place
 * @tokens: all there are
 */
static inline u32 chring_places_distance(const struct chring_places *p,
					 u32 slot, u32 from, u32 tokens)
{
	u32 at = chring_places_next(p, slot, from);

	return at < from ? at + tokens - from : at - from;
}

#endif /* CHRING_PLACES_H */
