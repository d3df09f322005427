/* SPDX-License-Identifier: GPL-2.0 */
/* The table: the immutable, sorted form of all tokens of a ring. */
#ifndef CHRING_TABLE_H
#define CHRING_TABLE_H

#include "platform.h"
#include "run.h"

/* What an entry has of its owner, and beside it of its position. */
#define CHRING_SLOT_BITS	16
#define CHRING_SLOT_MASK	((1ULL << CHRING_SLOT_BITS) - 1)
/* So many entries are compared, without looking how many a bucket has. */
#define CHRING_COUNTED		4
/* And one more is looked at, from where a bucket begins: at most the last. */
#define CHRING_BEYOND		(CHRING_COUNTED + 1)

/**
 * struct chring_table - all tokens, sorted, with an index on their top bits
 * @count: tokens
 * @shift: a token's bucket is its position >> @shift
 * @collisions: tokens that stand where another one stands already
 * @bytes: size of all of it
 * @entry: ascending: the upper 48 bits of a position, and the slot of its node;
 *	after the last CHRING_BEYOND more, with the owner of the first
 * @index: where each bucket's entries begin; one more ends the last
 * @low: the rest of each position
 *
 * One allocation. Tokens of equal position stand in the order of their nodes'
 * names, so that the first of them, the owner, is a matter of membership and
 * not of history.
 *
 * Why so: see table.md.
 */
struct chring_table {
	u32 count;
	u32 shift;
	u64 *entry;
	u32 *index;
	u16 *low;
	u32 collisions;
	size_t bytes;
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
	return (t->entry[at] & ~CHRING_SLOT_MASK) | t->low[at];
}

/* Slot of the node of the token at a place. */
static inline u16 chring_table_owner(const struct chring_table *t, u32 at)
{
	return t->entry[at];
}

/* Where the entries of a position's bucket begin. */
static inline const u32 *chring_table_bucket(const struct chring_table *t,
					     u64 position)
{
	return &t->index[position >> t->shift];
}

/* What the first few entries of a bucket do not decide. */
u32 chring_table_find_all(const struct chring_table *t, u64 position);

/**
 * chring_table_find_from() - chring_table_seek(), its bucket found
 * @t: a table with tokens
 * @at: where the bucket of @position begins
 * @position: as the inside of the module sees it
 */
static inline u32 chring_table_find_from(const struct chring_table *t, u32 at,
					 u64 position)
{
	u64 upper = position & ~CHRING_SLOT_MASK;
	const u64 *e = &t->entry[at];
	u32 before;

	/* Entries of the next buckets do no harm: they are not before. */
	before = (e[0] < upper) + (e[1] < upper) + (e[2] < upper) +
		 (e[3] < upper);
	/* Not after the key: a tie, or one of a crowd. */
	if (unlikely(e[before] <= (position | CHRING_SLOT_MASK)))
		return chring_table_find_all(t, position);
	return at + before;
}

/**
 * chring_table_seek() - first token at or clockwise after a position
 * @t: a table with tokens
 * @position: as the inside of the module sees it
 *
 * Constant time on evenly spread tokens, O(log count) at worst. Any context.
 *
 * Return: place of the token in the table; past the last its count, where an
 * entry has the owner of the first.
 */
static inline u32 chring_table_seek(const struct chring_table *t, u64 position)
{
	return chring_table_find_from(t, *chring_table_bucket(t, position),
				      position);
}

/* As chring_table_seek(), but past the last the circle begins again with 0. */
static inline u32 chring_table_find(const struct chring_table *t, u64 position)
{
	u32 at = chring_table_seek(t, position);

	return at == t->count ? 0 : at;
}

/* So many positions are looked for side by side. */
#define CHRING_TOGETHER		32

/**
 * chring_table_owners() - who stands first at or after each of some positions
 * @t: a table with tokens
 * @position: as the inside of the module sees them
 * @n: how many, at most CHRING_TOGETHER
 * @owner: for @n slots
 *
 * As chring_table_seek() for each, but what they wait for memory is waited for
 * once. Any context.
 */
void chring_table_owners(const struct chring_table *t, const u64 *position,
			 u32 n, u16 *owner);

#endif /* CHRING_TABLE_H */
