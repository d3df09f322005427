// SPDX-License-Identifier: GPL-2.0
#include "view.h"
#include "core/digest.h"
#include "core/fit.h"
#include "ring.h"
#include "status.h"

struct chring_shared_table *chring_shared_table_wrap(struct chring_table *t)
{
	struct chring_shared_table *s;

	if (IS_ERR(t))
		return ERR_CAST(t);
	s = chring_alloc(sizeof(*s));
	if (IS_ERR(s)) {
		chring_table_free(t);
		return s;
	}
	refcount_set(&s->refs, 1);
	s->table = t;
	return s;
}

size_t chring_shared_table_bytes(const struct chring_shared_table *s)
{
	return sizeof(*s) + s->table->bytes;
}

void chring_shared_table_put(struct chring_shared_table *s)
{
	if (!s || !refcount_dec_and_test(&s->refs))
		return;
	chring_table_free(s->table);
	chring_free(s, sizeof(*s));
}

static u32 longs_for(u32 slots)
{
	return DIV_ROUND_UP(slots, BITS_PER_LONG);
}

struct chring_view *chring_view_alloc(struct chring_ring *ring,
				      struct chring_shared_table *shared,
				      struct chring_roster *roster,
				      const struct chring_former *former)
{
	bool had = former && former->shared;
	u32 longs = longs_for(roster->slots);
	u32 had_longs = had ? longs_for(former->roster->slots) : 0;
	size_t bytes = sizeof(struct chring_view) +
		       (2 * longs + had_longs) * sizeof(long);
	struct chring_view *v = chring_alloc(bytes);

	if (IS_ERR(v))
		return v;
	refcount_set(&v->refs, 1);
	v->bytes = bytes;
	v->out = (unsigned long *)(v + 1);
	v->down = v->out + longs;
	v->former.out = v->down + longs;
	v->ring = chring_ring_get(ring);
	v->shared = chring_shared_table_get(shared);
	v->table = shared->table;
	v->roster = chring_roster_get(roster);
	v->nodes = roster->count;
	if (had) {
		v->former.shared = chring_shared_table_get(former->shared);
		v->former.roster = chring_roster_get(former->roster);
		v->former.epoch = former->epoch;
	}
	return v;
}

static void view_free(struct chring_view *v)
{
	struct chring_ring *ring = v->ring;

	chring_shared_table_put(v->shared);
	chring_roster_put(v->roster);
	chring_shared_table_put(v->former.shared);
	chring_roster_put(v->former.roster);
	atomic_long_sub(v->retires, &ring->retired_bytes);
	chring_free(v, v->bytes);
	chring_ring_put(ring);
}

static void view_retired(struct chring_retired *retired)
{
	view_free(container_of(retired, struct chring_view, retired));
}

void chring_view_put(struct chring_view *v)
{
	if (v && refcount_dec_and_test(&v->refs))
		chring_retire(&v->retired, view_retired);
}

void chring_view_discard(struct chring_view *v)
{
	if (v)
		view_free(v);
}

static size_t table_bytes(const struct chring_shared_table *s)
{
	return s ? chring_shared_table_bytes(s) : 0;
}

size_t chring_view_total_bytes(const struct chring_view *v)
{
	size_t bytes = sizeof(*v->ring) + chring_log_bytes(&v->ring->log) +
		       chring_loads_bytes(&v->ring->loads) +
		       chring_status_bytes(v->ring) + v->bytes +
		       v->nodes_bytes + table_bytes(v->shared);

	if (v->former.shared != v->shared)
		bytes += table_bytes(v->former.shared);
	return bytes;
}

static bool has_table(const struct chring_view *v,
		      const struct chring_shared_table *s)
{
	return v->shared == s || v->former.shared == s;
}

size_t chring_view_retires(const struct chring_view *old,
			   const struct chring_view *next)
{
	const struct chring_roster *const kept[] = {
		next->roster, next->former.roster, old->roster,
	};
	size_t bytes = old->bytes;

	if (!has_table(next, old->shared))
		bytes += table_bytes(old->shared);
	if (old->former.shared != old->shared &&
	    !has_table(next, old->former.shared))
		bytes += table_bytes(old->former.shared);
	bytes += chring_roster_bytes_beside(old->roster, kept, 2);
	bytes += chring_roster_bytes_beside(old->former.roster, kept, 3);
	return bytes;
}

