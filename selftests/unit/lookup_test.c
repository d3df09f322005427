// SPDX-License-Identifier: GPL-2.0
/* A lookup in a table, against a walk along all of its tokens. */
#include <stdlib.h>
#include <time.h>

#include "core/placement.h"
#include "core/table.h"
#include "faults.h"
#include "rng.h"
#include "stands.h"
#include "tap.h"

#define SLOTS	6

static int token_cmp(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

/* Owners at random, in the order of their rank where tokens are equal. */
static void fill_owners(struct chring_run *run, u32 slots)
{
	u32 i;

	for (i = 0; i < run->count; i++) {
		bool equal = i && run->token[i] == run->token[i - 1];
		u32 least = equal ? run->owner[i - 1] : 0;

		run->owner[i] = least + rng_below(slots - least);
	}
}

/* @token is sorted on the way. */
static struct chring_table *table_of(u64 *token, u32 n, u32 slots)
{
	static const u16 rank[SLOTS] = { 0, 1, 2, 3, 4, 5 };
	const struct chring_run none = {};
	struct chring_table *t;
	struct chring_run run;

	NEED(!chring_run_alloc(&run, n));
	qsort(token, n, sizeof(*token), token_cmp);
	if (n)
		memcpy(run.token, token, n * sizeof(*token));
	fill_owners(&run, slots);
	t = chring_table_merge(NULL, &run, &none, rank);
	NEED(!IS_ERR(t));
	chring_run_free(&run);
	return t;
}

static u32 find_slowly(const struct chring_table *t, u64 position)
{
	u32 i;

	for (i = 0; i < t->count; i++)
		if (chring_table_token(t, i) >= position)
			return i;
	return 0;
}

static int owner_slowly(const struct chring_table *t, unsigned long out,
			u64 position)
{
	u32 first = find_slowly(t, position), i;

	for (i = 0; i < t->count; i++) {
		u32 slot = chring_table_owner(t, (first + i) % t->count);

		if (!(out >> slot & 1))
			return slot;
	}
	return -EHOSTUNREACH;
}

/* Nodes in service with tokens. */
static u32 count_live(const struct chring_table *t, unsigned long out)
{
	unsigned long seen = 0;
	u32 i;

	for (i = 0; i < t->count; i++)
		seen |= 1UL << chring_table_owner(t, i) & ~out;
	return __builtin_popcountl(seen);
}

static void check_position(const struct chring_table *t,
			   const struct chring_stand *s, u64 position)
{
	const unsigned long out = rng_below(1 << SLOTS);
	const struct chring_circle c = {
		.table = t,
		.stand = s,
		.slots = SLOTS,
		.out = &out,
		.live = count_live(t, out),
	};
	u32 visits;

	CHECK(chring_table_find(t, position) == find_slowly(t, position));
	CHECK(chring_place_owner(&c, position, &visits) ==
	      owner_slowly(t, out, position));
}

/* Many at once are found as one by one. */
static void check_together(const struct chring_table *t)
{
	u64 position[CHRING_TOGETHER];
	u16 owner[CHRING_TOGETHER];
	u32 n = 1 + rng_below(CHRING_TOGETHER), i;

	for (i = 0; i < n; i++)
		position[i] = rng_below(3) ? rng_below(3) - 1 +
			chring_table_token(t, rng_below(t->count)) : rng();
	chring_table_owners(t, position, n, owner);
	for (i = 0; i < n; i++)
		CHECK(owner[i] == chring_table_owner(t,
					find_slowly(t, position[i])));
}

static void check_table(const struct chring_table *t)
{
	struct chring_stand *s = stands_of(t, SLOTS, NULL);
	u32 i;

	for (i = 0; i < t->count; i++) {
		check_position(t, s, chring_table_token(t, i) - 1);
		check_position(t, s, chring_table_token(t, i));
		check_position(t, s, chring_table_token(t, i) + 1);
	}
	for (i = 0; i < 10; i++)
		check_position(t, s, rng());
	check_together(t);
	check_position(t, s, 0);
	check_position(t, s, ~0ULL);
	free(s);
}

/* Tokens from @base on, within @span; @span 0 is all the circle. */
static void try_tokens(u32 n, u64 base, u64 span)
{
	u64 *token = calloc(n, sizeof(*token));
	struct chring_table *t;
	u32 i;

	NEED(token);
	for (i = 0; i < n; i++)
		token[i] = base + (span ? rng() % span : rng());
	t = table_of(token, n, SLOTS);
	check_table(t);
	chring_table_free(t);
	free(token);
}

static void test_spread(void)
{
	u32 n;

	for (n = 1; n <= 300; n++)
		try_tokens(n, 0, 0);
	try_tokens(3000, 0, 0);
}

/* All in one bucket, or in a few, at both ends of the circle and in between. */
static void test_clustered(void)
{
	static const u64 base[] = {
		0, 0x7fffffffffff0000, 0x8000000000000000, 0xfffffffffffff000,
	};
	static const u64 span[] = { 1, 2, 16, 0x1000, 0x100000000 };
	u32 n, b, s;

	for (n = 1; n < 400; n = n * 3 / 2 + 1)
		for (b = 0; b < 4; b++)
			for (s = 0; s < 5; s++)
				try_tokens(n, base[b], span[s]);
	try_tokens(3000, base[1], 9000);
}

/* Some clustered and some not, so that buckets are empty, full and overfull. */
static void test_mixed(void)
{
	u32 i, k;

	for (i = 0; i < 60; i++) {
		u32 n = 2 + rng_below(200);
		u64 *token = calloc(n, sizeof(*token)), at = rng();
		struct chring_table *t;

		NEED(token);
		for (k = 0; k < n; k++)
			token[k] = k % 2 ? rng() : at + rng_below(500);
		t = table_of(token, n, SLOTS);
		check_table(t);
		chring_table_free(t);
		free(token);
	}
}

/* Positions of 32-bit rings: the lower half is 0. */
static void test_narrow(void)
{
	u32 i, k;

	for (i = 0; i < 60; i++) {
		u32 n = 1 + rng_below(200);
		u64 *token = calloc(n, sizeof(*token));
		struct chring_table *t;

		NEED(token);
		for (k = 0; k < n; k++)
			token[k] = (k % 3 ? rng() : rng_below(9)) << 32;
		t = table_of(token, n, SLOTS);
		check_table(t);
		chring_table_free(t);
		free(token);
	}
}

static double cpu_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

/* 2^20 tokens side by side: a walk through them would take minutes. */
static void test_clustered_is_quick(void)
{
	const u32 n = 1 << 20, lookups = 200000;
	u64 *token = calloc(n, sizeof(*token));
	double begin = cpu_seconds();
	struct chring_table *t;
	u32 i;

	NEED(token);
	for (i = 0; i < n; i++)
		token[i] = 1000 + i;
	t = table_of(token, n, 1);
	begin = cpu_seconds();
	for (i = 0; i < lookups && cpu_seconds() - begin < 5; i++) {
		u32 at = rng_below(n);

		CHECK(chring_table_find(t, 1000 + at) == at);
	}
	CHECK(i == lookups);
	tap_note("%u lookups among clustered tokens: %.2f s", i,
		 cpu_seconds() - begin);
	chring_table_free(t);
	free(token);
}

static void check_memory(void)
{
	CHECK(!chring_platform_bytes());
}

static const struct tap_test tests[] = {
	{ "spread", test_spread },
	{ "clustered", test_clustered },
	{ "mixed", test_mixed },
	{ "narrow", test_narrow },
	{ "clustered_is_quick", test_clustered_is_quick },
};

int main(void)
{
	faults_init();
	rng_init();
	return tap_run(tests, sizeof(tests) / sizeof(*tests), check_memory);
}
