// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "table.h"
#include "text.h"

#define CELL_MAX	64	/* of a formatted one */
#define COLUMNS_MAX	16

struct cell {
	size_t at;
	size_t len;
	size_t width;
};

void table_bytes(struct table *t, const char *bytes, size_t len)
{
	if (!len) {
		bytes = "-";
		len = 1;
	}
	if (t->cells == t->room) {
		t->room = t->room ? 2 * t->room : 64;
		t->cell = needed(realloc(t->cell, t->room * sizeof(*t->cell)));
	}
	if (len > t->size - t->used) {
		t->size = 2 * (t->size + len);
		t->bytes = needed(realloc(t->bytes, t->size));
	}
	memcpy(t->bytes + t->used, bytes, len);
	t->cell[t->cells++] = (struct cell){
		.at = t->used,
		.len = len,
		.width = text_width(bytes, len),
	};
	t->used += len;
}

void table_printf(struct table *t, const char *format, ...)
{
	char text[CELL_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	table_bytes(t, text, strlen(text));
}

void table_head(struct table *t, const char *headings)
{
	const char *end;

	for (; (end = strchr(headings, '|')); headings = end + 1)
		table_bytes(t, headings, end - headings);
	table_bytes(t, headings, strlen(headings));
}

static void pad(FILE *to, size_t n)
{
	while (n--)
		fputc(' ', to);
}

static void print_row(const struct table *t, const struct cell *row,
		      size_t columns, const size_t *width, FILE *to)
{
	size_t i;

	for (i = 0; i < columns; i++) {
		size_t gap = width[i] - row[i].width;

		if (i)
			pad(to, 2);
		if (t->align[i] == 'r')
			pad(to, gap);
		fwrite(t->bytes + row[i].at, 1, row[i].len, to);
		if (t->align[i] == 'l' && i + 1 < columns)
			pad(to, gap);
	}
	fputc('\n', to);
}

void table_print(struct table *t, FILE *to)
{
	size_t columns = strlen(t->align), width[COLUMNS_MAX] = {}, i;

	for (i = 0; i < t->cells; i++)
		if (t->cell[i].width > width[i % columns])
			width[i % columns] = t->cell[i].width;
	for (i = 0; i < t->cells; i += columns)
		print_row(t, t->cell + i, columns, width, to);
	table_free(t);
}

void table_free(struct table *t)
{
	free(t->cell);
	free(t->bytes);
	*t = (struct table){ .align = t->align };
}
