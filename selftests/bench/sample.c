// SPDX-License-Identifier: GPL-2.0
#include "sample.h"

#include "mix.h"

#define POOL_MIN	(1U << 18)
#define POOL_MAX	(1U << 20)

/* Enough to touch most lines of a table, as far as caches can matter. */
u32 sample_pool(const struct members *m)
{
	return min(max(m->tokens, POOL_MIN), POOL_MAX) / SAMPLE;
}

static void fill_key(char *key, u64 n)
{
	static const char head[] = "user:session";

	n = mix(n);
	memcpy(key, head, KEY_LEN - sizeof(n));
	memcpy(key + KEY_LEN - sizeof(n), &n, sizeof(n));
}

void sample_fill(struct sample *s, const struct members *m,
		 enum bench_mode mode, u32 nr)
{
	u64 n = (u64)nr * SAMPLE;
	u32 i;

	for (i = 0; i < SAMPLE; i++, n++) {
		if (mode == MODE_KEY)
			fill_key(s->key[i], n);
		else
			s->position[i] = m->from | (mix(n) & m->mask);
	}
}
