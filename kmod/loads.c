// SPDX-License-Identifier: GPL-2.0
#include "loads.h"
#include "ring.h"

#define SLOTS_FIRST	4

void chring_loads_init(struct chring_loads *l)
{
	spin_lock_init(&l->lock);
}

size_t chring_loads_bytes(const struct chring_loads *l)
{
	return READ_ONCE(l->slots) * sizeof(*l->load);
}

int chring_loads_room(const struct chring_loads *l, u32 slots,
		      struct chring_loads_room *room)
{
	u32 n = max_t(u32, l->slots, SLOTS_FIRST);
	struct chring_load *load;

	if (slots <= l->slots)
		return 0;
	while (n < slots)
		n *= 2;
	load = chring_alloc(n * sizeof(*load));
	if (IS_ERR(load))
		return PTR_ERR(load);
	*room = (struct chring_loads_room){ load, n };
	return 0;
}

void chring_loads_room_free(struct chring_loads_room *room)
{
	chring_free(room->load, room->slots * sizeof(*room->load));
	*room = (struct chring_loads_room){};
}

void chring_loads_grow(struct chring_loads *l, struct chring_loads_room *room)
{
	struct chring_loads_room was = { l->load, l->slots };

	lockdep_assert_held(&l->lock);
	if (!room->load)
		return;
	if (was.slots)
		memcpy(room->load, was.load, was.slots * sizeof(*was.load));
	l->load = room->load;
	WRITE_ONCE(l->slots, room->slots);
	*room = was;
}

void chring_loads_empty(struct chring_loads *l, struct chring_loads_room *room)
{
	lockdep_assert_held(&l->lock);
	*room = (struct chring_loads_room){ l->load, l->slots };
	l->load = NULL;
	WRITE_ONCE(l->slots, 0);
}

static u64 id_in(const struct chring_view *v, u32 slot)
{
	const struct chring_roster *r = v->roster;

	return slot < r->slots && r->node[slot] ? r->node[slot]->id : 0;
}

void chring_loads_follow(struct chring_loads *l, const struct chring_view *old,
			 const struct chring_view *new, u32 slot)
{
	struct chring_load *load = &l->load[slot];
	u64 id = id_in(new, slot);

	lockdep_assert_held(&l->lock);
	if (chring_view_serves(old, slot))
		l->tickets -= load->load;
	if (load->node != id)
		*load = (struct chring_load){ .node = id };
	if (chring_view_serves(new, slot))
		l->tickets += load->load;
}

static void tell_ring(const struct chring_view *v, struct chring_grant *g)
{
	g->ring = v->ring->id;
	g->epoch = v->epoch;
}

/* Tickets go out to the node in a slot, or come back from it. */
static void count(struct chring_loads *l, const struct chring_view *v,
		  u32 slot, s64 tickets, struct chring_grant *g)
{
	l->load[slot].load += tickets;
	if (chring_view_serves(v, slot))
		l->tickets += tickets;
	g->load = l->load[slot].load;
}

static void stamp(struct chring_loads *l, struct chring_grant *g)
{
	g->tickets = l->tickets;
	g->serial = ++l->serial;
}

static int find_slot(const struct chring_loads *l, const struct chring_view *v,
		     u64 position)
{
	struct chring_circle c = chring_view_circle(v);
	struct chring_bound b = {
		.balance = v->ring->config.balance,
		.tickets = l->tickets,
		.weight_sum = v->weight,
		.load = l->load,
		.weight = v->roster->weight,
	};
	u32 visits;
	int slot;

	if (!v->live)
		return v->nodes ? -EHOSTUNREACH : -ENODATA;
	slot = chring_place_bounded(&c, &b, position, &visits);
	chring_ring_walked(v->ring, visits);
	/* A node in service without any that has room: the sums are wrong. */
	WARN_ON_ONCE(slot < 0);
	return slot;
}

static int grant(struct chring_loads *l, const struct chring_view *v,
		 u64 position, struct chring_grant *g)
{
	const struct chring_node *node;
	int slot = find_slot(l, v, position);

	if (slot < 0)
		return slot;
	node = v->roster->node[slot];
	g->node = node->id;
	g->cookie = node->cookie;
	g->slot = slot;
	count(l, v, slot, 1, g);
	stamp(l, g);
	return 0;
}

int chring_loads_acquire(struct chring_ring *ring, u64 position, u64 epoch,
			 struct chring_grant *g)
{
	struct chring_loads *l = &ring->loads;
	const struct chring_view *v;
	int ret = -ENODEV;

	*g = (struct chring_grant){};
	spin_lock_bh(&l->lock);
	v = chring_ring_counted_view(ring);
	if (v) {
		tell_ring(v, g);
		ret = epoch && epoch != v->epoch ? -ESTALE :
		      grant(l, v, position, g);
	}
	spin_unlock_bh(&l->lock);
	return ret;
}

static int give(struct chring_ring *ring, u64 node, u32 slot, s64 tickets,
		struct chring_grant *g)
{
	struct chring_loads *l = &ring->loads;
	const struct chring_view *v;

	*g = (struct chring_grant){ .node = node, .slot = slot };
	spin_lock_bh(&l->lock);
	v = chring_ring_counted_view(ring);
	if (v) {
		tell_ring(v, g);
		/* Of a node that is no more, the slot may be another's. */
		if (l->load[slot].node == node)
			count(l, v, slot, tickets, g);
		stamp(l, g);
	}
	spin_unlock_bh(&l->lock);
	return v ? 0 : -ENODEV;
}

int chring_loads_release(struct chring_ring *ring, u64 node, u32 slot,
			 u64 count, struct chring_grant *g)
{
	return give(ring, node, slot, -(s64)count, g);
}

void chring_loads_restore(struct chring_ring *ring, u64 node, u32 slot,
			  u64 count)
{
	struct chring_grant g;

	give(ring, node, slot, count, &g);
}

void chring_loads_copy(struct chring_loads *l, const struct chring_roster *r,
		       struct chring_load *load)
{
	u32 slot;

	spin_lock_bh(&l->lock);
	if (l->slots)
		memcpy(load, l->load,
		       min(r->slots, l->slots) * sizeof(*load));
	spin_unlock_bh(&l->lock);
	for (slot = 0; slot < r->slots; slot++)
		if (!r->node[slot] || r->node[slot]->id != load[slot].node)
			load[slot].load = 0;
}
