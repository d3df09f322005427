// SPDX-License-Identifier: GPL-2.0
/*
 * BPF programs on all processors while a writer changes the ring. Every answer is
 * judged by the membership of the epoch that it carries, see libhistory.h.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>

#include "libbpfprog.h"
#include "libhistory.h"
#include "../bpf/crowd.h"
#include "kselftest_harness.h"

#define RING		"bpf-crowd"
#define SECONDS_MAX	900

/* To be reached before the test may end. */
#define EPOCHS_MIN	1000
#define LOOKUPS_MIN	1000000

struct reader {
	pthread_t thread;
	int cpu;
	int prog;
	__u32 nr;
	atomic_ulong lookups;
	atomic_ulong epochs;		/* of which it saw an answer */
	struct crowd_run *run;
	unsigned long wrong, unknown, errors, empty, backwards;
	__u64 last;
	__u64 began;		/* epoch before the run */
};

static struct reader readers[CROWD_READERS];
static _Atomic bool stop;

/* Was there none at one of the epochs that the run can have met? */
static bool had_none(const struct reader *r, const struct crowd_said *said)
{
	__u64 epoch, ended = history_epoch();

	/* One more: it is published before it is written down. */
	for (epoch = r->began; epoch <= ended + 1; epoch++) {
		const struct member *m = history_at(epoch);
		int error;

		if (m && !history_owner(m, said->position, &error) &&
		    error == said->ret)
			return true;
	}
	return false;
}

static void judge(struct reader *r, const struct crowd_said *said)
{
	const struct member *m;
	int error;
	__u64 owner;

	r->lookups++;
	if (said->ret == -ENODATA || said->ret == -EHOSTUNREACH) {
		r->empty++;
		r->wrong += !had_none(r, said);
		return;
	}
	if (said->ret) {
		r->errors++;
		return;
	}
	m = history_at(said->answer.epoch);
	if (!m) {
		r->unknown++;
		return;
	}
	owner = history_owner(m, said->position, &error);
	r->wrong += error || owner != said->answer.node;
	r->backwards += said->answer.epoch < r->last;
	r->epochs += said->answer.epoch != r->last;
	r->last = said->answer.epoch;
}

static __u64 random_position(unsigned int *seed)
{
	return (__u64)rand_r(seed) << 33 ^ (__u64)rand_r(seed) << 11 ^
	       rand_r(seed);
}

static void run_once(struct reader *r, unsigned int *seed)
{
	__u32 packet[16] = { r->nr };
	int i;

	for (i = 0; i < CROWD_ASKED; i++) {
		r->run->said[i].position = random_position(seed);
		r->run->said[i].ret = 1;
	}
	r->began = history_epoch();
	if (prog_run(r->prog, packet, sizeof(packet)) < 0) {
		r->errors++;
		return;
	}
	for (i = 0; i < CROWD_ASKED; i++)
		judge(r, &r->run->said[i]);
}

static void *reader_thread(void *p)
{
	struct reader *r = p;
	unsigned int seed = r->nr + 1;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(r->cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	while (!atomic_load(&stop))
		run_once(r, &seed);
	return NULL;
}

static bool enough(int n)
{
	unsigned long lookups = 0, seen = 0;
	int i;

	for (i = 0; i < n; i++) {
		lookups += readers[i].lookups;
		if (readers[i].epochs > seen)
			seen = readers[i].epochs;
	}
	return lookups >= scaled(LOOKUPS_MIN) && seen >= scaled(EPOCHS_MIN) &&
	       history_epoch() >= scaled(10 * EPOCHS_MIN);
}

FIXTURE(crowd)
{
	int fd;
	struct bpf_object *object;
	int prog;
	struct crowd_run *runs;
};

FIXTURE_SETUP(crowd)
{
	struct chring_config config = { .vnodes = HISTORY_VNODES };
	__u32 i;

	NEED_KFUNCS();
	ASSERT_TRUE(history_begin());
	self->fd = ring_fresh(RING, &config);
	ASSERT_LE(0, self->fd);
	self->object = prog_load("crowd.bpf.o", "crowd", &self->prog);
	ASSERT_NE(NULL, self->object) {
		TH_LOG("%s: %s", strerror(errno), prog_log());
	}
	self->runs = mmap(NULL, CROWD_READERS * sizeof(*self->runs),
			  PROT_READ | PROT_WRITE, MAP_SHARED,
			  bpf_object__find_map_fd_by_name(self->object, "runs"),
			  0);
	ASSERT_NE(MAP_FAILED, self->runs);
	for (i = 0; i < CROWD_READERS; i++)
		self->runs[i].ring = ring_id(self->fd);
}

FIXTURE_TEARDOWN(crowd)
{
	bpf_object__close(self->object);
	ring_delete(self->fd, RING);
	close(self->fd);
}

TEST_F_TIMEOUT(crowd, on_all_processors, 1000)
{
	unsigned long lookups = 0, seen = 0, empty = 0;
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), n, i;
	struct timespec start, t;
	unsigned int seed = 1;

	for (n = 0; n < 2 * cpus && n < CROWD_READERS; n++) {
		readers[n] = (struct reader){
			.cpu = n / 2,
			.nr = n,
			.prog = self->prog,
			.run = &self->runs[n],
		};
		ASSERT_EQ(0, pthread_create(&readers[n].thread, NULL,
					    reader_thread, &readers[n]));
	}
	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		ASSERT_EQ(0, history_change(self->fd, &seed));
		clock_gettime(CLOCK_MONOTONIC, &t);
	} while (!enough(n) &&
		 history_epoch() < HISTORY_EPOCHS - 2 * HISTORY_NODES &&
		 t.tv_sec - start.tv_sec < SECONDS_MAX);
	atomic_store(&stop, true);
	for (i = 0; i < n; i++) {
		struct reader *r = &readers[i];

		pthread_join(r->thread, NULL);
		EXPECT_EQ(0, r->wrong);
		EXPECT_EQ(0, r->unknown);
		EXPECT_EQ(0, r->errors);
		EXPECT_EQ(0, r->backwards);
		lookups += r->lookups;
		empty += r->empty;
		if (r->epochs > seen)
			seen = r->epochs;
	}
	TH_LOG("%d readers on %d processors: %lu answers (%lu of them that there is no owner), one saw %lu of %llu epochs",
	       n, cpus, lookups, empty, seen,
	       (unsigned long long)history_epoch());
	EXPECT_LE(scaled(EPOCHS_MIN), seen);
	EXPECT_LE(scaled(LOOKUPS_MIN), lookups);
	EXPECT_LT(0, empty);
}

TEST_HARNESS_MAIN
