/* SPDX-License-Identifier: GPL-2.0 */
/* Inside libchring: what a handle is. */
#ifndef CHRING_HANDLE_H
#define CHRING_HANDLE_H

#include <pthread.h>
#include <stdint.h>

#include "libchring.h"
#include "mirror.h"
#include "names.h"

/**
 * struct chring - a handle
 * @mirror: a copy of the ring, if the handle follows it
 * @fd: descriptor of /dev/chring
 * @names_lock: for @names, whose names stay once they are there
 * @names: of nodes seen
 */
struct chring {
	struct mirror mirror;
	int fd;
	pthread_mutex_t names_lock;
	struct chring_names names;
};

/* A command. Return: 0 or a negative errno. */
int handle_command(const struct chring *c, unsigned long ioc, void *arg);

/* A pointer, as commands take it. */
static inline __u64 handle_pointer(const void *p)
{
	return (uintptr_t)p;
}

/* Some more than is needed now: by the next try there may be more. */
static inline size_t handle_reserve(size_t need)
{
	return need + need / 8 + 1;
}

/* All nodes of a list. Return: 0 or -ENOMEM. */
int handle_learn(struct chring *c, const struct chring_nodes *nodes);

/**
 * handle_name() - the name of a node, if it has been learnt
 * @c: handle
 * @id: of the node
 * @name: set; it stays
 *
 * Return: 0; -ENOENT: it is known to be gone; -EAGAIN: it is not known.
 */
int handle_name(struct chring *c, __u64 id, const struct chring_name **name);

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
