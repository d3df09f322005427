/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The twin of kmod/sync.h, on liburcu. Stricter than the original where it can
 * be: what the kernel would warn of, or only a debug kernel find, ends the
 * program here. Included first (-include), after tools/platform.h.
 */
#ifndef CHRING_SYNC_H
#define CHRING_SYNC_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <urcu.h>

/*
 * Of liburcu's macros these two hide their memory order from ThreadSanitizer;
 * the compiler's own do the same for all to see.
 */
#undef rcu_dereference
#undef rcu_assign_pointer

#define __rcu

/*
 * A test may look at the world after each store that others can see, as one of
 * them would; NULL: none does.
 */
extern void (*sync_look)(void);

/* For a benchmark, which wants what is asked to be done, and nothing more. */
#ifdef SYNC_UNCHECKED
#define sync_stored()		((void)0)
#define sync_assert(cond)	((void)(cond))
#else
#define sync_stored() do {						\
	if (sync_look)							\
		sync_look();						\
} while (0)
#define sync_assert(cond) do {						\
	if (!(cond)) {							\
		fprintf(stderr, "%s:%d: %s: not so: %s\n", __FILE__,	\
			__LINE__, __func__, #cond);			\
		abort();						\
	}								\
} while (0)
#endif

#define WARN_ON_ONCE(cond) ({						\
	bool warned = (cond);						\
									\
	if (warned) {							\
		fprintf(stderr, "%s:%d: warning: %s\n", __FILE__,	\
			__LINE__, #cond);				\
		abort();						\
	}								\
	warned;								\
})

/* -- RCU */

/*
 * ThreadSanitizer sees neither the barriers nor the futexes by which liburcu
 * knows that a grace period has passed. It is told: whatever a thread has done
 * before it leaves a read section, or retires, comes before what is done after
 * the grace period.
 */
#ifdef __SANITIZE_THREAD__
void __tsan_acquire(void *p);
void __tsan_release(void *p);
extern char sync_grace_period;
#define grace_period_awaited()	__tsan_release(&sync_grace_period)
#define grace_period_passed()	__tsan_acquire(&sync_grace_period)
#else
#define grace_period_awaited()	do { } while (0)
#define grace_period_passed()	do { } while (0)
#endif

#undef rcu_read_unlock
#define rcu_read_unlock() do {						\
	grace_period_awaited();						\
	urcu_memb_read_unlock();					\
} while (0)

#define rcu_dereference(p) ({						\
	sync_assert(rcu_read_ongoing());				\
	__atomic_load_n(&(p), __ATOMIC_CONSUME);			\
})
#define rcu_access_pointer(p)	__atomic_load_n(&(p), __ATOMIC_RELAXED)
#define rcu_dereference_protected(p, cond) ({				\
	sync_assert(cond);						\
	(p);								\
})
#define rcu_assign_pointer(p, v) do {					\
	__atomic_store_n(&(p), (v), __ATOMIC_RELEASE);			\
	sync_stored();							\
} while (0)

/* -- a mutex that knows who holds it */

struct mutex {
	pthread_mutex_t lock;
	const void *owner;
};

void mutex_init(struct mutex *m);
void mutex_destroy(struct mutex *m);
void mutex_lock(struct mutex *m);
/* Who can be killed in chring_pause() can be killed here. */
int __must_check mutex_lock_killable(struct mutex *m);
void mutex_unlock(struct mutex *m);

/* By the thread that asks. */
bool lockdep_is_held(const struct mutex *m);
#define lockdep_assert_held(m)	sync_assert(lockdep_is_held(m))

/* -- a spinlock, under which nobody sleeps, frees or allocates */

typedef struct mutex spinlock_t;

extern __thread int sync_spinning;

#define spin_lock_init(l)	mutex_init(l)
void spin_lock_bh(spinlock_t *l);
void spin_unlock_bh(spinlock_t *l);
#define spin_lock(l)		spin_lock_bh(l)
#define spin_unlock(l)		spin_unlock_bh(l)

/* -- sleepers: of interest is only that they are woken */

typedef struct {
	unsigned long wakes;
} wait_queue_head_t;