u32 chring_view_state(const struct chring_view *v, u32 slot)
{
	if (!chring_slot_set(v->out, slot))
		return CHRING_STATE_UP;
	return chring_slot_set(v->down, slot) ? CHRING_STATE_DOWN :
						CHRING_STATE_DRAIN;
}

bool chring_view_serves(const struct chring_view *v, u32 slot)
{
	return slot < v->roster->slots && v->roster->weight[slot] &&
	       !chring_slot_set(v->out, slot);
}

static void set_slot(unsigned long *set, u32 slot, bool on)
{
	unsigned long bit = 1UL << (slot % BITS_PER_LONG);

	if (on)
		set[slot / BITS_PER_LONG] |= bit;
	else
		set[slot / BITS_PER_LONG] &= ~bit;
}

void chring_view_set_state(struct chring_view *v, u32 slot, u32 state)
{
	set_slot(v->out, slot, state != CHRING_STATE_UP);
	set_slot(v->down, slot, state == CHRING_STATE_DOWN);
}

/* The node in a slot of before, as it is now; NULL: it is gone. */
static const struct chring_node *still_there(const struct chring_view *v,
					     u32 slot)
{
	const struct chring_node *was = v->former.roster->node[slot], *now;

	/* Slots are never fewer than before, and kept for life. */
	now = v->roster->node[slot];
	return now && now->id == was->id ? now : NULL;
}

static void set_former_out(struct chring_view *v, const unsigned long *gone)
{
	const struct chring_roster *r = v->former.roster;
	u32 i;

	for (i = 0; i < r->count; i++) {
		u32 slot = r->order[i];

		set_slot(v->former.out, slot, still_there(v, slot) ?
			 chring_slot_set(v->down, slot) :
			 chring_slot_set(gone, slot));
	}
}

/* A set of zones, to count those with a node that is asked. */
static unsigned long *zone_set_alloc(const struct chring_view *v, size_t *bytes)
{
	u32 zones = v->roster->zones;

	if (v->former.roster)
		zones = max(zones, v->former.roster->zones);
	*bytes = (longs_for(zones) + 1) * sizeof(long);
	return chring_alloc(*bytes);
}

/**
 * struct census - the nodes that count
 * @live: how many
 * @zones: in how many zones
 * @weight: of them together
 */
struct census {
	u32 live;
	u32 zones;
	u64 weight;
};

static struct census count_live(const struct chring_roster *r,
				const unsigned long *out, unsigned long *set)
{
	struct census c = {};
	u32 i;

	for (i = 0; i < r->count; i++) {
		u32 slot = r->order[i];

		if (!r->node[slot]->tokens || chring_slot_set(out, slot))
			continue;
		c.live++;
		c.zones += !chring_slot_set(set, r->zone[slot]);
		c.weight += r->weight[slot];
		set_slot(set, r->zone[slot], true);
	}
	return c;
}

static void set_digest(struct chring_view *v)
{
	const struct chring_roster *r = v->roster;
	struct chring_digest digest;
	u32 i;

	chring_digest_begin(&digest, &v->ring->config);
	for (i = 0; i < r->count; i++) {
		const struct chring_node *node = r->node[r->order[i]];

		chring_digest_node(&digest, node->digest_key, node->weight,
				   chring_view_state(v, r->order[i]));
	}
	v->digest = chring_digest_end(&digest);
}

static void count_bytes(struct chring_view *v)
{
	const struct chring_roster *const counted[] = { v->roster };

	v->nodes_bytes = v->roster->bytes +
			 chring_roster_bytes_beside(v->former.roster, counted,
						    1);
}

int chring_view_finish(struct chring_view *v, const unsigned long *gone)
{
	size_t bytes;
	unsigned long *set = zone_set_alloc(v, &bytes);
	struct census c;

	if (IS_ERR(set))
		return PTR_ERR(set);
	c = count_live(v->roster, v->out, set);
	v->live = c.live;
	v->zones = c.zones;
	v->weight = c.weight;
	if (v->former.shared) {
		set_former_out(v, gone);
		memset(set, 0, bytes);
		c = count_live(v->former.roster, v->former.out, set);
		v->former.live = c.live;
		v->former.zones = c.zones;
	}
	chring_free(set, bytes);
	count_bytes(v);
	set_digest(v);
	return 0;
}

static int place(const struct chring_circle *c, const struct chring_ask *ask,
		 u16 *slot, u32 *visits)
{
	int ret;

	if (ask->n > 1)
		return ask->zones ?
		       chring_place_zones(c, ask->position, ask->n, slot,
					  visits) :
		       chring_place_replicas(c, ask->position, ask->n, slot,
					     visits);
	/* Zones first or not, the first owner is the same. */
	ret = chring_place_owner(c, ask->position, visits);
	if (ret < 0)
		return ret;
	*slot = ret;
	return 1;
}

