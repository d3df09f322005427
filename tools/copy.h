/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside libchring: a copy of a ring, as it is at one epoch, in which owners
 * are found as the kernel finds them, by the same code.
 */
#ifndef CHRING_COPY_H
#define CHRING_COPY_H

#include "platform.h"
#include "core/hash.h"
#include "core/placement.h"
#include "libchring.h"
#include "status.h"

/**
 * struct copy_tokens - tokens of a ring
 * @refs: copies that have them
 * @epoch: at which they were copied
 * @table: all of them
 * @token: the same by node
 * @stand: by slot: where in @token
 * @slots: how many
 */
struct copy_tokens {
	unsigned int refs;
	u64 epoch;
	struct chring_table *table;
	u64 *token;
	struct chring_stand *stand;
	u32 slots;
};

/**
 * struct copy_nodes - nodes of a ring
 * @refs: copies that have them
 * @epoch: at which they were listed
 * @slots: a slot is a node's @bit of struct chring_node_entry
 * @zone: by slot: number of the node's zone
 * @node: by slot: what is said of the node, but for ring and epoch
 */
struct copy_nodes {
	unsigned int refs;
	u64 epoch;
	u32 slots;
	u16 *zone;
	struct chring_found node[];
};

/**
 * struct copy - a ring at one epoch; immutable
 * @sequence: of the status pages: as long as they are at it, the copy holds
 * @key_end: keys that are shorter are looked up here; 0: no node is in service
 * @ring: id of the ring
 * @epoch: of the ring
 * @config: of the ring
 * @circle: what lookups walk over
 * @tokens: of @circle
 * @nodes: of @circle
 * @out: of @circle
 */
struct copy {
	unsigned long sequence;
	size_t key_end;
	u64 ring;
	u64 epoch;
	struct chring_config config;
	struct chring_circle circle;
	struct copy_tokens *tokens;
	struct copy_nodes *nodes;
	unsigned long out[];
};

/**
 * copy_make() - a copy of a ring as it is
 * @c: handle of the ring
 * @status: its status pages
 * @config: of the ring
 * @old: the copy before, whose tokens and nodes are used again if they still
 *	hold; NULL: there is none
 * @out: the copy, for copy_free(); only if that is 0
 *
 * Return: 0; -ENODEV: the ring has been deleted; -ESTALE: it changes faster
 * than it can be copied; or what chring_node_list() and chring_tokens() return.
 */
int copy_make(struct chring *c, const struct chring_status *status,
	      const struct chring_config *config, const struct copy *old,
	      struct copy **out);

/* Nobody reads it any more. NULL is allowed. */
void copy_free(struct copy *v);

#endif /* CHRING_COPY_H */
