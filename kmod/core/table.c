// SPDX-License-Identifier: GPL-2.0
#include "table.h"

/* Up to here a count without branches is quicker than halving. */
#define COUNTED_MAX	8
#define PAUSE_EVERY	0x10000

/* A bucket a token, near enough; two at least, so that no shift is by 64. */
static u32 index_bits(u32 count)
{
	return count > 2 ? fls(count - 1) : 1;
}

static struct chring_table *table_alloc(u32 count)
{
	u32 bits = index_bits(count);
	size_t index = ((size_t)1 << bits) + 1;
	size_t bytes = sizeof(struct chring_table) +
		       count * (sizeof(u64) + sizeof(u16)) +
		       index * sizeof(u32);
	struct chring_table *t = chring_alloc(bytes);

	if (IS_ERR(t))
		return t;
	t->bytes = bytes;
	t->count = count;
	t->shift = 64 - bits;
	t->token = (u64 *)(t + 1);
	t->index = (u32 *)(t->token + count);
	t->owner = (u16 *)(t->index + index);
	return t;
}

void chring_table_free(struct chring_table *t)
{
	if (t)
		chring_free(t, t->bytes);
}

/* How far a merge has come in one of its sources. */
struct cursor {
	const u64 *token;
	const u16 *owner;
	u32 left;
};

static void cursor_next(struct cursor *c)
{
	c->token++;
	c->owner++;
	c->left--;
}

/* Does the head of @a stand before the head of @b? */
static bool cursor_before(const struct cursor *a, const struct cursor *b,
			  const u16 *rank)
{
	if (!b->left || !a->left)
		return a->left;
	if (*a->token != *b->token)
		return *a->token < *b->token;
	return rank[*a->owner] < rank[*b->owner];
}

static bool cursor_same(const struct cursor *a, const struct cursor *b)
{
	return a->left && b->left && *a->token == *b->token &&
	       *a->owner == *b->owner;
}

static int merge(struct chring_table *t, struct cursor old, struct cursor add,
		 struct cursor del, const u16 *rank)
{
	u32 steps = 0, n = 0;

	while (old.left || add.left) {
		if (++steps % PAUSE_EVERY == 0 && chring_pause())
			return -EINTR;
		if (cursor_same(&old, &del)) {
			cursor_next(&old);
			cursor_next(&del);
			continue;
		}
		/* @t was made for what must be left, no more. */
		if (n == t->count)
			return -EUCLEAN;
		if (cursor_before(&add, &old, rank)) {
			t->token[n] = *add.token;
			t->owner[n++] = *add.owner;
			cursor_next(&add);
		} else {
			t->token[n] = *old.token;
			t->owner[n++] = *old.owner;
			cursor_next(&old);
		}
	}
	return n == t->count && !del.left ? 0 : -EUCLEAN;
}

static int build_index(struct chring_table *t)
{
	u32 buckets = 1U << (64 - t->shift);
	u32 b = 0, i;

	for (i = 0; i < t->count; i++) {
		u32 mine = t->token[i] >> t->shift;

		while (b <= mine)
			t->index[b++] = i;
		if (i && t->token[i] == t->token[i - 1])
			t->collisions++;
		if (i % PAUSE_EVERY == PAUSE_EVERY - 1 && chring_pause())
			return -EINTR;
	}
	while (b <= buckets)
		t->index[b++] = t->count;
	return 0;
}

static struct cursor run_cursor(const struct chring_run *r)
{
	return (struct cursor){ r->token, r->owner, r->count };
}

struct chring_table *chring_table_merge(const struct chring_table *old,
					const struct chring_run *add,
					const struct chring_run *del,
					const u16 *rank)
{
	struct cursor from = {};
	struct chring_table *t;
	int ret;

	if (old)
		from = (struct cursor){ old->token, old->owner, old->count };
	t = table_alloc(from.left + add->count - del->count);
	if (IS_ERR(t))
		return t;
	ret = merge(t, from, run_cursor(add), run_cursor(del), rank);
	if (!ret)
		ret = build_index(t);
	if (ret) {
		chring_table_free(t);
		return ERR_PTR(ret);
	}
	return t;
}

/* How many of the n tokens, sorted, stand before the position? */
static u32 count_before(const u64 *token, u32 n, u64 position)
{
	u32 before = 0, i;

	for (i = 0; i < n; i++)
		before += token[i] < position;
	return before;
}

u32 chring_table_find(const struct chring_table *t, u64 position)
{
	u64 bucket = position >> t->shift;
	u32 at = t->index[bucket];
	u32 n = t->index[bucket + 1] - at;

	/* Clustered tokens: halve until few are left. */
	while (n > COUNTED_MAX) {
		u32 half = n / 2;

		if (t->token[at + half - 1] < position)
			at += half;
		n -= half;
	}
	at += count_before(t->token + at, n, position);
	return at == t->count ? 0 : at;
}
