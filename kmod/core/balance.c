// SPDX-License-Identifier: GPL-2.0
#include "balance.h"
#include "placement.h"

#define PAUSE_EVERY	0x10000

/* The positions after the token before, up to and with this one. */
static u64 arc_of(const struct chring_table *t, u32 at)
{
	u32 before = at ? at - 1 : t->count - 1;

	return chring_table_token(t, at) - chring_table_token(t, before);
}

/* Who owns what comes after the last token in service; or an error. */
static int first_owner(const struct chring_table *t, const unsigned long *out)
{
	u32 at;

	for (at = 0; at < t->count; at++) {
		if (!chring_slot_set(out, chring_table_owner(t, at)))
			return chring_table_owner(t, at);
		if (at % PAUSE_EVERY == PAUSE_EVERY - 1 && chring_pause())
			return -EINTR;
	}
	return -EHOSTUNREACH;
}

static struct chring_share whole_circle(u32 bits)
{
	return (struct chring_share){
		.lo = bits == 32 ? 1ULL << 32 : 0,
		.hi = bits == 64,
	};
}

int chring_balance_shares(const struct chring_table *t,
			  const unsigned long *out, u32 bits,
			  struct chring_share *share)
{
	int owner;
	u32 at;

	if (!t->count)
		return 0;
	owner = first_owner(t, out);
	if (owner < 0)
		return owner == -EINTR ? owner : 0;
	/* All tokens at one place: its first node owns the whole circle. */
	if (chring_table_token(t, 0) == chring_table_token(t, t->count - 1)) {
		share[owner] = whole_circle(bits);
		return 0;
	}
	/* From the end, where the next node in service is the first of all. */
	for (at = t->count; at--; ) {
		u16 slot = chring_table_owner(t, at);

		if (!chring_slot_set(out, slot))
			owner = slot;
		chring_share_add(&share[owner],
				 arc_of(t, at) >> (64 - bits));
		if (at % PAUSE_EVERY == 0 && chring_pause())
			return -EINTR;
	}
	return 0;
}

int chring_balance_extremes(const struct chring_table *t, u32 bits,
			    struct chring_share *least,
			    struct chring_share *most)
{
	u64 min = ~0ULL, max = 0;
	u32 at;

	*least = *most = (struct chring_share){};
	if (!t->count)
		return 0;
	for (at = 0; at < t->count; at++) {
		u64 arc = arc_of(t, at) >> (64 - bits);

		if (arc) {
			min = min(min, arc);
			max = max(max, arc);
		}
		if (at % PAUSE_EVERY == PAUSE_EVERY - 1 && chring_pause())
			return -EINTR;
	}
	/* All tokens at one place: what is between them is everything. */
	if (!max) {
		*least = *most = whole_circle(bits);
		return 0;
	}
	least->lo = min;
	most->lo = max;
	return 0;
}
