// SPDX-License-Identifier: GPL-2.0
/*
 * libchring under a writer: what is found in a copy, what the kernel says of one
 * key and of many, and what the rule in uapi/linux/chring.h says, are the same
 * at every epoch.
 */
#include <pthread.h>
#include <sys/wait.h>
#include <xxhash.h>

#include "kselftest_harness.h"
#include "libtest.h"
#include "libchring.h"

#define RING		"libchring-agree"
#define NODES		9
#define VNODES		20
#define WEIGHT_MAX	3
#define KEYS		61
#define OWNERS		3
#define EPOCHS_MAX	65536

/* -- what is so: tokens by the rule, and a walk that looks at all of them */

/**
 * struct member - a node as the writer knows it
 * @weight: 0: it has no tokens, or is not there
 * @state: enum chring_state
 * @is: it is there
 */
struct member {
	__u32 weight;
	__u32 state;
	bool is;
};

/* By epoch and key: the first owners, as numbers of nodes; -1: no more. */
struct truth {
	signed char owner[EPOCHS_MAX][KEYS][OWNERS];
	__u64 epoch;
	int stop;
	unsigned long answers, asked, wrong, nameless, refused;
};

static __u64 token[NODES][VNODES * WEIGHT_MAX];

static void make_tokens(void)
{
	char label[32];
	int n, i;

	for (n = 0; n < NODES; n++)
		for (i = 0; i < VNODES * WEIGHT_MAX; i++)
			token[n][i] = XXH64(label, sprintf(label, "n%d#%d", n,
							   i), 0);
}

static __u64 key_position(int key)
{
	return XXH64(&key, sizeof(key), 0);
}

/* How far clockwise a node's next token is. */
static __u64 far(int n, __u32 weight, __u64 position)
{
	__u64 least = ~0ULL;
	__u32 i;

	for (i = 0; i < VNODES * weight; i++)
		if (token[n][i] - position < least)
			least = token[n][i] - position;
	return least;
}

static void find_truth(const struct member *m, int key, signed char *owner)
{
	__u64 position = key_position(key), at[NODES];
	int n, i;

	for (n = 0; n < NODES; n++)
		at[n] = far(n, m[n].is ? m[n].weight : 0, position);
	for (i = 0; i < OWNERS; i++) {
		int best = -1;

		for (n = 0; n < NODES; n++) {
			int k, taken = 0;

			for (k = 0; k < i; k++)
				taken |= owner[k] == n;
			if (taken || !m[n].is || !m[n].weight ||
			    m[n].state != CHRING_STATE_UP)
				continue;
			if (best < 0 || at[n] < at[best])
				best = n;
		}
		owner[i] = best;
	}
}

static void tell_truth(struct truth *t, const struct member *m, __u64 epoch)
{
	int key;

	for (key = 0; key < KEYS; key++)
		find_truth(m, key, t->owner[epoch][key]);
}

/* -- the writer */

static int change(int fd, int n, const struct member *was,
		  const struct member *now)
{
	char name[] = { 'n', '0' + n, 0 };

	if (was->is && !now->is)
		return node_del(fd, name);
	if (!was->is)
		return node_add(fd, name, now->weight, now->state, NULL);
	if (was->weight != now->weight)
		return node_set_weight(fd, name, now->weight);
	return node_set_state(fd, name, now->state);
}

/* One change, of states mostly; the first node stays as it is. */
static void choose(struct member *m, unsigned int *seed)
{
	switch (m->is ? rand_r(seed) % 8 : 0) {
	case 0:
		m->is = !m->is;
		m->weight = rand_r(seed) % (WEIGHT_MAX + 1);
		m->state = CHRING_STATE_UP;
		break;
	case 1:
		m->weight = (m->weight + 1) % (WEIGHT_MAX + 1);
		break;
	default:
		m->state = (m->state + 1) % 3;
	}
}

