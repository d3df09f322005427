/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rings for other kernel modules: GPL symbols in namespace CHRING.
 *
 * A module either asks a public ring, the one that programs see under its name,
 * or makes a ring of its own, which it alone changes. Either is held by a
 * reference, and answers for as long as that is held.
 *
 * Every answer is of one epoch. Lookups take rcu_read_lock() themselves; who
 * uses @priv of an answer calls them inside of a section of its own.
 *
 * A module that uses any of this says MODULE_IMPORT_NS(CHRING), and chring.ko
 * stays for as long as that one is loaded.
 */
#ifndef CHRING_CHRING_H
#define CHRING_CHRING_H

#include <linux/chring.h>
#include <linux/types.h>

struct chring_ring;
struct notifier_block;

/**
 * chring_get() - the public ring of a name
 * @name: NUL-terminated
 *
 * A ring that is held outlives its name: once it is deleted programs get ENODEV,
 * and it answers its holders as it last was. A ring of the same name that is made
 * then is another one.
 *
 * Any context in which rcu_read_lock() may be held.
 *
 * Return: ring to be given back with chring_put(), or NULL: there is none.
 */
struct chring_ring * __must_check chring_get(const char *name);

/**
 * chring_put() - give back a ring
 * @ring: from chring_get() or chring_create(); or NULL
 *
 * Nothing is freed before a grace period has passed, and never by the caller.
 * The last reference to a ring of chring_create() is the end of the ring, and its
 * name is free; no notifier may be registered any more. Who has found the ring
 * under rcu_read_lock() before may go on to ask it until rcu_read_unlock(), and
 * gets an answer, or -ENODEV: the last reference has gone.
 *
 * Any context but NMI.
 */
void chring_put(struct chring_ring *ring);

/* Id of a ring, never that of another one while chring is loaded. */
u64 chring_id(const struct chring_ring *ring);

/* Name of a ring, NUL-terminated, valid as long as the ring is held. */
const char *chring_name(const struct chring_ring *ring);

/**
 * chring_epoch() - the epoch of now
 * @ring: ring
 *
 * Any context in which rcu_read_lock() may be held.
 *
 * Return: it; 0: the last reference has gone, see chring_put().
 */
u64 chring_epoch(const struct chring_ring *ring);

/**
 * struct chring_answer - a node, and when it is the answer
 * @ring: id of the ring
 * @epoch: of the ring
 * @node: id of the node
 * @cookie: of the node
 * @priv: of the node; NULL in public rings, and of former owners that are gone.
 *	To be used only by who has held rcu_read_lock() since before the call
 */
struct chring_answer {
	u64 ring;
	u64 epoch;
	u64 node;
	u64 cookie;
	void *priv;
};

/**
 * chring_position() - where a key is
 * @ring: ring
 * @key: bytes
 * @len: how many, at most CHRING_KEY_MAX; 0 is a key as well
 *
 * Any context.
 *
 * Return: position as programs see it, of the ring's width.
 */
u64 chring_position(const struct chring_ring *ring, const void *key, u32 len);

/**
 * chring_lookup() - the owner of a key
 * @ring: ring
 * @key: bytes
 * @len: how many
 * @answer: set; on failure @ring and @epoch of it alone, the rest is 0
 *
 * Constant expected time, O(log tokens) at worst while the first token
 * decides. Any context in which rcu_read_lock() may be held.
 *
 * Return: 0; -ENODATA: the ring has no nodes; -EHOSTUNREACH: it has, but none in
 * service with weight; -ENODEV: see chring_put(); -ERANGE: the key is longer than
 * CHRING_KEY_MAX.
 */
int chring_lookup(const struct chring_ring *ring, const void *key, u32 len,
		  struct chring_answer *answer);

/**
 * chring_lookup_position() - the owner of a position; as chring_lookup()
 * @ring: ring
 * @position: from chring_position(), or made by the caller's own hash
 * @answer: set
 *
 * Return: -ERANGE: the position is outside of a circle of 32 bits.
 */
int chring_lookup_position(const struct chring_ring *ring, u64 position,
			   struct chring_answer *answer);

