// SPDX-License-Identifier: GPL-2.0
#include <linux/sched.h>
#include <linux/slab.h>

#include "tickets.h"

/**
 * struct chring_ticket - tickets of one node
 * @by_node: in the tree
 * @node: id of the node
 * @slot: of the node
 * @count: how many, not 0
 */
struct chring_ticket {
	struct rb_node by_node;
	u64 node;
	u32 slot;
	u64 count;
};

void chring_tickets_init(struct chring_tickets *t)
{
	mutex_init(&t->lock);
	t->by_node = RB_ROOT;
	t->spare = NULL;
	t->count = 0;
}

/* Return: where the ticket is, or is to be linked to @parent. */
static struct rb_node **find_link(struct chring_tickets *t, u64 node,
				  struct rb_node **parent)
{
	struct rb_node **link = &t->by_node.rb_node;

	*parent = NULL;
	while (*link) {
		const struct chring_ticket *k;

		k = rb_entry(*link, struct chring_ticket, by_node);
		if (k->node == node)
			break;
		*parent = *link;
		link = node < k->node ? &(*link)->rb_left : &(*link)->rb_right;
	}
	return link;
}

/* A grant is made when it can be kept, whatever node it turns out to be of. */
static int need_spare(struct chring_tickets *t)
{
	/* Not of the budget: its holder may be who must free memory. */
	if (!t->spare)
		t->spare = kmalloc(sizeof(*t->spare),
				   GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL |
				   __GFP_NOWARN);
	return t->spare ? 0 : -ENOMEM;
}

static struct chring_ticket *keep(struct chring_tickets *t,
				  const struct chring_grant *g)
{
	struct rb_node *parent, **link = find_link(t, g->node, &parent);
	struct chring_ticket *k;

	if (*link) {
		k = rb_entry(*link, struct chring_ticket, by_node);
	} else {
		k = t->spare;
		t->spare = NULL;
		*k = (struct chring_ticket){ .node = g->node, .slot = g->slot };
		rb_link_node(&k->by_node, parent, link);
		rb_insert_color(&k->by_node, &t->by_node);
	}
	k->count++;
	t->count++;
	return k;
}

static void drop(struct chring_tickets *t, struct chring_ticket *k, u64 count)
{
	k->count -= count;
	t->count -= count;
	if (k->count)
		return;
	rb_erase(&k->by_node, &t->by_node);
	if (t->spare)
		kfree(k);
	else
		t->spare = k;
}

static int acquire(struct chring_tickets *t, struct chring_ring *ring,
		   struct chring_ticket_request *rq)
{
	struct chring_ticket *k;
	struct chring_grant g;
	int ret;

	if (t->count >= rq->max)
		return -ENOSPC;
	ret = need_spare(t);
	if (!ret)
		ret = chring_loads_acquire(ring, rq->position, rq->epoch,
					   &rq->grant);
	if (ret)
		return ret;
	k = keep(t, &rq->grant);
	rq->left = k->count;
	ret = rq->answer(rq);
	if (ret) {
		/* If the ring has been deleted meanwhile, so is the load. */
		chring_loads_release(ring, k->node, k->slot, 1, &g);
		drop(t, k, 1);
	}
	return ret;
}

int chring_tickets_acquire(struct chring_tickets *t, struct chring_ring *ring,
			   struct chring_ticket_request *rq)
{
	int ret = mutex_lock_killable(&t->lock);

	if (!ret) {
		ret = acquire(t, ring, rq);
		mutex_unlock(&t->lock);
	}
	return ret;
}

static int release(struct chring_tickets *t, struct chring_ring *ring,
		   struct chring_ticket_request *rq)
{
	struct rb_node *parent, **link = find_link(t, rq->node, &parent);
	struct chring_ticket *k;
	int ret;

	if (!*link)
		return -ENOENT;
	k = rb_entry(*link, struct chring_ticket, by_node);
	if (k->count < rq->count)
		return -ENOENT;
	ret = chring_loads_release(ring, k->node, k->slot, rq->count,
				   &rq->grant);
	if (ret)
		return ret;
	rq->left = k->count - rq->count;
	ret = rq->answer(rq);
	if (ret)
		chring_loads_restore(ring, k->node, k->slot, rq->count);
	else
		drop(t, k, rq->count);
	return ret;
}

int chring_tickets_release(struct chring_tickets *t, struct chring_ring *ring,
			   struct chring_ticket_request *rq)
{
	int ret = mutex_lock_killable(&t->lock);

	if (!ret) {
		ret = release(t, ring, rq);
		mutex_unlock(&t->lock);
	}
	return ret;
}

void chring_tickets_end(struct chring_tickets *t, struct chring_ring *ring)
{
	struct chring_ticket *k, *next;
	struct chring_grant g;

	rbtree_postorder_for_each_entry_safe(k, next, &t->by_node, by_node) {
		chring_loads_release(ring, k->node, k->slot, k->count, &g);
		kfree(k);
		cond_resched();
	}
	kfree(t->spare);
	mutex_destroy(&t->lock);
}
