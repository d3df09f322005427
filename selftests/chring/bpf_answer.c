// SPDX-License-Identifier: GPL-2.0
/*
 * What kfuncs answer, against arithmetic of this file: all tokens of a ring in
 * order, and a walk over them.
 */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "libbpfprog.h"
#include "../bpf/long.h"
#include "kselftest_harness.h"

#define RING	"bpf-answer"
#define NODES	24
#define ZONES	5
#define VNODES	40
#define KEYS	10000
#define WANTED	6

struct token {
	__u64 at;
	int node;
};

/**
 * struct model - the ring as it should be
 * @id: of each node; 0: it is not there
 * @out: it is out of service
 * @token: of all nodes that are there, in order
 * @tokens: how many
 */
struct model {
	__u64 id[NODES];
	bool out[NODES];
	struct token token[NODES * VNODES];
	int tokens;
};

static int by_place(const void *a, const void *b)
{
	const struct token *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static int zone_of(int node)
{
	return node % ZONES;
}

static void model_make(struct model *m)
{
	char label[32];
	int n, i;

	m->tokens = 0;
	for (n = 0; n < NODES; n++) {
		for (i = 0; m->id[n] && i < VNODES; i++) {
			struct token *t = &m->token[m->tokens++];

			t->at = XXH64(label, sprintf(label, "node-%d#%d", n, i),
				      0);
			t->node = n;
		}
	}
	qsort(m->token, m->tokens, sizeof(m->token[0]), by_place);
}

/* The nodes in service clockwise, each once. Return: how many. */
static int model_walk(const struct model *m, __u64 at, int *node)
{
	bool met[NODES] = {};
	int first = 0, found = 0, i;

	while (first < m->tokens && m->token[first].at < at)
		first++;
	for (i = 0; i < m->tokens; i++) {
		int n = m->token[(first + i) % m->tokens].node;

		if (met[n] || m->out[n])
			continue;
		met[n] = true;
		node[found++] = n;
	}
	return found;
}

/* The same, the first of each zone before all others. */
static int model_zones(const struct model *m, __u64 at, int *node)
{
	int walk[NODES], n = model_walk(m, at, walk), found = 0, i, z;
	bool met[ZONES] = {}, taken[NODES] = {};

	for (i = 0; i < n; i++) {
		z = zone_of(walk[i]);
		if (met[z])
			continue;
		met[z] = true;
		taken[i] = true;
		node[found++] = walk[i];
	}
	for (i = 0; i < n; i++)
		if (!taken[i])
			node[found++] = walk[i];
	return n;
}

FIXTURE(answer)
{
	int fd;
	__u64 ring;
	struct model now;
	struct bpf_object *object;
	int prog;
};

FIXTURE_VARIANT(answer)
{
	const char *prog;
	__u32 room;	/* answers that fit */
	int step;	/* every so many keys */
};

FIXTURE_VARIANT_ADD(answer, packet)
{
	.prog = "ask_packet",
	.room = ASK_ANSWERS,
	.step = 1,
};

FIXTURE_VARIANT_ADD(answer, stack)
{
	.prog = "ask_stack",
	.room = ASK_ON_STACK,
	.step = 10,
};

FIXTURE_VARIANT_ADD(answer, tc)
{
	.prog = "ask_tc",
	.room = ASK_ON_STACK,
	.step = 10,
};

static int add_node(int fd, int n, __u64 *id)
{
	char name[16], zone[16];
	struct chring_node_change arg = {
		.size = sizeof(arg),
		.name = ptr(name),
		.zone = ptr(zone),
		.weight = 1,
		.cookie = 1000 + n,
	};
	int ret;

	arg.name_len = sprintf(name, "node-%d", n);
	arg.zone_len = sprintf(zone, "zone-%d", zone_of(n));
	ret = chr(fd, CHRING_IOC_NODE_ADD, &arg);
	*id = arg.out_node;
	return ret;
}

FIXTURE_SETUP(answer)
{
	struct chring_config config = { .vnodes = VNODES };
	int n;

	NEED_KFUNCS();
	self->object = prog_load("ask.bpf.o", variant->prog, &self->prog);
	ASSERT_NE(NULL, self->object) {
		TH_LOG("%s: %s", strerror(errno), prog_log());
	}
	self->fd = ring_fresh(RING, &config);
	ASSERT_LE(0, self->fd);
	self->ring = ring_id(self->fd);
	for (n = 0; n < NODES; n++)
		ASSERT_EQ(0, add_node(self->fd, n, &self->now.id[n]));
	model_make(&self->now);
}

FIXTURE_TEARDOWN(answer)
{
	bpf_object__close(self->object);
	ring_delete(self->fd, RING);
	close(self->fd);
}

static __u64 epoch_of(int fd)
{
	struct mark m;

	return mark_ring(fd, &m) ? 0 : m.epoch;
}

static __u64 make_key(struct ask *a, int i)
{
	a->len = sprintf((char *)a->key, "key:%07d%.*s", i, i % 40,
			 "........................................");
	return XXH64(a->key, a->len, 0);
}

/* Is the answer that node, of that epoch? */
static bool is_node(const struct chring_bpf_answer *answer,
		    const struct model *m, int node, __u64 epoch)
{
	return answer->node == m->id[node] && answer->epoch == epoch &&
	       answer->cookie == 1000U + node;
}

/* Owner of a key, of its position, and the position itself: how many are wrong. */
static int wrong_owner(int prog, struct ask *a, const struct model *m, int i,
		       __u64 epoch)
{
	__u64 at = make_key(a, i);
	int walk[NODES], wrong = 0;

	model_walk(m, at, walk);
	a->what = ASK_LOOKUP;
	a->size = sizeof(a->answer[0]);
	memset(a->answer, 0xff, sizeof(a->answer));
	wrong += prog_ask(prog, a) || !is_node(a->answer, m, walk[0], epoch) ||
		 a->answer[1].node == m->id[walk[0]];
	a->what = ASK_POSITION;
	wrong += prog_ask(prog, a) || a->position != at;
	a->what = ASK_LOOKUP_POSITION;
	memset(a->answer, 0xff, sizeof(a->answer));
	wrong += prog_ask(prog, a) || !is_node(a->answer, m, walk[0], epoch);
	return wrong;
}

TEST_F(answer, owners)
{
	struct ask a = { .ring = self->ring };
	int i, wrong = 0, asked = 0;

	for (i = 0; i < KEYS; i += variant->step, asked++)
		wrong += wrong_owner(self->prog, &a, &self->now, i,
				     epoch_of(self->fd));
	TH_LOG("%d keys", asked);
	EXPECT_EQ(0, wrong);
}

/* @n replicas of a key. Return: is one of them wrong? */
static bool wrong_replicas(int prog, struct ask *a, const struct model *m,
			   int i, __u32 n, __u64 epoch)
{
	__u64 at = make_key(a, i);
	int walk[NODES], found, k, got;

	found = a->flags & CHRING_BPF_ZONES ? model_zones(m, at, walk) :
					      model_walk(m, at, walk);
	a->what = ASK_REPLICAS;
	a->position = at;
	a->size = n * sizeof(a->answer[0]);
	got = prog_ask(prog, a);
	if (got != (found < (int)n ? found : (int)n))
		return true;
	for (k = 0; k < got; k++)
		if (!is_node(&a->answer[k], m, walk[k], epoch))
			return true;
	return false;
}

TEST_F(answer, replicas)
{
	struct ask a = { .ring = self->ring };
	__u64 epoch = epoch_of(self->fd);
	int i, wrong = 0;

	for (i = 0; i < KEYS; i += variant->step)
		wrong += wrong_replicas(self->prog, &a, &self->now, i, WANTED,
					epoch);
	a.flags = CHRING_BPF_ZONES;
	for (i = 0; i < KEYS; i += variant->step)
		wrong += wrong_replicas(self->prog, &a, &self->now, i, WANTED,
					epoch);
	/* As many as fit, which may be more than there are. */
	for (i = 0; i < 20; i++)
		wrong += wrong_replicas(self->prog, &a, &self->now, i,
					variant->room, epoch);
	EXPECT_EQ(0, wrong);
}

/* A program that is loaded sees every change at its next run. */
TEST_F(answer, changes)
{
	struct ask a = { .ring = self->ring };
	struct model before = self->now;
	int i, wrong = 0;

	ASSERT_EQ(0, node_set_state(self->fd, "node-3", CHRING_STATE_DOWN));
	self->now.out[3] = true;
	for (i = 0; i < KEYS; i += 20)
		wrong += wrong_owner(self->prog, &a, &self->now, i,
				     epoch_of(self->fd));
	ASSERT_EQ(0, node_set_state(self->fd, "node-3", CHRING_STATE_UP));
	self->now.out[3] = false;
	for (i = 0; i < KEYS; i += 20)
		wrong += wrong_owner(self->prog, &a, &self->now, i,
				     epoch_of(self->fd));
	EXPECT_EQ(0, wrong);

	/* One less: who owned before is told with the cookie it had. */
	ASSERT_EQ(0, node_del(self->fd, "node-7"));
	self->now.id[7] = 0;
	model_make(&self->now);
	a.flags = CHRING_BPF_PREVIOUS;
	for (i = 0; i < KEYS; i += 20)
		wrong += wrong_replicas(self->prog, &a, &before, i, 1,
					epoch_of(self->fd));
	a.flags |= CHRING_BPF_ZONES;
	for (i = 0; i < KEYS; i += 20)
		wrong += wrong_replicas(self->prog, &a, &before, i, WANTED,
					epoch_of(self->fd));
	a.flags = 0;
	for (i = 0; i < KEYS; i += 20)
		wrong += wrong_replicas(self->prog, &a, &self->now, i, WANTED,
					epoch_of(self->fd));
	EXPECT_EQ(0, wrong);
}

/* The device and the program are asked the same; keys of no bytes as well. */
TEST_F(answer, as_the_device_says)
{
	static const struct chring_config configs[] = {
		{ .vnodes = 7, .bits = 32, .hash = CHRING_HASH_MURMUR3 },
		{ .vnodes = 7, .hash = CHRING_HASH_SIPHASH,
		  .seed = { 0x123456789, 0xabcdef } },
	};
	__u32 i, k;

	for (k = 0; k < ARRAY_LEN(configs); k++) {
		int fd = ring_fresh("bpf-device", &configs[k]);
		struct ask a = { .ring = ring_id(fd) };

		ASSERT_LE(0, fd);
		for (i = 0; i < 9; i++) {
			char name[8];

			sprintf(name, "n%u", i);
			ASSERT_EQ(0, node_add(fd, name, 1 + i, CHRING_STATE_UP,
					      NULL));
		}
		for (i = 0; i < ASK_KEY; i++) {
			struct chring_lookup out;
			struct chring_owner owner;

			memset(a.key, 'a' + i % 26, sizeof(a.key));
			a.len = i;
			a.size = sizeof(a.answer[0]);
			a.what = ASK_LOOKUP;
			ASSERT_EQ(0, lookup_key(fd, a.key, i, &out, &owner));
			EXPECT_EQ(0, prog_ask(self->prog, &a));
			EXPECT_EQ(owner.node, a.answer[0].node);
			EXPECT_EQ(owner.cookie, a.answer[0].cookie);
			EXPECT_EQ(out.out_epoch, a.answer[0].epoch);
			a.what = ASK_POSITION;
			EXPECT_EQ(0, prog_ask(self->prog, &a));
			EXPECT_EQ(out.out_position, a.position);
		}
		ring_delete(fd, "bpf-device");
		close(fd);
	}
}

/* Does it return @error, and leave the answer? */
#define EXPECT_REFUSED(error, a) ({					\
	struct ask _a = (a);						\
									\
	memset(_a.answer, 0x5a, sizeof(_a.answer));			\
	_a.position = (a).position;					\
	EXPECT_EQ(error, prog_ask(self->prog, &_a));			\
	EXPECT_EQ(0x5a5a5a5a5a5a5a5aULL, _a.answer[0].node);		\
	EXPECT_EQ(0x5a5a5a5a5a5a5a5aULL, _a.answer[0].cookie);		\
	EXPECT_EQ(0x5a5a5a5a5a5a5a5aULL, _a.answer[0].epoch);		\
	EXPECT_EQ((a).position, _a.position);				\
})

