// SPDX-License-Identifier: GPL-2.0
/*
 * Binary search in the order in which it goes (Eytzinger's), three levels of
 * it a cache line and the next three prefetched. After Khuong and Morin,
 * "Array Layouts for Comparison-Based Searching".
 */
#include "array.h"
#include "need.h"
#include "rival.h"

#define LINE	64
#define AHEAD	(LINE / sizeof(u64))

struct eytzinger {
	u32 count;
	u64 *token;
	u16 *owner;
	const void *const *node;
};

/* The subtree of @k has the next tokens in order, from @next on. */
static u32 fill(struct eytzinger *e, const struct members *m, u32 k, u32 next)
{
	if (k > e->count)
		return next;
	next = fill(e, m, 2 * k, next);
	e->token[k] = m->token[next];
	e->owner[k] = m->owner[next];
	return fill(e, m, 2 * k + 1, next + 1);
}

static void *build(const struct members *m)
{
	struct eytzinger *e = need(calloc(1, sizeof(*e)));

	e->count = m->tokens;
	e->node = m->node;
	e->token = array_alloc(m->tokens + 1, sizeof(*e->token));
	e->owner = array_alloc(m->tokens + 1, sizeof(*e->owner));
	fill(e, m, 1, 0);
	/* Past the last token. */
	e->owner[0] = m->owner[0];
	return e;
}

static void eytzinger_free(void *built)
{
	struct eytzinger *e = built;

	free(e->token);
	free(e->owner);
	free(e);
}

static const void *find(const void *built, u64 position)
{
	const struct eytzinger *e = built;
	u64 k = 1;

	while (k <= e->count) {
		__builtin_prefetch(e->token + k * AHEAD);
		k = 2 * k + (e->token[k] < position);
	}
	/* Back up to where it last went left. */
	k >>= __builtin_ffsll(~k);
	return e->node[e->owner[k]];
}

const struct rival eytzinger_rival = {
	.name = "eytzinger",
	.exact = true,
	.modes = ALL_MODES,
	.build = build,
	.free = eytzinger_free,
	.find = find,
};
