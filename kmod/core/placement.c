// SPDX-License-Identifier: GPL-2.0
#include "placement.h"

int chring_place_owner(const struct chring_table *t, const unsigned long *out,
		       u64 position)
{
	u32 first = chring_table_find(t, position);
	u32 at = first;

	do {
		u16 slot = t->owner[at];

		if (!chring_slot_set(out, slot))
			return slot;
		if (++at == t->count)
			at = 0;
	} while (at != first);
	return -EHOSTUNREACH;
}