static inline void init_waitqueue_head(wait_queue_head_t *q)
{
	q->wakes = 0;
}

static inline void chring_wake(wait_queue_head_t *q)
{
	sync_assert(!sync_spinning);
	__atomic_add_fetch(&q->wakes, 1, __ATOMIC_SEQ_CST);
}

static inline u64 chring_secret(void)
{
	return 0x5ec2e7;
}

static inline u64 chring_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* -- atomics */

/* For ThreadSanitizer volatile is not enough. */
#undef READ_ONCE
#define READ_ONCE(x)	__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v) do {						\
	__atomic_store_n(&(x), (v), __ATOMIC_RELAXED);			\
	sync_stored();							\
} while (0)

/* Order, in words of the compiler's that ThreadSanitizer knows. */
#define smp_load_acquire(p)	__atomic_load_n((p), __ATOMIC_ACQUIRE)
/* And whoever looks has a chance to. */
#define smp_store_release(p, v) do {					\
	__atomic_store_n((p), (v), __ATOMIC_RELEASE);			\
	sync_stored();							\
} while (0)

typedef struct {
	s64 counter;
} atomic64_t;

#define ATOMIC64_INIT(n)	{ (n) }

static inline s64 atomic64_inc_return(atomic64_t *a)
{
	return __atomic_add_fetch(&a->counter, 1, __ATOMIC_SEQ_CST);
}

#define try_cmpxchg(p, old, new)					\
	__atomic_compare_exchange_n((p), (old), (new), false,		\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)

typedef struct {
	long counter;
} atomic_long_t;

static inline long atomic_long_read(const atomic_long_t *a)
{
	return __atomic_load_n(&a->counter, __ATOMIC_RELAXED);
}

static inline void atomic_long_add(long n, atomic_long_t *a)
{
	__atomic_add_fetch(&a->counter, n, __ATOMIC_SEQ_CST);
}

/* Everything that is counted so here is a size: it never falls below 0. */
static inline void atomic_long_sub(long n, atomic_long_t *a)
{
	sync_assert(__atomic_sub_fetch(&a->counter, n, __ATOMIC_SEQ_CST) >= 0);
}

/* -- references */

typedef struct {
	unsigned int refs;
} refcount_t;

static inline void refcount_set(refcount_t *r, unsigned int n)
{
	__atomic_store_n(&r->refs, n, __ATOMIC_RELAXED);
}

static inline void refcount_inc(refcount_t *r)
{
	sync_assert(__atomic_fetch_add(&r->refs, 1, __ATOMIC_RELAXED));
}

static inline bool __must_check refcount_inc_not_zero(refcount_t *r)
{
	unsigned int n = __atomic_load_n(&r->refs, __ATOMIC_RELAXED);

	while (n && !__atomic_compare_exchange_n(&r->refs, &n, n + 1, true,
						 __ATOMIC_RELAXED,
						 __ATOMIC_RELAXED))
		;
	return n;
}

static inline bool __must_check refcount_dec_and_test(refcount_t *r)
{
	unsigned int was = __atomic_fetch_sub(&r->refs, 1, __ATOMIC_ACQ_REL);

	sync_assert(was);
	return was == 1;
}

/* -- objects whose last reference has gone; see kmod/sync.h */

struct chring_retired {
	struct rcu_head head;
	void (*free)(struct chring_retired *r);
};

void chring_retire(struct chring_retired *r,
		   void (*free)(struct chring_retired *r));
void chring_retire_wait(void);
/* Is any thread in chring_retire_wait()? */
bool sync_is_waiting(void);

int chring_sync_init(void);
void chring_sync_exit(void);

/* -- of kmod/ring.h, for the registry, which has no twin */

struct hlist_node {
	struct hlist_node *next, **pprev;
};

struct chring_deferred {
	void (*fn)(struct chring_deferred *d);
};

/* -- who is told */

struct notifier_block {
	int (*notifier_call)(struct notifier_block *nb, unsigned long action,
			     void *data);
	struct notifier_block *next;
	int priority;
};

#endif /* CHRING_SYNC_H */
