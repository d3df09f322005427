/* SPDX-License-Identifier: GPL-2.0 */
/* The test vectors of oracle.py, read. */
#ifndef VECTORS_H
#define VECTORS_H

#include <stdio.h>

#include "model.h"

/**
 * struct vector_hash - a line of hashes.txt
 * @config: hash, bits and seed are set
 * @key: bytes, for free()
 * @len: how many
 * @position: of the ring's width
 */
struct vector_hash {
	struct chring_config config;
	u8 *key;
	size_t len;
	u64 position;
};

/**
 * struct vector_node - a line "node"
 * @node: name, zone, weight and state are set
 * @tokens: that it has
 * @share_hi: positions that it owns, upper 64 bits
 * @share_lo: lower 64 bits
 */
struct vector_node {
	struct model_node node;
	u32 tokens;
	u64 share_hi;
	u64 share_lo;
};

/**
 * struct vector_probe - a line "key" or "position"
 * @key: bytes, NULL on a line "position"
 * @len: how many
 * @position: of the ring's width
 * @error: 0, -ENODATA or -EHOSTUNREACH
 * @owner: indices of the nodes, the first distinct ones clockwise
 * @zoned: the same with the first of each zone first
 * @owners: how many in either
 */
struct vector_probe {
	u8 *key;
	size_t len;
	u64 position;
	int error;
	u32 owner[CHRING_REPLICAS_MAX];
	u32 zoned[CHRING_REPLICAS_MAX];
	u32 owners;
};

/**
 * struct vector_token - a line "token"
 * @position: of the ring's width
 * @node: index of the node
 */
struct vector_token {
	u64 position;
	u32 node;
};

/* A ring of rings.txt. @listed: lines "token", all or none. */
struct vector_ring {
	char name[CHRING_RING_NAME_MAX + 1];
	struct chring_config config;
	u32 nodes, tokens, live, collisions;
	u64 digest, checksum;
	struct vector_node *node;
	struct vector_token *token;
	u32 listed;
	struct vector_probe *probe;
	u32 probes;
};

/* Open a file of the directory that VECTORS names; ends the program if not. */
FILE *vectors_open(const char *name);

/* Return: false at the end of the file. What is malformed ends the program. */
bool vectors_next_hash(FILE *f, struct vector_hash *h);
bool vectors_next_ring(FILE *f, struct vector_ring *r);
void vectors_free_ring(struct vector_ring *r);

#endif /* VECTORS_H */