/**
 * typedef chring_fit_fn - may a node be the answer?
 * @node: a node in service with weight
 * @data: the caller's
 *
 * Called under rcu_read_lock(), may be called several times for one node, must
 * not sleep.
 */
typedef bool chring_fit_fn(const struct chring_answer *node, void *data);

/**
 * chring_lookup_fit() - the first node clockwise that fits
 * @ring: ring
 * @position: as for chring_lookup_position()
 * @fit: asked for each node in the order of a walk; or for all, and the nearest
 *	that fits is taken, where the walk would be long
 * @data: for @fit
 * @answer: set
 *
 * Nodes that do not fit are stepped over as if they were out of service: so each
 * of their keys goes where it would go if they were. O(nodes) at worst.
 *
 * Any context in which rcu_read_lock() may be held.
 *
 * Return: as chring_lookup_position(); -EHOSTUNREACH: none fits.
 */
int chring_lookup_fit(const struct chring_ring *ring, u64 position,
		      chring_fit_fn *fit, void *data,
		      struct chring_answer *answer);

/**
 * chring_replicas() - the first distinct nodes in service clockwise
 * @ring: ring
 * @position: as for chring_lookup_position()
 * @flags: CHRING_LOOKUP_ZONES: those of new zones first; CHRING_LOOKUP_PREVIOUS:
 *	the former owners; or 0
 * @answer: for @n answers, in the order of the walk; on failure not set
 * @n: nodes wanted, 1..CHRING_REPLICAS_MAX
 *
 * Any context in which rcu_read_lock() may be held.
 *
 * Return: nodes found, fewer than @n only if fewer are in service; -EINVAL: a
 * flag is unknown; -ERANGE: @n or the position is out of range; -ENODATA,
 * -EHOSTUNREACH, -ENODEV: as chring_lookup(), the first two before the last change
 * of tokens with CHRING_LOOKUP_PREVIOUS.
 */
int chring_replicas(const struct chring_ring *ring, u64 position, u32 flags,
		    struct chring_answer *answer, u32 n);

/**
 * struct chring_maker - a ring to be made
 * @name: 1..CHRING_RING_NAME_MAX bytes of [A-Za-z0-9._:/-] and of [ and ], with
 *	a slash, and not the first: so it is no name of a public ring
 * @config: as of CHRING_IOC_RING_CREATE: 0 stands for defaults
 * @keys: what its keys are, for those who look at it
 */
struct chring_maker {
	const char *name;
	struct chring_config config;
	enum chring_keys keys;
};

/**
 * chring_create() - a ring of the caller's own
 * @maker: what it is to be
 *
 * Programs can look at it through a descriptor open for writing, and cannot
 * change it. It is not counted among the public rings; its memory is of the
 * budget of the module.
 *
 * May sleep.
 *
 * Return: ring without nodes, to be given back with chring_put(); or ERR_PTR()
 * of -EINVAL (name or config), -ERANGE, -EOPNOTSUPP (config), -EEXIST (name),
 * -ENOMEM, -EDQUOT, -EINTR (killed).
 */
struct chring_ring *chring_create(const struct chring_maker *maker);

/**
 * chring_keys_set() - what the keys of a ring are from now on
 * @ring: of chring_create()
 * @keys: for those who look at it; there is no new epoch
 *
 * Any context.
 */
void chring_keys_set(struct chring_ring *ring, enum chring_keys keys);

/**
 * struct chring_server - what a node is to be
 * @name: 1..CHRING_NAME_MAX bytes, none <= 0x20 and none 0x7f
 * @name_len: how many
 * @zone: bytes, as the name's
 * @zone_len: how many; 0: no zone
 * @weight: 0..CHRING_WEIGHT_MAX; 0: no tokens
 * @state: enum chring_state
 * @cookie: any; shown to programs
 * @priv: any; never shown to programs. What it points to must stay until a grace
 *	period after the change that takes it out of the ring, or after
 *	chring_put()
 */
