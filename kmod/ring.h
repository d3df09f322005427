/* SPDX-License-Identifier: GPL-2.0 */
/* A ring that changes: writers, and the views they publish and retire. */
#ifndef CHRING_RING_H
#define CHRING_RING_H

#include "core/config.h"
#include "core/moves.h"
#include "loads.h"
#include "log.h"
#include "notices.h"
#include "view.h"

/**
 * struct chring_ring - a ring
 * @view: what readers see; NULL once nobody may ask any more
 * @deleted: programs cannot ask; @view is what it last was, for kernel code
 * @flags: CHRING_RING_*, as a program is told; never change once it has its name
 * @keys: enum chring_keys; its owner says so, and may say something else later
 * @config: resolved, never changes
 * @id: never used twice
 * @name: NUL-terminated, never changes
 * @name_len: its bytes
 * @refs: its users together, its views, and who else holds it
 * @users: its name, if that is a public one, and the kernel code that holds it:
 *	those for whom it answers. The last one closes it
 * @lock: held by a writer from its first look at @view until it has published
 * @worst_walk: most tokens and nodes that a lookup looked at
 * @retired_bytes: memory of views published once and not freed yet
 * @loads: of its nodes; @view changes under their lock too, so that the two
 *	belong together
 * @status: what programs are shown of it, written under the lock of @loads;
 *	NULL until one has asked for it
 * @log: of its last changes; has a lock of its own
 * @notices: kernel code that is told of changes
 * @by_name: the registry's
 * @end: likewise: what the last user leaves to be done
 * @retired: once @refs is 0
 *
 * Order of locks: @lock, then that of @loads or that of @log, inside of which
 * there is none; or @lock, the registry's, mmap_lock (the answer to a change is
 * written to user memory before the change is published). So nothing that is
 * called under mmap_lock may take @lock.
 *
 * The end of a ring has two steps. First it is withdrawn: programs are told that
 * it is deleted, by the answers of commands, by poll() and by its status pages,
 * and nothing changes it from then on. When nobody in the kernel holds it either
 * it is closed: its view goes. Its struct stays for as long as a descriptor, a
 * mapping or a view that is not freed yet refers to it.
 */
struct chring_ring {
	struct chring_view __rcu *view;
	bool deleted;
	u32 flags;
	u32 keys;
	struct chring_config config;
	u64 id;
	char name[CHRING_RING_NAME_MAX + 1];
	u32 name_len;
	refcount_t refs;
	refcount_t users;
	struct mutex lock;
	u32 worst_walk;
	atomic_long_t retired_bytes;
	struct chring_loads loads;
	struct chring_status *status;
	struct chring_log log;
	struct chring_notices notices;
	struct hlist_node by_name;
	struct chring_deferred end;
	struct chring_retired retired;
};

/**
 * struct chring_facts - a ring at one epoch
 * @ring: its id
 * @epoch: of the ring
 * @generation: at that epoch
 * @digest: at that epoch
 */
struct chring_facts {
	u64 ring;
	u64 epoch;
	u64 generation;
	u64 digest;
};

/**
 * struct chring_request - the frame of a change
 * @epoch: change only if the ring is at this epoch; 0: whatever it is
 * @generation: the fleet's number after the change; 0: leave it
 * @dry_run: answer as if, and change nothing
 * @answer: called with the change made and not yet published; may sleep; what
 *	it returns other than 0 makes the change undone. May be NULL
 * @moves: of a dry run, before @answer: who would give how much to whom
 * @facts: before @answer: after the change; on failure: of the ring as it is,
 *	unless it could not be locked
 * @node: id of the node; one that a dry run would add has it for the answer
 */
struct chring_request {
	u64 epoch;
	u64 generation;
	bool dry_run;
	int (*answer)(struct chring_request *rq);
	struct chring_moves moves;
	struct chring_facts facts;
	u64 node;
};

