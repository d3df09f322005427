/* SPDX-License-Identifier: GPL-2.0 */
/* What lookups of one key and of many have in common. */
#ifndef CHRINGCTL_LOOKUP_H
#define CHRINGCTL_LOOKUP_H

#include "session.h"

/**
 * lookup_refused() - say why there is no answer
 * @s: session with a ring
 * @query: what was asked; @key and @key_len do not matter
 * @err: negative errno
 *
 * Return: STATUS_REFUSED.
 */
int lookup_refused(const struct session *s, const struct chring_query *query,
		   int err);

#endif /* CHRINGCTL_LOOKUP_H */
