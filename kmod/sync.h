/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Locks, RCU, references and sleepers, as the rings see them. User space has a twin of
 * this file with the same guard, on liburcu; see core/platform.h.
 */
#ifndef CHRING_SYNC_H
#define CHRING_SYNC_H

#include <linux/atomic.h>
#include <linux/bug.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

/**
 * struct chring_retired - head of an object whose last reference has gone
 * @work: waits for a grace period, then for a worker
 * @free: frees the object, in process context
 */
struct chring_retired {
	struct rcu_work work;
	void (*free)(struct chring_retired *r);
};

/**
 * chring_retire() - free an object when no reader can see it any more
 * @r: in the object
 * @free: called after a grace period, in process context, since what is freed
 *	may be large
 *
 * Any context.
 */
void chring_retire(struct chring_retired *r,
		   void (*free)(struct chring_retired *r));

/**
 * chring_retire_wait() - wait until what was retired so far is freed
 *
 * Sleeps for a grace period at least.
 */
void chring_retire_wait(void);

/**
 * struct chring_deferred - head of an object that something is to be done with
 * @work: waits for a worker
 * @fn: does it, in process context
 */
struct chring_deferred {
	struct work_struct work;
	void (*fn)(struct chring_deferred *d);
};

/**
 * chring_defer() - have something done that may sleep
 * @d: in the object, which must not go before @fn is called; not deferred yet
 * @fn: called soon, in process context; may retire the object
 *
 * Any context.
 */
void chring_defer(struct chring_deferred *d,
		  void (*fn)(struct chring_deferred *d));

/* Wait until what was deferred so far is done. May sleep. */
void chring_defer_wait(void);

/* Wake all who wait, and can be interrupted. */
void chring_wake(wait_queue_head_t *q);

/* A number that nobody knows, the same for as long as the module is loaded. */
u64 chring_secret(void);

/* Nanoseconds since 1970, by the system's clock, which can be set. */
static inline u64 chring_now(void)
{
	return ktime_get_real_ns();
}

int chring_sync_init(void);
void chring_sync_exit(void);

#endif /* CHRING_SYNC_H */