static int write_all(int fd, struct truth *t, unsigned long epochs, int pause)
{
	struct member m[NODES] = { [0] = { 1, CHRING_STATE_UP, true } };
	unsigned int seed = 7;

	while (epochs--) {
		int n = 1 + rand_r(&seed) % (NODES - 1), ret;
		struct member was = m[n];

		choose(&m[n], &seed);
		tell_truth(t, m, t->epoch + 1);
		ret = change(fd, n, &was, &m[n]);
		if (ret)
			return ret;
		__atomic_add_fetch(&t->epoch, 1, __ATOMIC_RELEASE);
		/* Bursts, and rests in which copies are made. */
		if (pause && !(rand_r(&seed) % 16))
			usleep(pause);
	}
	return 0;
}

/* -- readers */

struct reader {
	struct chring *c;
	struct truth *t;
	unsigned int seed;
	unsigned long answers, asked, wrong, nameless, refused;
};

static void judge(struct reader *r, int key, int place, __u64 epoch,
		  const char *name)
{
	if (name[1] - '0' != r->t->owner[epoch][key][place])
		r->wrong++;
}

static void judge_id(struct reader *r, int key, int place, __u64 epoch,
		     __u64 node)
{
	const char *name;

	if (chring_node_name(r->c, node, &name, NULL))
		r->nameless++;
	else
		judge(r, key, place, epoch, name);
}

/* Never of an epoch that is known to be over. */
static void ask_one(struct reader *r, int key)
{
	__u64 known = __atomic_load_n(&r->t->epoch, __ATOMIC_ACQUIRE);
	struct chring_found f;

	r->refused += !!(rand_r(&r->seed) % 2 ?
			 chring_find(r->c, &key, sizeof(key), &f) :
			 chring_find_position(r->c, key_position(key), &f));
	r->answers++;
	r->asked += f.asked;
	r->wrong += f.epoch < known;
	if (f.name)
		judge(r, key, 0, f.epoch, f.name);
	else
		r->nameless++;
}

static void ask_some(struct reader *r, int key)
{
	struct chring_query q = {
		.key = &key,
		.key_len = sizeof(key),
		.count = OWNERS,
	};
	__u64 known = __atomic_load_n(&r->t->epoch, __ATOMIC_ACQUIRE);
	struct chring_answer a;
	__u32 i;

	if (chring_lookup(r->c, &q, &a)) {
		r->refused++;
		return;
	}
	r->answers++;
	r->asked += a.asked;
	r->wrong += a.epoch < known;
	for (i = 0; i < a.count; i++)
		judge_id(r, key, i, a.epoch, a.owner[i].node);
	if (a.count < OWNERS)
		r->wrong += r->t->owner[a.epoch][key][a.count] != -1;
}

static void ask_many(struct reader *r)
{
	__u32 lens[KEYS], i;
	__u64 nodes[KEYS];
	int keys[KEYS];
	__u64 known = __atomic_load_n(&r->t->epoch, __ATOMIC_ACQUIRE);
	struct chring_batch b = {
		.keys = keys,
		.keys_size = sizeof(keys),
		.lens = lens,
		.nodes = nodes,
		.count = KEYS,
	};

	for (i = 0; i < KEYS; i++) {
		keys[i] = i;
		lens[i] = sizeof(int);
	}
	if (chring_lookup_batch(r->c, &b)) {
		r->refused++;
		return;
	}
	r->answers += b.out_done;
	r->wrong += b.out_epoch < known;
	r->asked += b.out_asked ? b.out_done : 0;
	for (i = 0; i < b.out_done; i++)
		judge_id(r, i, 0, b.out_epoch, nodes[i]);
}

static void *read_all(void *arg)
{
	struct reader *r = arg;
	struct truth *t = r->t;

	while (!__atomic_load_n(&t->stop, __ATOMIC_ACQUIRE)) {
		switch (rand_r(&r->seed) % 8) {
		case 0:
			ask_many(r);
			break;
		case 1:
			ask_some(r, rand_r(&r->seed) % KEYS);
			break;
		default:
			ask_one(r, rand_r(&r->seed) % KEYS);
		}
	}
	__atomic_add_fetch(&t->answers, r->answers, __ATOMIC_RELAXED);
	__atomic_add_fetch(&t->asked, r->asked, __ATOMIC_RELAXED);
	__atomic_add_fetch(&t->wrong, r->wrong, __ATOMIC_RELAXED);
	__atomic_add_fetch(&t->nameless, r->nameless, __ATOMIC_RELAXED);
	__atomic_add_fetch(&t->refused, r->refused, __ATOMIC_RELAXED);
	return NULL;
}

