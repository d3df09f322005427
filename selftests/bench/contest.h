/* SPDX-License-Identifier: GPL-2.0 */
/* A contest: structures of several rings, measured in turns. */
#ifndef CONTEST_H
#define CONTEST_H

#include "lap.h"

#define CELLS_MAX	192
#define ROUNDS_MAX	101

/**
 * struct lane - a structure in a contest
 * @cell: it
 * @bytes: memory that it takes
 * @modes: in which it is measured: those that chring has here as well
 * @each: by mode: lookups of a lap
 * @lookups: by mode: of a round
 * @ns: by mode and round: nanoseconds a lookup
 */
struct lane {
	struct cell cell;
	size_t bytes;
	unsigned int modes;
	u32 each[MODES];
	u32 lookups[MODES];
	double ns[MODES][ROUNDS_MAX];
};

/**
 * struct contest - all that take turns
 * @rounds: how many
 * @lanes: how many
 * @lane: in their order
 */
struct contest {
	u32 rounds;
	u32 lanes;
	struct lane lane[CELLS_MAX];
};

/*
 * Structures of these members join, chring the first. Those that implement an
 * exact ring are compared: unless they agree on every key and position that
 * will be asked for, and on those at tokens and beside them, the program ends.
 */
void contest_join(struct contest *c, const struct members *m,
		  const struct rival *const *rival, u32 rivals);

/* All rounds; what comes out goes among the results. */
void contest_run(struct contest *c);

/* Gives back what was built. */
void contest_end(struct contest *c);

#endif /* CONTEST_H */
