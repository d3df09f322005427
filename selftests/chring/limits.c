// SPDX-License-Identifier: GPL-2.0
/* Limits of count and of memory: refused, and nothing changed. */
#include "libtest.h"
#include "kselftest_harness.h"

#define RING	"limits-test"

FIXTURE(limits)
{
	int fd;
	unsigned long max_bytes, max_tokens;
};

FIXTURE_SETUP(limits)
{
	struct chring_config config = { .vnodes = 65535 };

	ASSERT_EQ(0, param_get("max_total_bytes", &self->max_bytes));
	ASSERT_EQ(0, param_get("max_tokens", &self->max_tokens));
	self->fd = ring_fresh(RING, &config);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(limits)
{
	param_set("max_total_bytes", self->max_bytes);
	param_set("max_tokens", self->max_tokens);
	ring_delete(self->fd, RING);
	close(self->fd);
}

TEST_F(limits, defaults)
{
	struct chring_info info = { .size = sizeof(info) };
	unsigned long pages = sysconf(_SC_PHYS_PAGES);

	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_INFO, &info));
	EXPECT_EQ(1 << 24, info.out_max_tokens);
	EXPECT_EQ(self->max_bytes, info.out_max_total_bytes);
	/* About 1/16: processes come and go, the kernel's own share does not. */
	EXPECT_LT(pages * 4096 / 20, info.out_max_total_bytes);
	EXPECT_GT(pages * 4096 / 12, info.out_max_total_bytes);
	EXPECT_EQ(0x1e, info.out_hashes);
	EXPECT_EQ(2, info.out_layouts);
}

/* 65535 * 65535 tokens would be 40 GiB: refused before a byte is taken. */
TEST_F(limits, weight_times_vnodes)
{
	struct mark before = MARK();
	__u64 held = bytes_settled(self->fd);
	int i;

	/* No memory could be had now: it is not asked for. */
	ASSERT_EQ(0, param_set("max_total_bytes", 0));
	for (i = 0; i < 100; i++)
		EXPECT_EQ(-ENOSPC, node_add(self->fd, "big", 65535,
					    CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, param_set("max_total_bytes", self->max_bytes));
	EXPECT_EQ(-ENOSPC, node_add(self->fd, "big", 257, CHRING_STATE_UP,
				    NULL));
	EXPECT_UNCHANGED(before);
	EXPECT_TRUE(settles_at(self->fd, held));
}

TEST_F(limits, tokens_per_ring)
{
	struct mark before;

	ASSERT_EQ(0, param_set("max_tokens", 3 * 65535 - 1));
	ASSERT_EQ(0, node_add(self->fd, "a", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, node_add(self->fd, "b", 1, CHRING_STATE_UP, NULL));
	before = MARK();
	EXPECT_EQ(-ENOSPC, node_add(self->fd, "c", 1, CHRING_STATE_UP, NULL));
	EXPECT_EQ(-ENOSPC, node_set_weight(self->fd, "b", 2));
	EXPECT_EQ(-ENOSPC, node_set_weight(self->fd, "b", 65535));
	EXPECT_UNCHANGED(before);
	/* One token more is allowed: now it fits. */
	ASSERT_EQ(0, param_set("max_tokens", 3 * 65535));
	EXPECT_EQ(0, node_set_weight(self->fd, "b", 2));
	/* A limit lowered below what is there stops growth, nothing else. */
	ASSERT_EQ(0, param_set("max_tokens", 1));
	EXPECT_EQ(0, node_set_state(self->fd, "a", CHRING_STATE_DOWN));
	EXPECT_EQ(0, node_add(self->fd, "w0", 0, CHRING_STATE_UP, NULL));
	EXPECT_EQ(0, node_set_weight(self->fd, "b", 1));
	EXPECT_EQ(-ENOSPC, node_set_weight(self->fd, "b", 2));
	EXPECT_EQ(0, node_del(self->fd, "b"));
}

TEST_F(limits, budget)
{
	struct mark before;
	__u64 held;
	int fd = dev_open(O_RDWR, NULL);

	ASSERT_EQ(0, node_add(self->fd, "a", 1, CHRING_STATE_UP, NULL));
	before = MARK();
	held = bytes_settled(self->fd);
	ASSERT_EQ(0, param_set("max_total_bytes", held + (1 << 20)));
	EXPECT_EQ(-EDQUOT, node_add(self->fd, "b", 1, CHRING_STATE_UP, NULL));
	EXPECT_EQ(-EDQUOT, node_set_weight(self->fd, "a", 2));
	EXPECT_UNCHANGED(before);
	ASSERT_EQ(0, param_set("max_total_bytes", held));
	EXPECT_EQ(-EDQUOT, node_set_state(self->fd, "a", CHRING_STATE_DOWN));
	EXPECT_EQ(-EDQUOT, ring_create(fd, "one-more", NULL));
	/* What failed has given back what it took. */
	ASSERT_EQ(0, param_set("max_total_bytes", self->max_bytes));
	EXPECT_UNCHANGED(before);
	EXPECT_TRUE(settles_at(self->fd, held));
	EXPECT_EQ(0, node_add(self->fd, "b", 1, CHRING_STATE_UP, NULL));
	close(fd);
}

/* Every byte comes back when rings go. */
TEST_F(limits, nothing_is_kept)
{
	struct chring_config config = { .vnodes = 100 };
	__u64 held = bytes_settled(self->fd);
	char name[16];
	int fd, i;

	fd = ring_fresh("more", &config);
	ASSERT_LE(0, fd);
	for (i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		ASSERT_EQ(0, node_add(fd, name, 1 + i % 5, i % 3, NULL));
		if (i % 4 == 3)
			ASSERT_EQ(0, node_del(fd, name));
	}
	EXPECT_LT(held, bytes_held(self->fd));
	ASSERT_EQ(0, ring_delete(fd, "more"));
	close(fd);
	EXPECT_TRUE(settles_at(self->fd, held));
}

TEST_HARNESS_MAIN
