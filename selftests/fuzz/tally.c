// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>

#include "tally.h"

void tally_count(struct tally *t, enum command cmd, long ret)
{
	t->tried[cmd]++;
	if (ret >= 0)
		t->good[cmd]++;
	else
		t->error[cmd][-ret < ERRORS_MAX ? -ret : 0]++;
}

void tally_add(struct tally *sum, const struct tally *t)
{
	int cmd, e;

	for (cmd = 0; cmd < CMDS; cmd++) {
		sum->tried[cmd] += t->tried[cmd];
		sum->good[cmd] += t->good[cmd];
		for (e = 0; e < ERRORS_MAX; e++)
			sum->error[cmd][e] += t->error[cmd][e];
	}
}

unsigned long tally_tried(const struct tally *t)
{
	unsigned long sum = 0;
	int cmd;

	for (cmd = 0; cmd < CMDS; cmd++)
		sum += t->tried[cmd];
	return sum;
}

double tally_success(const struct tally *t)
{
	unsigned long good = 0, tried = tally_tried(t);
	int cmd;

	for (cmd = 0; cmd < CMDS; cmd++)
		good += t->good[cmd];
	return tried ? 100.0 * good / tried : 0;
}

static void print_row(const struct tally *t, enum command cmd)
{
	int e;

	printf("# %-13s %8lu tried, %8lu succeeded;", specs[cmd].name,
	       t->tried[cmd], t->good[cmd]);
	for (e = 0; e < ERRORS_MAX; e++)
		if (t->error[cmd][e])
			printf(" %s %lu", error_name(e), t->error[cmd][e]);
	putchar('\n');
}

static unsigned int print_wrong(const struct tally *t, enum command cmd, bool faults)
{
	unsigned int wrong = 0;
	int e;

	for (e = 0; e < ERRORS_MAX; e++) {
		if (!t->error[cmd][e])
			continue;
		if (!spec_documents(cmd, e))
			printf("# wrong: %s of %s is not documented\n",
			       error_name(e), specs[cmd].name);
		else if (spec_excuse(cmd, e, faults))
			printf("# wrong: %s of %s was met, but: %s\n",
			       error_name(e), specs[cmd].name,
			       spec_excuse(cmd, e, faults));
		else
			continue;
		wrong++;
	}
	return wrong;
}

/* What was not met, and whether it could have been. */
static void print_missing(const struct tally *t, enum command cmd, bool faults)
{
	const short *e;

	for (e = specs[cmd].errors; *e; e++) {
		const char *why = spec_excuse(cmd, *e, faults);

		if (t->error[cmd][*e])
			continue;
		printf("# %s: %s of %s%s%s\n", why ? "out of reach" : "missing",
		       error_name(*e), specs[cmd].name, why ? ": " : "",
		       why ? why : "");
	}
}

unsigned int tally_missing(const struct tally *t, bool faults)
{
	unsigned int missing = 0;
	const short *e;
	int cmd;

	for (cmd = 0; cmd < CMDS; cmd++)
		for (e = specs[cmd].errors; *e; e++)
			missing += !t->error[cmd][*e] &&
				   !spec_excuse(cmd, *e, faults);
	return missing;
}

unsigned int tally_print(const struct tally *t, bool faults,
			 unsigned int *wrong)
{
	int cmd;

	for (cmd = 0; cmd < CMDS; cmd++)
		print_row(t, cmd);
	for (cmd = 0; cmd < CMDS; cmd++)
		print_missing(t, cmd, faults);
	for (cmd = 0; cmd < CMDS; cmd++)
		*wrong += print_wrong(t, cmd, faults);
	return tally_missing(t, faults);
}
