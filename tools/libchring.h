/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libchring: consistent-hash rings in kernel memory, for programs.
 *
 * A handle (struct chring) is one descriptor of /dev/chring and belongs to one
 * ring. Threads may share it: all functions but chring_open(), chring_follow()
 * and chring_close() may be called by several at once, and those that look up
 * take no lock. A fork()ed child shares the descriptor, and with it the ring,
 * its events and its tickets, with its parent; it may use and close its handle.
 * An open handle keeps the module loaded, so one never outlives its rings.
 *
 * Functions return 0 or a negative errno. Besides those named at a function:
 *
 *	-EBADF		the handle is not open for reading (functions that
 *			read) or for writing (functions that change)
 *	-ENODEV		the handle's ring has been deleted
 *	-EPERM		the handle's ring is private, see chring_ring_list_all(),
 *			and cannot be changed (functions that change)
 *	-ENOTTY, -E2BIG	the module is older than this library and does not
 *			know what is asked for
 *	-ENOMEM		no memory, here or in the kernel
 *	-EDQUOT		the module's memory budget is used up
 *	-EINTR		a fatal signal is pending
 *
 * A change either does all it says or changes nothing, whatever it returns.
 *
 * Bytes: names of nodes and zones and keys are bytes with a length and need not
 * be text; a length that is given counts, not a NUL. Names that are handed out
 * have a NUL behind them for convenience. Ring names are strings.
 *
 * Constants (CHRING_HASH_*, CHRING_STATE_*, limits) and the structs that are
 * not declared here are those of <linux/chring.h>. As with stat(2), functions
 * share their names with structs, so C++ needs the word struct before these.
 */
#ifndef LIBCHRING_H
#define LIBCHRING_H

#include <stddef.h>

#include <linux/chring.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Opaque: a descriptor of /dev/chring and the names of nodes seen through it. */
struct chring;

#define CHRING_OPEN_READ	(1U << 0)	/* for functions that read */
#define CHRING_OPEN_WRITE	(1U << 1)	/* for functions that change */
#define CHRING_OPEN_NONBLOCK	(1U << 2)	/* chring_events() does not wait */

/**
 * chring_open() - open the device
 * @ring: name of the ring that the handle is to belong to; NULL: none yet,
 *	then chring_bind() or, as the ring ``default``, the first function that
 *	asks for a ring decides
 * @flags: CHRING_OPEN_*, for reading or writing or both
 * @out: the handle, to be closed by chring_close()
 *
 * Return: 0; -ENXIO: no device, the module is not loaded; -EACCES: no
 * permission; -EINVAL: @flags; what chring_bind() returns; or what open(2)
 * fails with. There is nothing to close after an error.
 */
int chring_open(const char *ring, unsigned int flags, struct chring **out);

/**
 * chring_bind() - let a handle belong to a ring
 * @c: handle without a ring
 * @ring: name of the ring
 *
 * Return: 0; -ENOENT: no such ring, or a private one and the handle is not open
 * for writing; -EBUSY: the handle has one already; -EINVAL or -ENAMETOOLONG: not
 * a name of a ring.
 */
int chring_bind(struct chring *c, const char *ring);

/**
 * chring_close() - close a handle
 * @c: handle, or NULL
 *
 * Names that chring_node_name() has given end here.
 */
void chring_close(struct chring *c);

/**
 * chring_info() - what the module is and holds
 * @c: handle, open for reading
 * @info: filled in
 */
int chring_info(struct chring *c, struct chring_info *info);

/**
 * chring_ring_create() - make a new, empty ring
 * @c: handle, open for writing; its own ring does not matter
 * @name: of the new ring
 * @config: of the new ring, 0 in a field being its default; NULL: all defaults
 * @id: of the new ring; or NULL
 *
 * Return: 0; -EEXIST; -ENAMETOOLONG; -EINVAL, -ERANGE: the name or @config;
 * -EOPNOTSUPP: something in @config is not offered by this module, see
 * @out_hashes and @out_layouts of struct chring_info; -ENOSPC: too many rings.
 */
int chring_ring_create(struct chring *c, const char *name,
		       const struct chring_config *config, __u64 *id);

