// SPDX-License-Identifier: GPL-2.0
/* Binary search whose steps are arithmetic: nothing to predict. */
#include "rival.h"

static const void *find(const void *built, u64 position)
{
	const struct members *m = built;
	const u64 *base = m->token;
	u32 n = m->tokens;
	u32 at;

	while (n > 1) {
		u32 half = n / 2;

		base += half & -(u32)(base[half - 1] < position);
		n -= half;
	}
	at = base - m->token + (*base < position);
	return m->node[m->owner[at == m->tokens ? 0 : at]];
}

const struct rival bsearch_branchless_rival = {
	.name = "bsearch_branchless",
	.exact = true,
	.modes = ALL_MODES,
	.build = members_themselves,
	.find = find,
};