#define EACH_WHAT(a)							\
	for ((a).what = ASK_LOOKUP; (a).what <= ASK_POSITION; (a).what++)

TEST_F(answer, refusals)
{
	struct ask good = {
		.ring = self->ring,
		.len = 5,
		.key = "hello",
		.size = sizeof(good.answer[0]),
	};
	struct chring_config narrow = { .bits = 32 };
	struct ask a = good;
	int fd;

	/* In a program on the stack what is not written comes back as zeros. */
	if (strcmp(variant->prog, "ask_packet"))
		SKIP(return, "asked of the program that answers in place");
	a.ring = 0;
	EACH_WHAT(a)
		EXPECT_REFUSED(-ENOENT, a);
	a.ring = ~0ULL;
	EACH_WHAT(a)
		EXPECT_REFUSED(-ENOENT, a);
	/* Half an answer, or none, or one and a half. */
	a = good;
	for (a.size = 0; a.size < 24; a.size += 8)
		for (a.what = ASK_LOOKUP; a.what <= ASK_REPLICAS; a.what++)
			EXPECT_REFUSED(-EINVAL, a);
	a.what = ASK_REPLICAS;
	a.size = 36;
	EXPECT_REFUSED(-EINVAL, a);
	/* Flags that there are not: of a batch, and of nothing. */
	a.size = 48;
	for (a.flags = 1; a.flags; a.flags <<= 1)
		if (!(a.flags & (CHRING_BPF_ZONES | CHRING_BPF_PREVIOUS)))
			EXPECT_REFUSED(-EINVAL, a);

	/* Positions beyond a circle of 32 bits; no nodes; none in service. */
	fd = ring_fresh("bpf-narrow", &narrow);
	ASSERT_LE(0, fd);
	a = good;
	a.ring = ring_id(fd);
	a.position = 1ULL << 32;
	a.what = ASK_LOOKUP_POSITION;
	EXPECT_REFUSED(-ERANGE, a);
	a.what = ASK_REPLICAS;
	EXPECT_REFUSED(-ERANGE, a);
	a.position = ~0U;
	for (a.what = ASK_LOOKUP; a.what <= ASK_REPLICAS; a.what++)
		EXPECT_REFUSED(-ENODATA, a);
	a.flags = CHRING_BPF_PREVIOUS;
	a.what = ASK_REPLICAS;
	EXPECT_REFUSED(-ENODATA, a);
	a.flags = 0;
	ASSERT_EQ(0, node_add(fd, "one", 1, CHRING_STATE_DRAIN, NULL));
	for (a.what = ASK_LOOKUP; a.what <= ASK_REPLICAS; a.what++)
		EXPECT_REFUSED(-EHOSTUNREACH, a);
	/* Then it is gone, and stays so for as long as it has a descriptor. */
	ASSERT_EQ(0, node_set_state(fd, "one", CHRING_STATE_UP));
	a.what = ASK_LOOKUP;
	EXPECT_EQ(0, prog_ask(self->prog, &a));
	ASSERT_EQ(0, ring_delete(fd, "bpf-narrow"));
	a.position = 0;
	EACH_WHAT(a)
		EXPECT_REFUSED(-ENOENT, a);
	close(fd);
	EACH_WHAT(a)
		EXPECT_REFUSED(-ENOENT, a);
}

