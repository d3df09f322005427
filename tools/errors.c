// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "errors.h"
#include "text.h"

#define QUOTES		4
#define QUOTED_MAX	300	/* any name in full, but not any key */

static void say(const char *format, va_list args)
{
	/* What was written so far stands before the error on a terminal. */
	fflush(stdout);
	fputs("chringctl: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

int refused(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
	return STATUS_REFUSED;
}

int misused(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
	return STATUS_USAGE;
}

static char *put_hex(char *to, unsigned char byte)
{
	return to + sprintf(to, "\\x%02x", byte);
}

static char *put_char(char *to, const char *from, size_t len)
{
	size_t i;

	if (!text_printable(from, len)) {
		for (i = 0; i < len; i++)
			to = put_hex(to, from[i]);
		return to;
	}
	memcpy(to, from, len);
	return to + len;
}

const char *quoted(const void *bytes, size_t len)
{
	static char buffers[QUOTES][4 * QUOTED_MAX + sizeof("''...")];
	static unsigned int next;
	char *start = buffers[next++ % QUOTES], *to = start;
	const char *from = bytes;
	size_t at = 0;

	*to++ = '\'';
	while (at < len && at < QUOTED_MAX) {
		size_t step = text_char(from + at, len - at);

		if (!step)
			step = 1;
		if (at + step > QUOTED_MAX)
			break;
		to = put_char(to, from + at, step);
		at += step;
	}
	strcpy(to, at < len ? "'..." : "'");
	return start;
}

const char *quoted_string(const char *string)
{
	return quoted(string, strlen(string));
}
