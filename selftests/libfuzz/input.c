// SPDX-License-Identifier: GPL-2.0
#include "input.h"

#include "rng.h"

static const uint8_t *next, *end;
/* Beyond the end: always the same, never a loop that waits for another. */
static u64 beyond;

void input_begin(const uint8_t *bytes, size_t len)
{
	next = bytes;
	end = bytes + len;
	beyond = 0;
}

bool input_left(void)
{
	return next < end;
}

/* SplitMix64, by Sebastiano Vigna. */
static u64 spread(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static u64 number(u32 bytes)
{
	u64 n = 0;

	if (!input_left())
		return spread(&beyond);
	while (bytes-- && input_left())
		n = n << 8 | *next++;
	return n;
}

u64 rng(void)
{
	return number(8);
}

/* No more bytes than the choice needs: each means something. */
u32 rng_below(u32 n)
{
	return number(n <= 1 << 8 ? 1 : n <= 1 << 16 ? 2 : 4) % n;
}

bool rng_once_in(u32 n)
{
	return !rng_below(n);
}

/* Names are many, and what they are called decides little: two bytes choose one. */
void rng_name(char *name, u32 len)
{
	u64 state = number(2);
	u32 i;

	for (i = 0; i < len; i++) {
		name[i] = 0x21 + spread(&state) % (0x100 - 0x21);
		/* DEL is the one in between that a name may not have. */
		if (name[i] == 0x7f)
			name[i] = '~';
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
