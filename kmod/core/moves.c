// SPDX-License-Identifier: GPL-2.0
#include "hash.h"
#include "moves.h"

#define ROOM_FIRST	64
/* Tokens between two pauses. */
#define STEPS_AT_ONCE	0x10000U

static size_t moves_bytes(u32 room)
{
	return room * (sizeof(struct chring_move) + 2 * sizeof(u32));
}

void chring_moves_free(struct chring_moves *m)
{
	if (m->room)
		chring_free(m->move, moves_bytes(m->room));
	*m = (struct chring_moves){};
}

/* Where the index has a pair, or has room for it. */
static u32 *index_find(const struct chring_moves *m, u64 from, u64 to)
{
	u32 mask = 2 * m->room - 1;
	u32 at = chring_fmix64(from ^ chring_fmix64(to)) & mask;

	for (; m->index[at]; at = (at + 1) & mask) {
		const struct chring_move *move = &m->move[m->index[at] - 1];

		if (move->from == from && move->to == to)
			break;
	}
	return &m->index[at];
}

static int moves_grow(struct chring_moves *m)
{
	struct chring_moves more = *m;
	u32 i;

	more.room = m->room ? 2 * m->room : ROOM_FIRST;
	more.move = chring_alloc(moves_bytes(more.room));
	if (IS_ERR(more.move))
		return PTR_ERR(more.move);
	more.index = (u32 *)(more.move + more.room);
	for (i = 0; i < m->count; i++) {
		more.move[i] = m->move[i];
		*index_find(&more, m->move[i].from, m->move[i].to) = i + 1;
		if (i % STEPS_AT_ONCE == STEPS_AT_ONCE - 1 && chring_pause()) {
			chring_free(more.move, moves_bytes(more.room));
			return -EINTR;
		}
	}
	chring_moves_free(m);
	*m = more;
	return 0;
}

static int moves_add(struct chring_moves *m, const struct chring_moved *moved)
{
	int ret = m->count == m->room ? moves_grow(m) : 0;
	u32 *index;

	if (ret)
		return ret;
	index = index_find(m, moved->from, moved->to);
	if (!*index) {
		m->move[m->count] = (struct chring_move){
			.from = moved->from,
			.to = moved->to,
		};
		*index = ++m->count;
	}
	chring_share_add_arc(&m->move[*index - 1].share, moved->first,
			     moved->last);
	chring_share_add_arc(&m->moved, moved->first, moved->last);
	return 0;
}

int chring_moves_build(struct chring_moves *m, const struct chring_side *before,
		       const struct chring_side *after, u32 bits)
{
	u32 steps = STEPS_AT_ONCE;
	struct chring_moved moved;
	struct chring_diff d;
	int ret;

	*m = (struct chring_moves){};
	chring_diff_begin(&d, before, after, bits, 0);
	do {
		ret = chring_diff_next(&d, &moved, &steps);
		if (ret > 0) {
			ret = moves_add(m, &moved) ? : 1;
		} else if (ret == -EAGAIN) {
			steps = STEPS_AT_ONCE;
			ret = chring_pause() ? : 1;
		}
	} while (ret > 0);
	return ret;
}
