// SPDX-License-Identifier: GPL-2.0
#include "table.h"

#define PAUSE_EVERY	0x10000

/* One or two tokens a bucket; two buckets at least: no shift is by 64. */
static u32 index_bits(u32 count)
{
	return count > 4 ? fls(count - 1) - 1 : 1;
}

static u32 buckets_of(const struct chring_table *t)
{
	return 1U << (64 - t->shift);
}

static struct chring_table *table_alloc(u32 count)
{
	u32 bits = index_bits(count);
	size_t entries = (size_t)count + CHRING_BEYOND;
	size_t index = ((size_t)1 << bits) + 1;
	size_t bytes = sizeof(struct chring_table) + entries * sizeof(u64) +
		       index * sizeof(u32) + count * sizeof(u16);
	struct chring_table *t = chring_alloc_unset(bytes);

	if (IS_ERR(t))
		return t;
	t->count = count;
	t->shift = 64 - bits;
	t->entry = (u64 *)(t + 1);
	t->index = (u32 *)(t->entry + entries);
	t->low = (u16 *)(t->index + index);
	t->collisions = 0;
	t->bytes = bytes;
	return t;
}

void chring_table_free(struct chring_table *t)
{
	if (t)
		chring_free(t, t->bytes);
}

/* Is the token at a place before a position? */
static bool is_before(const struct chring_table *t, u32 at, u64 position)
{
	u64 entry = t->entry[at];

	if (likely((entry ^ position) > CHRING_SLOT_MASK))
		return entry < position;
	return t->low[at] < (u16)position;
}

