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
 */
struct chring_shared_table {
	refcount_t refs;
	struct chring_table *table;
};

/**
 * chring_shared_table_wrap() - share a table
 * @t: table or ERR_PTR(); the shared one takes it over, freed on failure
 *
 * May sleep. Return: with one reference, the caller's; or ERR_PTR().
 */
struct chring_shared_table *chring_shared_table_wrap(struct chring_table *t);

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
 * struct chring_former - who owned before
 * @shared: the table before the last one, or that of the pin; NULL: there was
 *	none yet
 * @roster: the nodes of that time
 * @out: by slot of @roster: the node cannot answer for what it had: it is down,
 *	or was when it went
 * @epoch: the last one of that time
 * @live: nodes that can answer, and had tokens
 * @zones: zones with such a node
 */
struct chring_former {
	struct chring_shared_table *shared;
	struct chring_roster *roster;
	unsigned long *out;
	u64 epoch;
	u32 live;
	u32 zones;
};

/**
 * struct chring_view - one state of a ring
 * @table: of @shared, for readers
 * @out: by slot: the node is out of service
 * @down: by slot: the node is down; without @out it is not
 * @epoch: the number of this state
 * @table_epoch: the first with this table
 * @nodes_epoch: the first with this roster
 * @live: nodes in service with weight
 * @weight: of these together
 * @zones: zones with such a node
 * @nodes: all nodes
 * @pinned: @former stays until it is unpinned
 * @roster: all nodes
 * @former: who owned before
 * @generation: the caller's number of this state
 * @digest: of this state
 * @ring: whose state this is, with a reference
 * @shared: holds @table
 * @bytes: of this view alone
 * @nodes_bytes: of its nodes and those of before, once
 * @retires: what is freed with this view, by the count of its ring
 * @refs: 1 for being the ring's view, 1 for each reader that may sleep
 * @retired: once @refs is 0
 */
struct chring_view {
	const struct chring_table *table;
	unsigned long *out;
	unsigned long *down;
	u64 epoch;
	u64 table_epoch;
	u64 nodes_epoch;
	u32 live;
	u32 zones;
	u64 weight;
	u32 nodes;
	bool pinned;
	struct chring_roster *roster;
	struct chring_former former;
	u64 generation;
	u64 digest;
	struct chring_ring *ring;
	struct chring_shared_table *shared;
	size_t bytes;
	size_t nodes_bytes;
	size_t retires;
	refcount_t refs;
	struct chring_retired retired;
};

/**
 * chring_view_alloc() - a view to be filled in
 * @ring: whose view; the view takes a reference
 * @shared: its table; takes a reference
 * @roster: its nodes; takes a reference
 * @former: table, nodes and epoch of before; takes references; NULL: none
 *
 * May sleep. Return: with one reference, the caller's; or ERR_PTR() of -ENOMEM
 * or -EDQUOT.
 */
struct chring_view *chring_view_alloc(struct chring_ring *ring,
				      struct chring_shared_table *shared,
				      struct chring_roster *roster,
				      const struct chring_former *former);

/**
 * chring_view_finish() - counts and digest of a view
 * @v: not published; all else is set
 * @gone: by slot of its former nodes: those that are gone were down
 *
 * May sleep. Return: 0, -ENOMEM, or -EDQUOT.
 */
int chring_view_finish(struct chring_view *v, const unsigned long *gone);

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

/* What only the old one of two views needs: freed with it. */
size_t chring_view_retires(const struct chring_view *old,
			   const struct chring_view *next);

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
		.stand = v->roster->stand,
		.slots = v->roster->slots,
		.out = v->out,
		.zone = v->roster->zone,
		.live = v->live,
		.zones = v->zones,
	};
}

/* What lookups for former owners walk over; only if there are any. */
static inline struct chring_circle
chring_view_former_circle(const struct chring_view *v)
{
	return (struct chring_circle){
		.table = v->former.shared->table,
		.stand = v->former.roster->stand,
		.slots = v->former.roster->slots,
		.out = v->former.out,
		.zone = v->former.roster->zone,
		.live = v->former.live,
		.zones = v->former.zones,
	};
}

/**
 * struct chring_ask - what is asked of a view
 * @position: as the inside of the module sees it
 * @n: nodes wanted, 1..CHRING_REPLICAS_MAX
 * @zones: those of new zones first, see chring_place_zones()
 */
