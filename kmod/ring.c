// SPDX-License-Identifier: GPL-2.0
/*
 * A change is made aside, in a draft: first the nodes, then the table if
 * tokens come or go, then a view of both. Nothing of it can be seen until it
 * is published by one pointer store; what fails before leaves no trace.
 */
#include "ring.h"
#include "core/digest.h"
#include "core/points.h"

/* Below this much, retired memory is left to the next grace period. */
#define RETIRED_FREELY	(4UL << 20)

static atomic64_t last_id = ATOMIC64_INIT(0);

u64 chring_next_id(void)
{
	return atomic64_inc_return(&last_id);
}

/**
 * struct draft - a change in the making
 * @ring: whose, locked
 * @old: its view before
 * @slot: of the node that changes
 * @was: the node before, NULL: it comes; not a reference
 * @was_state: its state before
 * @now: the node after, NULL: it goes; a reference of its own
 * @now_state: its state after
 * @roster: nodes after, a reference
 * @shared: table after, a reference
 * @view: view after, a reference
 * @room: for the loads of @roster, if they need more
 */
struct draft {
	struct chring_ring *ring;
	const struct chring_view *old;
	u32 slot;
	const struct chring_node *was;
	u32 was_state;
	struct chring_node *now;
	u32 now_state;
	struct chring_roster *roster;
	struct chring_shared_table *shared;
	struct chring_view *view;
	struct chring_loads_room room;
};

static struct chring_view *locked_view(struct chring_ring *ring)
{
	return rcu_dereference_protected(ring->view,
					 lockdep_is_held(&ring->lock));
}

int chring_ring_lock(struct chring_ring *ring)
{
	int ret = mutex_lock_killable(&ring->lock);

	if (ret)
		return ret;
	if (!locked_view(ring)) {
		mutex_unlock(&ring->lock);
		return -ENODEV;
	}
	return 0;
}

void chring_ring_unlock(struct chring_ring *ring)
{
	mutex_unlock(&ring->lock);
}

struct chring_view *chring_ring_view_get(struct chring_ring *ring)
{
	struct chring_view *v;

	rcu_read_lock();
	/* A view that loses its last reference here has a successor. */
	do {
		v = rcu_dereference(ring->view);
	} while (v && !refcount_inc_not_zero(&v->refs));
	rcu_read_unlock();
	return v;
}

struct chring_facts chring_view_facts(const struct chring_view *v)
{
	return (struct chring_facts){
		.ring = v->ring->id,
		.epoch = v->epoch,
		.generation = v->generation,
		.digest = v->digest,
	};
}

/* Counts and digest of a view whose nodes and states are set. */
static void view_finish(struct chring_view *v)
{
	const struct chring_roster *r = v->roster;
	struct chring_digest digest;
	u32 i;

	chring_digest_begin(&digest, &v->ring->config);
	for (i = 0; i < r->count; i++) {
		const struct chring_node *node = r->node[r->order[i]];
		u32 state = chring_view_state(v, r->order[i]);

		if (state == CHRING_STATE_UP && node->tokens) {
			v->live++;
			v->weight += node->weight;
		}
		chring_digest_node(&digest, node->digest_key, node->weight,
				   state);
	}
	v->digest = chring_digest_end(&digest);
}

/* The first view of a ring: no nodes, epoch 1. */
static struct chring_view *empty_view(struct chring_ring *ring)
{
	const struct chring_run none = {};
	struct chring_shared_table *shared;
	struct chring_roster *roster;
	struct chring_view *v;

	shared = chring_shared_table_wrap(chring_table_merge(NULL, &none, &none,
							     NULL), 0);
	if (IS_ERR(shared))
		return ERR_CAST(shared);
	roster = chring_roster_replace(NULL, 0, NULL);
	if (IS_ERR(roster)) {
		v = ERR_CAST(roster);
		goto put_shared;
	}
	v = chring_view_alloc(ring, shared, roster);
	if (!IS_ERR(v)) {
		v->epoch = 1;
		view_finish(v);
	}
	chring_roster_put(roster);
put_shared:
	chring_shared_table_put(shared);
	return v;
}

struct chring_ring *chring_ring_create(const char *name, u32 len,
				       const struct chring_config *config)
{
	struct chring_ring *ring = chring_alloc(sizeof(*ring));
	struct chring_view *v;

	if (IS_ERR(ring))
		return ring;
	ring->config = *config;
	ring->id = chring_next_id();
	memcpy(ring->name, name, len);
	ring->name_len = len;
	refcount_set(&ring->refs, 1);
	mutex_init(&ring->lock);
	chring_loads_init(&ring->loads);
	v = empty_view(ring);
	if (IS_ERR(v)) {
		chring_ring_put(ring);
		return ERR_CAST(v);
	}
	rcu_assign_pointer(ring->view, v);
	return ring;
}

