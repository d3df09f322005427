// SPDX-License-Identifier: GPL-2.0
/* Changes of one node, and of who counts as former owner. */
#include "draft.h"
#include "core/points.h"

static int check_request(const struct chring_view *old,
			 const struct chring_request *rq)
{
	if (rq->epoch && rq->epoch != old->epoch)
		return -ESTALE;
	if (rq->generation && rq->generation < old->generation)
		return -ERANGE;
	return 0;
}

bool chring_request_moves_on(const struct chring_view *old,
			     const struct chring_request *rq)
{
	return rq->generation && rq->generation != old->generation;
}

int chring_request_settled(struct chring_request *rq)
{
	return rq->answer ? rq->answer(rq) : 0;
}

static int find_node(const struct chring_view *v,
		     const struct chring_edit *edit)
{
	if (edit->node)
		return chring_roster_find_id(v->roster, edit->node);
	return chring_roster_find(v->roster, edit->name, edit->name_len);
}

static int commit_swap(struct chring_draft *d, const struct chring_swap *swap,
		       struct chring_request *rq)
{
	d->swap = swap;
	d->swaps = 1;
	return chring_draft_commit(d, rq);
}

/* @was is the node before, or NULL. Return: @node, given back on failure. */
static struct chring_node *give_tokens(struct chring_node *node,
				       const struct chring_config *config,
				       const struct chring_node *was)
{
	u32 count = chring_points_count(config, node->weight);
	struct chring_node_tokens *sorted;

	sorted = chring_node_tokens_make(config, node->name, node->name_len,
					 was ? was->sorted : NULL, count);
	if (IS_ERR(sorted)) {
		chring_node_put(node);
		return ERR_CAST(sorted);
	}
	node->tokens = count;
	node->sorted = sorted;
	return node;
}

struct chring_node *chring_node_make(const struct chring_config *config,
				     const struct chring_edit *edit)
{
	struct chring_node *node;

	node = chring_node_alloc(edit->name, edit->name_len, edit->zone,
				 edit->zone_len);
	if (IS_ERR(node))
		return node;
	node->id = chring_next_id();
	node->cookie = edit->cookie;
	node->priv = edit->priv;
	node->weight = edit->weight;
	return give_tokens(node, config, NULL);
}

static int node_add(struct chring_draft *d, const void *what,
		    struct chring_request *rq)
{
	const struct chring_edit *edit = what;
	const struct chring_config *config = &d->ring->config;
	struct chring_swap swap = { .state = edit->state };
	int slot, ret;

	if (chring_roster_find(d->old->roster, edit->name,
			       edit->name_len) >= 0)
		return -EEXIST;
	slot = chring_roster_free_slot(d->old->roster);
	if (slot < 0)
		return slot;
	ret = chring_draft_check_tokens(d, chring_points_count(config,
							       edit->weight),
					0);
	if (ret)
		return ret;
	swap.slot = slot;
	swap.now = chring_node_make(config, edit);
	if (IS_ERR(swap.now))
		return PTR_ERR(swap.now);
	rq->node = swap.now->id;
	ret = commit_swap(d, &swap, rq);
	chring_node_put(swap.now);
	return ret;
}

static bool same_zone(const struct chring_node *node,
		      const struct chring_edit *edit)
{
	return node->zone_len == edit->zone_len &&
	       (!edit->zone_len || !memcmp(chring_node_zone(node), edit->zone,
					   edit->zone_len));
}

bool chring_node_differs(const struct chring_node *node,
			 const struct chring_edit *edit)
{
	return (edit->flags & CHRING_NODE_WEIGHT &&
		node->weight != edit->weight) ||
	       (edit->flags & CHRING_NODE_COOKIE &&
		node->cookie != edit->cookie) ||
	       node->priv != edit->priv ||
	       (edit->flags & CHRING_NODE_ZONE && !same_zone(node, edit));
}

struct chring_node *chring_node_edit(const struct chring_config *config,
				     const struct chring_node *was,
				     const struct chring_edit *edit)
{
	bool zone = edit->flags & CHRING_NODE_ZONE;
	struct chring_node *node;

	node = chring_node_alloc(was->name, was->name_len,
				 zone ? edit->zone : chring_node_zone(was),
				 zone ? edit->zone_len : was->zone_len);
	if (IS_ERR(node))
		return node;
	node->id = was->id;
	node->cookie = edit->flags & CHRING_NODE_COOKIE ? edit->cookie :
							  was->cookie;
	node->priv = edit->priv;
	node->weight = edit->flags & CHRING_NODE_WEIGHT ? edit->weight :
							  was->weight;
	return give_tokens(node, config, was);
}