struct chring_server {
	const char *name;
	u32 name_len;
	const char *zone;
	u32 zone_len;
	u32 weight;
	u32 state;
	u64 cookie;
	void *priv;
};

/**
 * chring_node_add() - one more node
 * @ring: of chring_create()
 * @server: what it is
 * @id: set to its id, unless NULL
 *
 * May sleep, and not be called by a notifier.
 *
 * Return: 0; -EPERM: the ring is a public one; -EINVAL, -ENAMETOOLONG, -ERANGE:
 * @server; -EEXIST: there is a node of the name; -ENOSPC: a limit of tokens or
 * nodes; -ENOMEM, -EDQUOT: memory; -EINTR: the caller is being killed; -EIO: a
 * fault of chring. On failure ring, epoch and digest are as they were.
 */
int chring_node_add(struct chring_ring *ring,
		    const struct chring_server *server, u64 *id);

/**
 * chring_node_set() - what a node is from now on; as chring_node_add()
 * @ring: of chring_create()
 * @server: all of it; the node of its name
 *
 * Nothing changes, and there is no new epoch, if the node is that already; @priv
 * counts.
 *
 * Return: also -ENOENT: there is no node of the name; never -EEXIST.
 */
int chring_node_set(struct chring_ring *ring,
		    const struct chring_server *server);

/**
 * chring_node_del() - one node less; as chring_node_add()
 * @ring: of chring_create()
 * @name: of the node
 * @name_len: its bytes
 *
 * Return: also -ENOENT; never -EEXIST or -ENOSPC.
 */
int chring_node_del(struct chring_ring *ring, const char *name, u32 name_len);

/**
 * chring_replace() - these nodes and no others, in one epoch
 * @ring: of chring_create()
 * @server: nodes, in any order
 * @n: how many, at most CHRING_NODES_MAX
 *
 * A node whose name is there keeps its id. As chring_node_add().
 *
 * Return: -EEXIST: a name is there twice; -ERANGE: @n too. Never -ENOENT.
 */
int chring_replace(struct chring_ring *ring, const struct chring_server *server,
		   u32 n);

/**
 * struct chring_notice - what happened to a ring
 * @ring: id
 * @epoch: after it; that of before is one less
 * @generation: after it
 * @digest: after it
 * @added: nodes that came
 * @removed: nodes that went
 * @changed: nodes that have another weight, zone, cookie or priv
 * @flipped: nodes that have another state; some may be among @changed
 */
struct chring_notice {
	u64 ring;
	u64 epoch;
	u64 generation;
	u64 digest;
	u32 added;
	u32 removed;
	u32 changed;
	u32 flipped;
};

/**
 * enum chring_happening - the action that a notifier is called with
 * @CHRING_CHANGED: a change has been published; data is struct chring_notice
 * @CHRING_DELETED: the name of the ring has been deleted, it will not change any
 *	more; data is struct chring_notice of its last epoch, with counts of 0
 */
enum chring_happening {
	CHRING_CHANGED = 1,
	CHRING_DELETED = 2,
};

/**
 * chring_notifier_register() - be told of every change of a ring
 * @ring: held for as long as @nb is registered
 * @nb: called for every epoch from now on, in their order, after publication: a
 *	lookup made by it answers for that epoch or a later one. May sleep;
 *	writers of the ring wait for it. It must not change a ring, register or
 *	unregister; what it returns is of no matter. Those of higher priority
 *	are called first
 *
 * What one change does, however much that is, is told at once. A change that
 * fails, or a program only asks about, is not told.
 *
 * May sleep. Return: 0; -EEXIST: @nb is registered already; -ENODEV: the name of
 * the ring has been deleted, there will be nothing to tell.
 */
int chring_notifier_register(struct chring_ring *ring,
			     struct notifier_block *nb);

/**
 * chring_notifier_unregister() - be told no more
 * @ring: ring
 * @nb: registered
 *
 * May sleep: waits until @nb is not running, and it is not called after.
 *
 * Return: 0, or -ENOENT.
 */
int chring_notifier_unregister(struct chring_ring *ring,
			       struct notifier_block *nb);

#endif /* CHRING_CHRING_H */