/**
 * chring_ring_delete() - delete a ring
 * @c: handle, open for writing; its own ring does not matter
 * @name: of the ring
 * @id: of the ring that is gone; or NULL
 *
 * Return: 0; -ENOENT; -EPERM: the ring ``default``, or a private one; -EINVAL,
 * -ENAMETOOLONG.
 */
int chring_ring_delete(struct chring *c, const char *name, __u64 *id);

/**
 * struct chring_rings - rings
 * @count: how many
 * @ring: in the order of their ids
 */
struct chring_rings {
	size_t count;
	struct chring_ring_entry *ring;
};

/**
 * chring_ring_list() - list all public rings
 * @c: handle, open for reading
 * @out: the list, to be freed by chring_rings_free()
 */
int chring_ring_list(struct chring *c, struct chring_rings **out);

/**
 * chring_ring_list_all() - list all rings, those of the kernel's own too
 * @c: handle, open for reading and writing
 * @out: the list, to be freed by chring_rings_free()
 *
 * CHRING_RING_PRIVATE is set in @flags of those. A handle open for writing can be
 * bound to one, by its name, and looks up and lists as with any ring; what
 * changes it returns -EPERM.
 *
 * Return: 0; -EINVAL: the module knows none.
 */
int chring_ring_list_all(struct chring *c, struct chring_rings **out);

/**
 * chring_rings_free() - free a list of rings
 * @rings: list, or NULL
 */
void chring_rings_free(struct chring_rings *rings);

/**
 * struct chring_edit - a change of one node
 * @name: bytes of the node's name
 * @name_len: how many
 * @zone: bytes of its zone's name
 * @zone_len: how many, 0: the empty zone
 * @cookie: any number; lookups give it back
 * @epoch: change only if the ring is at this epoch; 0: whatever it is
 * @generation: the fleet's number for the membership after the change; 0:
 *	leave it
 * @weight: 0..CHRING_WEIGHT_MAX
 * @state: enum chring_state
 * @set: chring_node_set(): CHRING_NODE_* of what is to be set, at least one;
 *	the rest is left as it is
 * @plan: NULL: change the ring. Else change nothing, and set *@plan to what
 *	would move, to be freed by chring_plan_free(); the outcome is as if
 */
struct chring_edit {
	const char *name;
	size_t name_len;
	const char *zone;
	size_t zone_len;
	__u64 cookie;
	__u64 epoch;
	__u64 generation;
	__u32 weight;
	__u32 state;
	__u32 set;
	struct chring_plan **plan;
};

/**
 * struct chring_plan - what a change would move
 * @moved_lo: positions with another owner than before, lower 64 bits
 * @moved_hi: upper 64 bits
 * @count: pairs of nodes
 * @transfer: who would give how much to whom, each pair once. A node that would
 *	be new has an id that is good for reading this alone
 */
struct chring_plan {
	__u64 moved_lo;
	__u64 moved_hi;
	size_t count;
	struct chring_transfer *transfer;
};

/**
 * chring_plan_free() - free a plan
 * @plan: plan, or NULL
 */
void chring_plan_free(struct chring_plan *plan);

/**
 * struct chring_outcome - a ring after a change of it
 * @ring: id
 * @epoch: after the change; as it is, if the change failed
 * @generation: likewise
 * @digest: likewise
 * @node: id of the node that was changed; 0 if the change failed
 *
 * All 0 if the change failed before the kernel had looked at the ring.
 */
struct chring_outcome {
	__u64 ring;
	__u64 epoch;
	__u64 generation;
	__u64 digest;
	__u64 node;
};

/**
 * chring_node_add() - add a node to the handle's ring
 * @c: handle, open for writing
 * @edit: the node; @set does not matter
 * @out: how it went, filled in on failure too; or NULL
 *
 * Return: 0; -EEXIST; -EINVAL, -ENAMETOOLONG, -ERANGE: a name or a number;
 * -ERANGE too: @generation is below the ring's; -ENOSPC: too many tokens or
 * nodes; -ESTALE: the ring is not at @epoch.
 */
int chring_node_add(struct chring *c, const struct chring_edit *edit,
		    struct chring_outcome *out);

