/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers as people write them: decimal, or hexadecimal after 0x. */
#ifndef CHRINGCTL_NUMBER_H
#define CHRINGCTL_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

/**
 * number_read() - read a number of 64 bits
 * @text: digits and nothing else: no sign, no space
 * @len: its bytes
 * @to: the number
 *
 * Return: false if it is none, or too large.
 */
bool number_read(const char *text, size_t len, __u64 *to);

/* The same with 128 bits, the least significant half first. */
bool number_read_wide(const char *text, size_t len, __u64 to[2]);

#endif /* CHRINGCTL_NUMBER_H */
