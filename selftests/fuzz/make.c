// SPDX-License-Identifier: GPL-2.0
#include "libtest.h"
#include "make.h"

#define ROOM_NODES	64	/* more than a ring of the pool has */
#define ROOM_RINGS	1100	/* more than there may be */
#define KEYS_MAX	1200

static __u64 put(struct worker *w, const void *bytes, size_t n)
{
	return ptr(arena_put(&w->arena, bytes, n));
}

static __u64 room(struct worker *w, size_t n)
{
	return ptr(arena_room(&w->arena, n));
}

/* Entries of a program that is as old as the module, or newer. */
static __u32 entry_size(struct worker *w, __u32 size)
{
	return rng_percent(&w->rng, 85) ? size : size + 8 * (1 + rng_below(&w->rng, 4));
}

static __u64 known_node(struct worker *w)
{
	return w->node[rng_below(&w->rng, RECENT)];
}

/* Conditions: mostly none. A stale one is not a spoilt command. */
static __u64 condition(struct worker *w)
{
	return rng_percent(&w->rng, 6) ? w->epoch : 0;
}

static __u64 generation(struct worker *w)
{
	if (!rng_percent(&w->rng, 8))
		return 0;
	return w->generation + rng_below(&w->rng, 3) + !w->generation;
}

static void make_info(struct worker *w)
{
}

static void make_seed(struct worker *w, struct chring_config *c)
{
	c->seed[0] = rng_next(&w->rng);
	if (c->hash == CHRING_HASH_MURMUR3)
		c->seed[0] &= ~0U;
	if (c->hash == CHRING_HASH_SIPHASH)
		c->seed[1] = rng_next(&w->rng);
}

static struct chring_config make_config(struct worker *w)
{
	struct rng *r = &w->rng;
	struct chring_config c = {
		.hash = rng_below(r, 5),
		.vnodes = 1 + rng_below(r, 20),
		.unit = rng_below(r, 3),
		.balance = rng_percent(r, 50) ? 100 + rng_below(r, 200) : 0,
		.tickets = rng_percent(r, 50) ? rng_below(r, 4) : 0,
	};

	if (rng_percent(r, 40))
		c.bits = 32;
	if (rng_percent(r, 70) || c.hash == CHRING_HASH_SIPHASH)
		make_seed(w, &c);
	if (rng_percent(r, 30)) {
		c.sep_len = 1 + rng_below(r, CHRING_SEP_MAX);
		memset(c.sep, '-', c.sep_len);
	}
	/* Known, and not offered. */
	if (rng_percent(r, 4))
		c.layout = 2 + rng_below(r, 3);
	return c;
}

/* Of what has just been deleted, most likely. */
static void make_create(struct worker *w)
{
	struct chring_ring_create *arg = &w->call.arg.create;
	struct chring_config config = make_config(w);
	const char *name = w->ring[0] ? w->ring : pool_ring(&w->rng, false);

	arg->name_len = strlen(name);
	arg->name = put(w, name, arg->name_len);
	if (rng_percent(&w->rng, 90)) {
		arg->config = put(w, &config, sizeof(config));
		arg->config_size = sizeof(config);
	}
	w->ring[0] = 0;
}

static void make_name(struct worker *w, const char *name)
{
	struct chring_ring_name *arg = &w->call.arg.name;

	arg->name_len = strlen(name);
	arg->name = put(w, name, arg->name_len);
}

static void make_delete(struct worker *w)
{
	__u32 n = rng_below(&w->rng, 100);
	const char *name = n < 8 ? CHRING_DEFAULT_RING : n < 16 ? PRIVATE :
			   pool_ring(&w->rng, false);

	make_name(w, name);
	if (n >= 16)
		strcpy(w->ring, name);
}

static void make_bind(struct worker *w)
{
	__u32 n = rng_below(&w->rng, 100);

	/* Not to the lone ring: the descriptor may be one that can write. */
	make_name(w, n < 8 ? CHRING_DEFAULT_RING : n < 16 ? PRIVATE :
		  pool_ring(&w->rng, false));
}

static void make_ring_list(struct worker *w)
{
	struct chring_ring_list *arg = &w->call.arg.ring_list;

	arg->entry_size = entry_size(w, sizeof(struct chring_ring_entry));
	arg->count = rng_percent(&w->rng, 90) ? ROOM_RINGS : 10;
	arg->entries = room(w, arg->entry_size * arg->count);
	if (rng_percent(&w->rng, 30))
		arg->flags = CHRING_LIST_PRIVATE;
}