/* What owners are looked for in: the ring as it is, or as it was. */
static int circle_of(const struct chring_view *v, bool former,
		     struct chring_circle *c)
{
	if (former) {
		if (!v->former.shared || !v->former.roster->count)
			return -ENODATA;
		*c = chring_view_former_circle(v);
		return 0;
	}
	if (unlikely(!v->live))
		return v->nodes ? -EHOSTUNREACH : -ENODATA;
	*c = chring_view_circle(v);
	return 0;
}

/* @n nodes, unless that is an error; those there still are, as they are now. */
static int put_nodes(const struct chring_view *v, bool former, const u16 *slot,
		     int n, const struct chring_node **node)
{
	int i;

	for (i = 0; i < n; i++)
		node[i] = !former ? v->roster->node[slot[i]] :
			  still_there(v, slot[i]) ? :
			  v->former.roster->node[slot[i]];
	return n;
}

static int find(const struct chring_view *v, bool former,
		const struct chring_ask *ask, const struct chring_node **node,
		u32 *visits)
{
	u16 slot[CHRING_REPLICAS_MAX];
	struct chring_circle c;
	int ret = circle_of(v, former, &c);

	*visits = 0;
	if (!ret)
		ret = place(&c, ask, slot, visits);
	return put_nodes(v, former, slot, ret, node);
}

static int find_each(const struct chring_view *v, bool former,
		     const u64 *position, u32 n,
		     const struct chring_node **node,
		     struct chring_visits *visits)
{
	u16 slot[CHRING_TOGETHER];
	struct chring_circle c;
	int ret = circle_of(v, former, &c);

	if (!ret)
		ret = chring_place_owners(&c, position, n, slot, visits);
	return put_nodes(v, former, slot, ret, node);
}

int chring_view_owners(const struct chring_view *v, const struct chring_ask *ask,
		       const struct chring_node **node, u32 *visits)
{
	return find(v, false, ask, node, visits);
}

int chring_view_formers(const struct chring_view *v,
			const struct chring_ask *ask,
			const struct chring_node **node, u32 *visits)
{
	return find(v, true, ask, node, visits);
}

int chring_view_each_owner(const struct chring_view *v, const u64 *position,
			   u32 n, const struct chring_node **node,
			   struct chring_visits *visits)
{
	return find_each(v, false, position, n, node, visits);
}

int chring_view_each_former(const struct chring_view *v, const u64 *position,
			    u32 n, const struct chring_node **node,
			    struct chring_visits *visits)
{
	return find_each(v, true, position, n, node, visits);
}

/* The first token is of a node that does not serve: no need to ask again. */
const struct chring_node *chring_view_walk(const struct chring_view *v,
					   u64 position)
{
	struct chring_circle c;
	int ret = circle_of(v, false, &c);
	u32 visits;
	u16 slot;

	if (ret)
		return ERR_PTR(ret);
	ret = chring_place_replicas(&c, position, 1, &slot, &visits);
	chring_ring_walked(v->ring, visits);
	return ret < 0 ? ERR_PTR(ret) : v->roster->node[slot];
}

/**
 * struct fitting - who may be the answer
 * @v: view
 * @fit: says so
 * @data: for @fit
 */
struct fitting {
	const struct chring_view *v;
	chring_view_fit_fn *fit;
	void *data;
};

static bool slot_fits(u32 slot, const void *fitting)
{
	const struct fitting *f = fitting;
	const struct chring_node *node = f->v->roster->node[slot];

	return node && node->tokens && f->fit(node, f->data);
}

const struct chring_node *
chring_view_fitting(const struct chring_view *v, u64 position,
		    chring_view_fit_fn *fit, void *data, u32 *visits)
{
	const struct fitting f = { .v = v, .fit = fit, .data = data };
	struct chring_circle c;
	int ret = circle_of(v, false, &c);

	*visits = 0;
	if (!ret)
		ret = chring_place_fit(&c, position, slot_fits, &f, visits);
	return ret < 0 ? ERR_PTR(ret) : v->roster->node[ret];
}

bool chring_view_has(const struct chring_view *v,
		     const struct chring_node *node)
{
	int slot = chring_roster_find(v->roster, node->name, node->name_len);

	return slot >= 0 && v->roster->node[slot] == node;
}
