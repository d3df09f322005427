/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of chring_probe.ko share. */
#ifndef CHRING_PROBE_RING_H
#define CHRING_PROBE_RING_H

#include <linux/hrtimer.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>

#include <chring.h>

#include "probe.h"

#define NOTICES_MAX	4096

/**
 * struct probe_tag - what priv points to
 * @rcu: those that are allocated are freed after a grace period
 * @tag: which it is
 */
struct probe_tag {
	struct rcu_head rcu;
	u64 tag;
};

/* What an answer says; in the read section of its lookup. */
static inline u64 probe_tag_of(const struct chring_answer *answer)
{
	const struct probe_tag *tag = answer->priv;

	return tag ? READ_ONCE(tag->tag) : 0;
}

/**
 * struct probe_ears - a notifier, and what it was told
 * @nb: the notifier
 * @ring: of which ring
 * @delay: milliseconds that it takes
 * @running: it does now
 * @on: it is registered
 * @lock: of what follows
 * @count: notices
 * @notice: as many of them as fit
 */
struct probe_ears {
	struct notifier_block nb;
	struct chring_ring *ring;
	u32 delay;
	bool running;
	bool on;
	spinlock_t lock;
	u32 count;
	struct probe_notice notice[NOTICES_MAX];
};

int probe_listen(struct probe_ears *ears, struct chring_ring *ring,
		 const struct probe_call *call);
int probe_unlisten(struct probe_ears *ears);
int probe_notices(struct probe_ears *ears, const struct probe_call *call);

/* Lookups in interrupts; one crowd at a time. */
int probe_crowd_start(struct chring_ring *ring);
int probe_crowd_stop(struct probe_crowd *sum);
u32 probe_crowd_seen(void);
int probe_rounds(struct chring_ring *ring, u32 rounds, u32 nodes);

#endif /* CHRING_PROBE_RING_H */
