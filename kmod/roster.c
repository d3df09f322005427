// SPDX-License-Identifier: GPL-2.0
#include "roster.h"
#include "core/digest.h"

#define PAUSE_EVERY	0x1000
/* Fewer: each may have to look at zones whose hashes are near its own. */
#define ZONES_AT_ONCE	0x40

static size_t node_bytes(u32 name_len, u32 zone_len)
{
	return sizeof(struct chring_node) + name_len + zone_len;
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
	node->zone_key = xxh64(chring_node_zone(node), zone_len,
			       chring_secret());
	return node;
}

void chring_node_put(struct chring_node *node)
{
	if (!node || !refcount_dec_and_test(&node->refs))
		return;
	chring_node_tokens_put(node->sorted);
	chring_free(node, node_bytes(node->name_len, node->zone_len));
}

/* As memcmp(), the shorter of two that begin alike first. */
static int name_cmp(const struct chring_node *node, const char *name, u32 len)
{
	int cmp = memcmp(node->name, name, min_t(u32, node->name_len, len));

	return cmp ? cmp : (int)node->name_len - (int)len;
}

int chring_node_cmp(const struct chring_node *a, const struct chring_node *b)
{
	return name_cmp(a, b->name, b->name_len);
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
	       slots * (sizeof(struct chring_node *) +
			sizeof(struct chring_stand) + 3 * sizeof(u16));
}

static struct chring_roster *roster_alloc(u32 slots)
{
	struct chring_roster *r = chring_alloc(roster_bytes(slots));

	if (IS_ERR(r))
		return r;
	refcount_set(&r->refs, 1);
	r->slots = slots;
	r->bytes = roster_bytes(slots);
	r->stand = (struct chring_stand *)(r->node + slots);
	r->order = (u16 *)(r->stand + slots);
	r->zone = r->order + slots;
	r->weight = r->zone + slots;
	return r;
}

/* One more node, after all others in the order of names. */
static void roster_append(struct chring_roster *r, u32 slot,
			  struct chring_node *node)
{
	refcount_inc(&node->refs);
	r->node[slot] = node;
	/* Of all nodes, for any change of one: without a look at tokens. */
	r->stand[slot] = (struct chring_stand){
		.token = node->sorted ? node->sorted->token : NULL,
		.count = node->tokens,
		.rank = r->count,
	};
	r->order[r->count++] = slot;
	r->weight[slot] = node->weight;
	r->bytes += node_bytes(node->name_len, node->zone_len) +
		    chring_node_tokens_bytes(node->tokens);
}

/* Two lists in the order of names become one. */
static int append_all(struct chring_roster *r, const struct chring_roster *old,
		      const struct chring_swap *swap, u32 n)
{
	u32 i = 0, k = 0, steps = 0;

	while ((old && i < old->count) || k < n) {
		struct chring_node *node = NULL;
		u32 slot = 0;

		if (old && i < old->count) {
			slot = old->order[i];
			node = old->node[slot];
		}
		if (k < n && (!node || swap[k].was == node || (!swap[k].was &&
			      chring_node_cmp(swap[k].now, node) < 0))) {
			i += !!swap[k].was;
			slot = swap[k].slot;
			node = swap[k++].now;
		} else {
			i++;
		}
		if (node)
			roster_append(r, slot, node);
		if (++steps % PAUSE_EVERY == 0 && chring_pause())
			return -EINTR;
	}
	return 0;
}

bool chring_node_same_zone(const struct chring_node *a,
			   const struct chring_node *b)
{
	return a->zone_key == b->zone_key && a->zone_len == b->zone_len &&
	       !memcmp(chring_node_zone(a), chring_node_zone(b), a->zone_len);
}

/* The first slot of a zone, plus 1, stands where the zone's hash says. */
static void number_zone(struct chring_roster *r, u32 slot, u32 *head, u32 mask)
{
	u32 at = r->node[slot]->zone_key & mask;

	while (head[at] && !chring_node_same_zone(r->node[head[at] - 1],
						  r->node[slot]))
		at = (at + 1) & mask;
	if (head[at]) {
		r->zone[slot] = r->zone[head[at] - 1];
	} else {
		head[at] = slot + 1;
		r->zone[slot] = r->zones++;
	}
}