static void make_dry(struct worker *w, __u32 *flags, struct chring_dry_run *dry)
{
	if (!rng_percent(&w->rng, 15))
		return;
	*flags |= CHRING_DRY_RUN;
	if (!rng_percent(&w->rng, 70))
		return;
	dry->entry_size = entry_size(w, sizeof(struct chring_transfer));
	dry->count = rng_percent(&w->rng, 80) ? ROOM_NODES * 8 : rng_below(&w->rng, 3);
	dry->transfers = room(w, dry->entry_size * dry->count);
}

static void make_node_name(struct worker *w, struct chring_node_change *arg)
{
	const char *name = pool_node(rng_below(&w->rng, POOL_NODES), &arg->name_len);

	arg->name = put(w, name, arg->name_len);
}

static void make_zone(struct worker *w, struct chring_node_change *arg)
{
	static const char *const zones[] = { "z1", "z2", "eu-3" };
	const char *zone = zones[rng_below(&w->rng, 3)];

	if (rng_percent(&w->rng, 30))
		return;
	arg->zone_len = strlen(zone);
	arg->zone = put(w, zone, arg->zone_len);
}

static __u32 weight(struct worker *w)
{
	__u32 n = rng_below(&w->rng, 100);

	/* One that is as heavy as can be would have more tokens than a ring. */
	return n < 10 ? 0 : n < 12 ? CHRING_WEIGHT_MAX : 1 + rng_below(&w->rng, 4);
}

static __u32 state(struct worker *w)
{
	return rng_percent(&w->rng, 65) ? CHRING_STATE_UP : rng_below(&w->rng, 3);
}

static void make_change(struct worker *w, struct chring_node_change *arg)
{
	arg->epoch = condition(w);
	arg->generation = generation(w);
	make_dry(w, &arg->flags, &arg->dry);
}

static void make_add(struct worker *w)
{
	struct chring_node_change *arg = &w->call.arg.node;

	make_node_name(w, arg);
	make_zone(w, arg);
	arg->weight = weight(w);
	arg->state = state(w);
	arg->cookie = rng_next(&w->rng);
	make_change(w, arg);
}

static void make_which(struct worker *w, struct chring_node_change *arg)
{
	if (rng_percent(&w->rng, 40))
		arg->node = known_node(w);
	if (!arg->node)
		make_node_name(w, arg);
}

static void make_set(struct worker *w)
{
	struct chring_node_change *arg = &w->call.arg.node;

	make_which(w, arg);
	arg->flags = 1 + rng_below(&w->rng, 15);
	if (arg->flags & CHRING_NODE_WEIGHT)
		arg->weight = weight(w);
	if (arg->flags & CHRING_NODE_STATE)
		arg->state = state(w);
	if (arg->flags & CHRING_NODE_ZONE)
		make_zone(w, arg);
	if (arg->flags & CHRING_NODE_COOKIE)
		arg->cookie = rng_next(&w->rng);
	make_change(w, arg);
}

static void make_del(struct worker *w)
{
	make_which(w, &w->call.arg.node);
	make_change(w, &w->call.arg.node);
}

static void make_node_list(struct worker *w)
{
	struct chring_node_list *arg = &w->call.arg.node_list;

	arg->entry_size = entry_size(w, sizeof(struct chring_node_entry));
	arg->count = ROOM_NODES;
	arg->entries = room(w, arg->entry_size * arg->count);
	arg->strings_size = rng_percent(&w->rng, 90) ? 8192 : 10;
	arg->strings = room(w, arg->strings_size);
}

/* A fault that only a member can have. */
static void spoil_member(struct worker *w, struct chring_member *m, __u32 *tail)
{
	switch (rng_below(&w->rng, 6)) {
	case 0:
		m->name_len = CHRING_NAME_MAX + 1;
		break;
	case 1:
		m->weight = CHRING_WEIGHT_MAX + 1;
		break;
	case 2:
		m->name_off = 1 << 20;
		break;
	case 3:
		m->state = CHRING_STATE_DOWN + 1;
		break;
	case 4:
		m->zone_off = 1;
		m->zone_len = 0;
		break;
	default:
		*tail = 1;
	}
	w->call.spoilt = true;
}

/* Names of the pool in the order of their bytes, some of them left out. */
static int choose_names(struct worker *w, int *which)
{
	int i, j, n = 0;

	for (i = 0; i < POOL_NODES; i++) {
		__u32 len, other;
		const char *name = pool_node(i, &len);

		if (!rng_percent(&w->rng, 50))
			continue;
		for (j = n; j && strcmp(pool_node(which[j - 1], &other), name) > 0; j--)
			which[j] = which[j - 1];
		which[j] = i;
		n++;
	}
	return n;
}

