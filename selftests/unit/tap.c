// SPDX-License-Identifier: GPL-2.0
#include "tap.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Of what fails in a loop, the first few say it all. */
#define FAILURES_TOLD	5

static size_t tests, failed_tests;
static unsigned long failures;

void tap_plan(size_t n)
{
	/* What was said before a crash must not be lost. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("1..%zu\n", n);
}

void tap_begin(void)
{
	failures = 0;
}

void tap_end(const char *fmt, ...)
{
	va_list args;

	failed_tests += failures != 0;
	printf("%sok %zu - %.*s.", failures ? "not " : "", ++tests,
	       (int)strcspn(program_invocation_short_name, "_"),
	       program_invocation_short_name);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
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
		tap_begin();
		test[i].run();
		if (after)
			after();
		tap_end("%s", test[i].name);
	}
	return tap_status();
}
