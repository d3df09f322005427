/* SPDX-License-Identifier: GPL-2.0 */
/* Inside libchring: a copy of a ring that is kept up to date. */
#ifndef CHRING_MIRROR_H
#define CHRING_MIRROR_H

#include <pthread.h>

#include "copy.h"
#include "readers.h"

/**
 * struct mirror - a copy that is replaced as the ring changes
 * @copy: for readers; NULL: none
 * @status: the ring's status pages; NULL: the handle does not follow its ring
 * @lock: held by who replaces @copy
 * @asked: lookups that the kernel was asked since @copy was made
 * @config: of the ring
 * @has_thread: a thread looks after @copy, and lookups do not
 * @thread: it
 * @events: descriptor on which it waits for changes
 * @stop: descriptor that tells it to end
 * @next: of all handles of the program
 */
struct mirror {
	struct copy *copy;
	const struct chring_status *status;
	pthread_mutex_t lock;
	unsigned long asked;
	struct chring_config config;
	bool has_thread;
	pthread_t thread;
	int events;
	int stop;
	struct mirror *next;
};

/* The copy, if it holds: for a reader, until readers_end(). */
static inline const struct copy *mirror_copy(const struct mirror *m)
{
	const struct copy *v = readers_load(m->copy);

	return likely(v) && likely(status_sequence(m->status) == v->sequence) ?
	       v : NULL;
}

void mirror_init(struct mirror *m);

/* The handle is being closed: nobody reads any more. */
void mirror_end(struct mirror *m);

/**
 * mirror_renew() - make the copy hold again, if that is worth it
 * @c: handle
 * @lookups: that the kernel is asked otherwise
 *
 * Not as a reader. Return: it is worth to look again.
 */
bool mirror_renew(struct chring *c, u32 lookups);

#endif /* CHRING_MIRROR_H */
