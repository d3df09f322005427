// SPDX-License-Identifier: GPL-2.0
/*
 * The commands that list what is on the circle, page by page: arcs, what has
 * moved, tokens.
 *
 * A page is made in chunks. For each a view is held, and user memory is not
 * touched; then it is let go, and the chunk copied out. So nobody can keep the
 * memory of a ring by being slow, and the next chunk begins where this one
 * ended, as the next page does.
 */
#include "budget.h"
#include "chardev.h"
#include "core/arcs.h"
#include "core/diff.h"
#include "listing.h"

#define CHUNK_ENTRIES	512U
/* Tokens between two pauses. */
#define STEPS_AT_ONCE	0x4000U

/**
 * struct page_of - a page that is being made
 * @call: command
 * @arg: its argument
 * @cursor: where to go on
 * @more: there is something there
 * @entry: chunk, of entries as the list has them
 * @room: entries that fit into it
 * @done: entries copied out so far
 * @id: DIFF: ids by slot, of the former nodes and behind them of those of now;
 *	NULL until the first chunk needs them
 */
struct page_of {
	const struct chring_call *call;
	struct chring_circle_list *arg;
	u64 cursor;
	bool more;
	void *entry;
	u32 room;
	u32 done;
	u64 *id;
};

/**
 * struct list - one of the lists
 * @size: of an entry
 * @min: of its first version
 * @flags: that are known
 * @of_node: it can be asked for one node alone
 * @fill: makes up to @n entries from @p->cursor on and sets @p->cursor and
 *	@p->more. With the view held. Return: how many, or an error
 */
struct list {
	u32 size;
	u32 min;
	u32 flags;
	bool of_node;
	int (*fill)(struct page_of *p, const struct chring_view *v, u32 n);
};

static int check_position(const struct page_of *p)
{
	u32 bits = p->call->ring->config.bits;

	return p->cursor > chring_last_position(bits) ? -ERANGE : 0;
}

static void put_range(struct chring_range *range, const struct chring_arc *arc,
		      const struct chring_roster *r)
{
	struct chring_share share = {};

	chring_share_add_arc(&share, arc->first, arc->last);
	*range = (struct chring_range){
		.first = arc->first,
		.last = arc->last,
		.node = r->node[arc->slot]->id,
		.share_lo = share.lo,
		.share_hi = share.hi,
	};
}

/* Whose arcs are wanted: the owners of now or the former ones? */
static int choose_side(struct page_of *p, const struct chring_view *v,
		       struct chring_circle *circle,
		       const struct chring_roster **roster)
{
	*circle = chring_view_circle(v);
	*roster = v->roster;
	if (!(p->arg->flags & CHRING_RANGES_PREVIOUS))
		return 0;
	if (!v->former.shared)
		return -ENODATA;
	*circle = chring_view_former_circle(v);
	*roster = v->former.roster;
	p->arg->out_former_epoch = v->former.epoch;
	return 0;
}

/**
 * struct hold - how long a view has been held for a chunk
 * @start: the cursor at first
 * @steps: tokens that may be looked at before the next pause
 * @tired: there has been one: let the view go when there is something to go on
 *	from
 */
struct hold {
	u64 start;
	u32 steps;
	bool tired;
};

/* After -EAGAIN of a walk. Return: -EAGAIN to go on, or -EINTR. */
static int rest(struct hold *h)
{
	h->steps = STEPS_AT_ONCE;
	h->tired = true;
	return chring_pause() ? : -EAGAIN;
}

/* Is the chunk to end before what begins at @first? */
static bool ends_before(const struct hold *h, u64 first)
{
	return h->tired && first > h->start;
}

static int next_range(struct chring_arcs *walk, struct chring_arc *arc,
		      struct hold *h)
{
	int ret;

	do {
		ret = chring_arcs_next(walk, arc, &h->steps);
		if (ret == -EAGAIN)
			ret = rest(h);
	} while (ret == -EAGAIN);
	return ret;
}

