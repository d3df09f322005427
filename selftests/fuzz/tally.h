/* SPDX-License-Identifier: GPL-2.0 */
/* What became of the commands: counted by each thread, summed up in the end. */
#ifndef CHRING_FUZZ_TALLY_H
#define CHRING_FUZZ_TALLY_H

#include <stdbool.h>

#include "spec.h"

#define ERRORS_MAX	134

struct tally {
	unsigned long tried[CMDS];
	unsigned long good[CMDS];
	unsigned long error[CMDS][ERRORS_MAX];
};

/* @ret: 0 or more, or -errno. */
void tally_count(struct tally *t, enum command cmd, long ret);
void tally_add(struct tally *sum, const struct tally *t);
unsigned long tally_tried(const struct tally *t);
/* Of all commands, how many in a hundred succeeded. */
double tally_success(const struct tally *t);

/* Documented errors that were never met and have no excuse. */
unsigned int tally_missing(const struct tally *t, bool faults);

/*
 * The table. Return: as tally_missing(). Errors that are not documented, or were met
 * in spite of an excuse, are counted into @wrong.
 */
unsigned int tally_print(const struct tally *t, bool faults,
			 unsigned int *wrong);

#endif /* CHRING_FUZZ_TALLY_H */
