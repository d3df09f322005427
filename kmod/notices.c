// SPDX-License-Identifier: GPL-2.0
#include "notices.h"
#include "ring.h"

/* The next of those who are told, for who holds the ring's lock. */
#define locked_next(ring, link) \
	rcu_dereference_protected(link, lockdep_is_held(&(ring)->lock))

static bool is_told(struct chring_ring *ring, const struct notifier_block *nb)
{
	struct notifier_block *at = locked_next(ring, ring->notices.first);

	while (at && at != nb)
		at = locked_next(ring, at->next);
	return at;
}

/* After all of its priority. */
static void link_in(struct chring_ring *ring, struct notifier_block *nb)
{
	struct notifier_block __rcu **link = &ring->notices.first;
	struct notifier_block *at;

	while ((at = locked_next(ring, *link)) && at->priority >= nb->priority)
		link = &at->next;
	rcu_assign_pointer(nb->next, at);
	rcu_assign_pointer(*link, nb);
}

int chring_notices_add(struct chring_ring *ring, struct notifier_block *nb)
{
	int ret = 0;

	mutex_lock(&ring->lock);
	if (chring_ring_deleted(ring))
		ret = -ENODEV;
	else if (is_told(ring, nb))
		ret = -EEXIST;
	else
		link_in(ring, nb);
	mutex_unlock(&ring->lock);
	return ret;
}

int chring_notices_remove(struct chring_ring *ring, struct notifier_block *nb)
{
	struct notifier_block __rcu **link = &ring->notices.first;
	struct notifier_block *at;

	mutex_lock(&ring->lock);
	while ((at = locked_next(ring, *link)) && at != nb)
		link = &at->next;
	if (at)
		rcu_assign_pointer(*link, locked_next(ring, nb->next));
	mutex_unlock(&ring->lock);
	return at ? 0 : -ENOENT;
}

void chring_notices_tell(struct chring_ring *ring, enum chring_happening what,
			 const struct chring_change *change)
{
	struct notifier_block *at = locked_next(ring, ring->notices.first);
	const struct chring_view *v = chring_ring_locked_view(ring);
	struct chring_notice notice = {
		.ring = ring->id,
		.epoch = v->epoch,
		.generation = v->generation,
		.digest = v->digest,
	};

	if (change) {
		notice.added = change->added;
		notice.removed = change->removed;
		notice.changed = change->changed;
		notice.flipped = change->flipped;
	}
	for (; at; at = locked_next(ring, at->next))
		at->notifier_call(at, what, &notice);
}
