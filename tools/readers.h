/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside libchring: threads that read what another one replaces, by liburcu's
 * flavour for libraries: threads make themselves known to it when they first
 * read. Its macros hide their memory order from ThreadSanitizer; the compiler's
 * own do the same for all to see.
 */
#ifndef CHRING_READERS_H
#define CHRING_READERS_H

/* With _LGPL_SOURCE it is inlined, which the licence of this library allows. */
#include <urcu/urcu-bp.h>

/*
 * ThreadSanitizer sees no grace period either. It is told: what is done before
 * a read section ends comes before what is done after readers_wait(). By an
 * address of its own: a store to one forgets what was told by it.
 */
#ifdef __SANITIZE_THREAD__
void __tsan_acquire(void *p);
void __tsan_release(void *p);
extern char readers_grace_period;
#define readers_told()		__tsan_release(&readers_grace_period)
#define readers_known()		__tsan_acquire(&readers_grace_period)
#else
#define readers_told()		do { } while (0)
#define readers_known()		do { } while (0)
#endif

#define readers_begin()		urcu_bp_read_lock()
#define readers_end() do {						\
	readers_told();							\
	urcu_bp_read_unlock();						\
} while (0)

#define readers_load(p)		__atomic_load_n(&(p), __ATOMIC_CONSUME)
#define readers_store(p, v)	__atomic_store_n(&(p), (v), __ATOMIC_RELEASE)

/* Until all who may have read what was replaced have ended. Not as a reader. */
#define readers_wait() do {						\
	urcu_bp_synchronize_rcu();					\
	readers_known();						\
} while (0)

#endif /* CHRING_READERS_H */
