/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The walk to the first node in service that fits, whatever that means: a
 * function of the caller says so, and becomes part of the walk if it is known
 * where that is compiled.
 */
#ifndef CHRING_FIT_H
#define CHRING_FIT_H

#include "placement.h"
#include "platform.h"

/* Tokens that a walk visits before it goes over the nodes. */
#define CHRING_FIT_VISITS	64U

/**
 * typedef chring_slot_fit_fn - does a node fit?
 * @slot: of a node in service; when nodes are gone over, it may have no tokens, or
 *	there may be none in the slot: then what is said does not matter
 * @data: the caller's
 */
typedef bool chring_slot_fit_fn(u32 slot, const void *data);

static __always_inline int chring_fit_tokens(const struct chring_circle *c,
					     u64 position,
					     chring_slot_fit_fn *fit,
					     const void *data, u32 *visits)
{
	const struct chring_table *t = c->table;
	u32 end = min(t->count, CHRING_FIT_VISITS);
	u32 at = chring_table_find(t, position);

	while (*visits < end) {
		u16 slot = chring_table_owner(t, at);

		++*visits;
		if (!chring_slot_set(c->out, slot) && fit(slot, data))
			return slot;
		if (++at == t->count)
			at = 0;
	}
	return -EHOSTUNREACH;
}

static __always_inline int chring_fit_nodes(const struct chring_circle *c,
					    u64 position,
					    chring_slot_fit_fn *fit,
					    const void *data, u32 *visits)
{
	int found = -EHOSTUNREACH;
	u64 nearest = 0;
	u32 slot;

	for (slot = 0; slot < c->slots; slot++) {
		u64 far;

		if (chring_slot_set(c->out, slot) || !fit(slot, data) ||
		    !c->stand[slot].count)
			continue;
		far = chring_stand_far(&c->stand[slot], position);
		if (found < 0 ||
		    chring_circle_before(c, slot, far, found, nearest)) {
			nearest = far;
			found = slot;
		}
	}
	*visits += c->slots;
	return found;
}

/**
 * chring_place_fit() - the first node in service clockwise that fits
 * @c: circle
 * @position: as the inside of the module sees it
 * @fit: asked for a node at each of its tokens that is visited
 * @data: for @fit
 * @visits: set to how many tokens and nodes were looked at
 *
 * At most 64 tokens are visited; if none of them is of a node that fits, nodes
 * are, each asked whether it fits first and for its distance only then. Any
 * context in which @fit may be called.
 *
 * Return: slot, or -EHOSTUNREACH: no node in service with tokens fits.
 */
static __always_inline int chring_place_fit(const struct chring_circle *c,
					    u64 position,
					    chring_slot_fit_fn *fit,
					    const void *data, u32 *visits)
{
	int slot;

	*visits = 0;
	if (!c->live)
		return -EHOSTUNREACH;
	slot = chring_fit_tokens(c, position, fit, data, visits);
	return slot < 0 ? chring_fit_nodes(c, position, fit, data, visits) :
			  slot;
}

#endif /* CHRING_FIT_H */