/**
 * struct chring_edit - what to do with one node
 * @flags: CHRING_NODE_*: what to set
 * @node: id, or 0 for the node of @name
 * @name: bytes, checked
 * @name_len: how many
 * @zone: bytes, checked
 * @zone_len: how many
 * @weight: checked
 * @state: checked
 * @cookie: any
 * @priv: any, for the owner of a private ring; set always
 */
struct chring_edit {
	u32 flags;
	u64 node;
	const char *name;
	u32 name_len;
	const char *zone;
	u32 zone_len;
	u32 weight;
	u32 state;
	u64 cookie;
	void *priv;
};

/* All that can be set of a node. */
#define CHRING_NODE_ALL	(CHRING_NODE_WEIGHT | CHRING_NODE_STATE | \
			 CHRING_NODE_ZONE | CHRING_NODE_COOKIE)

/* An id that was never given before, for a ring or a node. */
u64 chring_next_id(void);

/**
 * chring_max_tokens() - limit of tokens per ring
 */
u32 chring_max_tokens(void);

/**
 * chring_ring_create() - an empty ring
 * @name: bytes, checked
 * @len: how many
 * @config: resolved
 *
 * May sleep. Return: a ring with one user, the caller, and one reference for
 * all users; or ERR_PTR() of -ENOMEM, -EDQUOT or -EINTR.
 */
struct chring_ring *chring_ring_create(const char *name, u32 len,
				       const struct chring_config *config);

/**
 * chring_ring_lock() - keep other writers away
 * @ring: ring
 *
 * May sleep. Return: 0; -ENODEV: it has been deleted; -EINTR: killed.
 */
int __must_check chring_ring_lock(struct chring_ring *ring);
void chring_ring_unlock(struct chring_ring *ring);

/**
 * chring_ring_withdraw() - a ring that programs cannot ask any more
 * @ring: locked
 *
 * Nor can it be changed. Kernel code that holds it is told, and goes on asking.
 */
void chring_ring_withdraw(struct chring_ring *ring);

/**
 * chring_ring_close() - a ring that no one can ask any more
 * @ring: locked, withdrawn, without users
 *
 * Its memory goes once readers have gone, the ring itself with its last
 * reference.
 */
void chring_ring_close(struct chring_ring *ring);

/**
 * chring_ring_abandon() - give back a ring that nobody wants
 * @ring: whose only user is the caller
 */
void chring_ring_abandon(struct chring_ring *ring);

/* Has it been deleted, for programs? */
static inline bool chring_ring_deleted(const struct chring_ring *ring)
{
	return READ_ONCE(ring->deleted);
}

/* One more user, under rcu_read_lock(): false if the last one has gone. */
static inline bool __must_check chring_ring_use(struct chring_ring *ring)
{
	return refcount_inc_not_zero(&ring->users);
}

/* One user less. Return: it was the last one; the ring is to be closed. */
static inline bool __must_check chring_ring_unuse(struct chring_ring *ring)
{
	return refcount_dec_and_test(&ring->users);
}

static inline struct chring_ring *chring_ring_get(struct chring_ring *ring)
{
	refcount_inc(&ring->refs);
	return ring;
}

/* Under rcu_read_lock(): false if the last reference has gone already. */
static inline bool __must_check chring_ring_tryget(struct chring_ring *ring)
{
	return refcount_inc_not_zero(&ring->refs);
}

/* Give back a reference. Any context. */
void chring_ring_put(struct chring_ring *ring);

/**
 * chring_ring_view() - the view of now, for programs
 * @ring: ring
 *
 * Under rcu_read_lock(), for as long as the view is used.
 *
 * Return: view, or NULL if the ring has been deleted.
 */
static inline const struct chring_view *
chring_ring_view(const struct chring_ring *ring)
{
	return chring_ring_deleted(ring) ? NULL : rcu_dereference(ring->view);
}

/**
 * chring_ring_used_view() - the view of now, for a user
 * @ring: ring
 *
 * Under rcu_read_lock(), for as long as the view is used. There is one for as long
 * as the ring has users; who has found the ring while there were, and is still in
 * that read section, may find NULL.
 */