/**
 * chring_node_set() - change a node of the handle's ring
 * @c: handle, open for writing
 * @edit: which node, and what of it
 * @out: how it went, filled in on failure too; or NULL
 *
 * What finds everything as it wants it makes no new epoch.
 *
 * Return: 0; -ENOENT; as chring_node_add() otherwise.
 */
int chring_node_set(struct chring *c, const struct chring_edit *edit,
		    struct chring_outcome *out);

/**
 * chring_node_del() - delete a node of the handle's ring
 * @c: handle, open for writing
 * @edit: which node, @epoch and @generation; the rest does not matter
 * @out: how it went, filled in on failure too; or NULL
 *
 * Return: 0; -ENOENT; -EINVAL, -ENAMETOOLONG: the name; -ERANGE: @generation
 * is below the ring's; -ESTALE: the ring is not at @epoch.
 */
int chring_node_del(struct chring *c, const struct chring_edit *edit,
		    struct chring_outcome *out);

/**
 * struct chring_members - a whole membership
 * @node: nodes; of each edit the names, @weight, @state and @cookie count. They
 *	are put into the order of names
 * @count: how many
 * @id: for @count ids, in that order; or NULL
 * @epoch: change only if the ring is at this epoch; 0: whatever it is
 * @generation: the fleet's number for it; 0: leave it
 * @plan: as in struct chring_edit
 */
struct chring_members {
	struct chring_edit *node;
	size_t count;
	__u64 *id;
	__u64 epoch;
	__u64 generation;
	struct chring_plan **plan;
};

/**
 * chring_commit() - make these nodes, and no others, those of the handle's ring
 * @c: handle, open for writing
 * @members: the nodes
 * @out: how it went, filled in on failure too; or NULL
 *
 * One epoch, whatever is different. A node whose name is there already keeps
 * its id.
 *
 * Return: 0; -EINVAL, -ENAMETOOLONG, -ERANGE: a name, twice the same name, or a
 * number; -ERANGE too: @generation is below the ring's; -ENOSPC: too many
 * tokens; -ESTALE: the ring is not at @epoch.
 */
int chring_commit(struct chring *c, struct chring_members *members,
		  struct chring_outcome *out);

/**
 * chring_pin() - the owners of now are the former ones until unpinned
 * @c: handle, open for writing
 * @epoch: change only if the ring is at this epoch; 0: whatever it is
 * @generation: the fleet's number after it; 0: leave it
 * @out: how it went, filled in on failure too; or NULL
 *
 * Return: 0; -EBUSY: it is pinned; -ESTALE; -ERANGE: @generation.
 */
int chring_pin(struct chring *c, __u64 epoch, __u64 generation,
	       struct chring_outcome *out);

/**
 * chring_unpin() - the next change of tokens has former owners of its own
 * @c: handle, open for writing
 * @epoch: as for chring_pin()
 * @generation: as for chring_pin()
 * @out: as for chring_pin()
 *
 * Return: 0; -ENOENT: it is not pinned; -ESTALE; -ERANGE: @generation.
 */
int chring_unpin(struct chring *c, __u64 epoch, __u64 generation,
		 struct chring_outcome *out);

/**
 * struct chring_node - a node
 * @id: never used again
 * @cookie: as set
 * @weight: as set
 * @state: enum chring_state
 * @tokens: how many it has
 * @name_len: bytes of @name
 * @zone_len: bytes of @zone, 0: the empty zone
 * @bit: of the node in the ring's status pages
 * @name: with a NUL behind
 * @zone: with a NUL behind
 */
struct chring_node {
	__u64 id;
	__u64 cookie;
	__u32 weight;
	__u32 state;
	__u32 tokens;
	__u32 name_len;
	__u32 zone_len;
	__u32 bit;
	const char *name;
	const char *zone;
};

/**
 * struct chring_nodes - all nodes of a ring at one epoch
 * @ring: id of the ring
 * @epoch: of this list
 * @generation: of this list
 * @digest: of this list
 * @count: how many
 * @node: in the order of the bytes of their names
 */
struct chring_nodes {
	__u64 ring;
	__u64 epoch;
	__u64 generation;
	__u64 digest;
	size_t count;
	struct chring_node *node;
};

/**
 * chring_node_list() - list the nodes of the handle's ring
 * @c: handle, open for reading
 * @out: the list, to be freed by chring_nodes_free()
 */
