// SPDX-License-Identifier: GPL-2.0
/*
 * Jump consistent hash (Lamping and Veach, 2014): no memory at all, and nodes
 * that can come and go at the end of the list only.
 */
#include "rival.h"

static const void *find(const void *built, u64 position)
{
	const struct members *m = built;
	long long at = -1, next = 0;

	while (next < m->nodes) {
		at = next;
		position = position * 2862933555777941757ULL + 1;
		next = (at + 1) * ((double)(1LL << 31) /
				   (double)((position >> 33) + 1));
	}
	return m->node[at];
}

const struct rival jump_rival = {
	.name = "jump",
	.modes = ALL_MODES,
	.build = members_themselves,
	.find = find,
};
