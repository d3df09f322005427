/* SPDX-License-Identifier: GPL-2.0 */
/* The view: what a reader loads, one immutable state of a ring. */
#ifndef CHRING_VIEW_H
#define CHRING_VIEW_H

#include "core/placement.h"
#include "roster.h"

struct chring_ring;

/**
 * struct chring_shared_table - a table that several views use
 * @refs: views and makers that hold it
 * @table: the table
 * @places: its tokens by node
 */
struct chring_shared_table {
	refcount_t refs;
	struct chring_table *table;
	struct chring_places *places;
};

/**
 * chring_shared_table_wrap() - share a table
 * @t: table or ERR_PTR(); the shared one takes it over, freed on failure
 * @slots: more than any slot in the table
 *
 * May sleep. Return: with one reference, the caller's; or ERR_PTR().
 */
struct chring_shared_table *chring_shared_table_wrap(struct chring_table *t,
						     u32 slots);

/* Memory of a shared table: all of it. */
size_t chring_shared_table_bytes(const struct chring_shared_table *s);

static inline struct chring_shared_table *
chring_shared_table_get(struct chring_shared_table *s)
{
	refcount_inc(&s->refs);
	return s;
}

/* Give back a reference to a shared table, or NULL. */
void chring_shared_table_put(struct chring_shared_table *s);

/**
 * struct chring_view - one state of a ring
 * @table: of @shared, for readers
 * @out: by slot: the node is out of service
 * @down: by slot: the node is down; without @out it is not
 * @epoch: the number of this state
 * @live: nodes in service with weight
 * @weight: of these together
 * @nodes: all nodes
 * @roster: all nodes
 * @generation: the caller's number of this state
 * @digest: of this state
 * @ring: whose state this is, with a reference
 * @shared: holds @table
 * @bytes: of this view alone
 * @retires: what is freed with this view, by the count of its ring
 * @refs: 1 for being the ring's view, 1 for each reader that may sleep
 * @retired: once @refs is 0
 */
struct chring_view {
	const struct chring_table *table;
	unsigned long *out;
	unsigned long *down;
	u64 epoch;
	u32 live;
	u64 weight;
	u32 nodes;
	struct chring_roster *roster;
	u64 generation;
	u64 digest;
	struct chring_ring *ring;
	struct chring_shared_table *shared;
	size_t bytes;
	size_t retires;
	refcount_t refs;
	struct chring_retired retired;
};

/**
 * chring_view_alloc() - a view to be filled in
 * @ring: whose view; the view takes a reference
 * @shared: its table; takes a reference
 * @roster: its nodes; takes a reference
 *
 * May sleep. Return: with one reference, the caller's; or ERR_PTR() of -ENOMEM
 * or -EDQUOT.
 */
struct chring_view *chring_view_alloc(struct chring_ring *ring,
				      struct chring_shared_table *shared,
				      struct chring_roster *roster);

/**
 * chring_view_put() - give back a reference to a view
 * @v: view, or NULL
 *
 * Any context; the view is freed later, when no reader under rcu_read_lock()
 * can see it.
 */
void chring_view_put(struct chring_view *v);

/**
 * chring_view_discard() - free a view that was never published
 * @v: view, or NULL
 *
 * At once: nobody can see it, and a writer whose changes fail must not pile up
 * memory that waits for grace periods. May sleep.
 */
void chring_view_discard(struct chring_view *v);

/* Memory of a ring: that of a view, with all that it refers to. */
size_t chring_view_total_bytes(const struct chring_view *v);

/* State of the node in a slot. */
u32 chring_view_state(const struct chring_view *v, u32 slot);

/* Is there a node in a slot, in service with weight? */
bool chring_view_serves(const struct chring_view *v, u32 slot);

/* While a view is made: set the state of the node in a slot. */
void chring_view_set_state(struct chring_view *v, u32 slot, u32 state);

/* What lookups walk over. */
static inline struct chring_circle
chring_view_circle(const struct chring_view *v)
{
	return (struct chring_circle){
		.table = v->table,
		.places = v->shared->places,
		.out = v->out,
		.live = v->live,
	};
}

/**
 * chring_view_owner() - the owner of a position
 * @v: view
 * @position: as the inside of the module sees it
 *
 * Any context.
 *
 * Return: slot; -ENODATA: the ring has no nodes; -EHOSTUNREACH: it has, but
 * none in service with weight.
 */
static inline int chring_view_owner(const struct chring_view *v, u64 position)
{
	struct chring_circle c;

	if (unlikely(!v->live))
		return v->nodes ? -EHOSTUNREACH : -ENODATA;
	c = chring_view_circle(v);
	return chring_place_owner(&c, position);
}

/**
 * chring_view_replicas() - the first distinct nodes in service clockwise
 * @v: view
 * @position: as the inside of the module sees it
 * @n: nodes wanted, 1..CHRING_REPLICAS_MAX
 * @slot: for @n slots
 * @visits: set to how many tokens and nodes were looked at
 *
 * Any context. See chring_place_replicas().
 *
 * Return: nodes found, or an error as from chring_view_owner().
 */
static inline int chring_view_replicas(const struct chring_view *v,
				       u64 position, u32 n, u16 *slot,
				       u32 *visits)
{
	struct chring_circle c;

	*visits = 0;
	if (unlikely(!v->live))
		return v->nodes ? -EHOSTUNREACH : -ENODATA;
	c = chring_view_circle(v);
	return chring_place_replicas(&c, position, n, slot, visits);
}

#endif /* CHRING_VIEW_H */
