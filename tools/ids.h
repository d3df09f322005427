/* SPDX-License-Identifier: GPL-2.0 */
/* Inside libchring: things that have an id, found by it. */
#ifndef CHRING_IDS_H
#define CHRING_IDS_H

#include <stddef.h>

#include <linux/types.h>

/**
 * struct ids - a hash table; all 0: an empty one
 * @slot: things, each of which begins with its id; NULL where there is none
 * @bits: of the number of slots, a power of two
 * @used: slots taken, at most half of them
 */
struct ids {
	const __u64 **slot;
	unsigned int bits;
	size_t used;
};

/* Slots of a table, taken or not. */
static inline size_t ids_slots(const struct ids *ids)
{
	return ids->slot ? (size_t)1 << ids->bits : 0;
}

/* What has an id, or NULL. */
const void *ids_find(const struct ids *ids, __u64 id);

/**
 * ids_put() - one more thing, or another one in place of that of the same id
 * @ids: table
 * @thing: begins with its id; the caller's
 *
 * Return: 0 or -ENOMEM.
 */
int ids_put(struct ids *ids, const __u64 *thing);

/* The table, and nothing that is in it. */
void ids_free(struct ids *ids);

#endif /* CHRING_IDS_H */
