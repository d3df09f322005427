/* SPDX-License-Identifier: GPL-2.0 */
/* What the module has to live with in a round, the same for all threads. */
#ifndef CHRING_FUZZ_WEATHER_H
#define CHRING_FUZZ_WEATHER_H

#include <stdbool.h>

enum weather {
	CALM,
	POOR,		/* the budget of memory is used up, again and again */
	CROWDED,	/* there are as many rings as there may be */
	FAULTY,		/* allocations and copies fail */
	WEATHERS,
};

extern const char *const weather_name[WEATHERS];

void weather_begin(enum weather what);
/* Now and then during a round: what is lacking comes and goes. */
void weather_change(enum weather what, unsigned int tick);
void weather_end(enum weather what);

#endif /* CHRING_FUZZ_WEATHER_H */
