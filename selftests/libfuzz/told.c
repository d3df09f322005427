// SPDX-License-Identifier: GPL-2.0
/*
 * What tap.h promises, for a fuzzer: it learns of a failure by the end of the
 * program, and keeps the input.
 */
#include "tap.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool tap_fail(const char *file, int line, const char *what)
{
	tap_note("%s:%d: not so: %s", file, line, what);
	abort();
}

void tap_bail(const char *file, int line, const char *what)
{
	tap_fail(file, line, what);
	abort();
}

void tap_note(const char *fmt, ...)
{
	va_list args;

	fputs("# ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}