int chring_node_list(struct chring *c, struct chring_nodes **out);

/**
 * chring_nodes_free() - free a list of nodes
 * @nodes: list, or NULL
 */
void chring_nodes_free(struct chring_nodes *nodes);

/**
 * chring_node_name() - the name of a node whose id a lookup has given
 * @c: handle, open for reading
 * @id: of a node of the handle's ring
 * @name: its bytes with a NUL behind; they belong to the handle and stay until
 *	chring_close()
 * @len: how many; or NULL
 *
 * Ids are not used again and a node never changes its name, so names are kept
 * for as long as the handle lives, those of nodes that are gone included. The
 * kernel is asked only for an id that has not been seen.
 *
 * Return: 0; -ENOENT: the node was deleted before its name was seen.
 */
int chring_node_name(struct chring *c, __u64 id, const char **name,
		     size_t *len);

/* A thread of the library keeps the copy up to date. */
#define CHRING_FOLLOW_THREAD	(1U << 0)

/**
 * chring_follow() - look up without asking the kernel
 * @c: handle, open for reading; not shared by threads yet
 * @flags: CHRING_FOLLOW_* or 0
 *
 * Copies the ring's tokens and nodes, and maps its status pages. From then on
 * lookups are answered from the copy, without a system call, for as long as the
 * status pages say that it holds; the answers are the kernel's, and say of which
 * epoch they are. When the ring changes, the kernel is asked until there is a
 * new copy:
 *
 *	0		lookups make it, in the thread of the caller: at once, if only
 *			states of nodes have changed; otherwise when the kernel has
 *			been asked as often as that costs as much, so that a ring
 *			that changes all the time is not copied all the time. Other
 *			threads do not wait for it
 *	CHRING_FOLLOW_THREAD
 *			a thread of the library makes it, whenever the ring changes.
 *			It blocks all signals and ends in chring_close(). A child of
 *			fork() goes on without it, as with 0
 *
 * A token takes 20 to 22 bytes of the program, and 10 more while it is copied.
 * Threads that look up are known to liburcu-bp from then on. Former owners and
 * tickets are asked of the kernel always, and so are all lookups on a handle for
 * which chring_follow() has failed or was not called: a program may ignore what
 * it returns.
 *
 * Return: 0; -EBUSY: it does already; -EBADF too: the ring is keyed, and the
 * handle is not open for writing; -ESTALE: the ring changes faster than it can
 * be copied; -EINVAL: @flags; -ENODEV too: a module without status pages; or
 * what a mapping or a new thread fails with.
 */
int chring_follow(struct chring *c, unsigned int flags);

/**
 * chring_refresh() - make a new copy now, if the one that there is does not hold
 * @c: handle that follows its ring
 *
 * For programs that want to choose when that is.
 *
 * Return: 0; -EINVAL: the handle does not follow its ring; -ESTALE: it changes
 * faster than it can be copied.
 */
int chring_refresh(struct chring *c);

/**
 * struct chring_found - the owner of a key
 * @node: id of the node
 * @cookie: as set with the node
 * @name: of the node, with a NUL behind; stays until chring_close(). NULL: the
 *	node was deleted before its name was seen
 * @name_len: bytes of it
 * @asked: 1: the kernel was asked; 0: it was found in the handle's copy
 * @ring: id of the ring
 * @epoch: the answer holds for exactly this one
 */
struct chring_found {
	__u64 node;
	__u64 cookie;
	const char *name;
	__u32 name_len;
	__u32 asked;
	__u64 ring;
	__u64 epoch;
};

/**
 * chring_find() - the owner of a key: the shortest way
 * @c: handle, open for reading
 * @key: bytes
 * @len: how many, 0..CHRING_KEY_MAX
 * @out: its owner; after -ENODATA and -EHOSTUNREACH @ring and @epoch are those
 *	of the ring
 *
 * Return: 0; -ENODATA: the ring has no nodes; -EHOSTUNREACH: none of them is in
 * service with weight; -ERANGE: @len.
 */
int chring_find(struct chring *c, const void *key, size_t len,
		struct chring_found *out);

