/* SPDX-License-Identifier: GPL-2.0 */
/* Bytes that may be UTF-8, and may not. */
#ifndef CHRINGCTL_TEXT_H
#define CHRINGCTL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/**
 * text_char() - the first character of some bytes
 * @bytes: any
 * @len: how many, at least 1
 *
 * Return: how many bytes it has, 0 if they do not begin a character of UTF-8.
 */
size_t text_char(const char *bytes, size_t len);

/* Are all of these bytes UTF-8? */
bool text_valid(const char *bytes, size_t len);

/* Is this one character (see text_char()), and no control character? */
bool text_printable(const char *bytes, size_t len);

/* Columns of a terminal, near enough: characters, or bytes that are none. */
size_t text_width(const char *bytes, size_t len);

#endif /* CHRINGCTL_TEXT_H */
