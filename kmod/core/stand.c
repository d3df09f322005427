// SPDX-License-Identifier: GPL-2.0
#include "stand.h"

#define PAUSE_EVERY	0x10000

u64 chring_stand_far(const struct chring_stand *s, u64 position)
{
	u32 from = 0, to = s->count;

	/* The first that is not before the position is in from..to. */
	while (from < to) {
		u32 half = from + (to - from) / 2;

		if (s->token[half] < position)
			from = half + 1;
		else
			to = half;
	}
	return s->token[from < s->count ? from : 0] - position;
}

int chring_stand_merge(const struct chring_stand *a,
		       const struct chring_stand *b, u64 *token)
{
	u32 count = a->count + b->count, i = 0, k = 0, n;

	for (n = 0; n < count; n++) {
		if (k == b->count ||
		    (i < a->count && a->token[i] <= b->token[k]))
			token[n] = a->token[i++];
		else
			token[n] = b->token[k++];
		if (n % PAUSE_EVERY == PAUSE_EVERY - 1 && chring_pause())
			return -EINTR;
	}
	return 0;
}

int chring_stand_except(const struct chring_stand *all,
			const struct chring_stand *but, u64 *token)
{
	/* For what must be left, no more. */
	u32 room = all->count - min(all->count, but->count);
	u32 i, k = 0;

	for (i = 0; i < all->count; i++) {
		if (k < but->count && all->token[i] == but->token[k])
			k++;
		else if (i - k < room)
			token[i - k] = all->token[i];
		else
			return -EUCLEAN;
		if (i % PAUSE_EVERY == PAUSE_EVERY - 1 && chring_pause())
			return -EINTR;
	}
	return k == but->count ? 0 : -EUCLEAN;
}
