// SPDX-License-Identifier: GPL-2.0
/*
 * Records are written by the writer of the ring alone, who holds the ring's
 * lock: so the writer reads them, and copies them to where there is more room,
 * without the spinlock, and takes that only to change what others see.
 */
#include "log.h"

static struct chring_change *record(const struct chring_log_space *space,
				    u64 epoch)
{
	return &space->change[epoch & (space->room - 1)];
}

static bool same_node(const struct chring_node *a, const struct chring_node *b)
{
	return a == b || (a->weight == b->weight && a->cookie == b->cookie &&
			  a->priv == b->priv && chring_node_same_zone(a, b));
}

void chring_change_count(struct chring_change *change,
			 const struct chring_node *was, u32 was_state,
			 const struct chring_node *now, u32 now_state)
{
	if (was && now) {
		change->changed += !same_node(was, now);
		change->flipped += was_state != now_state;
	} else {
		change->added += !was;
		change->removed += !now;
	}
}

void chring_log_init(struct chring_log *log, u64 epoch)
{
	spin_lock_init(&log->lock);
	init_waitqueue_head(&log->wait);
	log->epoch = epoch;
}

int chring_log_reserve(const struct chring_log *log,
		       struct chring_log_space *space)
{
	u32 room = log->space.room;
	u64 i;

	if (log->count < room || room == CHRING_LOG_MAX)
		return 0;
	room = room ? 2 * room : CHRING_LOG_MIN;
	space->change = chring_alloc(room * sizeof(*space->change));
	if (IS_ERR(space->change)) {
		int ret = PTR_ERR(space->change);

		space->change = NULL;
		return ret;
	}
	space->room = room;
	for (i = 0; i < log->count; i++)
		*record(space, log->epoch - i) =
			*record(&log->space, log->epoch - i);
	return 0;
}

static void swap_space(struct chring_log *log, struct chring_log_space *space)
{
	struct chring_log_space was = log->space;

	log->space.change = space->change;
	WRITE_ONCE(log->space.room, space->room);
	*space = was;
}

void chring_log_append(struct chring_log *log, struct chring_log_space *space,
		       const struct chring_change *change)
{
	spin_lock(&log->lock);
	if (space->change)
		swap_space(log, space);
	*record(&log->space, log->epoch + 1) = *change;
	log->count = min(log->count + 1, log->space.room);
	WRITE_ONCE(log->epoch, log->epoch + 1);
	spin_unlock(&log->lock);
	chring_wake(&log->wait);
}

void chring_log_space_free(struct chring_log_space *space)
{
	chring_free(space->change, space->room * sizeof(*space->change));
}

void chring_log_close(struct chring_log *log)
{
	struct chring_log_space space = {};

	spin_lock(&log->lock);
	WRITE_ONCE(log->closed, true);
	log->count = 0;
	swap_space(log, &space);
	spin_unlock(&log->lock);
	chring_log_space_free(&space);
	chring_wake(&log->wait);
}

int chring_log_read(struct chring_log *log, u64 *after,
		    struct chring_change *change, u32 room)
{
	bool closed;
	u32 i, n = 0;

	spin_lock(&log->lock);
	closed = log->closed;
	if (!closed) {
		*after = max(*after, log->epoch - log->count);
		n = min_t(u64, log->epoch - *after, room);
		for (i = 0; i < n; i++)
			change[i] = *record(&log->space, *after + 1 + i);
	}
	spin_unlock(&log->lock);
	return closed ? -ENODEV : (int)n;
}
