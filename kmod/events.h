/* SPDX-License-Identifier: GPL-2.0 */
/* read() and poll() of a descriptor: following the log of its ring. */
#ifndef CHRING_EVENTS_H
#define CHRING_EVENTS_H

#include <linux/fs.h>
#include <linux/poll.h>

#include "ring.h"

/**
 * struct chring_cursor - how far a descriptor has read
 * @lock: held while records are copied, never while one is waited for; no lock
 *	of a ring is taken before it
 * @epoch: of the last record read; written under @lock
 */
struct chring_cursor {
	struct mutex lock;
	u64 epoch;
};

void chring_cursor_init(struct chring_cursor *cursor);

/* From now on: the descriptor is about to get its ring, and no one reads yet. */
void chring_cursor_start(struct chring_cursor *cursor,
			 const struct chring_ring *ring);

/**
 * chring_events_read() - read() of /dev/chring
 * @ring: held by the descriptor
 * @cursor: of the descriptor
 * @wait: for the first record, if there is none
 * @to: user memory
 * @size: its bytes
 *
 * May sleep. Return: bytes written, or what uapi/linux/chring.h says of it.
 */
ssize_t chring_events_read(struct chring_ring *ring,
			   struct chring_cursor *cursor, bool wait,
			   char __user *to, size_t size);

/**
 * chring_events_poll() - poll() of /dev/chring
 * @ring: held by the descriptor
 * @cursor: of the descriptor
 * @file: descriptor
 * @table: of the caller
 *
 * Return: what is ready.
 */
__poll_t chring_events_poll(struct chring_ring *ring,
			    const struct chring_cursor *cursor,
			    struct file *file, poll_table *table);

#endif /* CHRING_EVENTS_H */
