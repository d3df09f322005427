/* SPDX-License-Identifier: GPL-2.0 */
/* What chringctl says on standard error, and how it exits then. */
#ifndef CHRINGCTL_ERRORS_H
#define CHRINGCTL_ERRORS_H

#include <stddef.h>

enum status {
	STATUS_OK	= 0,
	STATUS_REFUSED	= 1,	/* a request was refused, or input or output */
	STATUS_USAGE	= 2,
};

/* One line; return STATUS_REFUSED. */
int refused(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* One line; return STATUS_USAGE. */
int misused(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * quoted() - bytes as they may stand in a message
 * @bytes: any
 * @len: how many; of many only the first are shown
 *
 * Return: them in quotes, what is not text as \xNN. Good until the fourth call
 * from now.
 */
const char *quoted(const void *bytes, size_t len);

/* The same for a string. */
const char *quoted_string(const char *string);

#endif /* CHRINGCTL_ERRORS_H */