static int fill_ranges(struct page_of *p, const struct chring_view *v, u32 n)
{
	struct chring_range *range = p->entry;
	const struct chring_roster *roster;
	struct hold h = { p->cursor, STEPS_AT_ONCE };
	struct chring_circle circle;
	struct chring_arcs walk;
	struct chring_arc arc;
	int of = -1, ret;
	u32 got = 0;

	ret = check_position(p);
	if (!ret)
		ret = choose_side(p, v, &circle, &roster);
	if (!ret && p->arg->node)
		ret = of = chring_roster_find_id(roster, p->arg->node);
	if (ret < 0)
		return ret;
	chring_arcs_begin(&walk, &circle, p->call->ring->config.bits,
			  p->cursor);
	for (;;) {
		ret = next_range(&walk, &arc, &h);
		if (ret < 0)
			return ret;
		p->more = ret;
		p->cursor = ret ? arc.first : 0;
		if (!ret || got == n || ends_before(&h, arc.first))
			return got;
		if (of < 0 || arc.slot == of)
			put_range(&range[got++], &arc, roster);
	}
}

/* Once a page: it is of one epoch, and so of the same two rosters. */
static int get_ids(struct page_of *p, const struct chring_view *v)
{
	u32 had = v->former.roster->slots;
	size_t bytes = ((size_t)had + v->roster->slots + 1) * sizeof(u64);
	u64 *id;

	if (p->id)
		return 0;
	id = chring_buffer_alloc(bytes);
	if (IS_ERR(id))
		return PTR_ERR(id);
	chring_roster_put_ids(v->former.roster, id);
	chring_roster_put_ids(v->roster, id + had);
	p->id = id;
	return 0;
}

static int begin_diff(struct page_of *p, const struct chring_view *v,
		      struct chring_diff *walk)
{
	struct chring_side before, after;
	int ret = check_position(p);

	if (!ret && !v->former.shared)
		ret = -ENODATA;
	if (!ret)
		ret = get_ids(p, v);
	if (ret)
		return ret;
	p->arg->out_former_epoch = v->former.epoch;
	before.circle = chring_view_former_circle(v);
	before.id = p->id;
	after.circle = chring_view_circle(v);
	after.id = p->id + v->former.roster->slots;
	chring_diff_begin(walk, &before, &after, p->call->ring->config.bits,
			  p->cursor);
	return 0;
}

/*
 * Where nothing has moved there is nothing to stop before, however long that
 * is: the chunk ends with what has been compared.
 */
static int next_moved(struct chring_diff *walk, struct chring_moved *moved,
		      struct hold *h)
{
	int ret;

	do {
		ret = chring_diff_next(walk, moved, &h->steps);
		if (ret == -EAGAIN)
			ret = rest(h);
	} while (ret == -EAGAIN && walk->from == h->start);
	return ret;
}

static int fill_diff(struct page_of *p, const struct chring_view *v, u32 n)
{
	struct hold h = { p->cursor, STEPS_AT_ONCE };
	struct chring_diff_entry *entry = p->entry;
	struct chring_moved moved;
	struct chring_diff walk;
	u32 got;
	int ret;

	ret = begin_diff(p, v, &walk);
	if (ret)
		return ret;
	for (got = 0; ; got++) {
		ret = next_moved(&walk, &moved, &h);
		if (ret < 0 && ret != -EAGAIN)
			return ret;
		p->more = ret;
		p->cursor = ret > 0 ? moved.first : ret ? walk.from : 0;
		if (ret <= 0 || got == n || ends_before(&h, moved.first))
			return got;
		entry[got] = (struct chring_diff_entry){
			.first = moved.first,
			.last = moved.last,
			.from = moved.from,
			.to = moved.to,
		};
	}
}

