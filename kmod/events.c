// SPDX-License-Identifier: GPL-2.0
/*
 * Records go from the log to a few on the stack, under the log's spinlock, and
 * from there to user memory, under the cursor's mutex: so those who share a
 * descriptor get different records, each in order. Nobody holds the mutex while
 * waiting for a record: who does not want to wait is not kept by one who does.
 */
#include <linux/uaccess.h>

#include "events.h"

/* Records copied at once; 56 bytes each, on the stack. */
#define BATCH	8

/**
 * struct sink - the buffer of a reader
 * @cursor: of the descriptor, locked
 * @ring: id
 * @to: where the next record goes
 * @room: bytes left there
 */
struct sink {
	struct chring_cursor *cursor;
	u64 ring;
	char __user *to;
	size_t room;
};

void chring_cursor_init(struct chring_cursor *cursor)
{
	mutex_init(&cursor->lock);
}

void chring_cursor_start(struct chring_cursor *cursor,
			 const struct chring_ring *ring)
{
	WRITE_ONCE(cursor->epoch, chring_log_epoch(&ring->log));
}

static size_t records_fit(const struct sink *s)
{
	return s->room / sizeof(struct chring_event);
}

/* What has been written counts as read. */
static int put_event(struct sink *s, const struct chring_event *event)
{
	if (copy_to_user(s->to, event, sizeof(*event)))
		return -EFAULT;
	s->to += sizeof(*event);
	s->room -= sizeof(*event);
	WRITE_ONCE(s->cursor->epoch, event->epoch);
	return 0;
}

static int put_lost(struct sink *s, u64 epoch)
{
	u64 old = s->cursor->epoch;
	struct chring_event event = {
		.size = sizeof(event),
		.type = CHRING_EVENT_LOST,
		.ring = s->ring,
		.old_epoch = old,
		.epoch = epoch,
		.lost = epoch - old,
	};

	return put_event(s, &event);
}

static int put_change(struct sink *s, const struct chring_change *c)
{
	u64 old = s->cursor->epoch;
	struct chring_event event = {
		.size = sizeof(event),
		.type = CHRING_EVENT_CHANGE,
		.ring = s->ring,
		.old_epoch = old,
		.epoch = old + 1,
		.generation = c->generation,
		.digest = c->digest,
		.time = c->time,
		.tokens = c->tokens,
		.nodes = c->nodes,
		.live = c->live,
		.added = c->added,
		.removed = c->removed,
		.changed = c->changed,
		.flipped = c->flipped,
		.flags = c->flags,
	};

	return put_event(s, &event);
}

/* Return: records taken from the log, or an error. */
static int put_batch(struct sink *s, struct chring_log *log)
{
	struct chring_change change[BATCH];
	u64 after = s->cursor->epoch;
	int i, n, ret = 0;

	n = chring_log_read(log, &after, change,
			    min_t(size_t, records_fit(s), BATCH));
	if (n < 0)
		return n;
	if (after != s->cursor->epoch)
		ret = put_lost(s, after);
	for (i = 0; i < n && !ret && records_fit(s); i++)
		ret = put_change(s, &change[i]);
	return ret ? ret : n;
}

/* Return: bytes written, 0 if there is no record; or an error. */
static ssize_t read_now(struct chring_ring *ring, struct chring_cursor *cursor,
			char __user *to, size_t size)
{
	struct sink s = {
		.cursor = cursor,
		.ring = ring->id,
		.to = to,
		.room = size,
	};
	int ret;

	if (mutex_lock_interruptible(&cursor->lock))
		return -ERESTARTSYS;
	do {
		ret = put_batch(&s, &ring->log);
	} while (ret > 0 && records_fit(&s) && !chring_pause());
	mutex_unlock(&cursor->lock);
	if (s.room < size)
		return size - s.room;
	return ret;
}

static bool ready(const struct chring_ring *ring,
		  const struct chring_cursor *cursor)
{
	return chring_log_closed(&ring->log) ||
	       chring_log_epoch(&ring->log) > READ_ONCE(cursor->epoch);
}

ssize_t chring_events_read(struct chring_ring *ring,
			   struct chring_cursor *cursor, bool wait,
			   char __user *to, size_t size)
{
	ssize_t ret;

	if (size < sizeof(struct chring_event))
		return -EINVAL;
	/* What woke us may have been read by another one. */
	while (!(ret = read_now(ring, cursor, to, size))) {
		if (!wait)
			return -EAGAIN;
		if (wait_event_interruptible(ring->log.wait,
					     ready(ring, cursor)))
			return -ERESTARTSYS;
	}
	return ret;
}

__poll_t chring_events_poll(struct chring_ring *ring,
			    const struct chring_cursor *cursor,
			    struct file *file, poll_table *table)
{
	poll_wait(file, &ring->log.wait, table);
	/* Whoever comes after this look wakes the queue. */
	if (chring_log_closed(&ring->log))
		return EPOLLERR | EPOLLHUP;
	return ready(ring, cursor) ? EPOLLIN | EPOLLRDNORM : 0;
}
