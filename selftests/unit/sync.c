// SPDX-License-Identifier: GPL-2.0
#include "sync.h"

#ifdef __SANITIZE_THREAD__
char sync_grace_period;
#endif

void (*sync_look)(void);

/* Threads in chring_retire_wait(). */
static int waiting;

/* Spinlocks that this thread holds. */
__thread int sync_spinning;

/* One address a thread. */
static __thread char self;

void mutex_init(struct mutex *m)
{
	pthread_mutex_init(&m->lock, NULL);
	m->owner = NULL;
}

bool lockdep_is_held(const struct mutex *m)
{
	return __atomic_load_n(&m->owner, __ATOMIC_RELAXED) == &self;
}

void mutex_destroy(struct mutex *m)
{
	sync_assert(!m->owner);
	pthread_mutex_destroy(&m->lock);
}

/* Not under rcu_read_lock(), and not twice: the kernel's would sleep on it. */
void mutex_lock(struct mutex *m)
{
	sync_assert(!rcu_read_ongoing() && !sync_spinning);
	sync_assert(!lockdep_is_held(m));
	pthread_mutex_lock(&m->lock);
	__atomic_store_n(&m->owner, &self, __ATOMIC_RELAXED);
}

int mutex_lock_killable(struct mutex *m)
{
	int ret = chring_pause();

	if (!ret)
		mutex_lock(m);
	return ret;
}

void mutex_unlock(struct mutex *m)
{
	sync_assert(lockdep_is_held(m));
	__atomic_store_n(&m->owner, NULL, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&m->lock);
}

void spin_lock_bh(spinlock_t *l)
{
	/* One at a time, none inside of another. */
	sync_assert(!sync_spinning++);
	pthread_mutex_lock(&l->lock);
	__atomic_store_n(&l->owner, &self, __ATOMIC_RELAXED);
}

void spin_unlock_bh(spinlock_t *l)
{
	sync_assert(lockdep_is_held(l));
	sync_spinning--;
	__atomic_store_n(&l->owner, NULL, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&l->lock);
}

static void retired_free(struct rcu_head *head)
{
	struct chring_retired *r = container_of(head, struct chring_retired,
						head);

	grace_period_passed();
	r->free(r);
}

void chring_retire(struct chring_retired *r,
		   void (*free)(struct chring_retired *r))
{
	r->free = free;
	grace_period_awaited();
	call_rcu(&r->head, retired_free);
}

void chring_retire_wait(void)
{
	sync_assert(!rcu_read_ongoing());
	sync_assert(!sync_spinning);
	__atomic_add_fetch(&waiting, 1, __ATOMIC_SEQ_CST);
	rcu_barrier();
	__atomic_sub_fetch(&waiting, 1, __ATOMIC_SEQ_CST);
	grace_period_passed();
}

bool sync_is_waiting(void)
{
	return __atomic_load_n(&waiting, __ATOMIC_SEQ_CST);
}

int chring_sync_init(void)
{
	rcu_register_thread();
	return 0;
}

/* Twice, for what is freed may retire something else. */
void chring_sync_exit(void)
{
	chring_retire_wait();
	chring_retire_wait();
	rcu_unregister_thread();
}
