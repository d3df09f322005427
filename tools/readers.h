/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside libchring: threads that read what another one replaces, by liburcu's
 * flavour for libraries: threads make themselves known to it when they first
 * read. Its macros hide their memory order from ThreadSanitizer; the compiler's
 * own do the same for all to see.
 */
#ifndef CHRING_READERS_H
#define CHRING_READERS_H

/* The read section inlined, as the licence of a program under the GPL allows. */
#define _LGPL_SOURCE
#include <urcu/urcu-bp.h>

/*
 * ThreadSanitizer sees no grace period either. It is told: what is done before
 * a read section ends comes before what is done after readers_wait().
 */
#ifdef __SANITIZE_THREAD__
void __tsan_acquire(void *p);
void __tsan_release(void *p);
#define readers_told(of)	__tsan_release((void *)(of))
#define readers_known(of)	__tsan_acquire((void *)(of))
#else
#define readers_told(of)	do { } while (0)
#define readers_known(of)	do { } while (0)
#endif

#define readers_begin()		urcu_bp_read_lock()
/* @of: what holds the pointer that was read. */
#define readers_end(of) do {						\
	readers_told(of);						\
	urcu_bp_read_unlock();						\
} while (0)

#define readers_load(p)		__atomic_load_n(&(p), __ATOMIC_CONSUME)
#define readers_store(p, v)	__atomic_store_n(&(p), (v), __ATOMIC_RELEASE)

/* Until all who may have read what was replaced have ended. Not as a reader. */
#define readers_wait(of) do {						\
	urcu_bp_synchronize_rcu();					\
	readers_known(of);						\
} while (0)

#endif /* CHRING_READERS_H */
