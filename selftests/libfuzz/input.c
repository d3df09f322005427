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

static u64 number(u32 bytes)
{
	u64 n = 0;

	if (!input_left())
		return rng_spread(&beyond);
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

/* Names are many, and what they are called decides little: two bytes choose one. */
void rng_name(char *name, u32 len)
{
	u64 state = number(2);
	u32 i;

	for (i = 0; i < len; i++) {
		name[i] = 0x21 + rng_spread(&state) % (0x100 - 0x21);
		/* DEL is the one in between that a name may not have. */
		if (name[i] == 0x7f)
			name[i] = '~';
	}
}
