// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>

#include "ids.h"

#define BITS_FIRST	6

/* Where @id is, or where it would go. There always is a free slot. */
static size_t place(const struct ids *ids, __u64 id)
{
	size_t mask = ids_slots(ids) - 1;
	size_t at = (id * 0x9e3779b97f4a7c15ULL) >> (64 - ids->bits);

	while (ids->slot[at] && *ids->slot[at] != id)
		at = (at + 1) & mask;
	return at;
}

const void *ids_find(const struct ids *ids, __u64 id)
{
	return ids->slot ? ids->slot[place(ids, id)] : NULL;
}

static int grow(struct ids *ids)
{
	struct ids bigger = {
		.bits = ids->slot ? ids->bits + 1 : BITS_FIRST,
		.used = ids->used,
	};
	size_t i;

	bigger.slot = calloc((size_t)1 << bigger.bits, sizeof(*bigger.slot));
	if (!bigger.slot)
		return -ENOMEM;
	for (i = 0; i < ids_slots(ids); i++)
		if (ids->slot[i])
			bigger.slot[place(&bigger, *ids->slot[i])] =
				ids->slot[i];
	ids_free(ids);
	*ids = bigger;
	return 0;
}

int ids_put(struct ids *ids, const __u64 *thing)
{
	size_t at;

	if (ids->used >= ids_slots(ids) / 2 && grow(ids))
		return -ENOMEM;
	at = place(ids, *thing);
	ids->used += !ids->slot[at];
	ids->slot[at] = thing;
	return 0;
}

void ids_free(struct ids *ids)
{
	free(ids->slot);
}
