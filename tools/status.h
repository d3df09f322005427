/* SPDX-License-Identifier: GPL-2.0 */
/* Inside libchring: reading the status pages of a ring. */
#ifndef CHRING_TOOLS_STATUS_H
#define CHRING_TOOLS_STATUS_H

#include "platform.h"

/**
 * struct status_words - a ring at one epoch
 * @sequence: at which it is so
 * @flags: CHRING_STATUS_*
 * @ring: id of the ring
 * @epoch: of the ring
 * @table_epoch: of its tokens
 * @nodes_epoch: of its nodes
 * @live: nodes in service with weight
 * @zones: zones with such a node
 */
struct status_words {
	unsigned long sequence;
	u32 flags;
	u64 ring;
	u64 epoch;
	u64 table_epoch;
	u64 nodes_epoch;
	u32 live;
	u32 zones;
};

/* What status pages are at; a lookup asks for no more. */
static inline unsigned long status_sequence(const struct chring_status *s)
{
	/* Of 32 bits the lower half: enough to tell that it has changed. */
	const unsigned long *p = (const unsigned long *)&s->sequence;

	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

/**
 * status_read() - what the pages say, all of one epoch
 * @s: pages
 * @w: set
 * @out: nodes out of service, by bit
 * @longs: of @out that are wanted
 *
 * Return: 0; -ESTALE: there was no moment without a change.
 */
int status_read(const struct chring_status *s, struct status_words *w,
		unsigned long *out, u32 longs);

#endif /* CHRING_TOOLS_STATUS_H */
