// SPDX-License-Identifier: GPL-2.0
/* Binary search as it is written most often: a branch at each step. */
#include "rival.h"

static const void *find(const void *built, u64 position)
{
	const struct members *m = built;
	u32 low = 0, high = m->tokens;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (m->token[middle] < position)
			low = middle + 1;
		else
			high = middle;
	}
	return m->node[m->owner[low == m->tokens ? 0 : low]];
}

const struct rival bsearch_branchy_rival = {
	.name = "bsearch_branchy",
	.exact = true,
	.modes = ALL_MODES,
	.build = members_themselves,
	.find = find,
};