/**
 * chring_find_position() - chring_find() for who hashes keys himself
 * @c: handle, open for reading; on a keyed ring for writing too
 * @position: a number of the ring's width
 * @out: as for chring_find()
 *
 * Return: as chring_find(); -ERANGE: @position.
 */
int chring_find_position(struct chring *c, __u64 position,
			 struct chring_found *out);

/**
 * struct chring_query - what to look up
 * @key: bytes; NULL with CHRING_LOOKUP_POSITION
 * @key_len: how many, 0..CHRING_KEY_MAX; 0 with CHRING_LOOKUP_POSITION
 * @position: with CHRING_LOOKUP_POSITION: a number of the ring's width, else 0
 * @epoch: answer only for this epoch; 0: for whatever is current
 * @flags: CHRING_LOOKUP_*
 * @count: owners wanted, 1..CHRING_REPLICAS_MAX
 * @formers: not 0: as many former owners too; 0 with CHRING_LOOKUP_PREVIOUS
 */
struct chring_query {
	const void *key;
	size_t key_len;
	__u64 position;
	__u64 epoch;
	__u32 flags;
	__u32 count;
	__u32 formers;
};

/**
 * struct chring_answer - who owns a key
 * @position: of the key on the circle; 0 on a keyed ring if the handle is not
 *	open for writing
 * @ring: id of the ring
 * @epoch: the answer holds for exactly this one
 * @count: owners given, fewer than wanted only if fewer are in service
 * @owner: the first @count are set
 * @formers: former owners given
 * @former: the first @formers are set
 * @former_epoch: the last one of the former owners; 0: not asked, or none
 * @asked: 1: the kernel was asked; 0: it was found in the handle's copy
 */
struct chring_answer {
	__u64 position;
	__u64 ring;
	__u64 epoch;
	__u32 count;
	struct chring_owner owner[CHRING_REPLICAS_MAX];
	__u32 formers;
	struct chring_owner former[CHRING_REPLICAS_MAX];
	__u64 former_epoch;
	__u32 asked;
};

/**
 * chring_lookup() - who owns a key
 * @c: handle, open for reading
 * @query: what to look up
 * @answer: who owns it; after -ENODATA, -EHOSTUNREACH and -ESTALE @ring and
 *	@epoch are those of the ring
 *
 * Return: 0; -ENODATA: the ring has no nodes; -EHOSTUNREACH: none of them is
 * in service with weight, both of the former owners with
 * CHRING_LOOKUP_PREVIOUS; -ESTALE: the ring is not at @epoch; -ERANGE: @key_len, @count or
 * @position; -EBADF too: a position on a keyed ring, and the handle is not open
 * for writing.
 */
int chring_lookup(struct chring *c, const struct chring_query *query,
		  struct chring_answer *answer);

/**
 * struct chring_batch - many keys to look up, and their owners
 * @keys: bytes of all keys, one after the other; with CHRING_LOOKUP_POSITION an
 *	array of __u64
 * @keys_size: bytes at @keys, at most CHRING_BATCH_BYTES_MAX
 * @lens: length of each key; NULL with CHRING_LOOKUP_POSITION
 * @nodes: becomes the id of each key's owner
 * @count: keys, at most CHRING_BATCH_MAX
 * @flags: CHRING_LOOKUP_POSITION, CHRING_LOOKUP_PREVIOUS
 * @epoch: answer only for this epoch; 0: for whatever is current
 * @out_done: keys answered: fewer than @count if the ring changed meanwhile
 * @out_ring: id of the ring
 * @out_epoch: the answers hold for exactly this one
 * @out_asked: 1: the kernel was asked; 0: they were found in the handle's copy
 */
struct chring_batch {
	const void *keys;
	size_t keys_size;
	const __u32 *lens;
	__u64 *nodes;
	__u32 count;
	__u32 flags;
	__u64 epoch;
	__u32 out_done;
	__u64 out_ring;
	__u64 out_epoch;
	__u32 out_asked;
};

/**
 * chring_lookup_batch() - who owns these keys
 * @c: handle, open for reading
 * @batch: keys and answers
 *
 * With @out_done < @count the caller asks again for the rest.
 *
 * Return: as chring_lookup(); -EINVAL: the lengths run over @keys_size. After
 * an error nothing is to be read from @nodes.
 */
