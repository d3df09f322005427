/* SPDX-License-Identifier: GPL-2.0 */
/* Names and ids -> rings. */
#ifndef CHRING_REGISTRY_H
#define CHRING_REGISTRY_H

#include "ring.h"

/* Makes the ring ``default``. */
int chring_registry_init(void);

/* Deletes all rings; no one may look for one any more. */
void chring_registry_exit(void);

/**
 * chring_registry_create() - a new ring with a name
 * @name: bytes, checked
 * @len: how many
 * @config: resolved
 * @rq: @rq->facts tells id and epoch; @rq->answer is called before the name
 *	can be found, see struct chring_request
 *
 * May sleep. Return: 0, -EEXIST, -ENOSPC, -ENOMEM, -EDQUOT, -EINTR, or what
 * @rq->answer returned.
 */
int chring_registry_create(const char *name, u32 len,
			   const struct chring_config *config,
			   struct chring_request *rq);

/**
 * chring_registry_delete() - delete a ring, free its name
 * @name: bytes
 * @len: how many
 * @rq: as for chring_registry_create()
 *
 * May sleep. Return: 0, -ENOENT, -EPERM (``default``), -EINTR, or what
 * @rq->answer returned.
 */
int chring_registry_delete(const char *name, u32 len,
			   struct chring_request *rq);

/**
 * chring_registry_find() - the ring of a name
 * @name: bytes
 * @len: how many
 *
 * Any context.
 *
 * Return: ring to be given back with chring_ring_put(), or NULL.
 */
struct chring_ring * __must_check chring_registry_find(const char *name,
						       u32 len);

/* How many public rings there are. */
u32 chring_registry_count(void);

/**
 * chring_registry_list() - all public rings
 * @entry: filled in
 * @room: how many fit
 *
 * Return: how many there are, in the order of their ids; those beyond @room
 * are counted only.
 */
u32 chring_registry_list(struct chring_ring_entry *entry, u32 room);

#endif /* CHRING_REGISTRY_H */
