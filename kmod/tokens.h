/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tokens of a node, in order: immutable, and shared by all versions of the
 * node that have the same.
 */
#ifndef CHRING_TOKENS_H
#define CHRING_TOKENS_H

#include "core/stand.h"
#include "sync.h"

/**
 * struct chring_node_tokens - tokens of a node
 * @refs: versions of the node, and makers, that hold them
 * @count: how many, at least 1
 * @token: ascending
 */
struct chring_node_tokens {
	refcount_t refs;
	u32 count;
	u64 token[];
};

/**
 * chring_node_tokens_make() - the first so many tokens of a name
 * @config: of the ring
 * @name: of the node
 * @len: its bytes
 * @was: tokens of the same name, fewer or more; NULL: none
 * @count: how many
 *
 * Only those are hashed that @was has not, or has beyond @count.
 *
 * May sleep. Return: with one reference, the caller's, @was itself if it is of
 * as many; NULL: none; or ERR_PTR() of -ENOMEM, -EDQUOT, -EINTR, or -EIO: @was
 * lacks a token that it should have, a fault of the module.
 */
struct chring_node_tokens *
chring_node_tokens_make(const struct chring_config *config, const char *name,
			u32 len, struct chring_node_tokens *was, u32 count);

/**
 * chring_node_tokens_put() - give back a reference
 * @t: tokens, or NULL
 *
 * Any context in which vfree() may be called.
 */
void chring_node_tokens_put(struct chring_node_tokens *t);

/* Memory of so many tokens of a node. */
size_t chring_node_tokens_bytes(u32 count);

/* Where they stand, without a rank; NULL: nowhere. */
struct chring_stand chring_node_tokens_stand(const struct chring_node_tokens *t);

#endif /* CHRING_TOKENS_H */