FIXTURE(agree) {
	int fd;
	struct truth *t;
};

FIXTURE_VARIANT(agree) {
	bool follow;
	unsigned int flags;
};

FIXTURE_VARIANT_ADD(agree, by_lookups) {
	.follow = true,
};

FIXTURE_VARIANT_ADD(agree, by_a_thread) {
	.follow = true,
	.flags = CHRING_FOLLOW_THREAD,
};

FIXTURE_VARIANT_ADD(agree, by_the_kernel) {
	.follow = false,
};

FIXTURE_SETUP(agree)
{
	const struct member first[NODES] = { { 1, CHRING_STATE_UP, true } };
	struct chring_config config = { .vnodes = VNODES };

	make_tokens();
	self->t = calloc(1, sizeof(*self->t));
	ASSERT_TRUE(self->t);
	self->fd = ring_fresh(RING, &config);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, node_add(self->fd, "n0", 1, CHRING_STATE_UP, NULL));
	self->t->epoch = 2;
	tell_truth(self->t, first, 2);
}

FIXTURE_TEARDOWN(agree)
{
	ring_delete(self->fd, RING);
	close(self->fd);
	free(self->t);
}

/* Two threads of one handle, one of another. */
TEST_F_TIMEOUT(agree, under_a_writer, 600)
{
	unsigned long epochs = scaled(6000);
	struct reader r[3] = {};
	struct chring *c[2];
	pthread_t thread[3];
	int i;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, chring_open(RING, CHRING_OPEN_READ, &c[i]));
		if (variant->follow)
			ASSERT_EQ(0, chring_follow(c[i], variant->flags));
	}
	for (i = 0; i < 3; i++) {
		r[i].c = c[i / 2];
		r[i].t = self->t;
		r[i].seed = i;
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, read_all, &r[i]));
	}
	EXPECT_EQ(0, write_all(self->fd, self->t, epochs, 2000));
	__atomic_store_n(&self->t->stop, 1, __ATOMIC_RELEASE);
	for (i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	note("%lu epochs, %lu answers, %.1f %% of them of the kernel, %lu nameless, %lu wrong",
	     epochs, self->t->answers,
	     100.0 * self->t->asked / self->t->answers, self->t->nameless,
	     self->t->wrong);
	EXPECT_EQ(0, self->t->wrong);
	EXPECT_EQ(0, self->t->refused);
	EXPECT_LE(epochs, self->t->answers);
	EXPECT_GE(self->t->answers / 100, self->t->nameless);
	/* Copies are made, and they are used, if they are to be. */
	EXPECT_GE(self->t->answers, self->t->asked);
	EXPECT_EQ(variant->follow, self->t->asked != self->t->answers);
	for (i = 0; i < 2; i++)
		chring_close(c[i]);
}

/* Asks until the copy has caught up, or for very long. */
static bool catches_up(struct reader *r)
{
	unsigned long asked;
	int i;

	for (i = 0; i < 100000; i++) {
		asked = r->asked;
		ask_one(r, i % KEYS);
		if (r->asked == asked)
			return true;
	}
	return false;
}

/* Nothing changes: a million answers, and the kernel is hardly asked. */
TEST_F(agree, at_rest)
{
	unsigned long million = scaled(1000000);
	struct reader r = { .t = self->t };
	unsigned long i, before;

	if (!variant->follow)
		SKIP(return, "there is no copy to be found in");
	ASSERT_EQ(0, chring_open(RING, CHRING_OPEN_READ, &r.c));
	ASSERT_EQ(0, chring_follow(r.c, variant->flags));
	ASSERT_EQ(0, write_all(self->fd, self->t, 100, 0));
	EXPECT_TRUE(catches_up(&r));
	before = r.asked;
	for (i = 0; i < million; i++)
		ask_one(&r, i % KEYS);
	note("%lu answers by the kernel until there was a copy, then %lu of %lu; %lu wrong",
	     before, r.asked - before, million, r.wrong);
	EXPECT_EQ(0, r.wrong);
	EXPECT_EQ(0, r.refused);
	/* Not one: there is no reason to. */
	EXPECT_EQ(before, r.asked);
	chring_close(r.c);
}

TEST_HARNESS_MAIN