/* Keys of 65,536 bytes and of one more, in a map. */
TEST(long_keys)
{
	static struct long_ask a;
	struct chring_owner owner;
	struct chring_lookup out;
	struct bpf_object *o;
	char packet[64] = "";
	int fd, prog, map;
	__u32 zero = 0, i;

	NEED_KFUNCS();
	fd = ring_fresh("bpf-long", NULL);
	ASSERT_LE(0, fd);
	for (i = 0; i < 9; i++)
		ASSERT_EQ(0, node_add(fd, (char[]){ 'a' + i, 0 }, 1,
				      CHRING_STATE_UP, NULL));
	o = prog_load("long.bpf.o", "ask_long", &prog);
	ASSERT_NE(NULL, o) {
		TH_LOG("%s: %s", strerror(errno), prog_log());
	}
	map = bpf_object__find_map_fd_by_name(o, "asks");
	for (i = 0; i < sizeof(a.key); i++)
		a.key[i] = i * 7;
	a.ring = ring_id(fd);
	ASSERT_EQ(0, lookup_key(fd, a.key, CHRING_KEY_MAX, &out, &owner));
	ASSERT_EQ(0, bpf_map_update_elem(map, &zero, &a, 0));
	ASSERT_LT(0, prog_run(prog, packet, sizeof(packet)));
	ASSERT_EQ(0, bpf_map_lookup_elem(map, &zero, &a));
	EXPECT_EQ(0, a.longest);
	EXPECT_EQ(owner.node, a.answer.node);
	EXPECT_EQ(out.out_epoch, a.answer.epoch);
	EXPECT_EQ(-ERANGE, a.too_long);
	bpf_object__close(o);
	ring_delete(fd, "bpf-long");
	close(fd);
}

TEST_HARNESS_MAIN