static inline const struct chring_view *
chring_ring_used_view(const struct chring_ring *ring)
{
	return rcu_dereference(ring->view);
}

/**
 * chring_ring_view_get() - the view of now, for who may sleep
 * @ring: ring
 *
 * To be held for short: the memory of a held view cannot be freed, and sooner
 * or later a writer waits for that. User memory must not be touched, and the
 * ring not be changed, while it is held.
 *
 * Return: view to be given back with chring_view_put(), or NULL if the ring
 * has been deleted.
 */
struct chring_view * __must_check
chring_ring_view_get(struct chring_ring *ring);

/* The view of now, or the last one, for who holds the ring's lock. */
struct chring_view *chring_ring_locked_view(struct chring_ring *ring);

/*
 * The view of now, for who holds the lock of the ring's loads; NULL if the ring
 * has been deleted.
 */
const struct chring_view *chring_ring_counted_view(const struct chring_ring *ring);

/* What a view says of its ring. */
struct chring_facts chring_view_facts(const struct chring_view *v);

/**
 * chring_ring_node_add() - one more node
 * @ring: ring
 * @edit: all of it but @flags and @node
 * @rq: frame
 *
 * May sleep. Return: 0; -ENODEV, -EINTR, -ESTALE, -ERANGE (generation),
 * -EEXIST, -ENOSPC, -ENOMEM, -EDQUOT, -EIO (see chring_draft_commit()), or what
 * @rq->answer returned. On failure the ring is as it was.
 */
int chring_ring_node_add(struct chring_ring *ring,
			 const struct chring_edit *edit,
			 struct chring_request *rq);

/**
 * chring_ring_node_set() - change a node; as chring_ring_node_add()
 * @ring: ring
 * @edit: which node, and what to set
 * @rq: frame
 *
 * Return: also -ENOENT, and never -EEXIST.
 */
int chring_ring_node_set(struct chring_ring *ring,
			 const struct chring_edit *edit,
			 struct chring_request *rq);

/**
 * chring_ring_node_del() - one node less; as chring_ring_node_add()
 * @ring: ring
 * @edit: which node
 * @rq: frame
 *
 * Return: also -ENOENT, and never -EEXIST or -ENOSPC.
 */
int chring_ring_node_del(struct chring_ring *ring,
			 const struct chring_edit *edit,
			 struct chring_request *rq);

/**
 * chring_ring_commit() - these nodes and no others
 * @ring: ring
 * @edit: nodes in the order of their names, no name twice; all of each but
 *	@node, and @flags CHRING_NODE_ALL
 * @n: how many, at most CHRING_NODES_MAX
 * @id: for @n ids of them, in that order; see @node of the frame
 * @rq: frame
 *
 * A node whose name is there keeps its id. One new table, whatever changes.
 *
 * May sleep. Return: as chring_ring_node_set(), but for -ENOENT.
 */
int chring_ring_commit(struct chring_ring *ring, const struct chring_edit *edit,
		       u32 n, u64 *id, struct chring_request *rq);

/**
 * chring_ring_pin() - the owners of now are the former ones until unpinned
 * @ring: ring
 * @rq: frame
 *
 * May sleep. Return: as chring_ring_node_del(), but for -ENOENT; also -EBUSY: it
 * is pinned.
 */
int chring_ring_pin(struct chring_ring *ring, struct chring_request *rq);

/**
 * chring_ring_unpin() - the next change of tokens has former owners of its own
 * @ring: ring
 * @rq: frame
 *
 * May sleep. Return: as chring_ring_node_del(); -ENOENT: it is not pinned.
 */
int chring_ring_unpin(struct chring_ring *ring, struct chring_request *rq);

/**
 * chring_ring_walked() - remember the longest walk
 * @ring: ring
 * @visits: tokens and nodes that a lookup looked at
 *
 * Any context.
 */
void chring_ring_walked(struct chring_ring *ring, u32 visits);

#endif /* CHRING_RING_H */
