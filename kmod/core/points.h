/* SPDX-License-Identifier: GPL-2.0 */
/* Config and a node's name and weight -> that node's tokens. */
#ifndef CHRING_POINTS_H
#define CHRING_POINTS_H

#include "platform.h"

/**
 * chring_points_count() - how many tokens a node has
 * @c: resolved config
 * @weight: of the node
 *
 * Return: at most 65535 * 65535.
 */
u32 chring_points_count(const struct chring_config *c, u32 weight);

/**
 * chring_points_fill() - some tokens of a node
 * @c: resolved config
 * @name: the node's name
 * @len: its bytes, at most CHRING_NAME_MAX
 * @first: index of the first token
 * @n: how many
 * @token: filled with @n positions, in the order of their indexes
 *
 * Token i depends on name and i alone, so a greater weight only adds tokens.
 *
 * May sleep. Return: 0, or -EINTR if the caller is being killed.
 */
int chring_points_fill(const struct chring_config *c, const char *name,
		       u32 len, u32 first, u32 n, u64 *token);

#endif /* CHRING_POINTS_H */
