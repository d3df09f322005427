/* SPDX-License-Identifier: GPL-2.0 */
/* The order of nodes' names, for those who bring theirs in any order. */
#ifndef CHRING_ORDER_H
#define CHRING_ORDER_H

#include "core/run.h"
#include "ring.h"

/**
 * chring_edits_sort() - put edits into the order of their names
 * @edit: edits, their names checked
 * @n: how many, at most CHRING_NODES_MAX
 *
 * As long as they and their names are, and no longer whatever the names are.
 *
 * May sleep. Return: 0; -EEXIST: a name is there twice; -ENOMEM, -EDQUOT, or
 * -EINTR if the caller is being killed. On failure they are in any order.
 */
int chring_edits_sort(struct chring_edit *edit, u32 n);

#endif /* CHRING_ORDER_H */
