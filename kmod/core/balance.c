// SPDX-License-Identifier: GPL-2.0
#include "balance.h"
#include "placement.h"

#define PAUSE_EVERY	0x10000

/* The positions after the token before, up to and with this one. */
static u64 arc_of(const struct chring_table *t, u32 at)
{
	return t->token[at] - t->token[at ? at - 1 : t->count - 1];
}

/* Who owns what comes after the last token in service; or an error. */
static int first_owner(const struct chring_table *t, const unsigned long *out)
{
	u32 at;

	for (at = 0; at < t->count; at++) {
		if (!chring_slot_set(out, t->owner[at]))
			return t->owner[at];
		if (at % PAUSE_EVERY == PAUSE_EVERY - 1 && chring_pause())
			return -EINTR;
	}
	return -EHOSTUNREACH;
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
	if (t->token[0] == t->token[t->count - 1]) {
		if (bits == 32)
			share[owner].lo = 1ULL << 32;
		else
			share[owner].hi = 1;
		return 0;
	}
	/* From the end, where the next node in service is the first of all. */
	for (at = t->count; at--; ) {
		u16 slot = t->owner[at];

		if (!chring_slot_set(out, slot))
			owner = slot;
		chring_share_add(&share[owner],
				 arc_of(t, at) >> (64 - bits));
		if (at % PAUSE_EVERY == 0 && chring_pause())
			return -EINTR;
	}
	return 0;
}
