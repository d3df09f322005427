// SPDX-License-Identifier: GPL-2.0
#include "draft.h"
#include "status.h"
#include "tokens.h"
#include "trace.h"

/* Below this much, retired memory is left to the next grace period. */
#define RETIRED_FREELY	(4UL << 20)
#define PAUSE_EVERY	0x1000

static u32 tokens_of(const struct chring_node *node)
{
	return node ? node->tokens : 0;
}

int chring_draft_check_tokens(const struct chring_draft *d, u64 come, u64 go)
{
	u64 after = d->old->table->count + come - go;

	return come > go && after > chring_max_tokens() ? -ENOSPC : 0;
}

void chring_draft_begin(struct chring_draft *d, struct chring_ring *ring)
{
	*d = (struct chring_draft){
		.ring = ring,
		.old = chring_ring_locked_view(ring),
	};
	d->pinned = d->old->pinned;
}

/* Are there other nodes than before, or others in their place? */
static bool changes_nodes(const struct chring_draft *d)
{
	u32 i;

	for (i = 0; i < d->swaps; i++)
		if (d->swap[i].now != d->swap[i].was)
			return true;
	return false;
}

static int draft_roster(struct chring_draft *d)
{
	struct chring_roster *r;

	if (!changes_nodes(d)) {
		d->roster = chring_roster_get(d->old->roster);
		return 0;
	}
	r = chring_roster_change(d->old->roster, d->swap, d->swaps);
	if (IS_ERR(r))
		return PTR_ERR(r);
	d->roster = r;
	return 0;
}

/**
 * struct lot - some of a node's tokens
 * @slot: of the node
 * @all: its tokens
 * @but: but for these
 */
struct lot {
	u32 slot;
	struct chring_stand all;
	struct chring_stand but;
};

static struct chring_stand stand_of(const struct chring_node *node)
{
	return chring_node_tokens_stand(node ? node->sorted : NULL);
}

/* What comes with a node's change: a greater weight only adds tokens. */
static struct lot lot_of_change(const struct chring_swap *swap, bool come)
{
	return (struct lot){
		.slot = swap->slot,
		.all = stand_of(come ? swap->now : swap->was),
		.but = stand_of(come ? swap->was : swap->now),
	};
}

static u32 lot_count(const struct lot *lot)
{
	return lot->all.count - min(lot->all.count, lot->but.count);
}

/* The i-th lot of tokens that come, or go, in the order of names. */
static struct lot draft_lot(const struct chring_draft *d, bool come, u32 i)
{
	const struct chring_roster *r = d->roster;

	if (!d->rebuild)
		return lot_of_change(&d->swap[i], come);
	return (struct lot){
		.slot = r->order[i],
		.all = stand_of(come ? r->node[r->order[i]] : NULL),
	};
}

static u32 draft_lots(const struct chring_draft *d)
{
	return d->rebuild ? d->roster->count : d->swaps;
}

static int fill_lot(const struct lot *lot, struct chring_run *run, u32 at)
{
	struct chring_run part = { .count = lot_count(lot) };
	int ret;

	/* There may be no run at all then. */
	if (!part.count)
		return 0;
	part.token = run->token + at;
	part.owner = run->owner + at;
	ret = chring_stand_except(&lot->all, &lot->but, part.token);
	return ret ? ret : chring_run_own(&part, lot->slot);
}

/* All tokens that come, or all that go, sorted: those of one node are. */
static int draft_run(const struct chring_draft *d, bool come,
		     struct chring_run *run)
{
	u32 lots = draft_lots(d), count = 0, at = 0, i;
	struct lot lot;
	int ret;

	for (i = 0; i < lots; i++) {
		lot = draft_lot(d, come, i);
		count += lot_count(&lot);
	}
	ret = chring_run_alloc(run, count);
	for (i = 0; !ret && i < lots; i++) {
		u32 n;

		lot = draft_lot(d, come, i);
		n = lot_count(&lot);
		ret = fill_lot(&lot, run, at);
		/* A lot alone may be too short to pause in. */
		if (!ret && (at ^ (at + n)) / PAUSE_EVERY)
			ret = chring_pause();
		at += n;
	}
	return ret ? ret : chring_run_sort(run);
}

/*
 * By slot: the place of the node in the order of names, of all that were there
 * and all that will be. A slot has one node of both, but for a rebuild, which
 * knows nothing of those before.
 */
