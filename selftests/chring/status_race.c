// SPDX-License-Identifier: GPL-2.0
/*
 * The first use of a descriptor by several at once, one of which binds it and
 * one maps it: one ring it is, for all of them.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "libstatus.h"

#define RING	"status-test"

#define ROUNDS_MAX	3000

enum { BINDS, MAPS, READS, WORKERS };

/**
 * struct race - a descriptor that has no ring, and those who use it
 * @fd: the descriptor
 * @round: they may begin
 * @done: how many have ended
 * @delay: by worker: turns that it waits
 * @result: by worker: 0 or -errno; MAPS: the ring that it sees
 * @stop: there is no further round
 */
struct race {
	int fd;
	int round;
	int done;
	int delay[WORKERS];
	__s64 result[WORKERS];
	int stop;
};

static __s64 use(int fd, int worker)
{
	struct chring_ring_name bind = {
		.size = sizeof(bind),
		.name = ptr(RING),
		.name_len = strlen(RING),
	};
	const struct chring_status *s;
	struct chring_event event;
	__u64 ring;

	switch (worker) {
	case BINDS:
		return chr(fd, CHRING_IOC_BIND, &bind);
	case MAPS:
		s = status_map(fd);
		if (!s)
			return -errno;
		ring = s->ring;
		status_unmap(s);
		return ring;
	default:
		return read(fd, &event, sizeof(event)) < 0 ? -errno : 0;
	}
}

static int worker_main(struct race *race, int worker)
{
	volatile int turn;
	int round = 0;

	for (;;) {
		while (__atomic_load_n(&race->round, __ATOMIC_ACQUIRE) == round)
			sched_yield();
		round++;
		if (race->stop)
			return 0;
		for (turn = 0; turn < race->delay[worker]; turn++)
			;
		race->result[worker] = use(race->fd, worker);
		__atomic_add_fetch(&race->done, 1, __ATOMIC_RELEASE);
	}
}

static struct race *race;

static void *worker_thread(void *worker)
{
	worker_main(race, (intptr_t)worker);
	return NULL;
}

FIXTURE(race)
{
	int control;
	__u64 ring, is_default;
	pthread_t thread[WORKERS];
	pid_t pid[WORKERS];
};

FIXTURE_VARIANT(race)
{
	bool processes;	/* that have descriptors in common, and no memory */
};

FIXTURE_VARIANT_ADD(race, threads) { .processes = false };
FIXTURE_VARIANT_ADD(race, processes) { .processes = true };

FIXTURE_SETUP(race)
{
	int fd = dev_open(O_RDONLY, CHRING_DEFAULT_RING);

	self->is_default = ring_of(fd);
	close(fd);
	fd = ring_fresh(RING, NULL);
	ASSERT_LE(0, fd);
	self->ring = ring_of(fd);
	close(fd);
	self->control = dev_open(O_RDWR, NULL);
	ASSERT_LE(0, self->control);
	race = shared(sizeof(*race));
	ASSERT_NE(NULL, race);
}

FIXTURE_TEARDOWN(race)
{
	ring_delete(self->control, RING);
	close(self->control);
}

/* As fork(), but for descriptors. */
static pid_t fork_with_files(void)
{
	return syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
}

static void begin_round(void)
{
	__atomic_store_n(&race->done, 0, __ATOMIC_RELAXED);
	__atomic_add_fetch(&race->round, 1, __ATOMIC_RELEASE);
}

TEST_F_TIMEOUT(race, one_ring_wins, 300)
{
	const unsigned long rounds = scaled(300);
	unsigned long n, wins[2] = {};
	intptr_t i;

	for (i = 0; i < WORKERS; i++) {
		if (!variant->processes) {
			ASSERT_EQ(0, pthread_create(&self->thread[i], NULL,
						    worker_thread, (void *)i));
			continue;
		}
		self->pid[i] = fork_with_files();
		if (!self->pid[i])
			_exit(worker_main(race, i));
	}
	srandom(1);
	/* Each is to be the first, however seldom one of them is. */
	for (n = 0; n < rounds || (n < ROUNDS_MAX && (!wins[0] || !wins[1]));
	     n++) {
		__u64 ring;
		bool bound;

		race->fd = dev_open(O_RDWR | O_NONBLOCK, NULL);
		ASSERT_LE(0, race->fd);
		for (i = 0; i < WORKERS; i++)
			race->delay[i] = random() % 2000;
		begin_round();
		while (__atomic_load_n(&race->done, __ATOMIC_ACQUIRE) < WORKERS)
			sched_yield();
		ring = ring_of(race->fd);
		bound = !race->result[BINDS];
		ASSERT_EQ(bound ? 0 : -EBUSY, race->result[BINDS]);
		ASSERT_EQ(bound ? self->ring : self->is_default, ring);
		ASSERT_EQ(ring, race->result[MAPS]);
		ASSERT_EQ(-EAGAIN, race->result[READS]);
		wins[bound]++;
		close(race->fd);
	}
	race->stop = 1;
	begin_round();
	for (i = 0; i < WORKERS; i++) {
		EXPECT_EQ(0, variant->processes ? ended(self->pid[i]) :
				      pthread_join(self->thread[i], NULL));
	}
	note("BIND was the first in %lu of %lu rounds", wins[1], n);
	EXPECT_LT(0, wins[0]);
	EXPECT_LT(0, wins[1]);
}

TEST_HARNESS_MAIN