/* What the change is about: the node as it is, so far. */
static int find_swap(const struct chring_draft *d,
		     const struct chring_edit *edit, struct chring_swap *swap)
{
	int slot = find_node(d->old, edit);

	if (slot < 0)
		return slot;
	*swap = (struct chring_swap){
		.slot = slot,
		.was = d->old->roster->node[slot],
		.now = d->old->roster->node[slot],
		.state = chring_view_state(d->old, slot),
	};
	return 0;
}

static int node_replace(struct chring_draft *d, const struct chring_edit *edit,
			struct chring_swap *swap, struct chring_request *rq)
{
	const struct chring_config *config = &d->ring->config;
	u32 come = edit->flags & CHRING_NODE_WEIGHT ?
		   chring_points_count(config, edit->weight) :
		   swap->was->tokens;
	int ret;

	ret = chring_draft_check_tokens(d, come, swap->was->tokens);
	if (ret)
		return ret;
	swap->now = chring_node_edit(config, swap->was, edit);
	if (IS_ERR(swap->now))
		return PTR_ERR(swap->now);
	ret = commit_swap(d, swap, rq);
	chring_node_put(swap->now);
	return ret;
}

static int node_set(struct chring_draft *d, const void *what,
		    struct chring_request *rq)
{
	const struct chring_edit *edit = what;
	struct chring_swap swap;
	u32 state;
	int ret;

	ret = find_swap(d, edit, &swap);
	if (ret)
		return ret;
	rq->node = swap.was->id;
	state = swap.state;
	if (edit->flags & CHRING_NODE_STATE)
		swap.state = edit->state;
	if (chring_node_differs(swap.was, edit))
		return node_replace(d, edit, &swap, rq);
	if (swap.state == state && !chring_request_moves_on(d->old, rq))
		return chring_request_settled(rq);
	return commit_swap(d, &swap, rq);
}

static int node_del(struct chring_draft *d, const void *what,
		    struct chring_request *rq)
{
	const struct chring_edit *edit = what;
	struct chring_swap swap;
	int ret;

	ret = find_swap(d, edit, &swap);
	if (ret)
		return ret;
	rq->node = swap.was->id;
	swap.now = NULL;
	return commit_swap(d, &swap, rq);
}

int chring_ring_change(struct chring_ring *ring, const void *what,
		       struct chring_request *rq, chring_change_fn *fn)
{
	struct chring_draft d;
	int ret;

	ret = chring_ring_lock(ring);
	if (ret)
		return ret;
	chring_draft_begin(&d, ring);
	rq->facts = chring_view_facts(d.old);
	ret = check_request(d.old, rq);
	if (!ret)
		ret = fn(&d, what, rq);
	if (ret)
		rq->facts = chring_view_facts(d.old);
	chring_draft_drop(&d);
	chring_ring_unlock(ring);
	return ret;
}

int chring_ring_node_add(struct chring_ring *ring,
			 const struct chring_edit *edit,
			 struct chring_request *rq)
{
	return chring_ring_change(ring, edit, rq, node_add);
}

int chring_ring_node_set(struct chring_ring *ring,
			 const struct chring_edit *edit,
			 struct chring_request *rq)
{
	return chring_ring_change(ring, edit, rq, node_set);
}

int chring_ring_node_del(struct chring_ring *ring,
			 const struct chring_edit *edit,
			 struct chring_request *rq)
{
	return chring_ring_change(ring, edit, rq, node_del);
}

static int set_pinned(struct chring_draft *d, const void *what,
		      struct chring_request *rq)
{
	bool pinned = *(const bool *)what;

	if (d->old->pinned == pinned)
		return pinned ? -EBUSY : -ENOENT;
	d->pinned = pinned;
	return chring_draft_commit(d, rq);
}

int chring_ring_pin(struct chring_ring *ring, struct chring_request *rq)
{
	const bool pinned = true;

	return chring_ring_change(ring, &pinned, rq, set_pinned);
}

int chring_ring_unpin(struct chring_ring *ring, struct chring_request *rq)
{
	const bool pinned = false;

	return chring_ring_change(ring, &pinned, rq, set_pinned);
}
