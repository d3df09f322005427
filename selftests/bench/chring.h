/* SPDX-License-Identifier: GPL-2.0 */
/* The ring under test as its users have it. */
#ifndef BENCH_CHRING_H
#define BENCH_CHRING_H

#include "ring.h"
#include "rival.h"

/*
 * What stands between the load of a view and the node, in one place, for who
 * locks in another way.
 */
static inline const struct chring_node *
view_owner(const struct chring_view *v, u64 position)
{
	const struct chring_node *node = chring_view_owner(v, position);

	return IS_ERR(node) ? NULL : node;
}

#endif /* BENCH_CHRING_H */