static void ring_free(struct chring_retired *retired)
{
	struct chring_ring *ring = container_of(retired, struct chring_ring,
						retired);

	mutex_destroy(&ring->lock);
	chring_free(ring, sizeof(*ring));
}

/* After a grace period: the registry's readers may still look at it. */
void chring_ring_put(struct chring_ring *ring)
{
	if (refcount_dec_and_test(&ring->refs))
		chring_retire(&ring->retired, ring_free);
}

void chring_ring_close(struct chring_ring *ring)
{
	struct chring_view *old = locked_view(ring);
	struct chring_loads_room room;

	spin_lock_bh(&ring->loads.lock);
	rcu_assign_pointer(ring->view, NULL);
	chring_loads_empty(&ring->loads, &room);
	spin_unlock_bh(&ring->loads.lock);
	chring_loads_room_free(&room);
	chring_view_put(old);
}

void chring_ring_abandon(struct chring_ring *ring)
{
	mutex_lock(&ring->lock);
	chring_ring_close(ring);
	mutex_unlock(&ring->lock);
	chring_ring_put(ring);
}

static u32 tokens_of(const struct chring_node *node)
{
	return node ? node->tokens : 0;
}

/* Asked before anything is allocated: may the node that changes have so many? */
static int check_tokens(const struct draft *d, u32 tokens)
{
	u32 was = tokens_of(d->was);
	u64 after = (u64)d->old->table->count - was + tokens;

	return tokens > was && after > chring_max_tokens() ? -ENOSPC : 0;
}

static int draft_roster(struct draft *d)
{
	struct chring_roster *r;

	if (d->now == d->was) {
		d->roster = chring_roster_get(d->old->roster);
		return 0;
	}
	r = chring_roster_replace(d->old->roster, d->slot, d->now);
	if (IS_ERR(r))
		return PTR_ERR(r);
	d->roster = r;
	return 0;
}

/* The tokens from index @first to @end of the node that changes, sorted. */
static int node_run(const struct draft *d, u32 first, u32 end,
		    struct chring_run *run)
{
	const struct chring_node *node = d->now ? d->now : d->was;
	int ret;

	ret = chring_run_alloc(run, end - first);
	if (!ret)
		ret = chring_points_fill(&d->ring->config, node->name,
					 node->name_len, first, run->count,
					 run->token);
	if (!ret)
		ret = chring_run_own(run, d->slot);
	return ret ? ret : chring_run_sort(run);
}

static size_t rank_bytes(const struct chring_roster *r)
{
	return r->slots * sizeof(u16);
}

/* By slot: the place of the node in the order of names. */
static u16 *rank_alloc(const struct chring_roster *r)
{
	u16 *rank = chring_alloc(rank_bytes(r));
	u32 i;

	if (!IS_ERR(rank))
		for (i = 0; i < r->count; i++)
			rank[r->order[i]] = i;
	return rank;
}

static struct chring_table *merge_runs(const struct draft *d,
				       const struct chring_run *add,
				       const struct chring_run *del)
{
	/* Of the two, the roster in which every slot of the merge occurs. */
	const struct chring_roster *r = d->now ? d->roster : d->old->roster;
	u16 *rank = rank_alloc(r);
	struct chring_table *t;

	if (IS_ERR(rank))
		return ERR_CAST(rank);
	t = chring_table_merge(d->old->table, add, del, rank);
	chring_free(rank, rank_bytes(r));
	/* A table that lost a token of its own: do not make it worse. */
	if (WARN_ON_ONCE(t == ERR_PTR(-EUCLEAN)))
		return ERR_PTR(-EIO);
	return t;
}

static int draft_table(struct draft *d)
{
	u32 was = tokens_of(d->was), now = tokens_of(d->now);
	struct chring_run add = {}, del = {};
	int ret = 0;

	if (was == now) {
		d->shared = chring_shared_table_get(d->old->shared);
		return 0;
	}
	if (now > was)
		ret = node_run(d, was, now, &add);
	else
		ret = node_run(d, now, was, &del);
	if (!ret) {
		struct chring_shared_table *s;

		s = chring_shared_table_wrap(merge_runs(d, &add, &del),
					     d->roster->slots);
		if (IS_ERR(s))
			ret = PTR_ERR(s);
		else
			d->shared = s;
	}
	chring_run_free(&add);
	chring_run_free(&del);
	return ret;
}

static void copy_states(struct chring_view *to, const struct chring_view *from)
{
	u32 slots = min(to->roster->slots, from->roster->slots);
	size_t bytes = DIV_ROUND_UP(slots, BITS_PER_LONG) * sizeof(long);

	memcpy(to->out, from->out, bytes);
	memcpy(to->down, from->down, bytes);
}

