// SPDX-License-Identifier: GPL-2.0
/*
 * Names are sorted as tokens are, by a stable sort of 64 bits, one word of them
 * after the other, the last one first. No byte of a name is 0: who fills the
 * words up with zeroes has the shorter of two that begin alike first.
 */
#include "order.h"

#define WORD		8U
#define PAUSE_EVERY	0x1000

/* Bytes of a name from @at on, the first one the most significant. */
static u64 word_of(const struct chring_edit *edit, u32 at)
{
	u64 word = 0;
	u32 i;

	for (i = at; i < at + WORD; i++)
		word = word << 8 | (i < edit->name_len ? (u8)edit->name[i] : 0);
	return word;
}

static u32 longest(const struct chring_edit *edit, u32 n)
{
	u32 len = 0, i;

	for (i = 0; i < n; i++)
		len = max(len, edit[i].name_len);
	return len;
}

/* By the word that begins with byte @at; @owner of @r is the order so far. */
static int sort_by(struct chring_run *r, const struct chring_edit *edit, u32 at)
{
	u32 i;

	for (i = 0; i < r->count; i++) {
		r->token[i] = word_of(&edit[r->owner[i]], at);
		if (i % PAUSE_EVERY == PAUSE_EVERY - 1 && chring_pause())
			return -EINTR;
	}
	return chring_run_sort(r);
}

static int sort_names(struct chring_run *r, const struct chring_edit *edit)
{
	u32 words = DIV_ROUND_UP(longest(edit, r->count), WORD), i;
	int ret = 0;

	for (i = 0; i < r->count; i++)
		r->owner[i] = i;
	while (words && !ret)
		ret = sort_by(r, edit, --words * WORD);
	return ret;
}

/* Round and round: what belongs where one was taken from follows. */
static void follow(struct chring_run *r, struct chring_edit *edit, u32 from)
{
	struct chring_edit first = edit[from];
	u32 to = from, next;

	while ((next = r->owner[to]) != from) {
		edit[to] = edit[next];
		r->owner[to] = to;
		to = next;
	}
	edit[to] = first;
	r->owner[to] = to;
}

static bool same_name(const struct chring_edit *a, const struct chring_edit *b)
{
	return a->name_len == b->name_len &&
	       !memcmp(a->name, b->name, a->name_len);
}

static int put_in_order(struct chring_run *r, struct chring_edit *edit)
{
	u32 i;

	for (i = 0; i < r->count; i++) {
		if (r->owner[i] != i)
			follow(r, edit, i);
		if (i && same_name(&edit[i - 1], &edit[i]))
			return -EEXIST;
		if (i % PAUSE_EVERY == PAUSE_EVERY - 1 && chring_pause())
			return -EINTR;
	}
	return 0;
}

int chring_edits_sort(struct chring_edit *edit, u32 n)
{
	struct chring_run r;
	int ret = chring_run_alloc(&r, n);

	if (!ret)
		ret = sort_names(&r, edit);
	if (!ret)
		ret = put_in_order(&r, edit);
	chring_run_free(&r);
	return ret;
}
