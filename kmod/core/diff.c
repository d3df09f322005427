// SPDX-License-Identifier: GPL-2.0
#include "diff.h"

void chring_diff_begin(struct chring_diff *d, const struct chring_side *before,
		       const struct chring_side *after, u32 bits, u64 position)
{
	*d = (struct chring_diff){
		.before = { .id = before->id },
		.after = { .id = after->id },
		.from = position,
		.end = chring_last_position(bits),
	};
	chring_arcs_begin(&d->before.arcs, &before->circle, bits, position);
	chring_arcs_begin(&d->after.arcs, &after->circle, bits, position);
}

/* Whose are the positions from @d->from on? Return: 0 or -EAGAIN. */
static int side_know(struct chring_diff_side *s, u64 end, u32 *steps)
{
	struct chring_arc arc;
	int ret;

	if (s->known)
		return 0;
	ret = chring_arcs_next(&s->arcs, &arc, steps);
	if (ret < 0)
		return ret;
	s->owner = ret ? s->id[arc.slot] : 0;
	s->last = ret ? arc.last : end;
	s->known = true;
	return 0;
}

/*
 * Two pieces of the same pair are never neighbours: between them an arc ends on
 * one side at least, and the next arc there has another owner.
 */
int chring_diff_next(struct chring_diff *d, struct chring_moved *moved,
		     u32 *steps)
{
	while (!d->done) {
		int ret = side_know(&d->before, d->end, steps);

		if (!ret)
			ret = side_know(&d->after, d->end, steps);
		if (ret)
			return ret;
		*moved = (struct chring_moved){
			.first = d->from,
			.last = min(d->before.last, d->after.last),
			.from = d->before.owner,
			.to = d->after.owner,
		};
		d->before.known = d->before.last != moved->last;
		d->after.known = d->after.last != moved->last;
		d->from = moved->last + 1;
		d->done = moved->last == d->end;
		if (moved->from != moved->to)
			return 1;
	}
	return 0;
}
