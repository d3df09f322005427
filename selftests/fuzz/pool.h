/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The few rings, nodes and descriptors that all threads share: so what they do
 * has to do with what others do.
 */
#ifndef CHRING_FUZZ_POOL_H
#define CHRING_FUZZ_POOL_H

#include <stdbool.h>
#include <linux/types.h>

#include "rng.h"

#define POOL_SLOTS	20
#define POOL_RINGS	8	/* that are made and deleted */
#define POOL_NODES	20

#define LONE		"lone"		/* one thread alone changes it */
#define PRIVATE		"probe/fuzz"	/* another module's */

/* What a descriptor is open for. */
#define OPEN_READ	(1U << 0)
#define OPEN_WRITE	(1U << 1)
#define OPEN_PATH	(1U << 2)	/* by O_PATH: for nothing at all */

/* Opens and binds all. */
void pool_fill(struct rng *r);
void pool_empty(void);

/*
 * A descriptor of a slot, the caller's to close: whoever closes last closes the
 * file. @mode: what it is open for. Return: it, or -errno.
 */
int pool_use(int slot, unsigned int *mode);
/*
 * Another file for a slot; the one it had is closed, whoever uses it. @bound: of a
 * ring, most likely; else of none yet.
 */
void pool_replace(int slot, struct rng *r, bool bound);
/* A slot that is open for @want, and not for @but, most likely. */
int pool_pick(struct rng *r, unsigned int want, unsigned int but);

/* Names; of rings that may be changed, or of any. */
const char *pool_ring(struct rng *r, bool any);
const char *pool_node(int i, __u32 *len);

#endif /* CHRING_FUZZ_POOL_H */