static int fill_ranks(const struct chring_draft *d, u16 *rank)
{
	const struct chring_roster *old = d->old->roster, *now = d->roster;
	u32 i = d->rebuild ? old->count : 0, k = 0, n = 0;

	while (i < old->count || k < now->count) {
		int cmp = i == old->count ? 1 : k == now->count ? -1 :
			  chring_node_cmp(old->node[old->order[i]],
					  now->node[now->order[k]]);

		if (cmp <= 0)
			rank[old->order[i++]] = n;
		if (cmp >= 0)
			rank[now->order[k++]] = n;
		if (++n % PAUSE_EVERY == 0 && chring_pause())
			return -EINTR;
	}
	return 0;
}

static struct chring_table *merge_runs(const struct chring_draft *d,
				       const struct chring_run *add,
				       const struct chring_run *del)
{
	size_t bytes = max(d->old->roster->slots, d->roster->slots) *
		       sizeof(u16);
	struct chring_table *t;
	u16 *rank;
	int ret;

	rank = chring_alloc(bytes);
	if (IS_ERR(rank))
		return ERR_CAST(rank);
	ret = fill_ranks(d, rank);
	t = ret ? ERR_PTR(ret) :
	    chring_table_merge(d->rebuild ? NULL : d->old->table, add, del,
			       rank);
	chring_free(rank, bytes);
	return t;
}

static bool changes_tokens(const struct chring_draft *d)
{
	u32 i;

	for (i = 0; i < d->swaps; i++)
		if (tokens_of(d->swap[i].was) != tokens_of(d->swap[i].now))
			return true;
	/* Not even where a slot has another node: it had no tokens, nor has. */
	return false;
}

static int draft_table(struct chring_draft *d)
{
	struct chring_run add = {}, del = {};
	struct chring_shared_table *s;
	int ret;

	if (!changes_tokens(d)) {
		d->shared = chring_shared_table_get(d->old->shared);
		return 0;
	}
	ret = draft_run(d, true, &add);
	if (!ret)
		ret = draft_run(d, false, &del);
	if (!ret) {
		s = chring_shared_table_wrap(merge_runs(d, &add, &del));
		if (IS_ERR(s))
			ret = PTR_ERR(s);
		else
			d->shared = s;
	}
	chring_run_free(&add);
	chring_run_free(&del);
	/* A token is not where it must be: do not make it worse. */
	return WARN_ON_ONCE(ret == -EUCLEAN) ? -EIO : ret;
}

/* Those who go first: who comes may have the slot of one of them. */
static void set_states(struct chring_draft *d)
{
	const struct chring_view *old = d->old;
	size_t bytes = DIV_ROUND_UP(old->roster->slots, BITS_PER_LONG) *
		       sizeof(long);
	u32 i;

	memcpy(d->view->out, old->out, bytes);
	memcpy(d->view->down, old->down, bytes);
	for (i = 0; i < d->swaps; i++)
		if (!d->swap[i].now)
			chring_view_set_state(d->view, d->swap[i].slot,
					      CHRING_STATE_UP);
	for (i = 0; i < d->swaps; i++)
		if (d->swap[i].now)
			chring_view_set_state(d->view, d->swap[i].slot,
					      d->swap[i].state);
}

static int draft_view(struct chring_draft *d, const struct chring_request *rq)
{
	const struct chring_view *old = d->old;
	struct chring_former former = old->former;
	const unsigned long *gone = old->former.out;
	struct chring_view *v;

	/* A pin holds those of the moment in which it is set. */
	if (!old->pinned && (d->pinned || d->shared != old->shared)) {
		former = (struct chring_former){
			.shared = old->shared,
			.roster = old->roster,
			.epoch = old->epoch,
		};
		gone = old->down;
	}
	v = chring_view_alloc(d->ring, d->shared, d->roster, &former);
	if (IS_ERR(v))
		return PTR_ERR(v);
	d->view = v;
	set_states(d);
	v->pinned = d->pinned;
	v->epoch = old->epoch + 1;
	v->table_epoch = d->shared == old->shared ? old->table_epoch :
						    v->epoch;
	v->nodes_epoch = d->roster == old->roster ? old->nodes_epoch :
						    v->epoch;
	v->generation = rq->generation ? : old->generation;
	return chring_view_finish(v, gone);
}

