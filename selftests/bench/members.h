/* SPDX-License-Identifier: GPL-2.0 */
/* Members of a ring: the ring itself, and its tokens worked out beside it. */
#ifndef MEMBERS_H
#define MEMBERS_H

#include "ring.h"
#include "rival.h"

/* A ring of equal nodes, whose names are in the order of their numbers. */
struct members *members_make(u32 nodes, u32 vnodes);

/*
 * Tokens that stand together in the lowest @bits bits of the circle's middle,
 * as positions asked for do; no ring has them.
 */
struct members *members_cluster(u32 nodes, u32 tokens, u32 bits);

void members_free(struct members *m);

/* An empty ring of @vnodes, and one with all nodes at once. */
struct chring_ring *members_ring(u32 vnodes);
void members_commit(struct chring_ring *ring, u32 nodes);

/* The node of a number, as a change names it: by @name, which it fills. */
struct chring_edit members_edit(u32 number, char name[16]);

/* The tokens of a node that has a number, in the order of their indexes. */
void members_points(const struct chring_ring *ring, u32 number, u64 *token);

/**
 * struct pair - a token with its owner, to be sorted
 * @token: position
 * @owner: number of the node
 */
struct pair {
	u64 token;
	u32 owner;
};

/* All tokens, unsorted. */
void members_pairs(const struct chring_ring *ring, u32 nodes, u32 vnodes,
		   struct pair *pair);
int members_pair_cmp(const void *a, const void *b);

#endif /* MEMBERS_H */
