/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A rival: one way to find who owns a position. All of them, chring among them,
 * are called alike: by pointer, through one function of (what was built,
 * position) in a translation unit of its own, so that none is inlined into the
 * loop that measures and none is spared the call. All end at a node's address,
 * and those with an index of owners beside their tokens keep it as chring does,
 * 16 bits a token.
 *
 * C++ includes this too: nothing but plain types.
 */
#ifndef RIVAL_H
#define RIVAL_H

#define KEY_LEN		20

/* What is measured; see lap.c. */
enum bench_mode {
	MODE_KEY,
	MODE_LAT,
	MODE_TPUT,
	MODES
};

#define ONLY(mode)	(1U << (mode))
#define ALL_MODES	((1U << MODES) - 1)

/**
 * struct members - what a structure is built from
 * @name: of the ring, nodes and vnodes: "32x160"
 * @nodes: how many
 * @vnodes: tokens of each
 * @tokens: all of them
 * @token: positions, ascending; equal ones in the order of their owners
 * @owner: by token: number of its node
 * @node: by number: the node, of which only the address is of interest
 * @from: positions asked for begin here
 * @mask: and differ in these bits
 * @footprint: bytes of chring's table, which the floors have as well
 * @ring: the same as a ring of chring; NULL: tokens were made by hand
 */
struct members {
	char name[32];
	u32 nodes;
	u32 vnodes;
	u32 tokens;
	u64 *token;
	u16 *owner;
	const void **node;
	u64 from;
	u64 mask;
	size_t footprint;
	struct chring_ring *ring;
};

/**
 * struct rival - a structure
 * @name: in tables and JSON
 * @exact: finds the owners of an exact ring, so that all of these agree
 * @modes: in which it can be measured
 * @build: makes it; NULL: not of these members
 * @free: gives it back; NULL: there is nothing to give back
 * @find: the node that owns a position
 * @find_key: the same for a key, with a hash of its own; NULL: @find(xxh64)
 * @find_many: @find for @n positions
 * @find_many_keys: the same for keys
 * @walk: @n loads, each of an address that the one before gave
 */
struct rival {
	const char *name;
	bool exact;
	unsigned int modes;
	void *(*build)(const struct members *m);
	void (*free)(void *built);
	const void *(*find)(const void *built, u64 position);
	const void *(*find_key)(const void *built, const char *key);
	void (*find_many)(const void *built, const u64 *position, u32 n,
			  const void **node);
	void (*find_many_keys)(const void *built, const char *key, u32 n,
			       const void **node);
	const void *(*walk)(void *built, u32 n);
};

/* To build nothing: what finds in the members as they are. */
void *members_themselves(const struct members *m);

extern const struct rival chring_rival, chring_answer_rival, chring_batch_rival;
extern const struct rival libchring_rival;
extern const struct rival clustered_rival;
extern const struct rival stdmap_rival;
extern const struct rival bsearch_branchy_rival, bsearch_branchless_rival;
extern const struct rival eytzinger_rival;
extern const struct rival maglev65537_mod_rival, maglev65537_fast_rival;
extern const struct rival maglev655373_mod_rival;
extern const struct rival jump_rival, rendezvous_rival;
extern const struct rival libmemcached_rival;
extern const struct rival floor_lat_rival, floor_tput_rival;

#endif /* RIVAL_H */
