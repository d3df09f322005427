/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is asked for: a pool of positions and as many keys, the same for every
 * structure. They come in samples small enough to stay in the nearest cache,
 * made anew outside of what is timed.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include "rival.h"

#define SAMPLE	2048U

struct sample {
	u64 position[SAMPLE];
	char key[SAMPLE][KEY_LEN];
};

/* Samples in the pool of these members. */
u32 sample_pool(const struct members *m);

/* The @nr-th sample, keys or positions as @mode wants them. */
void sample_fill(struct sample *s, const struct members *m,
		 enum bench_mode mode, u32 nr);

#endif /* SAMPLE_H */
