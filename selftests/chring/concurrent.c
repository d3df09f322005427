// SPDX-License-Identifier: GPL-2.0
/*
 * Readers on all processors while a writer changes the ring. Every answer is
 * judged by the membership of the epoch that it carries, see libhistory.h. The
 * module is never asked twice.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

/* In this file, so that a 32-bit program needs no library. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "libhistory.h"
#include "kselftest_harness.h"

#define RING		"concurrent-test"
#define KEYS		16384
#define KEY_BYTES	12
#define SINGLES		512	/* lookups between two judgements */
#define READERS_MAX	16
#define SECONDS_MAX	900

/* To be reached before the test may end. */
#define EPOCHS_MIN	1000
#define LOOKUPS_MIN	1000000
#define CUT_MIN		100	/* batches that met a change */

static char keys[KEYS][KEY_BYTES];
static __u64 position[KEYS];
static _Atomic bool stop;

struct reader {
	pthread_t thread;
	int cpu;
	bool batch;
	_Atomic unsigned long lookups;
	_Atomic unsigned long cut;
	_Atomic unsigned long epochs;	/* of which it saw an answer */
	unsigned long wrong, unknown, errors, empty;
	unsigned char *seen;		/* by epoch */
};

static struct reader readers[READERS_MAX];

static void make_keys(void)
{
	int i;

	for (i = 0; i < KEYS; i++) {
		snprintf(keys[i], KEY_BYTES, "key:%07d", i);
		position[i] = XXH64(keys[i], KEY_BYTES, 0);
	}
}

static void judge_answer(struct reader *r, __u64 epoch, __u64 at, int ret,
			 __u64 node)
{
	const struct member *m = history_at(epoch);
	int error;
	__u64 owner;

	if (!m) {
		r->unknown++;
		return;
	}
	owner = history_owner(m, at, &error);
	if (ret != error || (!ret && node != owner))
		r->wrong++;
	r->empty += error != 0;
	r->epochs += !r->seen[epoch];
	r->seen[epoch] = 1;
	r->lookups++;
}

static void read_batch(struct reader *r, int fd)
{
	static __thread __u64 nodes[KEYS];
	static __thread __u32 lens[KEYS];
	struct chring_lookup_batch arg = {
		.size = sizeof(arg),
		.keys = ptr(keys),
		.keys_size = sizeof(keys),
		.lens = ptr(lens),
		.count = KEYS,
		.nodes = ptr(nodes),
	};
	__u32 i;
	int ret;

	for (i = 0; i < KEYS; i++)
		lens[i] = KEY_BYTES;
	ret = chr(fd, CHRING_IOC_LOOKUP_BATCH, &arg);
	if (ret) {
		if (ret == -ENODATA || ret == -EHOSTUNREACH)
			judge_answer(r, arg.out_epoch, position[0], ret, 0);
		else
			r->errors++;
		return;
	}
	if (!arg.out_done || arg.out_done > KEYS) {
		r->errors++;
		return;
	}
	r->cut += arg.out_done < KEYS;
	for (i = 0; i < arg.out_done; i++)
		judge_answer(r, arg.out_epoch, position[i], 0, nodes[i]);
}

static void read_singles(struct reader *r, int fd, unsigned int *seed)
{
	static __thread struct {
		struct chring_lookup out;
		struct chring_owner owner;
		int key, ret;
	} a[SINGLES];
	int i;

	for (i = 0; i < SINGLES; i++) {
		a[i].key = rand_r(seed) % KEYS;
		a[i].ret = lookup_key(fd, keys[a[i].key], KEY_BYTES, &a[i].out,
				      &a[i].owner);
	}
	for (i = 0; i < SINGLES; i++) {
		if (!a[i].out.out_epoch ||
		    a[i].out.out_position != position[a[i].key])
			r->errors++;
		else
			judge_answer(r, a[i].out.out_epoch, position[a[i].key],
				     a[i].ret, a[i].owner.node);
	}
}

static void *reader_thread(void *p)
{
	struct reader *r = p;
	unsigned int seed = r->cpu * 7 + r->batch;
	int fd = dev_open(O_RDONLY, RING);
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(r->cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	while (!atomic_load(&stop)) {
		if (r->batch)
			read_batch(r, fd);
		else
			read_singles(r, fd, &seed);
	}
	close(fd);
	return NULL;
}

static bool enough(__u64 epoch, int n)
{
	unsigned long lookups = 0, cut = 0, seen = 0;
	int i;

	for (i = 0; i < n; i++) {
		lookups += readers[i].lookups;
		cut += readers[i].cut;
		if (readers[i].epochs > seen)
			seen = readers[i].epochs;
	}
	return epoch >= scaled(10 * EPOCHS_MIN) &&
	       lookups >= scaled(LOOKUPS_MIN) && seen >= scaled(EPOCHS_MIN) &&
	       cut >= scaled(CUT_MIN);
}

FIXTURE(concurrent)
{
	int fd;
};

FIXTURE_SETUP(concurrent)
{
	struct chring_config config = { .vnodes = HISTORY_VNODES };

	ASSERT_TRUE(history_begin());
	make_keys();
	self->fd = ring_fresh(RING, &config);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(concurrent)
{
	ring_delete(self->fd, RING);
	close(self->fd);
}

TEST_F_TIMEOUT(concurrent, readers_and_a_writer, 1000)
{
	unsigned long lookups = 0, cut = 0, seen = 0, empty = 0;
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), n = 0, i, fd = self->fd;
	unsigned int seed = 1;
	struct timespec start, t;
	__u64 epoch, e;

	for (i = 0; i < 2 * cpus && n < READERS_MAX; i++, n++) {
		readers[n].cpu = i / 2;
		readers[n].batch = i % 2;
		readers[n].seen = calloc(HISTORY_EPOCHS, 1);
		ASSERT_NE(NULL, readers[n].seen);
		ASSERT_EQ(0, pthread_create(&readers[n].thread, NULL,
					    reader_thread, &readers[n]));
	}

	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		ASSERT_EQ(0, history_change(fd, &seed));
		epoch = history_epoch();
		clock_gettime(CLOCK_MONOTONIC, &t);
	} while (!enough(epoch, n) && epoch < HISTORY_EPOCHS - 2 * HISTORY_NODES &&
		 t.tv_sec - start.tv_sec < SECONDS_MAX);
	atomic_store(&stop, true);

	for (i = 0; i < n; i++)
		pthread_join(readers[i].thread, NULL);
	for (e = 1; e <= epoch; e++)
		for (i = 0; i < n; i++)
			if (readers[i].seen[e]) {
				seen++;
				break;
			}
	for (i = 0; i < n; i++) {
		EXPECT_EQ(0, readers[i].wrong);
		EXPECT_EQ(0, readers[i].unknown);
		EXPECT_EQ(0, readers[i].errors);
		lookups += readers[i].lookups;
		cut += readers[i].cut;
		empty += readers[i].empty;
	}
	TH_LOG("%d readers on %d processors: %lu answers (%lu of them that there is no owner) over %lu of %llu epochs, %lu batches cut by a commit",
	       n, cpus, lookups, empty, seen, (unsigned long long)epoch, cut);
	EXPECT_LE(scaled(EPOCHS_MIN), seen);
	EXPECT_LE(scaled(LOOKUPS_MIN), lookups);
	EXPECT_LE(scaled(CUT_MIN), cut);
	EXPECT_LT(0, empty);
}

TEST_HARNESS_MAIN
