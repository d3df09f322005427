/* SPDX-License-Identifier: GPL-2.0 */
/* Keys from standard input, and who owns them. */
#ifndef CHRINGCTL_STREAM_H
#define CHRINGCTL_STREAM_H

#include <stdbool.h>

#include "session.h"

/**
 * struct answered - a key and its owners
 * @key: bytes, as they were read
 * @len: how many
 * @answer: who owns it
 * @whole: @position and cookies of the answer are known, not only ids
 */
struct answered {
	const char *key;
	size_t len;
	struct chring_answer answer;
	bool whole;
};

/* Return: STATUS_OK to go on. */
typedef int answered_fn(void *context, const struct answered *a);

/**
 * stream_run() - look up all of standard input
 * @s: session with a ring
 * @how: flags and owners wanted; the rest does not matter
 * @fn: called for every key
 * @context: for it
 *
 * Return: STATUS_OK, or the first one that is another.
 */
int stream_run(const struct session *s, const struct chring_query *how,
	       answered_fn *fn, void *context);

#endif /* CHRINGCTL_STREAM_H */
