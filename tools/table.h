/* SPDX-License-Identifier: GPL-2.0 */
/* Text in columns, as wide as they need to be. */
#ifndef CHRINGCTL_TABLE_H
#define CHRINGCTL_TABLE_H

#include <stddef.h>
#include <stdio.h>

struct cell;

/**
 * struct table - cells, row after row
 * @align: a letter a column: l left, r right
 * @cell: cells so far
 * @cells: how many
 * @room: for how many there is room
 * @bytes: what stands in them
 * @used: bytes of it
 * @size: room for how many bytes
 */
struct table {
	const char *align;
	struct cell *cell;
	size_t cells;
	size_t room;
	char *bytes;
	size_t used;
	size_t size;
};

/* The next cell: these bytes; none are shown as "-". */
void table_bytes(struct table *t, const char *bytes, size_t len);

void table_printf(struct table *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A row of headings, with "|" between them. */
void table_head(struct table *t, const char *headings);

/* Writes and frees it all. */
void table_print(struct table *t, FILE *to);

/* Frees it unwritten. */
void table_free(struct table *t);

#endif /* CHRINGCTL_TABLE_H */
