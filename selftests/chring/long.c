// SPDX-License-Identifier: GPL-2.0
/*
 * As large as a ring may be: it is built without holding a processor, can be
 * killed at any point of it, and then leaves nothing. What holds a processor
 * too long, the kernel says (a soft lockup), and the run fails.
 */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "libtest.h"
#include "kselftest_harness.h"

#define RING		"long-test"
#define VNODES		512
#define WEIGHT		32768
#define TOKENS		(VNODES * WEIGHT)	/* 2^24 */
#define TRIES		5

FIXTURE(long_work)
{
	int fd;
	unsigned long max_bytes;
};

FIXTURE_SETUP(long_work)
{
	struct chring_config config = { .vnodes = VNODES };

	ASSERT_EQ(0, param_get("max_total_bytes", &self->max_bytes));
	ASSERT_EQ(0, param_set("max_total_bytes", 1UL << 30));
	self->fd = ring_fresh(RING, &config);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, node_add(self->fd, "small", 1, CHRING_STATE_UP, NULL));
}

FIXTURE_TEARDOWN(long_work)
{
	ring_delete(self->fd, RING);
	param_set("max_total_bytes", self->max_bytes);
	close(self->fd);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* A process that adds a node of so many tokens that it takes a while. */
static pid_t start_adding(int fd)
{
	pid_t pid = fork();

	if (!pid)
		_exit(-node_add(fd, "large", WEIGHT - 1, CHRING_STATE_UP, NULL));
	return pid;
}

/*
 * Kill @pid when it should have done @percent of what takes *@all seconds.
 *
 * Return: seconds from the signal to its end; or -1, if it had ended before,
 * and then *@all is what it took.
 */
static double kill_at(pid_t pid, int percent, double *all)
{
	double signalled, start = seconds();
	int status;

	/* kill() would take it for everybody. */
	if (pid < 0)
		return -1;
	while (seconds() - start < *all * percent / 100) {
		if (waitpid(pid, &status, WNOHANG) == pid) {
			*all = seconds() - start;
			return -1;
		}
		usleep(10000);
	}
	signalled = seconds();
	kill(pid, SIGKILL);
	if (waitpid(pid, &status, 0) == pid && WIFSIGNALED(status))
		return seconds() - signalled;
	*all = signalled - start;
	return -1;
}

/* The large node is gone, and with it the table of before, which had it too. */
static int forget_large(int fd)
{
	int ret = node_del(fd, "large");

	if (!ret)
		ret = node_add(fd, "large", 1, CHRING_STATE_UP, NULL);
	return ret ? ret : node_del(fd, "large");
}

TEST_F_TIMEOUT(long_work, most_tokens, 1800)
{
	static const int percent[] = { 10, 60 };
	__u64 held;
	struct mark before, now;
	double start, all;
	int status;
	size_t i, tries;
	pid_t pid;

	/* The log has all the room that it takes, and a second node its slot. */
	ASSERT_EQ(0, change_often(self->fd, "small", CHRING_EVENTS_KEPT));
	ASSERT_EQ(0, node_add(self->fd, "large", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, node_del(self->fd, "large"));
	held = bytes_settled(self->fd);
	start = seconds();
	pid = start_adding(self->fd);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	all = seconds() - start;
	ASSERT_TRUE(WIFEXITED(status));
	ASSERT_EQ(0, WEXITSTATUS(status));
	ASSERT_EQ(0, mark_ring(self->fd, &now));
	EXPECT_EQ(TOKENS, now.tokens);
	ASSERT_EQ(0, forget_large(self->fd));
	EXPECT_TRUE(settles_at(self->fd, held));

	for (i = 0; i < ARRAY_LEN(percent); i++) {
		double took = -1;

		/*
		 * Where other work comes and goes, a change may be quicker than
		 * it was: a signal that comes after its end tells nothing but
		 * how quick, and is sent anew.
		 */
		for (tries = 0; tries < TRIES && took < 0; tries++) {
			ASSERT_EQ(0, mark_ring(self->fd, &before));
			took = kill_at(start_adding(self->fd), percent[i],
				       &all);
			if (took < 0)
				ASSERT_EQ(0, forget_large(self->fd));
		}
		note("%d tokens take %.1f s; killed at %d%% it ends in %.2f s",
		     TOKENS, all, percent[i], took);
		EXPECT_LE(0, took);
		EXPECT_GT(1 + all / 10, took);
		ASSERT_EQ(0, mark_ring(self->fd, &now));
		EXPECT_TRUE(mark_same(&before, &now));
		EXPECT_TRUE(settles_at(self->fd, held));
	}
}

TEST_HARNESS_MAIN
