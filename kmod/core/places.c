// SPDX-License-Identifier: GPL-2.0
#include "places.h"

#define PAUSE_EVERY	0x10000

static struct chring_places *places_alloc(u32 slots, u32 tokens)
{
	size_t entries = (size_t)slots + 1 + tokens;
	size_t bytes = sizeof(struct chring_places) + entries * sizeof(u32);
	struct chring_places *p = chring_alloc(bytes);

	if (IS_ERR(p))
		return p;
	p->slots = slots;
	p->bytes = bytes;
	p->first = (u32 *)(p + 1);
	p->place = p->first + slots + 1;
	return p;
}

void chring_places_free(struct chring_places *p)
{
	if (p)
		chring_free(p, p->bytes);
}

/* A counting sort, from the end: first[] ends where each slot's begin. */
static int places_fill(struct chring_places *p, const struct chring_table *t)
{
	u32 i;

	for (i = 0; i < t->count; i++) {
		p->first[chring_table_owner(t, i)]++;
		if (i % PAUSE_EVERY == PAUSE_EVERY - 1 && chring_pause())
			return -EINTR;
	}
	for (i = 1; i <= p->slots; i++)
		p->first[i] += p->first[i - 1];
	for (i = t->count; i--; ) {
		p->place[--p->first[chring_table_owner(t, i)]] = i;
		if (i % PAUSE_EVERY == PAUSE_EVERY - 1 && chring_pause())
			return -EINTR;
	}
	return 0;
}

struct chring_places *chring_places_build(const struct chring_table *t,
					  u32 slots)
{
	struct chring_places *p = places_alloc(slots, t->count);
	int ret;

	if (IS_ERR(p))
		return p;
	ret = places_fill(p, t);
	if (ret) {
		chring_places_free(p);
		return ERR_PTR(ret);
	}
	return p;
}

u32 chring_places_next(const struct chring_places *p, u32 slot, u32 at)
{
	const u32 *place = p->place + p->first[slot];
	u32 n = chring_places_count(p, slot), from = 0;

	/* The first that is not below @at is in from..n. */
	while (from < n) {
		u32 half = from + (n - from) / 2;

		if (place[half] < at)
			from = half + 1;
		else
			n = half;
	}
	return place[from < chring_places_count(p, slot) ? from : 0];
}
