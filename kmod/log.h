/* SPDX-License-Identifier: GPL-2.0 */
/* The log of a ring: what its last changes were, for those who follow it. */
#ifndef CHRING_LOG_H
#define CHRING_LOG_H

#include "roster.h"

/* Records that a log keeps, and those it has room for at first. */
#define CHRING_LOG_MAX		1024
#define CHRING_LOG_MIN		16

/**
 * struct chring_change - what made an epoch of the one before
 * @generation: after it
 * @digest: after it
 * @time: when it was published, by chring_now()
 * @tokens: after it
 * @nodes: after it
 * @live: after it
 * @added: nodes that came
 * @removed: nodes that went
 * @changed: nodes that stayed and have another weight, zone, cookie or priv
 * @flipped: nodes that stayed and have another state
 * @flags: CHRING_EVENT_*
 */
struct chring_change {
	u64 generation;
	u64 digest;
	u64 time;
	u32 tokens;
	u32 nodes;
	u32 live;
	u32 added;
	u32 removed;
	u32 changed;
	u32 flipped;
	u32 flags;
};

/* Count what became of one node; NULL: it was not there, or is not. */
void chring_change_count(struct chring_change *change,
			 const struct chring_node *was, u32 was_state,
			 const struct chring_node *now, u32 now_state);

/**
 * struct chring_log_space - room for a log that grows
 * @change: NULL: it does not have to
 * @room: records; a power of two, or 0
 */
struct chring_log_space {
	struct chring_change *change;
	u32 room;
};

/**
 * struct chring_log - the last changes of a ring, one an epoch
 * @lock: of all that follows, but @wait; taken inside of the ring's lock
 * @closed: the ring has been deleted
 * @epoch: of the newest record; at first of the ring, which has none
 * @count: records there are, those up to @epoch
 * @space: record of epoch n: at n modulo its room
 * @wait: those who wait for the next record or the end
 *
 * Who follows a ring takes @lock for a few copies, and never the ring's lock.
 */
struct chring_log {
	spinlock_t lock;
	bool closed;
	u64 epoch;
	u32 count;
	struct chring_log_space space;
	wait_queue_head_t wait;
};

/**
 * chring_log_init() - an empty log, which holds no memory
 * @log: log
 * @epoch: of the ring
 */
void chring_log_init(struct chring_log *log, u64 epoch);

/**
 * chring_log_reserve() - make sure that one more record has room
 * @log: of a ring that is locked
 * @space: all 0; set if the log has to grow, to a copy with more room
 *
 * Changes nothing: @space is for chring_log_append(), and to be given to
 * chring_log_space_free() in any case.
 *
 * May sleep. Return: 0, -ENOMEM or -EDQUOT.
 */
int __must_check chring_log_reserve(const struct chring_log *log,
				    struct chring_log_space *space);

/**
 * chring_log_append() - the record of the next epoch
 * @log: of a ring that is locked
 * @space: from chring_log_reserve() since the last record
 * @change: copied
 *
 * Cannot fail. Wakes whoever waits.
 */
void chring_log_append(struct chring_log *log, struct chring_log_space *space,
		       const struct chring_change *change);

void chring_log_space_free(struct chring_log_space *space);

/**
 * chring_log_close() - there will be no more records
 * @log: of a ring that is locked and deleted
 *
 * Its memory goes at once. Wakes whoever waits.
 */
void chring_log_close(struct chring_log *log);

/**
 * chring_log_read() - the records after an epoch
 * @log: log
 * @after: that epoch, not before that of chring_log_init(); becomes a later one
 *	if records in between are not there any more
 * @change: filled in with the records of @after + 1 and so on
 * @room: records that fit
 *
 * Any context that is no interrupt.
 *
 * Return: records given, or -ENODEV: the log is closed.
 */
int chring_log_read(struct chring_log *log, u64 *after,
		    struct chring_change *change, u32 room);

/* Without the lock: as things are now. */
static inline u64 chring_log_epoch(const struct chring_log *log)
{
	return READ_ONCE(log->epoch);
}

static inline bool chring_log_closed(const struct chring_log *log)
{
	return READ_ONCE(log->closed);
}

static inline size_t chring_log_bytes(const struct chring_log *log)
{
	return READ_ONCE(log->space.room) * sizeof(struct chring_change);
}

#endif /* CHRING_LOG_H */