static void make_commit(struct worker *w)
{
	struct chring_commit *arg = &w->call.arg.commit;
	struct { struct chring_member m; __u32 tail[2]; } member[POOL_NODES] = {};
	char strings[POOL_NODES * CHRING_NAME_MAX];
	int which[POOL_NODES], i, n = choose_names(w, which);
	__u32 at = 0, len;

	arg->member_size = rng_percent(&w->rng, 50) ? sizeof(member[0]) :
						      sizeof(member[0].m);
	for (i = 0; i < n; i++) {
		const char *name = pool_node(which[i], &len);

		member[i].m = (struct chring_member){
			.cookie = rng_next(&w->rng),
			.weight = weight(w),
			.state = state(w),
			.name_off = at,
			.name_len = len,
		};
		memcpy(strings + at, name, len);
		at += len;
	}
	if (n && rng_percent(&w->rng, 12)) {
		arg->member_size = sizeof(member[0]);
		i = rng_below(&w->rng, n);
		spoil_member(w, &member[i].m, member[i].tail);
	}
	arg->count = n;
	arg->strings_size = at;
	arg->strings = put(w, strings, at);
	arg->members = put(w, NULL, n * arg->member_size);
	for (i = 0; i < n; i++)
		memcpy((char *)(uintptr_t)arg->members + i * arg->member_size,
		       &member[i], arg->member_size);
	if (rng_percent(&w->rng, 70))
		arg->nodes = room(w, n * sizeof(__u64));
	arg->epoch = condition(w);
	arg->generation = generation(w);
	make_dry(w, &arg->flags, &arg->dry);
}

/* Short keys, and now and then one as long as can be. */
static __u32 key_len(struct worker *w)
{
	__u32 n = rng_below(&w->rng, 100);

	return n < 90 ? rng_below(&w->rng, 40) : n < 98 ? 200 + rng_below(&w->rng, 200) :
	       CHRING_KEY_MAX;
}

static __u64 position(struct worker *w)
{
	__u64 p = rng_next(&w->rng);

	/* What fits any ring. */
	return rng_percent(&w->rng, 70) ? p >> 32 : p;
}

static void make_lookup(struct worker *w)
{
	struct chring_lookup *arg = &w->call.arg.lookup;
	struct rng *r = &w->rng;

	arg->flags = rng_percent(r, 50) ? 0 : rng_below(r, 8);
	arg->count = rng_percent(r, 50) ? 1 : 1 + rng_below(r, CHRING_REPLICAS_MAX);
	arg->entry_size = entry_size(w, sizeof(struct chring_owner));
	arg->owners = room(w, arg->count * arg->entry_size);
	arg->epoch = condition(w);
	if (arg->flags & CHRING_LOOKUP_POSITION) {
		arg->position = position(w);
	} else {
		arg->key_len = key_len(w);
		arg->key = put(w, NULL, arg->key_len);
	}
	if (!(arg->flags & CHRING_LOOKUP_PREVIOUS) && rng_percent(r, 30))
		arg->formers = room(w, arg->count * arg->entry_size);
}

static void make_positions(struct worker *w, struct chring_lookup_batch *arg)
{
	__u64 p[KEYS_MAX];
	__u32 i;

	for (i = 0; i < arg->count; i++)
		p[i] = rng_next(&w->rng) >> 32;
	arg->keys_size = arg->count * sizeof(p[0]);
	arg->keys = put(w, p, arg->keys_size);
}

static void make_keys(struct worker *w, struct chring_lookup_batch *arg)
{
	__u32 lens[KEYS_MAX], i;

	for (i = 0; i < arg->count; i++) {
		lens[i] = rng_below(&w->rng, 24);
		arg->keys_size += lens[i];
	}
	/* Nobody looks at what is behind the last key. */
	if (rng_percent(&w->rng, 4))
		arg->keys_size += CHRING_KEY_MAX;
	arg->lens = put(w, lens, arg->count * sizeof(lens[0]));
	arg->keys = put(w, NULL, arg->keys_size);
}

static void make_batch(struct worker *w)
{
	struct chring_lookup_batch *arg = &w->call.arg.batch;
	struct rng *r = &w->rng;

	arg->count = rng_percent(r, 92) ? rng_below(r, 40) : rng_below(r, KEYS_MAX);
	arg->flags = rng_percent(r, 70) ? 0 : CHRING_LOOKUP_PREVIOUS;
	arg->epoch = condition(w);
	arg->nodes = room(w, arg->count * sizeof(__u64));
	if (rng_percent(r, 30)) {
		arg->flags |= CHRING_LOOKUP_POSITION;
		make_positions(w, arg);
	} else {
		make_keys(w, arg);
	}
}

