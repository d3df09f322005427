/* SPDX-License-Identifier: GPL-2.0 */
/* The tickets that a descriptor holds, to be given back when it ends. */
#ifndef CHRING_TICKETS_H
#define CHRING_TICKETS_H

#include <linux/rbtree.h>

#include "ring.h"

struct chring_ticket;

/**
 * struct chring_tickets - tickets of one descriptor, all of one ring
 * @lock: held from a grant or release to the end of its answer
 * @by_node: struct chring_ticket, by id of the node
 * @spare: one of these not in use, or NULL
 * @count: of all tickets
 *
 * @lock comes before that of the loads, and before mmap_lock.
 */
struct chring_tickets {
	struct mutex lock;
	struct rb_root by_node;
	struct chring_ticket *spare;
	u64 count;
};

void chring_tickets_init(struct chring_tickets *t);

/**
 * chring_tickets_end() - give all of them back
 * @t: tickets that nobody else can reach any more
 * @ring: that they are of, or NULL: there are none
 *
 * May sleep.
 */
void chring_tickets_end(struct chring_tickets *t, struct chring_ring *ring);

/**
 * struct chring_ticket_request - the frame of a grant or release
 * @position: ACQUIRE: as the inside of the module sees it
 * @epoch: ACQUIRE: only if the ring is at this epoch; 0: whatever it is
 * @max: ACQUIRE: the most tickets that the descriptor may hold
 * @node: RELEASE: id of the node
 * @count: RELEASE: how many
 * @answer: called when it is done; may sleep; what it returns other than 0
 *	makes it undone
 * @grant: before @answer: what was done
 * @left: before @answer: tickets of the node held after
 */
struct chring_ticket_request {
	u64 position;
	u64 epoch;
	u64 max;
	u64 node;
	u32 count;
	int (*answer)(struct chring_ticket_request *rq);
	struct chring_grant grant;
	u64 left;
};

/**
 * chring_tickets_acquire() - one more ticket
 * @t: tickets
 * @ring: that they are of
 * @rq: frame
 *
 * May sleep. Return: 0; -ENOSPC (@rq->max), -ENOMEM, -EINTR, what
 * chring_loads_acquire() or @rq->answer returned. On failure no ticket is held
 * that was not before.
 */
int chring_tickets_acquire(struct chring_tickets *t, struct chring_ring *ring,
			   struct chring_ticket_request *rq);

/**
 * chring_tickets_release() - give tickets of a node back
 * @t: tickets
 * @ring: that they are of
 * @rq: frame
 *
 * May sleep. Return: 0; -ENOENT: there are not so many; -EINTR, -ENODEV, or
 * what @rq->answer returned. On failure all are held that were before.
 */
int chring_tickets_release(struct chring_tickets *t, struct chring_ring *ring,
			   struct chring_ticket_request *rq);

#endif /* CHRING_TICKETS_H */
