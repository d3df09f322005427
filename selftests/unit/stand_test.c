// SPDX-License-Identifier: GPL-2.0
/* Where a node stands: tokens in order, put together and taken apart. */
#include <stdlib.h>

#include "core/stand.h"
#include "faults.h"
#include "rng.h"
#include "tap.h"

#define TOKENS_MAX	40

/* -- stands alone, with many tokens of few places */

/**
 * struct some - a stand and its memory
 * @stand: stand
 * @token: of it
 */
struct some {
	struct chring_stand stand;
	u64 token[2 * TOKENS_MAX];
};

static int token_cmp(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

/* At both ends of the circle, in its upper half, or anywhere. */
static u64 some_position(void)
{
	switch (rng_below(4)) {
	case 0:
		return rng_below(4);
	case 1:
		return ~0ULL - rng_below(4);
	case 2:
		return (u64)rng_below(16) << 60;
	default:
		return rng();
	}
}

static void some_fill(struct some *s, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		s->token[i] = some_position();
	qsort(s->token, count, sizeof(*s->token), token_cmp);
	s->stand = (struct chring_stand){ .token = s->token, .count = count };
}

static u64 far_slowly(const struct chring_stand *s, u64 position)
{
	u64 least = ~0ULL;
	u32 i;

	for (i = 0; i < s->count; i++)
		least = min(least, s->token[i] - position);
	return least;
}

static void test_far(void)
{
	struct some s;
	u32 i, k;

	for (i = 0; i < 2000; i++) {
		some_fill(&s, 1 + rng_below(TOKENS_MAX));
		for (k = 0; k < 20; k++) {
			u64 at = rng_once_in(2) ? some_position() :
				 s.token[rng_below(s.stand.count)] +
				 rng_below(3) - 1;

			CHECK(chring_stand_far(&s.stand, at) ==
			      far_slowly(&s.stand, at));
		}
	}
}

static bool same_tokens(const struct chring_stand *a, const u64 *token)
{
	return !a->count || !memcmp(a->token, token, a->count * sizeof(*token));
}

static void test_merge_and_except(void)
{
	struct some a, b, all, left;
	u32 i;

	for (i = 0; i < 5000; i++) {
		some_fill(&a, rng_below(TOKENS_MAX));
		some_fill(&b, rng_below(TOKENS_MAX));
		CHECK(!chring_stand_merge(&a.stand, &b.stand, all.token));
		all.stand = (struct chring_stand){
			.token = all.token,
			.count = a.stand.count + b.stand.count,
		};
		memcpy(left.token, a.token, sizeof(a.token));
		memcpy(left.token + a.stand.count, b.token,
		       b.stand.count * sizeof(*b.token));
		qsort(left.token, all.stand.count, sizeof(u64), token_cmp);
		CHECK(same_tokens(&all.stand, left.token));
		CHECK(!chring_stand_except(&all.stand, &b.stand, left.token));
		CHECK(same_tokens(&a.stand, left.token));
		CHECK(!chring_stand_except(&all.stand, &a.stand, left.token));
		CHECK(same_tokens(&b.stand, left.token));
	}
}

/* What cannot be taken away, and no more written than there is room for. */
static void test_foreign_token(void)
{
	const u64 end = 0xdeadbeef;
	struct some a, b;
	u64 left[TOKENS_MAX + 1];
	u32 i;

	for (i = 0; i < 5000; i++) {
		u32 room, at;

		some_fill(&a, 1 + rng_below(TOKENS_MAX - 1));
		some_fill(&b, 0);
		b.stand.count = 1 + rng_below(a.stand.count);
		memcpy(b.token, a.token, b.stand.count * sizeof(*b.token));
		room = a.stand.count - b.stand.count;
		at = rng_below(b.stand.count);
		b.token[at] ^= 1ULL << 40;
		qsort(b.token, b.stand.count, sizeof(u64), token_cmp);
		left[room] = end;
		CHECK(chring_stand_except(&a.stand, &b.stand, left) ==
		      -EUCLEAN);
		CHECK(left[room] == end);
	}
	/* More than there are. */
	some_fill(&b, a.stand.count + 1);
	left[0] = end;
	CHECK(chring_stand_except(&a.stand, &b.stand, left) == -EUCLEAN);
	CHECK(left[0] == end);
}

static void check_memory(void)
{
	CHECK(!chring_platform_bytes());
}

static const struct tap_test tests[] = {
	{ "far", test_far },
	{ "merge_and_except", test_merge_and_except },
	{ "foreign_token", test_foreign_token },
};

int main(void)
{
	faults_init();
	rng_init();
	return tap_run(tests, sizeof(tests) / sizeof(*tests), check_memory);
}