static void make_acquire(struct worker *w)
{
	struct chring_acquire *arg = &w->call.arg.acquire;

	arg->epoch = condition(w);
	if (rng_percent(&w->rng, 30)) {
		arg->flags = CHRING_LOOKUP_POSITION;
		arg->position = position(w);
	} else {
		arg->key_len = key_len(w);
		arg->key = put(w, NULL, arg->key_len);
	}
}

static void make_release(struct worker *w)
{
	struct chring_release *arg = &w->call.arg.release;
	struct held *h = &w->held[rng_below(&w->rng, RECENT)];

	arg->node = h->node ? h->node : known_node(w);
	arg->count = rng_percent(&w->rng, 90) ? 1 : 2;
	if (h->node)
		w->call.slot = h->slot;
	h->node = 0;
}

static void make_stats(struct worker *w)
{
	struct chring_stats *arg = &w->call.arg.stats;

	if (rng_percent(&w->rng, 60)) {
		arg->config_size = entry_size(w, sizeof(struct chring_config));
		arg->config = room(w, arg->config_size);
	}
	if (rng_percent(&w->rng, 60)) {
		arg->entry_size = entry_size(w, sizeof(struct chring_node_share));
		arg->count = rng_percent(&w->rng, 90) ? ROOM_NODES : 3;
		arg->entries = room(w, arg->entry_size * arg->count);
	}
}

static void make_circle(struct worker *w, __u32 size)
{
	struct chring_circle_list *arg = &w->call.arg.circle;
	struct rng *r = &w->rng;

	arg->entry_size = entry_size(w, size);
	arg->count = rng_percent(r, 80) ? 1 + rng_below(r, 64) : 1 + rng_below(r, 700);
	arg->entries = room(w, arg->entry_size * arg->count);
	arg->epoch = condition(w);
	if (w->cursor_epoch && w->cursor_cmd == w->call.cmd) {
		arg->cursor = w->cursor;
		arg->epoch = w->cursor_epoch;
		w->call.slot = w->cursor_slot;
		w->cursor_epoch = 0;
	}
}

static void make_ranges(struct worker *w)
{
	struct chring_circle_list *arg = &w->call.arg.circle;

	if (rng_percent(&w->rng, 30))
		arg->flags = CHRING_RANGES_PREVIOUS;
	if (rng_percent(&w->rng, 30))
		arg->node = known_node(w);
	make_circle(w, sizeof(struct chring_range));
}

static void make_diff(struct worker *w)
{
	make_circle(w, sizeof(struct chring_diff_entry));
}

static void make_tokens(struct worker *w)
{
	make_circle(w, sizeof(struct chring_token));
}

static void make_pin(struct worker *w)
{
	w->call.arg.pin.epoch = condition(w);
	w->call.arg.pin.generation = generation(w);
}

static void (*const makers[CMD_IOCTLS])(struct worker *w) = {
	[CMD_INFO] = make_info,
	[CMD_RING_CREATE] = make_create,
	[CMD_RING_DELETE] = make_delete,
	[CMD_BIND] = make_bind,
	[CMD_RING_LIST] = make_ring_list,
	[CMD_NODE_ADD] = make_add,
	[CMD_NODE_SET] = make_set,
	[CMD_NODE_DEL] = make_del,
	[CMD_NODE_LIST] = make_node_list,
	[CMD_COMMIT] = make_commit,
	[CMD_LOOKUP] = make_lookup,
	[CMD_LOOKUP_BATCH] = make_batch,
	[CMD_ACQUIRE] = make_acquire,
	[CMD_RELEASE] = make_release,
	[CMD_STATS] = make_stats,
	[CMD_RANGES] = make_ranges,
	[CMD_DIFF] = make_diff,
	[CMD_TOKENS] = make_tokens,
	[CMD_PIN] = make_pin,
	[CMD_UNPIN] = make_pin,
};

void make_call(struct worker *w, enum command cmd)
{
	struct call *c = &w->call;
	const struct field *f;

	c->cmd = cmd;
	c->spoilt = false;
	c->injected = false;
	arena_empty(&w->arena);
	memset(&c->arg, 0, sizeof(c->arg));
	c->arg.size = c->bytes = specs[cmd].size;
	makers[cmd](w);
	for (f = specs[cmd].field; f->kind != F_END; f++)
		if (f->kind == F_OUT || f->kind == F_FACT)
			memset(c->arg.bytes + f->off, NOT_SAID, f->size);
}