/*
 * The writer pays, the reader never: who changes a ring faster than grace
 * periods pass waits for one, as soon as more than a table and RETIRED_FREELY
 * would wait to be freed. A retired view that a sleeping reader holds is
 * waited for as well: it has no new holders, and those it has let go soon.
 */
static bool room_for(const struct chring_ring *ring, size_t retires)
{
	size_t waiting = atomic_long_read(&ring->retired_bytes);

	return !waiting || waiting + retires <= RETIRED_FREELY;
}

static int wait_for_room(struct chring_draft *d)
{
	d->retires = chring_view_retires(d->old, d->view);
	while (!room_for(d->ring, d->retires)) {
		chring_retire_wait();
		if (chring_pause())
			return -EINTR;
	}
	return 0;
}

/*
 * What is ordered against what. A writer holds the ring's lock from the first
 * look at the old view to the end of publish(); all of this is between it and
 * readers, who hold nothing but rcu_read_lock().
 *
 * 1. A view is whole before it can be seen. Everything of it, its table,
 *    roster and nodes is written before the release in rcu_assign_pointer(), and
 *    read through the address that rcu_dereference() gave: the dependency is the
 *    other half. Nothing that a reader looks at is written after that; what is,
 *    are the counts of references, @retires (4), and @retired, by whoever gives
 *    up the last reference.
 * 2. A view is freed after its last reader. The store that takes it out of
 *    ring->view comes before chring_view_put(), and that before the grace
 *    period of chring_retire(): every read section that could load the old
 *    pointer began before the grace period did, which waits for its
 *    rcu_read_unlock(). If the last reference is a sleeping reader's, on another
 *    processor, the count (4) orders the store before its grace period too.
 * 3. A reader that sleeps takes a reference, by refcount_inc_not_zero() in a
 *    read section, where 2 keeps the view's memory. It finds either a count
 *    above 0, the writer's reference or another sleeper's, and then the last of
 *    them frees; or 0, and then ring->view has been replaced: it looks again.
 *    That needs no order: to see the old pointer once more costs another round.
 * 4. @retires is written before the writer gives up its reference. Whoever
 *    gives up the last one reads it: refcount_dec_and_test() is a release for
 *    all and an acquire for the last.
 * 5. retired_bytes grows before the old view can be let go, and shrinks as its
 *    memory is freed. It only grows under the lock, so that a writer who reads
 *    it without order (room_for()) may see too much of it, never too little.
 * 6. A table, a roster, a node or its tokens may be shared by views. Each of
 *    these has a reference of its own, from before it is published to after its
 *    own grace period: so the last reference goes when no reader of any of them
 *    is left.
 * 7. A record is in the log after the pointer store: no record tells of an
 *    epoch that cannot be asked yet. Whoever has read it, under the log's lock,
 *    and then loads ring->view sees that epoch or a later one.
 * 8. Loads are not of the view, and belong to it all the same: who counts one
 *    holds their lock, under which the pointer is stored and the tickets of
 *    nodes that come into service or leave it are added up anew. A view loaded
 *    under that lock cannot be replaced before it is given up: no read section
 *    is needed.
 * 9. A ring that is deleted keeps its view for as long as kernel code holds it;
 *    to close it then is 2 with NULL as the successor. A program's reader finds
 *    @deleted or NULL, and says ENODEV; or a view that is valid until it unlocks.
 *    To load a view after a look at @deleted that was too early is no harm: that
 *    is an answer from before the deletion, or NULL. @deleted is stored under the
 *    lock of 8, so that who counts loads knows; and for everyone else before the
 *    command that deletes has ended.
 * 10. The status pages are read without RCU, by programs that have them mapped:
 *    see status.c, for both sides. They are written around the pointer store,
 *    under the lock of 8, which is where a program's first mapping finds the
 *    view that it begins with.
 * 11. Kernel code is told of an epoch by its writer, after 7, with the ring's lock
 *    held: so of one epoch after the other, and while it is told nothing newer can
 *    be asked.
 */
