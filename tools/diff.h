/* SPDX-License-Identifier: GPL-2.0 */
/* What moves on a circle: from whom to whom, and where. */
#ifndef CHRINGCTL_DIFF_H
#define CHRINGCTL_DIFF_H

#include "circle.h"

/* Show @c->list, of chring_diff(). Return: exit status. */
int diff_text(struct circle *c);
int diff_json(struct circle *c);

#endif /* CHRINGCTL_DIFF_H */
