// SPDX-License-Identifier: GPL-2.0
/*
 * Lookups in softirqs and in hard interrupts, on all processors, while rings
 * change, end and begin; see selftests/kmod/probe_crowd.c for what is wrong.
 */
#include "libprobe.h"
#include "kselftest_harness.h"

#define RING	"api-crowd"
#define PRIVATE	"probe/crowd"

FIXTURE(crowd)
{
	int probe;
	int fd;		/* to read and write, of no ring */
};

FIXTURE_SETUP(crowd)
{
	self->probe = probe_open();
	ASSERT_LE(0, self->probe);
	self->fd = dev_open(O_RDWR, NULL);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(crowd)
{
	probe_close(self->probe);
	ring_delete(self->fd, RING);
	close(self->fd);
}

static int start(int fd, __u32 ring)
{
	struct probe_call call = {};

	return probe(fd, PROBE_CROWD, ring, &call);
}

static int stop(int fd, struct probe_crowd *sum)
{
	struct probe_call call = { .out = ptr(sum) };

	return probe(fd, PROBE_DISPERSE, 0, &call);
}

/* Changes, until those in interrupts have seen so many epochs. */
static int change_until_seen(int probe_fd, int fd, const char *node,
			     __u32 epochs)
{
	struct probe_call call = {};
	int ret = 0;

	while (!ret && call.n < epochs) {
		ret = change_often(fd, node, 2);
		if (!ret)
			ret = probe(probe_fd, PROBE_SEEN, 0, &call);
	}
	return ret;
}

static int rounds(int fd, __u32 ring, __u32 n, __u32 nodes)
{
	struct probe_call call = { .n = n, .in_len = nodes };

	return probe(fd, PROBE_ROUNDS, ring, &call);
}

static void report(const struct probe_crowd *sum)
{
	note("%llu lookups in softirqs, %llu in hard interrupts, %llu epochs",
	     (unsigned long long)sum->soft, (unsigned long long)sum->hard,
	     (unsigned long long)sum->epochs);
}

#define EXPECT_SANE(sum, least) ({					\
	report(&(sum));							\
	EXPECT_EQ(0, (sum).wrong);					\
	EXPECT_EQ(0, (sum).backwards);					\
	EXPECT_EQ(sysconf(_SC_NPROCESSORS_ONLN), (sum).processors);	\
	EXPECT_LT(0, (sum).hard);					\
	EXPECT_LT(0, (sum).soft);					\
	EXPECT_LE(least, (sum).epochs);					\
})

/*
 * A private ring, replaced again and again: each answer is of one epoch, with
 * that epoch's cookie and what its priv points to, which is freed a grace period
 * after the epoch has ended.
 */
TEST_F_TIMEOUT(crowd, during_replacements, 300)
{
	__u32 n = scaled(2000);
	struct probe_crowd sum;
	__u64 epoch;

	ASSERT_EQ(0, probe_create(self->probe, 0, PRIVATE, NULL, 0));
	ASSERT_EQ(0, start(self->probe, 0));
	ASSERT_EQ(0, rounds(self->probe, 0, n, 12));
	ASSERT_EQ(0, rounds(self->probe, 0, n / 2, 3));
	ASSERT_EQ(0, stop(self->probe, &sum));
	/* Each time they were taken away in the end. */
	ASSERT_EQ(0, probe_show(self->probe, 0, NULL, &epoch));
	EXPECT_EQ(1 + n + n / 2 + 2, epoch);
	EXPECT_SANE(sum, scaled(100));
}

/* A public ring that a program changes, and deletes in the middle of it. */
TEST_F_TIMEOUT(crowd, a_ring_is_deleted, 300)
{
	struct chring_config config = { .vnodes = 20 };
	int fd = ring_fresh(RING, &config), i;
	int changes = scaled(2000) & ~1;
	struct probe_crowd sum;
	__u64 epoch, last;

	ASSERT_LE(0, fd);
	for (i = 0; i < 8; i++) {
		char name[8];

		snprintf(name, sizeof(name), "n%d", i);
		ASSERT_EQ(0, node_add(fd, name, 1 + i, CHRING_STATE_UP, NULL));
	}
	ASSERT_EQ(0, probe_get(self->probe, 0, RING));
	ASSERT_EQ(0, start(self->probe, 0));
	ASSERT_EQ(0, change_often(fd, "n3", changes));
	for (i = 0; i < changes / 4; i++)
		ASSERT_EQ(0, node_set_weight(fd, "n1", 1 + i % 30));
	ASSERT_EQ(0, change_until_seen(self->probe, fd, "n3", scaled(100)));
	ASSERT_EQ(0, probe_show(self->probe, 0, NULL, &epoch));
	ASSERT_EQ(0, ring_delete(self->fd, RING));
	/* One of the same name is of no matter to them. */
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, ring_create(self->fd, RING, NULL));
		ASSERT_EQ(0, probe_get(self->probe, 1, RING));
		ASSERT_EQ(0, ring_delete(self->fd, RING));
		ASSERT_EQ(0, probe_put(self->probe, 1));
	}
	usleep(100000);
	ASSERT_EQ(0, stop(self->probe, &sum));
	ASSERT_EQ(0, probe_show(self->probe, 0, NULL, &last));
	EXPECT_EQ(epoch, last);
	EXPECT_SANE(sum, scaled(100));
	close(fd);
}

TEST_HARNESS_MAIN
