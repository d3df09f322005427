/* SPDX-License-Identifier: GPL-2.0 */
/* How many tickets the nodes of a ring have out: grants and releases. */
#ifndef CHRING_LOADS_H
#define CHRING_LOADS_H

#include "core/bounded.h"
#include "sync.h"

struct chring_ring;
struct chring_roster;
struct chring_view;

/**
 * struct chring_loads - loads of a ring's nodes
 * @lock: held for every look and change, and while the ring's view changes
 * @load: by slot, of the node that is in it; @slots of them
 * @slots: room, a power of two, at least as many as the roster's
 * @tickets: load of all nodes in service
 * @serial: grants and releases so far
 *
 * Nobody allocates, sleeps or divides under @lock. It is held longest by a change
 * of many nodes, for a few loads of memory each, and by a copy of all loads. @load and @slots are
 * replaced by who holds the ring's lock as well.
 */
struct chring_loads {
	spinlock_t lock;
	struct chring_load *load;
	u32 slots;
	u64 tickets;
	u64 serial;
};

/* Without room, and so without anything to give back. */
void chring_loads_init(struct chring_loads *l);

/* Memory of loads, beside the struct. */
size_t chring_loads_bytes(const struct chring_loads *l);

/**
 * struct chring_loads_room - room for loads, not in use
 * @load: NULL: none
 * @slots: how many
 */
struct chring_loads_room {
	struct chring_load *load;
	u32 slots;
};

/**
 * chring_loads_room() - room for the loads of a roster to come
 * @l: loads of a ring that is locked
 * @slots: of the roster
 * @room: set to room for them, or to none if @l has enough; to be given to
 *	chring_loads_room_free()
 *
 * May sleep. Return: 0, -ENOMEM or -EDQUOT.
 */
int __must_check chring_loads_room(const struct chring_loads *l, u32 slots,
				   struct chring_loads_room *room);
void chring_loads_room_free(struct chring_loads_room *room);

/**
 * chring_loads_grow() - move into more room
 * @l: loads, their lock held
 * @room: from chring_loads_room(); it gets what @l had
 */
void chring_loads_grow(struct chring_loads *l, struct chring_loads_room *room);

/**
 * chring_loads_empty() - the ring is closed
 * @l: loads, their lock held
 * @room: set to what @l had
 */
void chring_loads_empty(struct chring_loads *l, struct chring_loads_room *room);

/**
 * chring_loads_follow() - a view is replaced: what becomes of one slot
 * @l: loads, their lock held, with room for both views
 * @old: view before
 * @new: view after
 * @slot: whose node, weight or state differs
 *
 * A node keeps its load for as long as it lives, whatever its state; a new one
 * has none.
 */
void chring_loads_follow(struct chring_loads *l, const struct chring_view *old,
			 const struct chring_view *new, u32 slot);

/**
 * struct chring_grant - a ticket that was given, or some given back
 * @ring: id of the ring
 * @epoch: of the ring then
 * @node: id of the node
 * @cookie: of the node; of grants
 * @slot: of the node, for as long as it lives
 * @load: of the node after; 0 if it has been deleted
 * @tickets: load of all nodes in service after
 * @serial: of this among all grants and releases of the ring
 */
struct chring_grant {
	u64 ring;
	u64 epoch;
	u64 node;
	u64 cookie;
	u32 slot;
	u64 load;
	u64 tickets;
	u64 serial;
};

/**
 * chring_loads_acquire() - a ticket for a position
 * @ring: ring
 * @position: as the inside of the module sees it
 * @epoch: only if the ring is at this one; 0: whatever it is
 * @g: set; on failure only @ring and @epoch, and not with -ENODEV
 *
 * The owner gets it or, if the ring has a balance, the first node in service
 * clockwise that may bear one more. Any context but hard interrupts.
 *
 * Return: 0, -ENODEV, -ESTALE, -ENODATA or -EHOSTUNREACH.
 */
int chring_loads_acquire(struct chring_ring *ring, u64 position, u64 epoch,
			 struct chring_grant *g);

/**
 * chring_loads_release() - tickets come back
 * @ring: ring
 * @node: id of the node that they are of
 * @slot: of the node
 * @count: of tickets, no more than the node has out
 * @g: set
 *
 * Those of a node that has been deleted are no more. Any context but hard
 * interrupts.
 *
 * Return: 0 or -ENODEV.
 */
int chring_loads_release(struct chring_ring *ring, u64 node, u32 slot,
			 u64 count, struct chring_grant *g);

/**
 * chring_loads_restore() - a release that is not to have been; as that
 * @ring: ring
 * @node: id of the node
 * @slot: of the node
 * @count: of tickets
 *
 * No grant: no bound stands in its way.
 */
void chring_loads_restore(struct chring_ring *ring, u64 node, u32 slot,
			  u64 count);

/**
 * chring_loads_copy() - the loads of the nodes of a roster, at one time
 * @l: loads of a ring
 * @r: roster of a view of it, whether or not that is the view of now
 * @load: by slot of @r, all 0: set, but for nodes that have been deleted
 */
void chring_loads_copy(struct chring_loads *l, const struct chring_roster *r,
		       struct chring_load *load);

#endif /* CHRING_LOADS_H */
