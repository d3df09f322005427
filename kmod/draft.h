/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A change is made aside, in a draft: first the nodes, then the table if
 * tokens come or go, then a view of both. Nothing of it can be seen until it
 * is published by one pointer store; what fails before leaves no trace.
 */
#ifndef CHRING_DRAFT_H
#define CHRING_DRAFT_H

#include "ring.h"

/**
 * struct chring_draft - a change in the making
 * @ring: whose, locked
 * @old: its view before
 * @swap: nodes that change, in the order of their names; the caller's
 * @swaps: how many
 * @rebuild: the table is made from nothing: a slot has one node in @old and
 *	another one after
 * @pinned: former owners stay when tokens change, those of @old if they did not
 *	stay before
 * @roster: nodes after, a reference
 * @shared: table after, a reference
 * @view: view after, a reference
 * @retires: what only @old needs, and is freed with it
 * @room: for the loads of @roster, if they need more
 * @space: for the log to grow into; afterwards what it has grown out of
 */
struct chring_draft {
	struct chring_ring *ring;
	const struct chring_view *old;
	const struct chring_swap *swap;
	u32 swaps;
	bool rebuild;
	bool pinned;
	struct chring_roster *roster;
	struct chring_shared_table *shared;
	struct chring_view *view;
	size_t retires;
	struct chring_loads_room room;
	struct chring_log_space space;
};

/* Begin the draft of a change of a ring, which is locked. */
void chring_draft_begin(struct chring_draft *d, struct chring_ring *ring);

/**
 * chring_draft_check_tokens() - may so many tokens come?
 * @d: draft
 * @come: tokens
 * @go: tokens
 *
 * To be asked before anything is allocated.
 *
 * Return: 0, or -ENOSPC if there would be more than there may be, and more than
 * there are.
 */
int chring_draft_check_tokens(const struct chring_draft *d, u64 come, u64 go);

/**
 * chring_draft_commit() - make the change, answer, publish
 * @d: draft with its swaps
 * @rq: frame
 *
 * May sleep. Return: 0, -EINTR, -ENOMEM, -EDQUOT, what @rq->answer returned, or
 * -EIO: the table lacks a token that it should have, a fault of the module.
 */
int chring_draft_commit(struct chring_draft *d, struct chring_request *rq);

/**
 * chring_draft_drop() - give back what a draft holds
 * @d: draft, published or not
 */
void chring_draft_drop(struct chring_draft *d);

typedef int chring_change_fn(struct chring_draft *d, const void *what,
			     struct chring_request *rq);

/**
 * chring_ring_change() - a change of a ring, from the lock to the unlock
 * @ring: ring
 * @what: for @fn
 * @rq: frame; its conditions are checked
 * @fn: makes the swaps and commits
 *
 * May sleep. Return: 0; -ENODEV, -EINTR, -ESTALE, -ERANGE (generation), or what
 * @fn returned.
 */
int chring_ring_change(struct chring_ring *ring, const void *what,
		       struct chring_request *rq, chring_change_fn *fn);

/* Does the frame alone make a change, of the generation? */
bool chring_request_moves_on(const struct chring_view *old,
			     const struct chring_request *rq);

/* Nothing is to be changed: the answer is the ring as it is. */
int chring_request_settled(struct chring_request *rq);

/**
 * chring_node_make() - a new node of a ring, with an id of its own
 * @config: of the ring
 * @edit: all of it but @flags and @node
 *
 * Its tokens are all hashed and sorted here.
 *
 * May sleep. Return: with one reference, the caller's; or ERR_PTR() of -ENOMEM,
 * -EDQUOT, or -EINTR if the caller is being killed.
 */
struct chring_node *chring_node_make(const struct chring_config *config,
				     const struct chring_edit *edit);

/**
 * chring_node_edit() - a node with its id, and what an edit names
 * @config: of the ring
 * @was: the node before
 * @edit: what to set
 *
 * Tokens are shared with @was, if they are the same.
 *
 * May sleep. Return: as chring_node_make(); also -EIO, as
 * chring_draft_commit().
 */
struct chring_node *chring_node_edit(const struct chring_config *config,
				     const struct chring_node *was,
				     const struct chring_edit *edit);

/* Would an edit make another node of it, its state aside? */
bool chring_node_differs(const struct chring_node *node,
			 const struct chring_edit *edit);

#endif /* CHRING_DRAFT_H */
