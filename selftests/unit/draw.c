// SPDX-License-Identifier: GPL-2.0
/* Of rng.h, what is the same wherever its numbers come from. */
#include "rng.h"

/* SplitMix64, by Sebastiano Vigna. */
u64 rng_spread(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

bool rng_once_in(u32 n)
{
	return !rng_below(n);
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
