/* SPDX-License-Identifier: GPL-2.0 */
/* A lap: one structure, asked for a sample, by the clock. */
#ifndef LAP_H
#define LAP_H

#include "sample.h"

/**
 * struct cell - a structure, built
 * @rival: which
 * @built: by it
 * @m: of what
 */
struct cell {
	const struct rival *rival;
	void *built;
	const struct members *m;
};

/*
 * What a lap does, @n lookups of the sample. Return: something that depends on
 * all answers, so that none can be left out.
 */
u64 lap(const struct cell *c, enum bench_mode mode, const struct sample *s,
	u32 n);

/*
 * As many lookups from a place of the pool on, laps of @each.
 *
 * Return: nanoseconds a lookup, of the median lap: one in which the machine did
 * something else for a while does not count.
 */
double lap_time(const struct cell *c, enum bench_mode mode, u32 start,
		u32 lookups, u32 each);

/* Nanoseconds of some clock that does not jump. */
u64 lap_clock(void);

#endif /* LAP_H */
