// SPDX-License-Identifier: GPL-2.0
/*
 * What oracle.py worked out, against core/ by itself and against a ring that
 * came to the same membership node by node.
 */
#include <stdlib.h>

#include "core/balance.h"
#include "core/config.h"
#include "core/digest.h"
#include "core/hash.h"
#include "core/placement.h"
#include "core/points.h"
#include "faults.h"
#include "rig.h"
#include "rng.h"
#include "stands.h"
#include "tap.h"
#include "vectors.h"

/**
 * struct subject - what is asked: a table, and how its slots are to be read
 * @v: what it must answer
 * @circle: table, stands and states
 * @slots: slots
 * @node_of: by slot: index of the node in @v
 */
struct subject {
	const struct vector_ring *v;
	struct chring_circle circle;
	u32 slots;
	u32 *node_of;
};

static void check_tokens(const struct subject *s)
{
	const struct chring_table *t = s->circle.table;
	u32 i;

	CHECK(t->count == s->v->tokens);
	CHECK(t->collisions == s->v->collisions);
	for (i = 0; i < s->v->listed && i < t->count; i++) {
		CHECK(chring_position_export(&s->v->config,
					     chring_table_token(t, i)) ==
		      s->v->token[i].position);
		CHECK(s->node_of[chring_table_owner(t, i)] == s->v->token[i].node);
	}
}

static void check_checksum(const struct subject *s)
{
	u64 *hash = calloc(s->slots + 1, sizeof(*hash));
	u64 sum = 0;
	u32 i;

	NEED(hash);
	for (i = 0; i < s->slots; i++) {
		const struct model_node *n = &s->v->node[s->node_of[i]].node;

		hash[i] = xxh64(n->name, n->name_len, 0);
	}
	CHECK(!chring_checksum(s->circle.table, &s->v->config, hash, &sum));
	CHECK(sum == s->v->checksum);
	free(hash);
}

static void check_shares(const struct subject *s)
{
	struct chring_share *share = calloc(s->slots + 1, sizeof(*share));
	u32 i;

	NEED(share);
	CHECK(!chring_balance_shares(s->circle.table, s->circle.out,
				     s->v->config.bits, share));
	for (i = 0; i < s->slots; i++) {
		CHECK(share[i].hi == s->v->node[s->node_of[i]].share_hi);
		CHECK(share[i].lo == s->v->node[s->node_of[i]].share_lo);
	}
	free(share);
}

typedef int place_fn(const struct chring_circle *c, u64 position, u32 n,
		     u16 *slot, u32 *visits);

/* The list of every length up to one more than there are. */
static void check_lists(const struct subject *s, const struct vector_probe *p,
			u64 position, place_fn *place, const u32 *want)
{
	u16 slot[CHRING_REPLICAS_MAX];
	u32 visits, n, i;
	int ret;

	for (n = 1; n <= CHRING_REPLICAS_MAX && n <= p->owners + 1; n++) {
		ret = place(&s->circle, position, n, slot, &visits);
		CHECK(ret == (p->error ? : (int)min(n, p->owners)));
		for (i = 0; (int)i < ret; i++)
			CHECK(s->node_of[slot[i]] == want[i]);
		CHECK(visits <= 64 * n + s->slots);
	}
}

static void check_probe(const struct subject *s, const struct vector_probe *p,
			u64 position)
{
	u32 visits;
	int owner = chring_place_owner(&s->circle, position, &visits);

	if (p->error)
		CHECK(owner == p->error);
	else
		CHECK(owner >= 0 && s->node_of[owner] == p->owner[0]);
	check_lists(s, p, position, chring_place_replicas, p->owner);
	check_lists(s, p, position, chring_place_zones, p->zoned);
}

static void check_subject(const struct subject *s)
{
	check_tokens(s);
	check_checksum(s);
	check_shares(s);
}

/* Where the probe is on the circle; a key must be hashed to there. */
static u64 probe_position(const struct vector_ring *v,
			  const struct vector_probe *p)
{
	u64 position = 0;

	CHECK(!chring_position_import(&v->config, p->position, &position));
	if (p->key)
		CHECK(chring_hash_position(&v->config, p->key, p->len) ==
		      position);
	return position;
}

/* -- core/ alone: all nodes at once, slots in an order of their own */

/**
 * struct plain - a membership, with core/ and nothing else
 * @order: by place in the order of names: slot
 * @rank: by slot: place in the order of names
 */
struct plain {
	const struct vector_ring *v;
	u32 *order;
	u16 *rank;
	unsigned long *out;
	u16 *zone;
	u32 zones;
	struct chring_table *table;
	struct chring_stand *stand;
	struct subject subject;
};

static bool same_zone(const struct model_node *a, const struct model_node *b)
{
	return a->zone_len == b->zone_len &&
	       !memcmp(a->zone, b->zone, a->zone_len);
}

