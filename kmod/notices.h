/* SPDX-License-Identifier: GPL-2.0 */
/* Notices: kernel code is told what becomes of a ring. */
#ifndef CHRING_NOTICES_H
#define CHRING_NOTICES_H

#include "chring.h"
#include "sync.h"

struct chring_change;

/**
 * struct chring_notices - who is told of a ring's changes
 * @first: the one of the highest priority; linked, looked at and called under the
 *	ring's lock
 *
 * Without a lock of its own: what is called by a writer of a ring cannot change
 * a ring, nor who is called, and lockdep knows.
 */
struct chring_notices {
	struct notifier_block __rcu *first;
};

/**
 * chring_notices_add() - from the next epoch on, one more is told
 * @ring: ring
 * @nb: who
 *
 * May sleep. Return: 0; -EEXIST: is told already; -ENODEV: the ring has been
 * deleted, there will be nothing to tell.
 */
int chring_notices_add(struct chring_ring *ring, struct notifier_block *nb);

/**
 * chring_notices_remove() - one less is told
 * @ring: ring
 * @nb: who; is not running any more, and not called after
 *
 * May sleep. Return: 0, or -ENOENT.
 */
int chring_notices_remove(struct chring_ring *ring, struct notifier_block *nb);

/**
 * chring_notices_tell() - tell all
 * @ring: locked; its view is that of after
 * @what: happened
 * @change: what has changed; NULL: nothing
 *
 * May sleep.
 */
void chring_notices_tell(struct chring_ring *ring, enum chring_happening what,
			 const struct chring_change *change);

#endif /* CHRING_NOTICES_H */
