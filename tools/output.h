/* SPDX-License-Identifier: GPL-2.0 */
/* Where answers are written to: text or JSON. */
#ifndef CHRINGCTL_OUTPUT_H
#define CHRINGCTL_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <json-c/json.h>
#include <linux/types.h>

/* The end of the program if @p is NULL. */
void *needed(void *p);

/**
 * output_open() - before the kernel is asked for anything
 *
 * Return: STATUS_OK or STATUS_REFUSED.
 */
int output_open(void);

/* Standard output, or the file of -o. */
FILE *output(void);

/**
 * output_check() - has everything arrived so far?
 *
 * Return: STATUS_OK, or STATUS_REFUSED with a message.
 */
int output_check(void);

/* Write out what is buffered. Return: like output_check(). */
int output_flush(void);

/**
 * output_close() - the end of all answers
 * @status: how the command ended
 *
 * Return: @status, or what a failed write makes of it.
 */
int output_close(int status);

/* A line ``name value`` of text, the values below each other. */
void line(const char *name, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Members of JSON objects. Numbers of 64 bits are hexadecimal strings; hashes,
 * positions and shares have all their digits.
 */
void json_u32(json_object *to, const char *name, __u32 n);
void json_u64(json_object *to, const char *name, __u64 n);
void json_hash(json_object *to, const char *name, __u64 n);
/* Not a number: null. */
void json_ratio(json_object *to, const char *name, double n);
void json_string(json_object *to, const char *name, const char *string);
void json_boolean(json_object *to, const char *name, bool b);
void json_null(json_object *to, const char *name);
/* If they are not UTF-8, @name gets the ending _hex, they become digits. */
void json_bytes(json_object *to, const char *name, const void *bytes,
		size_t len);
/* Takes over the reference to @member. */
void json_member(json_object *to, const char *name, json_object *member);
json_object *json_object_needed(void);
json_object *json_array_needed(void);
void json_append(json_object *array, json_object *item);

/* A whole answer; takes over the reference. */
void json_print(json_object *answer);

/* One object of an answer without end, on a line of its own. */
void json_line(json_object *item);

/*
 * An answer that is a long array, an item a line: items are written as they
 * come. @item: takes over the reference. @first: true before the first one.
 */
void json_stream_item(json_object *item, bool *first);
void json_stream_end(bool first);

/*
 * The same array as the last member of an object: @head is an object of one
 * member at least, and is taken over; @list is the name of the array.
 */
void json_stream_head(json_object *head, const char *list);
void json_stream_tail(bool first);

#endif /* CHRINGCTL_OUTPUT_H */