static bool in_service(const struct vector_node *n)
{
	return n->node.state == CHRING_STATE_UP && n->tokens;
}

/* A zone's number is the first node of it in the order of names. */
static void plain_zones(struct plain *p)
{
	const struct vector_node *node = p->v->node;
	u32 n = p->v->nodes, i, k;

	p->zone = calloc(n + 1, sizeof(*p->zone));
	NEED(p->zone);
	for (i = 0; i < n; i++) {
		bool counted = false;

		for (k = 0; !same_zone(&node[k].node, &node[i].node); k++)
			;
		p->zone[p->order[i]] = k;
		for (; k < i; k++)
			counted |= in_service(&node[k]) &&
				   same_zone(&node[k].node, &node[i].node);
		p->zones += in_service(&node[i]) && !counted;
	}
}

static void plain_slots(struct plain *p)
{
	u32 n = p->v->nodes, i;

	p->order = calloc(n + 1, sizeof(*p->order));
	p->rank = calloc(n + 1, sizeof(*p->rank));
	p->out = calloc(n / BITS_PER_LONG + 1, sizeof(*p->out));
	p->subject.node_of = calloc(n + 1, sizeof(u32));
	NEED(p->order && p->rank && p->out && p->subject.node_of);
	rng_shuffle(p->order, n);
	for (i = 0; i < n; i++) {
		u32 slot = p->order[i];

		p->rank[slot] = i;
		p->subject.node_of[slot] = i;
		if (p->v->node[i].node.state != CHRING_STATE_UP)
			p->out[slot / BITS_PER_LONG] |=
				1UL << (slot % BITS_PER_LONG);
	}
}

/* In the order of names, so that a stable sort leaves equal tokens in it. */
static void plain_run(struct plain *p, struct chring_run *run)
{
	const struct vector_ring *v = p->v;
	u32 n = 0, i, k;

	NEED(!chring_run_alloc(run, v->tokens));
	for (i = 0; i < v->nodes; i++) {
		const struct model_node *node = &v->node[i].node;
		u32 count = chring_points_count(&v->config, node->weight);

		CHECK(count == v->node[i].tokens);
		NEED(n + count <= v->tokens);
		CHECK(!chring_points_fill(&v->config, node->name,
					  node->name_len, 0, count,
					  run->token + n));
		for (k = 0; k < count; k++)
			run->owner[n++] = p->order[i];
	}
	CHECK(n == v->tokens);
	CHECK(!chring_run_sort(run));
}

static void plain_build(struct plain *p, const struct vector_ring *v)
{
	const struct chring_run none = {};
	struct chring_run run;

	memset(p, 0, sizeof(*p));
	p->v = v;
	plain_slots(p);
	plain_zones(p);
	plain_run(p, &run);
	p->table = chring_table_merge(NULL, &run, &none, p->rank);
	NEED(!IS_ERR(p->table));
	chring_run_free(&run);
	p->subject.v = v;
	p->stand = stands_of(p->table, v->nodes, p->rank);
	p->subject.circle = (struct chring_circle){
		.table = p->table,
		.stand = p->stand,
		.slots = v->nodes,
		.out = p->out,
		.zone = p->zone,
		.live = v->live,
		.zones = p->zones,
	};
	p->subject.slots = v->nodes;
}

static void plain_free(struct plain *p)
{
	free(p->stand);
	chring_table_free(p->table);
	free(p->order);
	free(p->rank);
	free(p->out);
	free(p->zone);
	free(p->subject.node_of);
}

static u64 plain_digest(const struct vector_ring *v)
{
	char name_zone[2 * CHRING_NAME_MAX];
	struct chring_digest d;
	u32 i;

	chring_digest_begin(&d, &v->config);
	for (i = 0; i < v->nodes; i++) {
		const struct model_node *n = &v->node[i].node;

		memcpy(name_zone, n->name, n->name_len);
		memcpy(name_zone + n->name_len, n->zone, n->zone_len);
		chring_digest_node(&d, chring_digest_node_key(name_zone,
							      n->name_len,
							      n->zone_len),
				   n->weight, n->state);
	}
	return chring_digest_end(&d);
}

/* A table without tokens of nodes in service is not to be asked. */
static void plain_probes(const struct plain *p)
{
	u32 i;

	for (i = 0; i < p->v->probes; i++) {
		const struct vector_probe *probe = &p->v->probe[i];
		u64 position = probe_position(p->v, probe);

		if (probe->error != -ENODATA)
			check_probe(&p->subject, probe, position);
	}
}

static void test_core(const struct vector_ring *v)
{
	struct plain p;

	plain_build(&p, v);
	check_subject(&p.subject);
	plain_probes(&p);
	CHECK(plain_digest(v) == v->digest);
	plain_free(&p);
}

/* -- a ring */

