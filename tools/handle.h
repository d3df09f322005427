/* SPDX-License-Identifier: GPL-2.0 */
/* Inside libchring: what a handle is. */
#ifndef CHRING_HANDLE_H
#define CHRING_HANDLE_H

#include <pthread.h>

#include "libchring.h"
#include "mirror.h"
#include "names.h"

/**
 * struct chring - a handle
 * @mirror: a copy of the ring, if the handle follows it
 * @fd: descriptor of /dev/chring
 * @flags: CHRING_OPEN_*
 * @names_lock: for @names, whose names stay once they are there
 * @names: of nodes seen
 */
struct chring {
	struct mirror mirror;
	int fd;
	unsigned int flags;
	pthread_mutex_t names_lock;
	struct chring_names names;
};

/* All nodes of a list. Return: 0 or -ENOMEM. */
int handle_learn(struct chring *c, const struct chring_nodes *nodes);

/* The name of a node that has been learnt; NULL: it has not, or is gone. */
const struct chring_name *handle_name(struct chring *c, __u64 id);

/**
 * handle_tokens() - some tokens of the handle's ring
 * @c: handle
 * @arg: @cursor, @epoch, @entries and @count of it count; outputs are set
 *
 * Return: as chring_tokens().
 */
int handle_tokens(struct chring *c, struct chring_circle_list *arg);

/* Map the ring's status pages. Return: 0, or the error of that, negative. */
int handle_map(struct chring *c, const struct chring_status **status);
void handle_unmap(const struct chring_status *status);

/**
 * handle_events() - one more descriptor of the handle's ring, for its events
 * @c: handle
 * @ring: id of the ring
 *
 * Return: descriptor, O_NONBLOCK; -ENODEV: the ring has been deleted; or what
 * open(2) fails with.
 */
int handle_events(struct chring *c, __u64 ring);

/* LOOKUP and LOOKUP_BATCH, of the kernel. */
int handle_lookup(struct chring *c, const struct chring_query *query,
		  struct chring_answer *answer);
int handle_lookup_batch(struct chring *c, struct chring_batch *batch);

#endif /* CHRING_HANDLE_H */