static int draft_view(struct draft *d, const struct chring_request *rq)
{
	struct chring_view *v;

	v = chring_view_alloc(d->ring, d->shared, d->roster);
	if (IS_ERR(v))
		return PTR_ERR(v);
	copy_states(v, d->old);
	chring_view_set_state(v, d->slot, d->now_state);
	v->epoch = d->old->epoch + 1;
	v->generation = rq->generation ? : d->old->generation;
	view_finish(v);
	d->view = v;
	return 0;
}

/* What only the old view still needs: freed with it. */
static size_t draft_retires(const struct draft *d)
{
	size_t bytes = d->old->bytes;

	if (d->roster != d->old->roster)
		bytes += d->old->roster->bytes;
	if (d->shared != d->old->shared)
		bytes += chring_shared_table_bytes(d->old->shared);
	return bytes;
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

static int wait_for_room(struct chring_ring *ring, size_t retires)
{
	while (!room_for(ring, retires)) {
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
 * 6. A table, a roster or a node may be shared by views. Each of these has a
 *    reference of its own, from before it is published to after its own grace
 *    period: so the last reference goes when no reader of any of them is left.
 * 7. A ring that is deleted is 2 with NULL as the successor: a reader sees NULL
 *    and says ENODEV, or a view that is valid until it unlocks.
 * 8. Loads are not of the view, and belong to it all the same: who counts one
 *    holds their lock, under which the pointer is stored and the tickets of
 *    nodes that come into service or leave it are added up anew. A view loaded
 *    under that lock cannot be replaced before it is given up: no read section
 *    is needed.
 *
 * For words of state that others read without RCU (a mapped page): they are
 * written here, under the lock, after the pointer store, so that none of them
 * tells of an epoch that cannot be asked yet. The writer makes a sequence count
 * odd, then smp_wmb(), then the words, then smp_store_release() of the count
 * made even. A reader pairs with the release by an acquiring load of the count
 * before the words, and with smp_wmb() by smp_rmb() between the words and
 * its second look at the count: same and even, and the words are of one epoch.
 */
static void publish(struct draft *d)
{
	struct chring_view *old = locked_view(d->ring);

	old->retires = draft_retires(d);
	atomic_long_add(old->retires, &d->ring->retired_bytes);
	spin_lock_bh(&d->ring->loads.lock);
	rcu_assign_pointer(d->ring->view, d->view);
	chring_loads_grow(&d->ring->loads, &d->room);
	chring_loads_follow(&d->ring->loads, old, d->view, d->slot);
	spin_unlock_bh(&d->ring->loads.lock);
	d->view = NULL;
	chring_view_put(old);
}

static void draft_drop(struct draft *d)
{
	chring_view_discard(d->view);
	chring_shared_table_put(d->shared);
	chring_roster_put(d->roster);
	if (d->now != d->was)
		chring_node_put(d->now);
	chring_loads_room_free(&d->room);
}

static int draft_commit(struct draft *d, struct chring_request *rq)
{
	int ret;

	lockdep_assert_held(&d->ring->lock);
	ret = draft_roster(d);
	if (!ret)
		ret = chring_loads_room(&d->ring->loads, d->roster->slots,
					&d->room);
	if (!ret)
		ret = draft_table(d);
	if (!ret)
		ret = draft_view(d, rq);
	if (!ret)
		ret = wait_for_room(d->ring, draft_retires(d));
	if (ret)
		return ret;
	rq->facts = chring_view_facts(d->view);
	if (rq->answer) {
		ret = rq->answer(rq);
		if (ret)
			return ret;
	}
	publish(d);
	return 0;
}

/* Nothing to change: the answer is the ring as it is. */
static int no_change(struct chring_request *rq)
{
	return rq->answer ? rq->answer(rq) : 0;
}

static int check_request(const struct chring_view *old,
			 const struct chring_request *rq)
{
	if (rq->epoch && rq->epoch != old->epoch)
		return -ESTALE;
	if (rq->generation && rq->generation < old->generation)
		return -ERANGE;
	return 0;
}

static int find_node(const struct chring_view *v,
		     const struct chring_edit *edit)
{
	if (edit->node)
		return chring_roster_find_id(v->roster, edit->node);
	return chring_roster_find(v->roster, edit->name, edit->name_len);
}

static int node_add(struct draft *d, const struct chring_edit *edit,
		    struct chring_request *rq)
{
	u32 tokens = chring_points_count(&d->ring->config, edit->weight);
	struct chring_node *node;
	int slot, ret;

	if (chring_roster_find(d->old->roster, edit->name,
			       edit->name_len) >= 0)
		return -EEXIST;
	slot = chring_roster_free_slot(d->old->roster);
	if (slot < 0)
		return slot;
	ret = check_tokens(d, tokens);
	if (ret)
		return ret;
	node = chring_node_alloc(edit->name, edit->name_len, edit->zone,
				 edit->zone_len);
	if (IS_ERR(node))
		return PTR_ERR(node);
	node->id = chring_next_id();
	node->cookie = edit->cookie;
	node->weight = edit->weight;
	node->tokens = tokens;

	rq->node = node->id;
	d->slot = slot;
	d->now = node;
	d->now_state = edit->state;
	return draft_commit(d, rq);
}

static bool same_zone(const struct chring_node *node,
		      const struct chring_edit *edit)
{
	return node->zone_len == edit->zone_len &&
	       (!edit->zone_len || !memcmp(chring_node_zone(node), edit->zone,
					   edit->zone_len));
}

static bool node_differs(const struct chring_node *node,
			 const struct chring_edit *edit)
{
	return (edit->flags & CHRING_NODE_WEIGHT &&
		node->weight != edit->weight) ||
	       (edit->flags & CHRING_NODE_COOKIE &&
		node->cookie != edit->cookie) ||
	       (edit->flags & CHRING_NODE_ZONE && !same_zone(node, edit));
}

/* The node with its id, and what the edit names in place of what it had. */
static struct chring_node *node_edited(const struct draft *d,
				       const struct chring_edit *edit)
{
	const struct chring_node *was = d->was;
	bool zone = edit->flags & CHRING_NODE_ZONE;
	u32 weight = edit->flags & CHRING_NODE_WEIGHT ? edit->weight :
							was->weight;
	u32 tokens = chring_points_count(&d->ring->config, weight);
	struct chring_node *node;
	int ret;

	ret = check_tokens(d, tokens);
	if (ret)
		return ERR_PTR(ret);
	node = chring_node_alloc(was->name, was->name_len,
				 zone ? edit->zone : chring_node_zone(was),
				 zone ? edit->zone_len : was->zone_len);
	if (IS_ERR(node))
		return node;
	node->id = was->id;
	node->cookie = edit->flags & CHRING_NODE_COOKIE ? edit->cookie :
							  was->cookie;
	node->weight = weight;
	node->tokens = tokens;
	return node;
}

/* What the draft is about: the node as it is. */
static int draft_node(struct draft *d, const struct chring_edit *edit,
		      struct chring_request *rq)
{
	int slot = find_node(d->old, edit);

	if (slot < 0)
		return slot;
	d->slot = slot;
	d->was = d->old->roster->node[slot];
	d->was_state = chring_view_state(d->old, slot);
	rq->node = d->was->id;
	return 0;
}

static int node_set(struct draft *d, const struct chring_edit *edit,
		    struct chring_request *rq)
{
	int ret = draft_node(d, edit, rq);

	if (ret)
		return ret;
	d->now_state = edit->flags & CHRING_NODE_STATE ? edit->state :
							 d->was_state;
	d->now = d->old->roster->node[d->slot];
	if (node_differs(d->was, edit)) {
		struct chring_node *node = node_edited(d, edit);

		if (IS_ERR(node))
			return PTR_ERR(node);
		d->now = node;
	} else if (d->now_state == d->was_state &&
		   (!rq->generation ||
		    rq->generation == d->old->generation)) {
		return no_change(rq);
	}
	return draft_commit(d, rq);
}

static int node_del(struct draft *d, const struct chring_edit *edit,
		    struct chring_request *rq)
{
	int ret = draft_node(d, edit, rq);

	return ret ? ret : draft_commit(d, rq);
}

typedef int edit_fn(struct draft *d, const struct chring_edit *edit,
		    struct chring_request *rq);

static int ring_edit(struct chring_ring *ring, const struct chring_edit *edit,
		     struct chring_request *rq, edit_fn *fn)
{
	struct draft d = { .ring = ring };
	int ret;

	ret = chring_ring_lock(ring);
	if (ret)
		return ret;
	d.old = locked_view(ring);
	rq->facts = chring_view_facts(d.old);
	ret = check_request(d.old, rq);
	if (!ret)
		ret = fn(&d, edit, rq);
	if (ret)
		rq->facts = chring_view_facts(d.old);
	draft_drop(&d);
	chring_ring_unlock(ring);
	return ret;
}

int chring_ring_node_add(struct chring_ring *ring,
			 const struct chring_edit *edit,
			 struct chring_request *rq)
{
	return ring_edit(ring, edit, rq, node_add);
}

int chring_ring_node_set(struct chring_ring *ring,
			 const struct chring_edit *edit,
			 struct chring_request *rq)
{
	return ring_edit(ring, edit, rq, node_set);
}

int chring_ring_node_del(struct chring_ring *ring,
			 const struct chring_edit *edit,
			 struct chring_request *rq)
{
	return ring_edit(ring, edit, rq, node_del);
}
