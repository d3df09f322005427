// SPDX-License-Identifier: GPL-2.0
#include "placement.h"

/* Tokens to visit for each node that is wanted. */
#define VISITS_EACH	64

/**
 * struct walk - how far a walk has come
 * @c: circle
 * @position: where it began
 * @wanted: nodes
 * @slot: nodes found so far
 * @found: how many
 * @visits: tokens and nodes looked at
 */
struct walk {
	const struct chring_circle *c;
	u64 position;
	u32 wanted;
	u16 *slot;
	u32 found;
	u32 visits;
};

static bool is_taken(const struct walk *w, u16 slot)
{
	u32 i;

	for (i = 0; i < w->found; i++)
		if (w->slot[i] == slot)
			return true;
	return false;
}

/* Token by token, as far as a walk may go. */
static void walk_tokens(struct walk *w)
{
	const struct chring_table *t = w->c->table;
	u32 end = min(t->count, w->wanted * VISITS_EACH);
	u32 at = chring_table_find(t, w->position);

	while (w->found < w->wanted && w->visits < end) {
		u16 slot = chring_table_owner(t, at);

		w->visits++;
		if (!chring_slot_set(w->c->out, slot) && !is_taken(w, slot))
			w->slot[w->found++] = slot;
		if (++at == t->count)
			at = 0;
	}
}

/**
 * struct nearest - nodes in the order of a walk, the nearest first
 * @c: circle
 * @far: distances from the beginning of the walk
 * @slot: whose
 * @count: how many so far
 * @room: how many are wanted
 */
struct nearest {
	const struct chring_circle *c;
	u64 far[CHRING_REPLICAS_MAX];
	u16 slot[CHRING_REPLICAS_MAX];
	u32 count;
	u32 room;
};

/* Does a node come before the one that is at a place of @n? */
static bool comes_before(const struct nearest *n, u16 slot, u64 far, u32 i)
{
	return chring_circle_before(n->c, slot, far, n->slot[i], n->far[i]);
}

static void nearest_offer(struct nearest *n, u16 slot, u64 far)
{
	u32 i = n->count;

	if (i == n->room && !comes_before(n, slot, far, i - 1))
		return;
	if (i < n->room)
		n->count++;
	else
		i--;
	for (; i && comes_before(n, slot, far, i - 1); i--) {
		n->far[i] = n->far[i - 1];
		n->slot[i] = n->slot[i - 1];
	}
	n->far[i] = far;
	n->slot[i] = slot;
}

static u64 distance(const struct walk *w, u32 slot)
{
	return chring_stand_far(&w->c->stand[slot], w->position);
}

/*
 * Node by node: the nearest of all that the walk has not found. It has been as
 * far as the last one found and farther, so these come after it.
 */
static void walk_nodes(struct walk *w)
{
	struct nearest n = { .c = w->c, .room = w->wanted - w->found };
	u32 slot, i;

	for (slot = 0; slot < w->c->slots; slot++)
		if (chring_circle_live(w->c, slot) && !is_taken(w, slot))
			nearest_offer(&n, slot, distance(w, slot));
	w->visits += w->c->slots;
	for (i = 0; i < n.count; i++)
		w->slot[w->found++] = n.slot[i];
}

int chring_place_replicas(const struct chring_circle *c, u64 position, u32 n,
			  u16 *slot, u32 *visits)
{
	struct walk w = {
		.c = c,
		.position = position,
		.wanted = min(n, c->live),
		.slot = slot,
	};

	if (w.wanted) {
		walk_tokens(&w);
		if (w.found < w.wanted)
			walk_nodes(&w);
	}
	*visits = w.visits;
	return w.found ? (int)w.found : -EHOSTUNREACH;
}

int chring_place_owner(const struct chring_circle *c, u64 position, u32 *visits)
{
	const struct chring_table *t = c->table;
	u16 slot;

	*visits = 0;
	if (unlikely(!c->live))
		return -EHOSTUNREACH;
	*visits = 1;
	slot = chring_table_owner(t, chring_table_seek(t, position));
	if (unlikely(chring_slot_set(c->out, slot)))
		chring_place_replicas(c, position, 1, &slot, visits);
	return slot;
}

