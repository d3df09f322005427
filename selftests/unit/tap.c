// SPDX-License-Identifier: GPL-2.0
#include "tap.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of what fails in a loop, the first few say it all. */
#define FAILURES_TOLD	5

static size_t tests, failed_tests;
static unsigned long failures;
static char test_name[128];

void tap_plan(size_t n)
{
	/* What was said before a crash must not be lost. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("1..%zu\n", n);
}

void tap_begin(const char *kind, const char *name)
{
	failures = 0;
	snprintf(test_name, sizeof(test_name), "%.*s.%s%s",
		 (int)strcspn(program_invocation_short_name, "_"),
		 program_invocation_short_name, kind, name);
	tap_note("RUN %s ...", test_name);
}

void tap_end(void)
{
	failed_tests += failures != 0;
	printf("%sok %zu - %s\n", failures ? "not " : "", ++tests, test_name);
}

int tap_status(void)
{
	return failed_tests ? EXIT_FAILURE : EXIT_SUCCESS;
}

void tap_note(const char *fmt, ...)
{
	va_list args;

	printf("# ");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

bool tap_fail(const char *file, int line, const char *what)
{
	if (failures++ < FAILURES_TOLD)
		tap_note("%s:%d: not so: %s", file, line, what);
	return false;
}

void tap_bail(const char *file, int line, const char *what)
{
	printf("Bail out! %s:%d: not so: %s\n", file, line, what);
	exit(EXIT_FAILURE);
}

int tap_run(const struct tap_test *test, size_t n, void (*after)(void))
{
	size_t i;

	tap_plan(n);
	for (i = 0; i < n; i++) {
		tap_begin("", test[i].name);
		test[i].run();
		if (after)
			after();
		tap_end();
	}
	return tap_status();
}
