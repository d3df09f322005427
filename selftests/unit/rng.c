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

u64 rng(void)
{
	return rng_spread(&state);
}

u32 rng_below(u32 n)
{
	return rng() % n;
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
