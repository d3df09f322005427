// SPDX-License-Identifier: GPL-2.0
/* The whole membership in one change. */
#include "draft.h"
#include "core/points.h"

#define PAUSE_EVERY	0x1000

/**
 * struct commit - a membership on its way to be a ring's
 * @edit: nodes after, in the order of names
 * @n: how many
 * @id: their ids
 * @swap: what changes, in the order of names; new nodes have a reference
 * @swaps: how many
 * @d: the draft
 */
struct commit {
	const struct chring_edit *edit;
	u32 n;
	u64 *id;
	struct chring_swap *swap;
	u32 swaps;
	struct chring_draft *d;
};

static int edit_cmp(const struct chring_node *node,
		    const struct chring_edit *edit)
{
	u32 len = min_t(u32, node->name_len, edit->name_len);
	int cmp = memcmp(node->name, edit->name, len);

	return cmp ? cmp : (int)node->name_len - (int)edit->name_len;
}

/**
 * struct pair - a name of before, of after, or of both
 * @slot: of the node before
 * @was: the node before, or NULL
 * @edit: what it is to be, or NULL
 */
struct pair {
	u32 slot;
	struct chring_node *was;
	const struct chring_edit *edit;
};

/* The next name of both lists. Return: false at the end of both. */
static bool next_pair(const struct commit *c, u32 *i, u32 *k, struct pair *p)
{
	const struct chring_roster *r = c->d->old->roster;
	bool has_was = *i < r->count, has_edit = *k < c->n;
	int cmp;

	if (!has_was && !has_edit)
		return false;
	cmp = !has_was ? 1 : !has_edit ? -1 :
	      edit_cmp(r->node[r->order[*i]], &c->edit[*k]);
	*p = (struct pair){};
	if (cmp <= 0) {
		p->slot = r->order[(*i)++];
		p->was = r->node[p->slot];
	}
	if (cmp >= 0)
		p->edit = &c->edit[(*k)++];
	return true;
}

/* Before anything is allocated: counts, of nodes that change and of tokens. */
static int count_changes(const struct commit *c, u32 *changes)
{
	const struct chring_config *config = &c->d->ring->config;
	u32 i = 0, k = 0, n = 0;
	u64 come = 0, go = 0;
	struct pair p;

	*changes = 0;
	while (next_pair(c, &i, &k, &p)) {
		go += p.was ? p.was->tokens : 0;
		if (p.edit)
			come += chring_points_count(config, p.edit->weight);
		++*changes;
		if (++n % PAUSE_EVERY == 0 && chring_pause())
			return -EINTR;
	}
	return chring_draft_check_tokens(c->d, come, go);
}

static int swap_node(struct commit *c, const struct pair *p)
{
	const struct chring_config *config = &c->d->ring->config;
	struct chring_swap swap = { .slot = p->slot, .was = p->was };
	bool same = false;

	if (p->edit) {
		swap.state = p->edit->state;
		same = p->was && !chring_node_differs(p->was, p->edit);
		swap.now = same ? p->was : p->was ?
			   chring_node_edit(config, p->was, p->edit) :
			   chring_node_make(config, p->edit);
	}
	if (IS_ERR(swap.now))
		return PTR_ERR(swap.now);
	if (p->edit)
		c->id[p->edit - c->edit] = swap.now->id;
	if (!same || swap.state != chring_view_state(c->d->old, p->slot))
		c->swap[c->swaps++] = swap;
	return 0;
}

static int swap_nodes(struct commit *c)
{
	u32 i = 0, k = 0;
	struct pair p;
	int ret = 0;

	while (!ret && next_pair(c, &i, &k, &p)) {
		ret = swap_node(c, &p);
		/* Its tokens alone may have been too few to pause in. */
		if (!ret)
			ret = chring_pause();
	}
	return ret;
}

/* The next slot that was free before, from @slot on. */
static u32 free_slot(const struct chring_roster *r, u32 slot)
{
	while (slot < r->slots && r->node[slot])
		slot++;
	return slot;
}

/* No slot is left that was free before: those of nodes that go. */
static void reuse_slots(struct commit *c, u32 i)
{
	u32 k = 0;

	for (; i < c->swaps; i++) {
		if (c->swap[i].was)
			continue;
		while (c->swap[k].now)
			k++;
		c->swap[i].slot = c->swap[k++].slot;
		c->d->rebuild = true;
	}
}

/*
 * A node that comes takes a slot that was free, so that the new table can be
 * merged from the old one.
 */
static void give_slots(struct commit *c)
{
	const struct chring_roster *r = c->d->old->roster;
	u32 slot = 0, i;

	for (i = 0; i < c->swaps; i++) {
		if (c->swap[i].was)
			continue;
		slot = free_slot(r, slot);
		if (slot == CHRING_NODES_MAX)
			break;
		c->swap[i].slot = slot++;
	}
	reuse_slots(c, i);
}

static void put_swaps(struct commit *c)
{
	u32 i;

	for (i = 0; i < c->swaps; i++) {
		if (c->swap[i].now != c->swap[i].was)
			chring_node_put(c->swap[i].now);
		if (i % PAUSE_EVERY == PAUSE_EVERY - 1)
			chring_pause();
	}
}

static int commit_nodes(struct commit *c, struct chring_request *rq)
{
	int ret = swap_nodes(c);

	if (ret)
		return ret;
	if (!c->swaps && !chring_request_moves_on(c->d->old, rq))
		return chring_request_settled(rq);
	give_slots(c);
	c->d->swap = c->swap;
	c->d->swaps = c->swaps;
	return chring_draft_commit(c->d, rq);
}

static int commit(struct chring_draft *d, const void *what,
		  struct chring_request *rq)
{
	struct commit c = *(const struct commit *)what;
	size_t bytes;
	u32 changes;
	int ret;

	c.d = d;
	ret = count_changes(&c, &changes);
	if (ret)
		return ret;
	/* One at least: an allocation is never of nothing. */
	bytes = (changes + 1) * sizeof(*c.swap);
	c.swap = chring_alloc(bytes);
	if (IS_ERR(c.swap))
		return PTR_ERR(c.swap);
	ret = commit_nodes(&c, rq);
	put_swaps(&c);
	d->swaps = 0;
	chring_free(c.swap, bytes);
	return ret;
}

int chring_ring_commit(struct chring_ring *ring, const struct chring_edit *edit,
		       u32 n, u64 *id, struct chring_request *rq)
{
	const struct commit c = { .edit = edit, .n = n, .id = id };

	return chring_ring_change(ring, &c, rq, commit);
}
