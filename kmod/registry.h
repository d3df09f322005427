/* SPDX-License-Identifier: GPL-2.0 */
/* Names and ids -> rings. */
#ifndef CHRING_REGISTRY_H
#define CHRING_REGISTRY_H

#include "ring.h"

/* Makes the ring ``default``. */
int chring_registry_init(void);

/* Deletes all rings; no one may look for one any more, nor hold one. */
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
 * Kernel code that holds the ring goes on doing so.
 *
 * May sleep. Return: 0, -ENOENT, -EPERM (``default``, or a private ring), -EINTR,
 * or what @rq->answer returned.
 */
int chring_registry_delete(const char *name, u32 len,
			   struct chring_request *rq);

/**
 * chring_registry_make() - a private ring
 * @name: bytes, checked
 * @len: how many
 * @config: resolved
 * @keys: enum chring_keys
 *
 * May sleep. Return: ring with one user, the caller; or ERR_PTR() of -EEXIST,
 * -ENOMEM, -EDQUOT or -EINTR.
 */
struct chring_ring *chring_registry_make(const char *name, u32 len,
					 const struct chring_config *config,
					 u32 keys);

/**
 * chring_registry_hold() - the public ring of a name, for kernel code
 * @name: bytes
 * @len: how many
 *
 * Any context.
 *
 * Return: ring with one more user, the caller; or NULL.
 */
struct chring_ring * __must_check chring_registry_hold(const char *name,
						       u32 len);

/**
 * chring_registry_drop() - one user of a ring less
 * @ring: from chring_registry_make() or chring_registry_hold()
 *
 * Any context but NMI: if it was the last user, the rest is deferred. The name of
 * a private ring is free when this returns.
 */
void chring_registry_drop(struct chring_ring *ring);

/**
 * chring_registry_find() - the ring of a name, for programs
 * @name: bytes
 * @len: how many
 * @private: or a private one
 *
 * Any context.
 *
 * Return: ring to be given back with chring_ring_put(), or NULL.
 */
struct chring_ring * __must_check chring_registry_find(const char *name,
						       u32 len, bool private);

/**
 * chring_registry_rcu() - the ring of an id
 * @id: of a public or a private one
 *
 * Under rcu_read_lock(), for as long as the ring is used.
 *
 * Return: ring, deleted perhaps; or NULL.
 */
const struct chring_ring *chring_registry_rcu(u64 id);

/* How many public rings there are. */
u32 chring_registry_count(void);

/**
 * chring_registry_list() - some rings, in the order of their ids
 * @after: list those after this id; set to the last id that was looked at
 * @private: private ones too
 * @entry: filled in
 * @room: how many fit; 0: all are counted
 *
 * Return: how many were listed, fewer than @room if there are no more.
 */
u32 chring_registry_list(u64 *after, bool private,
			 struct chring_ring_entry *entry, u32 room);

/**
 * chring_registry_next() - the ring of the least id there is
 * @from: that id or a greater one
 *
 * Any context.
 *
 * Return: ring to be given back with chring_ring_put(), or NULL.
 */
struct chring_ring * __must_check chring_registry_next(u64 from);

#endif /* CHRING_REGISTRY_H */
