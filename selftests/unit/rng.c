// SPDX-License-Identifier: GPL-2.0
#include "rng.h"

#include <stdlib.h>

#include "tap.h"

#define SEED_DEFAULT	20240607

/* Each program's own, and only in the thread that runs the tests. */
static u64 state;

void rng_init(void)
{
	const char *seed = getenv("SEED");

	state = seed ? strtoull(seed, NULL, 0) : SEED_DEFAULT;
	tap_note("SEED=%llu", state);
}

/* SplitMix64, by Sebastiano Vigna. */
u64 rng(void)
{
	u64 z = state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

u32 rng_below(u32 n)
{
	return rng() % n;
}

bool rng_once_in(u32 n)
{
	return !rng_below(n);
}

void rng_name(char *name, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++) {
		do {
			name[i] = 0x21 + rng_below(0x100 - 0x21);
		} while (name[i] == 0x7f);
	}
}

void rng_shuffle(u32 *order, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		u32 j = rng_below(i + 1);

		order[i] = order[j];
		order[j] = i;
	}
}
