/* SPDX-License-Identifier: GPL-2.0 */
/* The table: the immutable, sorted form of all tokens of a ring. */
#ifndef CHRING_TABLE_H
#define CHRING_TABLE_H

#include "platform.h"
#include "run.h"

/**
 * struct chring_table - all tokens, sorted, with an index on their top bits
 * @count: tokens
 * @shift: a token's bucket is its position >> @shift
 * @collisions: tokens that stand where another one stands already
 * @bytes: size of all of it
 * @token: positions, ascending
 * @owner: slot of each token's node
 * @index: where each bucket's tokens begin; one more entry ends the last
 *
 * One allocation. Tokens of equal position stand in the order of their nodes'
 * names, so that the first of them, the owner, is a matter of membership and
 * not of history.
 */
struct chring_table {
	u32 count;
	u32 shift;
	u32 collisions;
	size_t bytes;
	u64 *token;
	u32 *index;
	u16 *owner;
};

/**
 * chring_table_merge() - the table after a change
 * @old: the table before, NULL or empty for none; not touched
 * @add: sorted run of tokens that come
 * @del: sorted run of tokens that go; each must be there
 * @rank: by slot: place of the node in the order of names, for every slot
 *	that occurs in @old, @add or @del
 *
 * Runs are sorted by (token, rank). Takes time in proportion to the sizes and
 * sorts nothing.
 *
 * May sleep. Return: a table for chring_table_free(), or ERR_PTR() of -ENOMEM,
 * -EDQUOT, or -EINTR if the caller is being killed.
 */
struct chring_table *chring_table_merge(const struct chring_table *old,
					const struct chring_run *add,
					const struct chring_run *del,
					const u16 *rank);

/**
 * chring_table_free() - give back a table
 * @t: from chring_table_merge(), or NULL
 */
void chring_table_free(struct chring_table *t);

/* Position of the token at a place, as the inside of the module sees it. */
static inline u64 chring_table_token(const struct chring_table *t, u32 at)
{
	return t->token[at];
}

/* Slot of the node of the token at a place. */
static inline u16 chring_table_owner(const struct chring_table *t, u32 at)
{
	return t->owner[at];
}

/**
 * chring_table_find() - first token at or clockwise after a position
 * @t: a table with tokens
 * @position: as the inside of the module sees it
 *
 * Constant time on evenly spread tokens, O(log count) at worst. Any context.
 *
 * Return: place of the token in the table; past the last the circle begins
 * again with 0.
 */
u32 chring_table_find(const struct chring_table *t, u64 position);

#endif /* CHRING_TABLE_H */
