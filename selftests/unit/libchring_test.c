// SPDX-License-Identifier: GPL-2.0
/*
 * libchring as it is, beside a writer, in one program with the rings: for the
 * sanitizers, ThreadSanitizer above all. Each answer is judged by its epoch.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "device.h"
#include "libchring.h"
#include "tap.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define NODES		6
#define VNODES		10
#define WEIGHT_MAX	3
#define KEYS		16
#define EPOCHS		2000
#define READERS		2

/**
 * struct scene - a ring, its writer and its readers
 * @ring: ring
 * @c: the handle that readers share
 * @owner: by epoch and key: number of the owner
 * @weight: of the nodes, as the writer knows them
 * @up: they are in service
 * @epoch: that the writer knows to be there
 * @stop: readers have seen enough
 */
struct scene {
	struct chring_ring *ring;
	struct chring *c;
	unsigned char owner[EPOCHS + 2 * NODES][KEYS];
	__u32 weight[NODES];
	bool up[NODES];
	__u64 epoch;
	int stop;
};

struct reader {
	struct scene *s;
	unsigned int seed;
	unsigned long answers;
	unsigned long own;
	unsigned long wrong;
};

static __u64 point(int n, int i)
{
	char label[32];

	return XXH64(label, sprintf(label, "n%d#%d", n, i), 0);
}

static int truth(const struct scene *s, int key)
{
	__u64 position = XXH64(&key, sizeof(key), 0), least = ~0ULL;
	int n, best = 0;
	__u32 i;

	for (n = 0; n < NODES; n++)
		for (i = 0; s->up[n] && i < s->weight[n] * VNODES; i++)
			if (point(n, i) - position <= least) {
				least = point(n, i) - position;
				best = n;
			}
	return best;
}

static void tell(struct scene *s, __u64 epoch)
{
	int key;

	for (key = 0; key < KEYS; key++)
		s->owner[epoch][key] = truth(s, key);
}

static void put(struct scene *s, int n)
{
	char name[] = { 'n', '0' + n, 0 };

	__u64 epoch = device_node(s->ring, name, s->weight[n],
				  s->up[n] ? CHRING_STATE_UP :
					     CHRING_STATE_DRAIN);

	__atomic_store_n(&s->epoch, epoch, __ATOMIC_RELEASE);
	device_tell();
}

/* The first node stays as it is, so that there always is an owner. */
static void write_all(struct scene *s)
{
	unsigned int seed = 3;
	__u64 epoch;

	for (epoch = NODES + 2; epoch < EPOCHS; epoch++) {
		int n = 1 + rand_r(&seed) % (NODES - 1);

		if (rand_r(&seed) % 3)
			s->up[n] = !s->up[n];
		else
			s->weight[n] = (s->weight[n] + 1) % (WEIGHT_MAX + 1);
		tell(s, epoch);
		put(s, n);
	}
}

static void *read_all(void *arg)
{
	struct reader *r = arg;

	while (!__atomic_load_n(&r->s->stop, __ATOMIC_ACQUIRE)) {
		int key = rand_r(&r->seed) % KEYS;
		struct chring_query q = {
			.key = &key,
			.key_len = sizeof(key),
			.count = 2,
		};
		__u64 known = __atomic_load_n(&r->s->epoch, __ATOMIC_ACQUIRE);
		struct chring_answer a;
		struct chring_found f;

		if (chring_find(r->s->c, &key, sizeof(key), &f) ||
		    chring_lookup(r->s->c, &q, &a)) {
			r->wrong++;
			continue;
		}
		r->wrong += !f.name ||
			    f.name[1] - '0' != r->s->owner[f.epoch][key];
		/* Never of an epoch that is known to be over. */
		r->wrong += f.epoch < known || a.epoch < f.epoch;
		r->wrong += a.epoch == f.epoch && a.owner[0].node != f.node;
		r->own += !f.asked;
		r->answers++;
	}
	return NULL;
}

static void run(unsigned int flags)
{
	struct scene *s = calloc(1, sizeof(*s));
	struct reader r[READERS] = {};
	pthread_t thread[READERS];
	int i;

	s->ring = device_ring(VNODES);
	for (i = 0; i < NODES; i++) {
		s->weight[i] = 1;
		s->up[i] = true;
		put(s, i);
	}
	tell(s, NODES + 1);
	NEED(!chring_open("ring", CHRING_OPEN_READ, &s->c));
	NEED(!chring_follow(s->c, flags));
	for (i = 0; i < READERS; i++) {
		r[i].s = s;
		r[i].seed = i;
		NEED(!pthread_create(&thread[i], NULL, read_all, &r[i]));
	}
	write_all(s);
	__atomic_store_n(&s->stop, 1, __ATOMIC_RELEASE);
	for (i = 0; i < READERS; i++) {
		pthread_join(thread[i], NULL);
		tap_note("reader %d: %lu answers, %lu without asking, %lu wrong",
			 i, r[i].answers, r[i].own, r[i].wrong);
		CHECK(!r[i].wrong);
		CHECK(r[i].own);
	}
	chring_close(s->c);
	device_ring_delete(s->ring);
	free(s);
}

static void copies_by_lookups(void)
{
	run(0);
}

static void copies_by_a_thread(void)
{
	run(CHRING_FOLLOW_THREAD);
}

/* Nothing changes: nobody is asked. */
static void asks_nobody_at_rest(void)
{
	struct chring_ring *ring = device_ring(VNODES);
	unsigned long before;
	struct chring_found f;
	struct chring *c;
	int i;

	device_node(ring, "a", 1, CHRING_STATE_UP);
	device_node(ring, "b", 2, CHRING_STATE_DOWN);
	NEED(!chring_open("ring", CHRING_OPEN_READ, &c));
	NEED(!chring_follow(c, 0));
	before = device_asked();
	for (i = 0; i < 1000; i++) {
		CHECK(!chring_find(c, &i, sizeof(i), &f));
		CHECK(f.name_len == 1 && f.name[0] == 'a' && f.epoch == 3);
	}
	CHECK(device_asked() == before);
	chring_close(c);
	device_ring_delete(ring);
}

/* A name that was taken to be lost, for a list came before the node did. */
static void name_comes_after_all(void)
{
	struct chring_ring *ring = device_ring(VNODES);
	struct chring_found f;
	struct chring *c;
	const char *name;

	device_node(ring, "a", 1, CHRING_STATE_UP);
	NEED(!chring_open("ring", CHRING_OPEN_READ, &c));
	NEED(!chring_follow(c, 0));
	CHECK(!chring_find(c, "key", 3, &f));
	/* Ids follow each other. */
	CHECK(chring_node_name(c, f.node + 1, &name, NULL) == -ENOENT);
	device_node(ring, "b", 1, CHRING_STATE_UP);
	device_node(ring, "a", 1, CHRING_STATE_DOWN);
	CHECK(!chring_refresh(c));
	CHECK(!chring_find(c, "key", 3, &f));
	CHECK(!f.asked && f.name && !strcmp(f.name, "b"));
	CHECK(!chring_node_name(c, f.node, &name, NULL) && name == f.name);
	chring_close(c);
	device_ring_delete(ring);
}

int main(void)
{
	static const struct tap_test tests[] = {
		{ "copies_by_lookups", copies_by_lookups },
		{ "copies_by_a_thread", copies_by_a_thread },
		{ "asks_nobody_at_rest", asks_nobody_at_rest },
		{ "name_comes_after_all", name_comes_after_all },
	};
	int ret;

	device_begin();
	ret = tap_run(tests, ARRAY_SIZE(tests), NULL);
	device_end();
	return ret;
}