static int fill_tokens(struct page_of *p, const struct chring_view *v, u32 n)
{
	u64 next;

	if (p->cursor > v->table->count)
		return -ERANGE;
	n = chring_list_tokens(v, p->cursor, p->entry, n);
	next = p->cursor + n;
	p->more = next < v->table->count;
	p->cursor = p->more ? next : 0;
	return n;
}

/* Is the ring still at the epoch of the first chunk? */
static int check_epoch(struct page_of *p, const struct chring_view *v)
{
	struct chring_circle_list *arg = p->arg;

	if (arg->out_epoch)
		return arg->out_epoch == v->epoch ? 0 : -ESTALE;
	arg->out_ring = v->ring->id;
	arg->out_epoch = v->epoch;
	return arg->epoch && arg->epoch != v->epoch ? -ESTALE : 0;
}

static int fill_chunk(struct page_of *p, const struct list *list)
{
	struct chring_view *v = chring_ring_view_get(p->call->ring);
	int ret;

	if (!v)
		return -ENODEV;
	ret = check_epoch(p, v);
	if (!ret)
		ret = list->fill(p, v, min(p->room, p->arg->count - p->done));
	chring_view_put(v);
	return ret;
}

static int fill_page(struct page_of *p, const struct list *list)
{
	const struct chring_circle_list *arg = p->arg;

	do {
		int n = fill_chunk(p, list), ret;

		/* What was given holds; what comes next is refused. */
		if (n == -ESTALE && p->done)
			break;
		if (n < 0)
			return n;
		ret = chring_put_entries(arg->entries +
					 (u64)p->done * arg->entry_size,
					 arg->entry_size, p->entry,
					 list->size, n);
		if (!ret)
			ret = chring_pause();
		if (ret)
			return ret;
		p->done += n;
	} while (p->more && p->done < arg->count);
	return 0;
}

static int check_list(const struct chring_call *call, const struct list *list)
{
	const struct chring_circle_list *arg = &call->arg->circle_list;

	if (arg->flags & ~list->flags || (arg->node && !list->of_node) ||
	    (arg->cursor && !arg->epoch))
		return -EINVAL;
	if (!chring_call_sees_tokens(call))
		return -EBADF;
	if (!arg->count)
		return -ERANGE;
	return chring_check_entry(arg->entry_size, list->min);
}

static int run_list(struct chring_call *call, const struct list *list)
{
	struct chring_circle_list *arg = &call->arg->circle_list;
	struct page_of p = {
		.call = call,
		.arg = arg,
		.cursor = arg->cursor,
		.room = min(CHUNK_ENTRIES, arg->count),
	};
	int ret;

	ret = check_list(call, list);
	if (ret)
		return ret;
	p.entry = chring_buffer_alloc(p.room * list->size);
	if (IS_ERR(p.entry))
		return PTR_ERR(p.entry);
	ret = fill_page(&p, list);
	chring_buffer_free(p.id);
	chring_buffer_free(p.entry);
	if (ret)
		return ret;
	arg->out_count = p.done;
	arg->out_more = p.more;
	arg->out_cursor = p.cursor;
	return 0;
}

int chring_cmd_ranges(struct chring_call *call)
{
	static const struct list ranges = {
		.size = sizeof(struct chring_range),
		.min = offsetofend(struct chring_range, share_hi),
		.flags = CHRING_RANGES_PREVIOUS,
		.of_node = true,
		.fill = fill_ranges,
	};

	return run_list(call, &ranges);
}

int chring_cmd_diff(struct chring_call *call)
{
	static const struct list diff = {
		.size = sizeof(struct chring_diff_entry),
		.min = offsetofend(struct chring_diff_entry, to),
		.fill = fill_diff,
	};

	return run_list(call, &diff);
}

int chring_cmd_tokens(struct chring_call *call)
{
	static const struct list tokens = {
		.size = sizeof(struct chring_token),
		.min = offsetofend(struct chring_token, node),
		.fill = fill_tokens,
	};

	return run_list(call, &tokens);
}
