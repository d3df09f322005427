// SPDX-License-Identifier: GPL-2.0
#include <linux/random.h>
#include <linux/sched.h>

#include "sync.h"

static struct workqueue_struct *retire_wq;
/* Of its own: writers wait for the other one, with locks that this one takes. */
static struct workqueue_struct *defer_wq;
static u64 secret;

static void retired_work(struct work_struct *work)
{
	struct chring_retired *r = container_of(to_rcu_work(work),
						struct chring_retired, work);

	r->free(r);
}

void chring_retire(struct chring_retired *r,
		   void (*free)(struct chring_retired *r))
{
	r->free = free;
	INIT_RCU_WORK(&r->work, retired_work);
	queue_rcu_work(retire_wq, &r->work);
}

/* The grace periods first, which queue the work, then the work. */
void chring_retire_wait(void)
{
	rcu_barrier();
	flush_workqueue(retire_wq);
}

static void deferred_work(struct work_struct *work)
{
	struct chring_deferred *d = container_of(work, struct chring_deferred,
						 work);

	d->fn(d);
}

void chring_defer(struct chring_deferred *d,
		  void (*fn)(struct chring_deferred *d))
{
	d->fn = fn;
	INIT_WORK(&d->work, deferred_work);
	queue_work(defer_wq, &d->work);
}

void chring_defer_wait(void)
{
	flush_workqueue(defer_wq);
}

void chring_wake(wait_queue_head_t *q)
{
	wake_up_interruptible_all(q);
}

u64 chring_secret(void)
{
	return secret;
}

int chring_sync_init(void)
{
	/* Not get_random_once(): that holds the module for a while after. */
	secret = get_random_u64();
	retire_wq = alloc_workqueue("chring", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!retire_wq)
		return -ENOMEM;
	defer_wq = alloc_workqueue("chring_end", WQ_UNBOUND, 0);
	if (!defer_wq) {
		destroy_workqueue(retire_wq);
		return -ENOMEM;
	}
	return 0;
}

/*
 * What is deferred retires a view, and never the other way round. What is freed
 * may hold the last reference of something else: a view that of its ring.
 * Nothing freed in the second round holds anything.
 */
void chring_sync_exit(void)
{
	destroy_workqueue(defer_wq);
	chring_retire_wait();
	chring_retire_wait();
	destroy_workqueue(retire_wq);
}