static void publish(struct chring_draft *d)
{
	struct chring_view *old = chring_ring_locked_view(d->ring);
	struct chring_loads *loads = &d->ring->loads;
	u32 i;

	old->retires = d->retires;
	atomic_long_add(old->retires, &d->ring->retired_bytes);
	spin_lock_bh(&loads->lock);
	chring_status_begin(d->ring->status);
	rcu_assign_pointer(d->ring->view, d->view);
	chring_status_end(d->ring->status, d->view);
	chring_loads_grow(loads, &d->room);
	for (i = 0; i < d->swaps; i++)
		chring_loads_follow(loads, old, d->view, d->swap[i].slot);
	spin_unlock_bh(&loads->lock);
	d->view = NULL;
	chring_view_put(old);
}

void chring_draft_drop(struct chring_draft *d)
{
	chring_view_discard(d->view);
	chring_shared_table_put(d->shared);
	chring_roster_put(d->roster);
	chring_loads_room_free(&d->room);
	chring_log_space_free(&d->space);
}

static int draft_make(struct chring_draft *d, const struct chring_request *rq)
{
	int ret = draft_roster(d);

	if (!ret)
		ret = draft_table(d);
	return ret ? ret : draft_view(d, rq);
}

/* What the log will say of it. */
static struct chring_change draft_change(const struct chring_draft *d)
{
	struct chring_change change = {
		.generation = d->view->generation,
		.digest = d->view->digest,
		.time = chring_now(),
		.tokens = d->view->table->count,
		.nodes = d->view->nodes,
		.live = d->view->live,
	};
	u32 i;

	if (d->shared != d->old->shared)
		change.flags |= CHRING_EVENT_TOKENS;
	if (d->pinned)
		change.flags |= CHRING_EVENT_PINNED;
	for (i = 0; i < d->swaps; i++) {
		const struct chring_swap *swap = &d->swap[i];

		chring_change_count(&change, swap->was, swap->was ?
				    chring_view_state(d->old, swap->slot) : 0,
				    swap->now, swap->state);
		/* It is answered already: nothing can end it now. */
		if (i % PAUSE_EVERY == PAUSE_EVERY - 1)
			chring_pause();
	}
	return change;
}

/* What would move, were this published. */
static int draft_moves(const struct chring_draft *d, struct chring_moves *m)
{
	const struct chring_roster *was = d->old->roster, *now = d->roster;
	u64 *was_id = chring_roster_ids(was), *now_id = chring_roster_ids(now);
	int ret = 0;

	if (IS_ERR(was_id))
		ret = PTR_ERR(was_id);
	else if (IS_ERR(now_id))
		ret = PTR_ERR(now_id);
	if (!ret) {
		const struct chring_side before = {
			.circle = chring_view_circle(d->old),
			.id = was_id,
		};
		const struct chring_side after = {
			.circle = chring_view_circle(d->view),
			.id = now_id,
		};

		ret = chring_moves_build(m, &before, &after,
					 d->ring->config.bits);
	}
	chring_roster_ids_free(was, was_id);
	chring_roster_ids_free(now, now_id);
	return ret;
}

static int answer_dry_run(struct chring_draft *d, struct chring_request *rq)
{
	int ret = draft_moves(d, &rq->moves);

	if (!ret && rq->answer)
		ret = rq->answer(rq);
	chring_moves_free(&rq->moves);
	return ret;
}

/* What publishing must not lack: room beside the view. */
static int draft_reserve(struct chring_draft *d)
{
	int ret = chring_loads_room(&d->ring->loads, d->roster->slots,
				    &d->room);

	return ret ? ret : chring_log_reserve(&d->ring->log, &d->space);
}

static void draft_publish(struct chring_draft *d)
{
	struct chring_change change = draft_change(d);

	publish(d);
	chring_log_append(&d->ring->log, &d->space, &change);
	trace_chring_commit(chring_ring_locked_view(d->ring), &change);
	chring_notices_tell(d->ring, CHRING_CHANGED, &change);
}

int chring_draft_commit(struct chring_draft *d, struct chring_request *rq)
{
	int ret;

	lockdep_assert_held(&d->ring->lock);
	ret = draft_make(d, rq);
	if (ret)
		return ret;
	rq->facts = chring_view_facts(d->view);
	if (rq->dry_run)
		return answer_dry_run(d, rq);
	ret = draft_reserve(d);
	if (!ret)
		ret = wait_for_room(d);
	if (!ret && rq->answer)
		ret = rq->answer(rq);
	if (!ret)
		draft_publish(d);
	return ret;
}