struct chring_ask {
	u64 position;
	u32 n;
	bool zones;
};

/**
 * chring_view_owners() - who owns a position
 * @v: view
 * @ask: what is asked
 * @node: for @ask->n nodes, in the order of the walk; valid as long as @v
 * @visits: set to how many tokens and nodes were looked at
 *
 * Any context. See chring_place_replicas().
 *
 * Return: nodes found; -ENODATA: the ring has no nodes; -EHOSTUNREACH: it has,
 * but none in service with weight.
 */
int chring_view_owners(const struct chring_view *v, const struct chring_ask *ask,
		       const struct chring_node **node, u32 *visits);

/* chring_view_owner() where the first token does not decide. */
const struct chring_node *chring_view_walk(const struct chring_view *v,
					   u64 position);

/**
 * chring_view_owner() - the one that owns a position
 * @v: view
 * @position: as the inside of the module sees it
 *
 * As chring_view_owners() for one node. Any context.
 *
 * Return: it, valid as long as @v; or an error as chring_view_owners(), as
 * ERR_PTR().
 */
static inline const struct chring_node *
chring_view_owner(const struct chring_view *v, u64 position)
{
	u32 at, slot;

	if (unlikely(!v->live))
		return chring_view_walk(v, position);
	at = chring_table_seek(v->table, position);
	slot = chring_table_owner(v->table, at);
	if (unlikely(chring_slot_set(v->out, slot)))
		return chring_view_walk(v, position);
	return v->roster->node[slot];
}

/**
 * typedef chring_view_fit_fn - may a node be the answer?
 * @node: in service with weight
 * @data: the caller's
 */
typedef bool chring_view_fit_fn(const struct chring_node *node, void *data);

/**
 * chring_view_fitting() - the first node clockwise that fits
 * @v: view
 * @position: as the inside of the module sees it
 * @fit: asked for nodes, for some more than once
 * @data: for @fit
 * @visits: set to how many tokens and nodes were looked at
 *
 * See chring_place_fit(). Any context in which @fit may be called.
 *
 * Return: it, valid as long as @v; or an error as chring_view_owners(), as
 * ERR_PTR(): -EHOSTUNREACH too if none fits.
 */
const struct chring_node *
chring_view_fitting(const struct chring_view *v, u64 position,
		    chring_view_fit_fn *fit, void *data, u32 *visits);

/**
 * chring_view_each_owner() - who owns each of some positions
 * @v: view
 * @position: as the inside of the module sees them
 * @n: how many, 1..CHRING_TOGETHER
 * @node: for @n nodes; valid as long as @v
 * @visits: as for chring_place_owners()
 *
 * As chring_view_owner() for each, but quicker. Any context.
 *
 * Return: positions done, or an error as chring_view_owners().
 */
int chring_view_each_owner(const struct chring_view *v, const u64 *position,
			   u32 n, const struct chring_node **node,
			   struct chring_visits *visits);

/**
 * chring_view_formers() - who owned a position before
 * @v: view
 * @ask: what is asked
 * @node: as for chring_view_owners(); a node that there still is, as it is now
 * @visits: as for chring_view_owners()
 *
 * Nodes in service or draining count, and those that are gone, if they were not
 * down. Any context.
 *
 * Return: nodes found; -ENODATA: there was no node before; -EHOSTUNREACH: there
 * were, but none that can answer.
 */
int chring_view_formers(const struct chring_view *v,
			const struct chring_ask *ask,
			const struct chring_node **node, u32 *visits);

/**
 * chring_view_each_former() - who owned each of some positions before
 * @v: view
 * @position: as the inside of the module sees them
 * @n: how many, 1..CHRING_TOGETHER
 * @node: for @n nodes, as for chring_view_formers()
 * @visits: as for chring_place_owners()
 *
 * Any context.
 *
 * Return: positions done, or an error as chring_view_formers().
 */
int chring_view_each_former(const struct chring_view *v, const u64 *position,
			    u32 n, const struct chring_node **node,
			    struct chring_visits *visits);

/**
 * chring_view_has() - is a node one of those there are?
 * @v: view
 * @node: from chring_view_formers(); valid
 *
 * Return: false: it is gone.
 */
bool chring_view_has(const struct chring_view *v,
		     const struct chring_node *node);

#endif /* CHRING_VIEW_H */
