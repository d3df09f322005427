// SPDX-License-Identifier: GPL-2.0
#include "progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "lap.h"

#define STEP_NS	100000000ULL

static const char *stage;
static u64 begun, last;

static unsigned int seconds(u64 now)
{
	return (now - begun) / 1000000000;
}

void progress_stage(const char *what)
{
	u64 now = lap_clock();

	if (!begun)
		begun = now;
	stage = what;
	last = 0;
	if (isatty(STDERR_FILENO))
		progress_step("...");
	else
		fprintf(stderr, "bench: %3u s: %s\n", seconds(now), stage);
}

void progress_step(const char *format, ...)
{
	u64 now = lap_clock();
	va_list args;

	if (!isatty(STDERR_FILENO) || now - last < STEP_NS)
		return;
	last = now;
	fprintf(stderr, "\r\033[Kbench: %3u s: %s: ", seconds(now), stage);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fflush(stderr);
}

void progress_end(void)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K");
	else
		fprintf(stderr, "bench: %3u s: done\n", seconds(lap_clock()));
}