int chring_lookup_batch(struct chring *c, struct chring_batch *batch);

/**
 * struct chring_ticket - a ticket that was taken, or some that were given back
 * @node: id of the node
 * @cookie: as set with the node; chring_acquire() alone
 * @load: of the node after; 0 if it has been deleted
 * @tickets: load of all nodes in service after
 * @serial: of this among all grants and releases of the ring
 * @left: of the node, that the handle still holds; chring_release() alone
 * @position: of the key, as in struct chring_answer; chring_acquire() alone
 * @ring: id of the ring
 * @epoch: of the ring then
 */
struct chring_ticket {
	__u64 node;
	__u64 cookie;
	__u64 load;
	__u64 tickets;
	__u64 serial;
	__u64 left;
	__u64 position;
	__u64 ring;
	__u64 epoch;
};

/**
 * chring_acquire() - take a ticket for a key
 * @c: handle, open for writing, or for reading alone if the ring has tickets
 * @query: as for chring_lookup(); @count does not matter
 * @out: what was taken; after -ENODATA, -EHOSTUNREACH and -ESTALE @ring and
 *	@epoch are those of the ring
 *
 * The node bears one more until chring_release(), or until the handle is closed
 * here and wherever else the descriptor is. On a ring with a balance it is the
 * first in service clockwise that may bear it.
 *
 * Return: as chring_lookup(); -EBADF too: the handle is not open for writing,
 * and the ring has no tickets for it; -ENOSPC: it holds as many as it may.
 */
int chring_acquire(struct chring *c, const struct chring_query *query,
		   struct chring_ticket *out);

/**
 * chring_release() - give tickets back
 * @c: handle that took them
 * @node: id of the node that they are of
 * @count: how many, at least 1
 * @out: what came of it; or NULL
 *
 * Return: 0; -ENOENT: the handle does not hold so many; -ERANGE: @count is 0;
 * -EBADF: as chring_acquire().
 */
int chring_release(struct chring *c, __u64 node, __u32 count,
		   struct chring_ticket *out);

/* Shares too: they take the kernel a walk over all tokens. */
#define CHRING_STATS_SHARES	(1U << 0)

/**
 * struct chring_summary - a ring at one epoch
 * @name: of the ring
 * @ring: its id
 * @epoch: of this summary
 * @generation: of this summary
 * @digest: of this summary
 * @checksum: of the tokens; 0 without CHRING_STATS_SHARES and, on a keyed ring,
 *	if the handle is not open for writing
 * @tokens: of all nodes
 * @bytes: of memory that the ring holds
 * @nodes: all of them
 * @live: nodes in service with weight
 * @collisions: tokens that stand where another one stands already
 * @former_epoch: last epoch of the former owners; 0: there are none
 * @worst_walk: tokens and nodes that the longest walk of a lookup looked at
 * @zones: with a node in service with weight
 * @pinned: the former owners stay until chring_unpin()
 * @least_lo: positions of the shortest arc between two tokens, lower 64 bits;
 *	given as @checksum is
 * @least_hi: upper 64 bits
 * @most_lo: positions of the longest, lower 64 bits
 * @most_hi: upper 64 bits
 * @config: of the ring; the seed of a keyed ring (CHRING_HASH_SIPHASH), which
 *	never is 0, reads 0 if the handle is not open for writing
 * @share: @nodes of them in the order of chring_node_list(), in positions of
 *	the circle, which has 2^@config.bits, and with their tickets; NULL without
 *	CHRING_STATS_SHARES
 */
struct chring_summary {
	char name[CHRING_RING_NAME_MAX + 1];
	__u64 ring;
	__u64 epoch;
	__u64 generation;
	__u64 digest;
	__u64 checksum;
	__u64 tokens;
	__u64 bytes;
	__u32 nodes;
	__u32 live;
	__u32 collisions;
	__u64 former_epoch;
	__u32 worst_walk;
	__u32 zones;
	__u32 pinned;
	__u64 least_lo;
	__u64 least_hi;
	__u64 most_lo;
	__u64 most_hi;
	struct chring_config config;
	struct chring_node_share *share;
};

