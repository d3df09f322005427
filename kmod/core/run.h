/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A run: tokens with their owners, sorted, on their way into a table or out of
 * it. Owners are slots, numbers that a ring gives to its nodes.
 */
#ifndef CHRING_RUN_H
#define CHRING_RUN_H

#include "platform.h"

/**
 * struct chring_run - tokens and owners side by side
 * @token: positions
 * @owner: slot of each token's node
 * @count: how many
 */
struct chring_run {
	u64 *token;
	u16 *owner;
	u32 count;
};

/**
 * chring_run_alloc() - room for @count tokens
 * @r: to be set up; give it back with chring_run_free()
 * @count: how many; 0 is a run without memory
 *
 * May sleep. Return: 0, -ENOMEM or -EDQUOT; @r can be freed in any case.
 */
int chring_run_alloc(struct chring_run *r, u32 count);

/**
 * chring_run_free() - give back the memory of a run
 * @r: set up by chring_run_alloc(), or all zeroes
 */
void chring_run_free(struct chring_run *r);

/**
 * chring_run_own() - give all tokens of a run to one node
 * @r: run
 * @slot: of the node
 *
 * May sleep. Return: 0, or -EINTR if the caller is being killed.
 */
int chring_run_own(struct chring_run *r, u16 slot);

/**
 * chring_run_sort() - order a run by token
 * @r: run
 *
 * Stable: equal tokens stay in the order in which they are. A radix sort, as
 * long as its input and no longer whatever that is, with a second run of the
 * same size while it works. A run that is in order already takes one look.
 *
 * May sleep. Return: 0, -ENOMEM, -EDQUOT, or -EINTR if the caller is being
 * killed.
 */
int chring_run_sort(struct chring_run *r);

#endif /* CHRING_RUN_H */
