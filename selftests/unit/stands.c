// SPDX-License-Identifier: GPL-2.0
#include "stands.h"

#include <stdlib.h>

#include "tap.h"

struct chring_stand *stands_of(const struct chring_table *t, u32 slots,
			       const u16 *rank)
{
	struct chring_stand *s = calloc(1, (slots + 1) * sizeof(*s) +
					t->count * sizeof(u64));
	u64 *token;
	u32 *end = calloc(slots + 1, sizeof(*end));
	u32 i;

	NEED(s && end);
	token = (u64 *)(s + slots + 1);
	for (i = 0; i < t->count; i++)
		s[chring_table_owner(t, i)].count++;
	for (i = 0; i < slots; i++) {
		s[i].token = token + (i ? end[i - 1] : 0);
		s[i].rank = rank ? rank[i] : i;
		end[i] = s[i].token - token + s[i].count;
	}
	/* From the last of each back to its first. */
	for (i = t->count; i--; )
		token[--end[chring_table_owner(t, i)]] =
			chring_table_token(t, i);
	free(end);
	return s;
}