/**
 * chring_stats() - what the handle's ring is, and how it shares the circle
 * @c: handle, open for reading
 * @flags: CHRING_STATS_*
 * @out: to be freed by chring_summary_free()
 *
 * Return: 0; -EINVAL: @flags.
 */
int chring_stats(struct chring *c, unsigned int flags,
		 struct chring_summary **out);

/**
 * chring_summary_free() - free a summary
 * @summary: one, or NULL
 */
void chring_summary_free(struct chring_summary *summary);

/**
 * chring_fd() - the descriptor of a handle, for poll(2) and its like
 * @c: handle
 *
 * It is readable when chring_events() has something to give, and hung up when
 * the ring has been deleted. It belongs to the handle.
 */
int chring_fd(const struct chring *c);

/* The least room that chring_events() asks for, so that one always fits. */
#define CHRING_EVENTS_MIN	5

/**
 * chring_events() - what has changed since the last time
 * @c: handle, open for reading
 * @event: filled in, in the order of epochs
 * @room: for how many, CHRING_EVENTS_MIN at least
 * @count: how many there are, at least one
 *
 * Waits for the first one, unless the handle was opened with
 * CHRING_OPEN_NONBLOCK. The first time these are the changes since the handle
 * got its ring. To know a ring and follow it: open a handle, list the nodes, then
 * read events and skip those whose @epoch is not after that of the list. After
 * one of CHRING_EVENT_LOST, list again.
 *
 * A newer module may have types that are not known here: step over them. Fields
 * that the module does not know are 0.
 *
 * Return: 0; -EAGAIN: there is none, and CHRING_OPEN_NONBLOCK; -EINTR: a signal
 * came while it waited; -ENODEV: the ring has been deleted, even if not all was
 * read; -EINVAL: @room.
 */
int chring_events(struct chring *c, struct chring_event *event, size_t room,
		  size_t *count);

/**
 * struct chring_arc_list - what is on the circle of a ring, at one epoch
 * @ring: id of the ring
 * @epoch: of this list
 * @former_epoch: last epoch of the former owners, if the list is of them; or 0
 * @count: how many
 * @range: chring_ranges(): arcs, ascending, and their owners
 * @diff: chring_diff(): arcs, ascending, and from whom to whom they move
 * @token: chring_tokens(): tokens in the order of their positions
 */
struct chring_arc_list {
	__u64 ring;
	__u64 epoch;
	__u64 former_epoch;
	size_t count;
	union {
		struct chring_range *range;
		struct chring_diff_entry *diff;
		struct chring_token *token;
	};
};

/**
 * chring_ranges() - who owns what
 * @c: handle, open for reading; on a keyed ring for writing too
 * @flags: CHRING_RANGES_PREVIOUS: who owned what before; or 0
 * @node: id of the node whose arcs are wanted; 0: all nodes
 * @out: the list, to be freed by chring_arc_list_free()
 *
 * Arcs are inclusive, none goes over 0; those of all nodes are the whole circle.
 * The list comes in pages and is begun anew if the ring changes meanwhile, so
 * that it always is of one epoch.
 *
 * Return: 0; -ENOENT: no such node; -ENODATA: there are no former owners yet;
 * -EBADF too: the ring is keyed, and the handle is not open for writing;
 * -ESTALE: the ring changes faster than it can be listed; -EINVAL: @flags.
 */
int chring_ranges(struct chring *c, unsigned int flags, __u64 node,
		  struct chring_arc_list **out);

/**
 * chring_diff() - what moves from former owners to owners
 * @c: handle, open for reading; on a keyed ring for writing too
 * @out: the list, to be freed by chring_arc_list_free()
 *
 * Return: as chring_ranges().
 */
int chring_diff(struct chring *c, struct chring_arc_list **out);

/**
 * chring_tokens() - all tokens, of nodes out of service too
 * @c: handle, open for reading; on a keyed ring for writing too
 * @out: the list, to be freed by chring_arc_list_free()
 *
 * Return: as chring_ranges(), but neither -ENOENT nor -ENODATA.
 */
int chring_tokens(struct chring *c, struct chring_arc_list **out);

/**
 * chring_arc_list_free() - free a list of arcs or tokens
 * @list: list, or NULL
 */
void chring_arc_list_free(struct chring_arc_list *list);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* LIBCHRING_H */
