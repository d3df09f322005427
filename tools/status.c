// SPDX-License-Identifier: GPL-2.0
#include <sched.h>

#include "status.h"

/* It is odd for microseconds, unless the writer's processor is taken away. */
#define TRIES		1000
#define TRIES_AT_ONCE	100

static u64 load64(const __u64 *word)
{
#if __SIZEOF_LONG__ == 8
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
#else
	/* Halves need not be of one epoch: the sequence is looked at again. */
	const u32 *half = (const u32 *)word;
	u64 first = __atomic_load_n(&half[0], __ATOMIC_ACQUIRE);
	u64 second = __atomic_load_n(&half[1], __ATOMIC_ACQUIRE);

	return le64_to_cpu(second << 32 | first);
#endif
}

static u32 load32(const __u32 *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void load_words(const struct chring_status *s, struct status_words *w)
{
	w->flags = load32(&s->flags);
	w->ring = load64(&s->ring);
	w->epoch = load64(&s->epoch);
	w->table_epoch = load64(&s->table_epoch);
	w->nodes_epoch = load64(&s->nodes_epoch);
	w->live = load32(&s->live);
	w->zones = load32(&s->zones);
}

static void load_out(const struct chring_status *s, unsigned long *out,
		     u32 longs)
{
	const unsigned long *word = (const unsigned long *)s->out;
	u32 i;

	for (i = 0; i < longs; i++)
		out[i] = __atomic_load_n(&word[i], __ATOMIC_ACQUIRE);
}

int status_read(const struct chring_status *s, struct status_words *w,
		unsigned long *out, u32 longs)
{
	int tries;

	for (tries = 1; tries <= TRIES; tries++) {
		w->sequence = status_sequence(s);
		if (!(w->sequence & 1)) {
			load_words(s, w);
			load_out(s, out, longs);
			if (status_sequence(s) == w->sequence)
				return 0;
		}
		if (!(tries % TRIES_AT_ONCE))
			sched_yield();
	}
	return -ESTALE;
}
