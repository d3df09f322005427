/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers that follow from a seed: SplitMix64, one stream a thread. */
#ifndef CHRING_FUZZ_RNG_H
#define CHRING_FUZZ_RNG_H

#include <stdbool.h>
#include <linux/types.h>

struct rng {
	__u64 state;
};

static inline __u64 rng_next(struct rng *r)
{
	__u64 z = r->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* 0 up to @n - 1. */
static inline __u32 rng_below(struct rng *r, __u32 n)
{
	return (rng_next(r) >> 32) * n >> 32;
}

static inline bool rng_percent(struct rng *r, __u32 percent)
{
	return rng_below(r, 100) < percent;
}

/* A stream of its own for each pair of numbers. */
static inline struct rng rng_of(__u64 seed, __u64 round, __u64 thread)
{
	struct rng r = { seed ^ round << 20 ^ thread << 52 };

	r.state = rng_next(&r);
	return r;
}

#endif /* CHRING_FUZZ_RNG_H */