static int number_zones(struct chring_roster *r)
{
	u32 size = 2U << fls(r->count), i;
	size_t bytes = size * sizeof(u32);
	u32 *head = chring_alloc(bytes);
	int ret = 0;

	if (IS_ERR(head))
		return PTR_ERR(head);
	for (i = 0; i < r->count && !ret; i++) {
		number_zone(r, r->order[i], head, size - 1);
		if (i % ZONES_AT_ONCE == ZONES_AT_ONCE - 1)
			ret = chring_pause();
	}
	chring_free(head, bytes);
	return ret;
}

static u32 slots_after(const struct chring_roster *old,
		       const struct chring_swap *swap, u32 n)
{
	u32 slots = old ? old->slots : 0, i;

	for (i = 0; i < n; i++)
		if (swap[i].now)
			slots = max(slots, swap[i].slot + 1);
	return slots;
}

struct chring_roster *chring_roster_change(const struct chring_roster *old,
					   const struct chring_swap *swap,
					   u32 n)
{
	struct chring_roster *r = roster_alloc(slots_after(old, swap, n));
	int ret;

	if (IS_ERR(r))
		return r;
	ret = append_all(r, old, swap, n);
	if (!ret)
		ret = number_zones(r);
	if (ret) {
		chring_roster_put(r);
		return ERR_PTR(ret);
	}
	return r;
}

/* Of the node in a slot and its tokens: what the same slot elsewhere lacks. */
static size_t slot_bytes_beside(const struct chring_roster *r, u32 slot,
				const struct chring_roster *const *other,
				u32 others)
{
	const struct chring_node *node = r->node[slot], *theirs;
	bool shared = false;
	u32 i;

	for (i = 0; node && i < others; i++) {
		if (!other[i] || slot >= other[i]->slots)
			continue;
		theirs = other[i]->node[slot];
		if (theirs == node)
			return 0;
		shared |= theirs && theirs->sorted == node->sorted;
	}
	if (!node)
		return 0;
	return node_bytes(node->name_len, node->zone_len) +
	       (shared ? 0 : chring_node_tokens_bytes(node->tokens));
}

size_t chring_roster_bytes_beside(const struct chring_roster *r,
				  const struct chring_roster *const *other,
				  u32 others)
{
	size_t bytes;
	u32 i;

	if (!r)
		return 0;
	for (i = 0; i < others; i++)
		if (other[i] == r)
			return 0;
	bytes = roster_bytes(r->slots);
	for (i = 0; i < r->slots; i++)
		bytes += slot_bytes_beside(r, i, other, others);
	return bytes;
}

/* One at least: an allocation is never of nothing. */
static size_t ids_bytes(const struct chring_roster *r)
{
	return max(r->slots, 1U) * sizeof(u64);
}

void chring_roster_put_ids(const struct chring_roster *r, u64 *id)
{
	u32 i;

	for (i = 0; i < r->count; i++)
		id[r->order[i]] = r->node[r->order[i]]->id;
}

u64 *chring_roster_ids(const struct chring_roster *r)
{
	u64 *id = chring_alloc(ids_bytes(r));

	if (!IS_ERR(id))
		chring_roster_put_ids(r, id);
	return id;
}

void chring_roster_ids_free(const struct chring_roster *r, u64 *id)
{
	if (!IS_ERR(id))
		chring_free(id, ids_bytes(r));
}

void chring_roster_put(struct chring_roster *r)
{
	u32 i;

	if (!r || !refcount_dec_and_test(&r->refs))
		return;
	for (i = 0; i < r->count; i++) {
		chring_node_put(r->node[r->order[i]]);
		if (i % PAUSE_EVERY == PAUSE_EVERY - 1)
			chring_pause();
	}
	chring_free(r, roster_bytes(r->slots));
}
