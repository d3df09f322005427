/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Nodes, and the roster: all nodes of a ring at one time. Both are immutable
 * once others can see them, and shared by the views that need them.
 */
#ifndef CHRING_ROSTER_H
#define CHRING_ROSTER_H

#include "core/platform.h"
#include "sync.h"
#include "tokens.h"

/**
 * struct chring_node - a server; all but its state, which is the view's
 * @refs: rosters and makers that hold it
 * @id: never used twice
 * @cookie: the caller's
 * @priv: of the owner of a private ring; never shown to programs
 * @digest_key: from chring_digest_node_key()
 * @zone_key: hash of the zone's name, by a secret seed: nobody can choose names
 *	whose hashes are near each other
 * @weight: as set
 * @tokens: that it has on the circle
 * @sorted: these, a reference; NULL: none
 * @name_len: bytes of the name
 * @zone_len: bytes of the zone
 * @name: name, then zone; no NUL
 */
struct chring_node {
	refcount_t refs;
	u64 id;
	u64 cookie;
	void *priv;
	u64 digest_key;
	u64 zone_key;
	u32 weight;
	u32 tokens;
	struct chring_node_tokens *sorted;
	u8 name_len;
	u8 zone_len;
	char name[];
};

/**
 * chring_node_alloc() - a node with its names
 * @name: bytes of the name, checked
 * @name_len: how many
 * @zone: bytes of the zone, checked
 * @zone_len: how many, 0 for none
 *
 * May sleep. Return: a node with one reference, the caller's, to be filled in
 * and given back with chring_node_put(); or ERR_PTR() of -ENOMEM or -EDQUOT.
 */
struct chring_node *chring_node_alloc(const char *name, u32 name_len,
				      const char *zone, u32 zone_len);

/**
 * chring_node_put() - give back a reference to a node
 * @node: node, or NULL
 *
 * Any context in which vfree() may be called.
 */
void chring_node_put(struct chring_node *node);

static inline const char *chring_node_zone(const struct chring_node *node)
{
	return node->name + node->name_len;
}

/**
 * struct chring_roster - all nodes of a ring
 * @refs: views and makers that hold it
 * @count: nodes
 * @slots: slots, free ones included
 * @zones: zones, the empty one among them if a node has none
 * @bytes: its memory and that of its nodes with their tokens
 * @order: @count slots in the order of their nodes' names
 * @stand: by slot: where its node stands, its rank being its place in @order
 * @zone: by slot: number of the node's zone, below @zones
 * @weight: by slot: of its node; 0 for a free slot
 * @node: by slot; NULL is a free slot
 *
 * A node keeps its slot for as long as it lives, so that a table can go on
 * when others come and go.
 */
struct chring_roster {
	refcount_t refs;
	u32 count;
	u32 slots;
	u32 zones;
	size_t bytes;
	struct chring_stand *stand;
	u16 *order;
	u16 *zone;
	u16 *weight;
	struct chring_node *node[];
};

/**
 * struct chring_swap - what a change does to one node
 * @slot: of the node
 * @was: the node before; NULL: it comes
 * @now: the node after; NULL: it goes. @was itself: only its state changes
 * @state: of the node after
 */
struct chring_swap {
	u32 slot;
	const struct chring_node *was;
	struct chring_node *now;
	u32 state;
};

/**
 * chring_roster_change() - the roster after a change
 * @old: the roster before; NULL is one without nodes
 * @swap: nodes that change, in the order of their names
 * @n: how many
 *
 * May sleep. Return: a roster with one reference, the caller's; or ERR_PTR()
 * of -ENOMEM, -EDQUOT, or -EINTR if the caller is being killed.
 */
struct chring_roster *chring_roster_change(const struct chring_roster *old,
					   const struct chring_swap *swap,
					   u32 n);

/**
 * chring_roster_put() - give back a reference to a roster
 * @r: roster, or NULL
 *
 * May sleep.
 */
void chring_roster_put(struct chring_roster *r);

static inline struct chring_roster *chring_roster_get(struct chring_roster *r)
{
	refcount_inc(&r->refs);
	return r;
}

/**
 * chring_roster_bytes_beside() - what a roster needs that others do not
 * @r: roster, or NULL
 * @other: other rosters of the ring, each NULL or not
 * @others: how many
 *
 * Return: of @bytes of @r, those of what none of the others holds; 0 if @r is
 * one of them.
 */
size_t chring_roster_bytes_beside(const struct chring_roster *r,
				  const struct chring_roster *const *other,
				  u32 others);

bool chring_node_same_zone(const struct chring_node *a,
			   const struct chring_node *b);

/* As memcmp() of the names, the shorter of two that begin alike first. */
int chring_node_cmp(const struct chring_node *a, const struct chring_node *b);

/**
 * chring_roster_find() - slot of the node of a name
 * @r: roster
 * @name: bytes
 * @len: how many
 *
 * Return: slot, or -ENOENT.
 */
int chring_roster_find(const struct chring_roster *r, const char *name,
		       u32 len);

/**
 * chring_roster_find_id() - slot of the node of an id
 * @r: roster
 * @id: of the node
 *
 * Return: slot, or -ENOENT.
 */
int chring_roster_find_id(const struct chring_roster *r, u64 id);

/**
 * chring_roster_ids() - ids of all nodes by slot
 * @r: roster
 *
 * May sleep. Return: an array for chring_roster_ids_free(), 0 for free slots;
 * or ERR_PTR() of -ENOMEM or -EDQUOT.
 */
u64 *chring_roster_ids(const struct chring_roster *r);

/* The same into memory of the caller: @r->slots of them, all 0. */
void chring_roster_put_ids(const struct chring_roster *r, u64 *id);
void chring_roster_ids_free(const struct chring_roster *r, u64 *id);

/**
 * chring_roster_free_slot() - a slot for one more node
 * @r: roster
 *
 * Return: slot, or -ENOSPC if there are as many nodes as there may be.
 */
int chring_roster_free_slot(const struct chring_roster *r);

#endif /* CHRING_ROSTER_H */
