/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Nodes, and the roster: all nodes of a ring at one time. Both are immutable
 * once others can see them, and shared by the views that need them.
 */
#ifndef CHRING_ROSTER_H
#define CHRING_ROSTER_H

#include "core/platform.h"
#include "sync.h"

/**
 * struct chring_node - a server; all but its state, which is the view's
 * @refs: rosters and makers that hold it
 * @id: never used twice
 * @cookie: the caller's
 * @digest_key: from chring_digest_node_key()
 * @weight: as set
 * @tokens: that it has on the circle
 * @name_len: bytes of the name
 * @zone_len: bytes of the zone
 * @name: name, then zone; no NUL
 */
struct chring_node {
	refcount_t refs;
	u64 id;
	u64 cookie;
	u64 digest_key;
	u32 weight;
	u32 tokens;
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
 */
void chring_node_put(struct chring_node *node);

static inline const char *chring_node_zone(const struct chring_node *node)
{
	return node->name + node->name_len;
}

/* Memory of a node. */
size_t chring_node_bytes(const struct chring_node *node);

/**
 * struct chring_roster - all nodes of a ring
 * @refs: views and makers that hold it
 * @count: nodes
 * @slots: slots, free ones included
 * @bytes: its memory and that of its nodes
 * @order: @count slots in the order of their nodes' names
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
	size_t bytes;
	u16 *order;
	u16 *weight;
	struct chring_node *node[];
};

/**
 * chring_roster_replace() - the roster after a change of one node
 * @old: the roster before; NULL is one without nodes
 * @slot: the node's slot; at most @old->slots, which is a new one
 * @node: the node now in it; NULL: none any more
 *
 * May sleep. Return: a roster with one reference, the caller's; or ERR_PTR()
 * of -ENOMEM or -EDQUOT.
 */
struct chring_roster *chring_roster_replace(const struct chring_roster *old,
					    u32 slot, struct chring_node *node);

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
 * chring_roster_free_slot() - a slot for one more node
 * @r: roster
 *
 * Return: slot, or -ENOSPC if there are as many nodes as there may be.
 */
int chring_roster_free_slot(const struct chring_roster *r);

#endif /* CHRING_ROSTER_H */