int chring_place_owners(const struct chring_circle *c, const u64 *position,
			u32 n, u16 *slot, struct chring_visits *visits)
{
	u32 i, more;

	if (unlikely(!c->live))
		return -EHOSTUNREACH;
	chring_table_owners(c->table, position, n, slot);
	visits->all += n;
	visits->worst = max(visits->worst, 1U);
	for (i = 0; i < n; i++) {
		if (likely(!chring_slot_set(c->out, slot[i])))
			continue;
		chring_place_replicas(c, position[i], 1, &slot[i], &more);
		visits->all += more;
		visits->worst = max(visits->worst, more);
		if (visits->all >= CHRING_VISITS_AT_ONCE)
			return i + 1;
	}
	return n;
}

/**
 * struct aside - nodes of zones that were seen before, in the order of the walk
 * @slot: no more of them than are wanted in all
 * @count: how many
 */
struct aside {
	u16 slot[CHRING_REPLICAS_MAX];
	u32 count;
};

/* Every node found so far is the first of its zone. */
static bool is_zone_seen(const struct walk *w, u16 slot)
{
	u32 i;

	for (i = 0; i < w->found; i++)
		if (w->c->zone[w->slot[i]] == w->c->zone[slot])
			return true;
	return false;
}

static void aside_put(struct aside *a, u16 slot, u32 wanted)
{
	u32 i;

	if (a->count == wanted)
		return;
	for (i = 0; i < a->count; i++)
		if (a->slot[i] == slot)
			return;
	a->slot[a->count++] = slot;
}

/* Nothing farther on can change the list. */
static bool zones_done(const struct walk *w, const struct aside *a)
{
	return w->found == w->wanted ||
	       (w->found == w->c->zones && w->found + a->count >= w->wanted);
}

/* Return: false if the list is not settled after as many tokens as may be. */
static bool walk_tokens_zones(struct walk *w, struct aside *a)
{
	const struct chring_table *t = w->c->table;
	u32 end = min(t->count, w->wanted * VISITS_EACH);
	u32 at = chring_table_find(t, w->position);

	while (!zones_done(w, a)) {
		u16 slot = chring_table_owner(t, at);

		if (w->visits == end)
			return false;
		w->visits++;
		if (!chring_slot_set(w->c->out, slot) && !is_taken(w, slot)) {
			if (is_zone_seen(w, slot))
				aside_put(a, slot, w->wanted);
			else
				w->slot[w->found++] = slot;
		}
		if (++at == t->count)
			at = 0;
	}
	return true;
}

/* As nearest_offer(), but of each zone no more than the nearest. */
static void nearest_offer_zone(struct nearest *n, u16 slot, u64 far)
{
	const u16 *zone = n->c->zone;
	u32 i;

	for (i = 0; i < n->count; i++)
		if (zone[n->slot[i]] == zone[slot])
			break;
	if (i < n->count) {
		if (!comes_before(n, slot, far, i))
			return;
		/* Its place is taken by the nearer one, which stands before. */
		for (n->count--; i < n->count; i++) {
			n->far[i] = n->far[i + 1];
			n->slot[i] = n->slot[i + 1];
		}
	}
	nearest_offer(n, slot, far);
}

/*
 * Node by node, from the beginning: of what the walk has seen it is not known
 * whether it is all. Of the nearest nodes of all, there are as many aside as
 * can be wanted.
 */
static void walk_nodes_zones(struct walk *w, struct aside *a)
{
	struct nearest zones = { .c = w->c, .room = w->wanted };
	struct nearest nodes = { .c = w->c, .room = w->wanted };
	u32 slot, i;

	for (slot = 0; slot < w->c->slots; slot++) {
		u64 far;

		if (!chring_circle_live(w->c, slot))
			continue;
		far = distance(w, slot);
		nearest_offer(&nodes, slot, far);
		nearest_offer_zone(&zones, slot, far);
	}
	w->visits += w->c->slots;
	for (i = 0; i < zones.count; i++)
		w->slot[i] = zones.slot[i];
	w->found = zones.count;
	a->count = 0;
	for (i = 0; i < nodes.count; i++)
		if (!is_taken(w, nodes.slot[i]))
			a->slot[a->count++] = nodes.slot[i];
}

int chring_place_zones(const struct chring_circle *c, u64 position, u32 n,
		       u16 *slot, u32 *visits)
{
	struct aside aside = {};
	struct walk w = {
		.c = c,
		.position = position,
		.wanted = min(n, c->live),
		.slot = slot,
	};
	u32 i;

	if (w.wanted && !walk_tokens_zones(&w, &aside))
		walk_nodes_zones(&w, &aside);
	for (i = 0; w.found < w.wanted; i++)
		w.slot[w.found++] = aside.slot[i];
	*visits = w.visits;
	return w.found ? (int)w.found : -EHOSTUNREACH;
}
