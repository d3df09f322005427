// SPDX-License-Identifier: GPL-2.0
#include "roster.h"
#include "core/digest.h"

static size_t node_bytes(u32 name_len, u32 zone_len)
{
	return sizeof(struct chring_node) + name_len + zone_len;
}

size_t chring_node_bytes(const struct chring_node *node)
{
	return node_bytes(node->name_len, node->zone_len);
}

struct chring_node *chring_node_alloc(const char *name, u32 name_len,
				      const char *zone, u32 zone_len)
{
	struct chring_node *node = chring_alloc(node_bytes(name_len, zone_len));

	if (IS_ERR(node))
		return node;
	refcount_set(&node->refs, 1);
	node->name_len = name_len;
	node->zone_len = zone_len;
	memcpy(node->name, name, name_len);
	if (zone_len)
		memcpy(node->name + name_len, zone, zone_len);
	node->digest_key = chring_digest_node_key(node->name, name_len,
						  zone_len);
	return node;
}

void chring_node_put(struct chring_node *node)
{
	if (node && refcount_dec_and_test(&node->refs))
		chring_free(node, chring_node_bytes(node));
}

/* As memcmp(), the shorter of two that begin alike first. */
static int name_cmp(const struct chring_node *node, const char *name, u32 len)
{
	int cmp = memcmp(node->name, name, min_t(u32, node->name_len, len));

	return cmp ? cmp : (int)node->name_len - (int)len;
}

/* Place in the order of names of the first node not before the name. */
static u32 order_place(const struct chring_roster *r, const char *name, u32 len)
{
	u32 lo = 0, hi = r->count;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (name_cmp(r->node[r->order[mid]], name, len) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

int chring_roster_find(const struct chring_roster *r, const char *name, u32 len)
{
	u32 place = order_place(r, name, len);

	if (place == r->count ||
	    name_cmp(r->node[r->order[place]], name, len))
		return -ENOENT;
	return r->order[place];
}

int chring_roster_find_id(const struct chring_roster *r, u64 id)
{
	u32 slot;

	for (slot = 0; slot < r->slots; slot++)
		if (r->node[slot] && r->node[slot]->id == id)
			return slot;
	return -ENOENT;
}

int chring_roster_free_slot(const struct chring_roster *r)
{
	u32 slot;

	if (r->count >= CHRING_NODES_MAX)
		return -ENOSPC;
	for (slot = 0; slot < r->slots; slot++)
		if (!r->node[slot])
			break;
	return slot;
}

static size_t roster_bytes(u32 slots)
{
	return sizeof(struct chring_roster) +
	       slots * (sizeof(struct chring_node *) + 2 * sizeof(u16));
}

static struct chring_roster *roster_alloc(u32 slots)
{
	struct chring_roster *r = chring_alloc(roster_bytes(slots));

	if (IS_ERR(r))
		return r;
	refcount_set(&r->refs, 1);
	r->slots = slots;
	r->bytes = roster_bytes(slots);
	r->order = (u16 *)(r->node + slots);
	r->weight = r->order + slots;
	return r;
}

static void roster_hold(struct chring_roster *r, u32 slot,
			struct chring_node *node)
{
	refcount_inc(&node->refs);
	r->node[slot] = node;
	r->weight[slot] = node->weight;
	r->bytes += chring_node_bytes(node);
}

/* Nodes of @old, in their order, but for the one in @slot. */
static void copy_others(struct chring_roster *r,
			const struct chring_roster *old, u32 slot)
{
	u32 i;

	for (i = 0; i < old->count; i++) {
		if (old->order[i] == slot)
			continue;
		roster_hold(r, old->order[i], old->node[old->order[i]]);
		r->order[r->count++] = old->order[i];
	}
}

struct chring_roster *chring_roster_replace(const struct chring_roster *old,
					    u32 slot, struct chring_node *node)
{
	struct chring_roster *r;
	u32 place;

	r = roster_alloc(max(old ? old->slots : 0, slot + !!node));
	if (IS_ERR(r))
		return r;
	if (old)
		copy_others(r, old, slot);
	if (!node)
		return r;
	place = order_place(r, node->name, node->name_len);
	memmove(r->order + place + 1, r->order + place,
		(r->count - place) * sizeof(*r->order));
	r->order[place] = slot;
	r->count++;
	roster_hold(r, slot, node);
	return r;
}

void chring_roster_put(struct chring_roster *r)
{
	u32 i;

	if (!r || !refcount_dec_and_test(&r->refs))
		return;
	for (i = 0; i < r->count; i++)
		chring_node_put(r->node[r->order[i]]);
	chring_free(r, roster_bytes(r->slots));
}