/* The first of @n tokens from @at on that is not before a position. */
static u32 find_among(const struct chring_table *t, u32 at, u32 n, u64 position)
{
	while (n) {
		u32 half = n / 2;

		if (is_before(t, at + half, position)) {
			at += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return at;
}

u32 chring_table_find_all(const struct chring_table *t, u64 position)
{
	const u32 *bucket = chring_table_bucket(t, position);

	return find_among(t, bucket[0], bucket[1] - bucket[0], position);
}

void chring_table_owners(const struct chring_table *t, const u64 *position,
			 u32 n, u16 *owner)
{
	u32 at[CHRING_TOGETHER], i;

	for (i = 0; i < n; i++)
		prefetch(chring_table_bucket(t, position[i]));
	for (i = 0; i < n; i++) {
		at[i] = *chring_table_bucket(t, position[i]);
		prefetch(&t->entry[at[i]]);
		prefetch(&t->entry[at[i] + CHRING_COUNTED - 1]);
	}
	for (i = 0; i < n; i++) {
		u32 found = chring_table_find_from(t, at[i], position[i]);

		owner[i] = chring_table_owner(t, found);
	}
}

/**
 * struct merge - how far a merge has come
 * @t: what becomes of it
 * @old: table before
 * @rank: order of nodes, by slot
 * @count: tokens in @t so far
 * @from: tokens of @old that are in @t, or go
 * @bucket: buckets of @t that are known
 * @joined: equal neighbours in @t that were none in @old
 * @cut: equal neighbours in @old that are none in @t
 */
struct merge {
	struct chring_table *t;
	const struct chring_table *old;
	const u16 *rank;
	u32 count;
	u32 from;
	u32 bucket;
	u32 joined;
	u32 cut;
};

/* A token of a run. */
struct event {
	u64 token;
	u16 owner;
};

/* Has @m->old an entry at a place that stands before a token? */
static bool old_before(const struct merge *m, u32 at, const struct event *e)
{
	u64 token = chring_table_token(m->old, at);

	if (token != e->token)
		return token < e->token;
	return m->rank[chring_table_owner(m->old, at)] < m->rank[e->owner];
}

/* Place in @m->old of a token: strides that double, then halves. */
static u32 old_place(const struct merge *m, const struct event *e)
{
	u32 lo = m->from, hi = lo, stride = 1;

	while (hi < m->old->count && old_before(m, hi, e)) {
		lo = hi + 1;
		hi = min(lo + stride, m->old->count);
		stride *= 2;
	}
	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (old_before(m, mid, e))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool equal_pair(const struct chring_table *t, u32 at)
{
	return at && chring_table_token(t, at) == chring_table_token(t, at - 1);
}

/* What is before place @to of the table before, and not in the new one yet. */
static int copy_to(struct merge *m, u32 to)
{
	u32 begin = m->count;

	if (to == m->from)
		return 0;
	/* The new table was made for what must be left, no more. */
	if (to - m->from > m->t->count - m->count)
		return -EUCLEAN;
	m->cut += equal_pair(m->old, m->from);
	while (m->from < to) {
		u32 n = min_t(u32, to - m->from, PAUSE_EVERY);

		memcpy(m->t->entry + m->count, m->old->entry + m->from,
		       n * sizeof(*m->t->entry));
		memcpy(m->t->low + m->count, m->old->low + m->from,
		       n * sizeof(*m->t->low));
		m->count += n;
		m->from += n;
		if (n == PAUSE_EVERY && chring_pause())
			return -EINTR;
	}
	m->joined += equal_pair(m->t, begin);
	return 0;
}

static int put(struct merge *m, const struct event *e)
{
	u32 at = m->count;

	if (at == m->t->count)
		return -EUCLEAN;
	m->t->entry[at] = (e->token & ~CHRING_SLOT_MASK) | e->owner;
	m->t->low[at] = e->token;
	m->count++;
	m->joined += equal_pair(m->t, at);
	return 0;
}

static int drop(struct merge *m, const struct event *e)
{
	u32 at = m->from;

	if (at == m->old->count || chring_table_token(m->old, at) != e->token ||
	    chring_table_owner(m->old, at) != e->owner)
		return -EUCLEAN;
	m->cut += equal_pair(m->old, at);
	m->from++;
	return 0;
}

/*
 * So much is added to each number. Two at a time, as parts of one: what becomes
 * of the lower one is a place as well, and carries nothing over.
 */
static void add_to_each(u32 *to, const u32 *from, u32 n, s32 more)
{
	const u64 twice = ((u64)(s64)more << 32) + (u64)(s64)more;
	u64 pair;

	for (; n >= 2; n -= 2, from += 2, to += 2) {
		memcpy(&pair, from, sizeof(pair));
		pair += twice;
		memcpy(to, &pair, sizeof(pair));
	}
	if (n)
		*to = *from + more;
}

/* A bucket begins as much later than before as tokens have come before it. */
static int shift_index(struct merge *m, u32 end)
{
	s32 moved = m->count - m->from;

	if (m->t->shift != m->old->shift)
		return 0;
	while (m->bucket < end) {
		u32 to = min(end, m->bucket + PAUSE_EVERY);

		if (to < end && chring_pause())
			return -EINTR;
		add_to_each(m->t->index + m->bucket, m->old->index + m->bucket,
			    to - m->bucket, moved);
		m->bucket = to;
	}
	return 0;
}

/* @put_or_drop one token at its place. */
static int meet(struct merge *m, const struct event *e,
		int (*put_or_drop)(struct merge *m, const struct event *e))
{
	int ret = copy_to(m, old_place(m, e));

	if (!ret)
		ret = shift_index(m, (e->token >> m->t->shift) + 1);
	return ret ? ret : put_or_drop(m, e);
}

static struct event run_event(const struct chring_run *r, u32 i)
{
	return (struct event){ .token = r->token[i], .owner = r->owner[i] };
}

/* In the order of places; at the same one, who goes makes room. */
static bool goes_first(const struct merge *m, const struct event *go,
		       const struct event *come)
{
	if (go->token != come->token)
		return go->token < come->token;
	return m->rank[go->owner] <= m->rank[come->owner];
}

static int merge_runs(struct merge *m, const struct chring_run *add,
		      const struct chring_run *del)
{
	u32 a = 0, d = 0;
	int ret = 0;

	while (!ret && (a < add->count || d < del->count)) {
		struct event come = {}, go = {};

		if (a < add->count)
			come = run_event(add, a);
		if (d < del->count)
			go = run_event(del, d);
		if (a == add->count ||
		    (d < del->count && goes_first(m, &go, &come))) {
			ret = meet(m, &go, drop);
			d++;
		} else {
			ret = meet(m, &come, put);
			a++;
		}
		if (!ret && (a + d) % PAUSE_EVERY == 0)
			ret = chring_pause();
	}
	return ret ? ret : copy_to(m, m->old->count);
}

/* From nothing, without a branch that depends on where tokens are. */
static int build_index(struct chring_table *t)
{
	u32 buckets = buckets_of(t), i;

	memset(t->index, 0, (buckets + 1) * sizeof(*t->index));
	/* Where the tokens of a bucket end: the last one has the last word. */
	for (i = 0; i < t->count; i++) {
		t->index[(t->entry[i] >> t->shift) + 1] = i + 1;
		if (i % PAUSE_EVERY == PAUSE_EVERY - 1 && chring_pause())
			return -EINTR;
	}
	/* Empty ones end where those before them do. */
	for (i = 1; i <= buckets; i++) {
		t->index[i] = max(t->index[i], t->index[i - 1]);
		if (i % PAUSE_EVERY == 0 && chring_pause())
			return -EINTR;
	}
	return 0;
}

/* After the last entry the circle begins again. */
static void close_circle(struct chring_table *t)
{
	u64 first = t->count ? chring_table_owner(t, 0) : 0;
	u32 i;

	for (i = 0; i < CHRING_BEYOND; i++)
		t->entry[t->count + i] = ~CHRING_SLOT_MASK | first;
}

static int merge(struct merge *m, const struct chring_run *add,
		 const struct chring_run *del)
{
	int ret = merge_runs(m, add, del);

	if (ret)
		return ret;
	if (m->count != m->t->count)
		return -EUCLEAN;
	m->t->collisions = m->old->collisions + m->joined - m->cut;
	close_circle(m->t);
	if (m->t->shift != m->old->shift)
		return build_index(m->t);
	return shift_index(m, buckets_of(m->t) + 1);
}

struct chring_table *chring_table_merge(const struct chring_table *old,
					const struct chring_run *add,
					const struct chring_run *del,
					const u16 *rank)
{
	static const struct chring_table nothing;
	struct merge m = { .old = old ? old : &nothing, .rank = rank };
	int ret;

	m.t = table_alloc(m.old->count + add->count - del->count);
	if (IS_ERR(m.t))
		return m.t;
	ret = merge(&m, add, del);
	if (ret) {
		chring_table_free(m.t);
		return ERR_PTR(ret);
	}
	return m.t;
}