static void check_config(const struct vector_ring *v)
{
	struct chring_config c = v->config;

	CHECK(!chring_config_resolve(&c));
	CHECK(!memcmp(&c, &v->config, sizeof(c)));
	if (strcmp(v->name, "defaults"))
		return;
	memset(&c, 0, sizeof(c));
	CHECK(!chring_config_resolve(&c));
	CHECK(!memcmp(&c, &v->config, sizeof(c)));
}

static void ring_fill(struct rig *rig, const struct vector_ring *v)
{
	u32 *order = calloc(v->nodes + 1, sizeof(*order));
	u32 i;

	NEED(order);
	rng_shuffle(order, v->nodes);
	for (i = 0; i < v->nodes; i++)
		NEED(!rig_add(rig, &v->node[order[i]].node));
	free(order);
}

static void ring_subject(const struct chring_view *view,
			 const struct vector_ring *v, struct subject *s)
{
	const struct chring_roster *r = view->roster;
	u32 i;

	*s = (struct subject){
		.v = v,
		.circle = chring_view_circle(view),
		.slots = r->slots,
		.node_of = calloc(r->slots + 1, sizeof(*s->node_of)),
	};
	NEED(s->node_of && r->count == v->nodes && r->slots == v->nodes);
	for (i = 0; i < r->count; i++) {
		const struct chring_node *node = r->node[r->order[i]];

		s->node_of[r->order[i]] = i;
		CHECK(model_same_name(&v->node[i].node, node->name,
				      node->name_len));
		CHECK(node->tokens == v->node[i].tokens);
	}
}

static void ring_probes(const struct chring_view *view, const struct subject *s)
{
	u32 i;

	for (i = 0; i < s->v->probes; i++) {
		const struct vector_probe *p = &s->v->probe[i];
		u64 position = probe_position(s->v, p);

		if (p->error == -ENODATA)
			CHECK(rig_view_owner(view, position) == -ENODATA);
		else
			check_probe(s, p, position);
	}
}

static void test_ring(const struct vector_ring *v)
{
	const struct chring_view *view;
	struct subject s;
	struct rig rig;

	check_config(v);
	rig_open(&rig, &v->config);
	ring_fill(&rig, v);
	view = rig_view(&rig);
	ring_subject(view, v, &s);
	CHECK(view->digest == v->digest);
	CHECK(view->live == v->live);
	CHECK(view->epoch == 1 + v->nodes);
	check_subject(&s);
	ring_probes(view, &s);
	free(s.node_of);
	rig_close(&rig);
}

/* -- hashes */

static void check_hash(const struct vector_hash *h)
{
	u8 *shifted = malloc(h->len + 1);
	u64 inside;

	NEED(shifted);
	inside = chring_hash_position(&h->config, h->key, h->len);
	CHECK(chring_position_export(&h->config, inside) == h->position);
	/* Of no alignment that a word would like. */
	memcpy(shifted + 1, h->key ? h->key : shifted, h->len);
	CHECK(chring_hash_position(&h->config, shifted + 1, h->len) == inside);
	free(shifted);
}

/* All lines of one hash. */
static void test_hash(u32 hash)
{
	FILE *f = vectors_open("hashes.txt");
	struct vector_hash h;
	u32 lines = 0;

	while (vectors_next_hash(f, &h)) {
		if (h.config.hash == hash) {
			check_hash(&h);
			lines++;
		}
		free(h.key);
	}
	CHECK(lines > 100);
	fclose(f);
}

static void test_hashes(void)
{
	static const char *const name[] = {
		"xxh64", "siphash", "murmur64", "murmur3",
	};
	u32 i;

	for (i = 0; i < 4; i++) {
		tap_begin("hash_", name[i]);
		test_hash(CHRING_HASH_XXH64 + i);
		tap_end();
	}
}

static void test_vector(const struct vector_ring *v)
{
	tap_begin("core_", v->name);
	test_core(v);
	rig_check_memory();
	tap_end();

	tap_begin("ring_", v->name);
	test_ring(v);
	rig_check_memory();
	tap_end();
}

static u32 count_rings(void)
{
	FILE *f = vectors_open("rings.txt");
	struct vector_ring v;
	u32 n = 0;

	for (; vectors_next_ring(f, &v); n++)
		vectors_free_ring(&v);
	fclose(f);
	return n;
}

static void test_rings(void)
{
	FILE *f = vectors_open("rings.txt");
	struct vector_ring v;

	while (vectors_next_ring(f, &v)) {
		test_vector(&v);
		vectors_free_ring(&v);
	}
	fclose(f);
}

int main(void)
{
	u32 rings = count_rings();

	NEED(rings);
	faults_init();
	chring_sync_init();
	tap_plan(4 + 2 * rings);
	rng_init();
	test_hashes();
	test_rings();
	chring_sync_exit();
	return tap_status();
}
