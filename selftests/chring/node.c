// SPDX-License-Identifier: GPL-2.0
/* Nodes, epochs and generations. */
#include "libtest.h"
#include "kselftest_harness.h"

#define RING	"node-test"

FIXTURE(node)
{
	int fd;
};

FIXTURE_SETUP(node)
{
	self->fd = ring_fresh(RING, NULL);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(node)
{
	ring_delete(self->fd, RING);
	close(self->fd);
}

static int add_len(int fd, const void *name, __u32 len, const void *zone,
		   __u32 zone_len)
{
	struct chring_node_change arg = {
		.size = sizeof(arg),
		.name = ptr(name),
		.name_len = len,
		.zone = ptr(zone),
		.zone_len = zone_len,
		.weight = 1,
	};

	return chr(fd, CHRING_IOC_NODE_ADD, &arg);
}

TEST_F(node, names)
{
	struct mark before;
	char name[300];
	int c;

	memset(name, 'n', sizeof(name));
	before = MARK();
	EXPECT_EQ(-EINVAL, add_len(self->fd, name, 0, NULL, 0));
	EXPECT_EQ(-ENAMETOOLONG, add_len(self->fd, name, 256, NULL, 0));
	EXPECT_EQ(-ENAMETOOLONG, add_len(self->fd, name, ~0U, NULL, 0));
	EXPECT_EQ(-ENAMETOOLONG, add_len(self->fd, name, 5, name, 256));
	EXPECT_EQ(-EINVAL, add_len(self->fd, name, 5, name, 0));
	for (c = 0; c <= 0x20; c++) {
		name[2] = c;
		EXPECT_EQ(-EINVAL, add_len(self->fd, name, 5, NULL, 0));
		EXPECT_EQ(-EINVAL, add_len(self->fd, "ok", 2, name, 5));
	}
	name[2] = 0x7f;
	EXPECT_EQ(-EINVAL, add_len(self->fd, name, 5, NULL, 0));
	EXPECT_EQ(-EINVAL, add_len(self->fd, "ok", 2, name, 5));
	EXPECT_UNCHANGED(before);

	for (c = 0x80; c < 256; c++) {
		name[2] = c;
		EXPECT_EQ(0, add_len(self->fd, name, 5, NULL, 0));
	}
	memset(name, 'n', sizeof(name));
	EXPECT_EQ(0, add_len(self->fd, name, 255, name, 255));
	before = MARK();
	EXPECT_EQ(-EEXIST, add_len(self->fd, name, 255, NULL, 0));
	EXPECT_UNCHANGED(before);
}

TEST_F(node, add_set_del)
{
	struct chring_node_change arg = {
		.size = sizeof(arg),
		.name = ptr("cache-01"),
		.name_len = 8,
		.zone = ptr("eu-1"),
		.zone_len = 4,
		.weight = 3,
		.state = CHRING_STATE_DRAIN,
		.cookie = 0x1122334455667788ULL,
		.generation = 5,
	};
	struct listing l;
	__u64 id;

	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_NODE_ADD, &arg));
	EXPECT_EQ(2, arg.out_epoch);
	EXPECT_EQ(5, arg.out_generation);
	EXPECT_NE(0, arg.out_node);
	EXPECT_EQ(MARK().digest, arg.out_digest);
	EXPECT_EQ(MARK().ring, arg.out_ring);
	id = arg.out_node;

	ASSERT_EQ(0, node_list(self->fd, &l));
	ASSERT_EQ(1, l.list.out_count);
	EXPECT_EQ(2, l.list.out_epoch);
	EXPECT_EQ(id, l.entry[0].node);
	EXPECT_EQ(0x1122334455667788ULL, l.entry[0].cookie);
	EXPECT_EQ(3, l.entry[0].weight);
	EXPECT_EQ(480, l.entry[0].tokens);
	EXPECT_EQ(CHRING_STATE_DRAIN, l.entry[0].state);
	ASSERT_EQ(8, l.entry[0].name_len);
	ASSERT_EQ(4, l.entry[0].zone_len);
	EXPECT_EQ(0, memcmp(l.strings + l.entry[0].name_off, "cache-01", 8));
	EXPECT_EQ(0, memcmp(l.strings + l.entry[0].zone_off, "eu-1", 4));

	/* One thing at a time; the others stay. */
	arg = (struct chring_node_change){
		.size = sizeof(arg),
		.flags = CHRING_NODE_STATE,
		.node = id,
		.state = CHRING_STATE_DOWN,
	};
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_NODE_SET, &arg));
	EXPECT_EQ(3, arg.out_epoch);
	EXPECT_EQ(id, arg.out_node);
	arg.flags = CHRING_NODE_COOKIE;
	arg.state = 0;
	arg.cookie = 42;
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_NODE_SET, &arg));
	arg.flags = CHRING_NODE_ZONE;
	arg.cookie = 0;
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_NODE_SET, &arg));
	arg.flags = CHRING_NODE_WEIGHT;
	arg.weight = 0;
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_NODE_SET, &arg));
	EXPECT_EQ(6, arg.out_epoch);
	ASSERT_EQ(0, node_list(self->fd, &l));
	EXPECT_EQ(id, l.entry[0].node);
	EXPECT_EQ(42, l.entry[0].cookie);
	EXPECT_EQ(0, l.entry[0].weight);
	EXPECT_EQ(0, l.entry[0].tokens);
	EXPECT_EQ(0, l.entry[0].zone_len);
	EXPECT_EQ(CHRING_STATE_DOWN, l.entry[0].state);

	arg = (struct chring_node_change){ .size = sizeof(arg), .node = id };
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_NODE_DEL, &arg));
	EXPECT_EQ(7, arg.out_epoch);
	EXPECT_EQ(5, arg.out_generation);
	EXPECT_EQ(-ENOENT, chr(self->fd, CHRING_IOC_NODE_DEL, &arg));
	EXPECT_EQ(0, arg.out_node);
	EXPECT_EQ(7, arg.out_epoch);
	ASSERT_EQ(0, node_list(self->fd, &l));
	EXPECT_EQ(0, l.list.out_count);
}

TEST_F(node, list_is_in_the_order_of_names)
{
	static const char *const names[] = { "b", "a\xff", "ab", "a", "B",
					     "aa", "a-long-name" };
	static const char *const sorted[] = { "B", "a", "a-long-name", "aa",
					      "ab", "a\xff", "b" };
	struct listing l;
	size_t i;

	for (i = 0; i < ARRAY_LEN(names); i++)
		ASSERT_EQ(0, node_add(self->fd, names[i], 1, CHRING_STATE_UP,
				      NULL));
	ASSERT_EQ(0, node_list(self->fd, &l));
	ASSERT_EQ(ARRAY_LEN(sorted), l.list.out_count);
	for (i = 0; i < ARRAY_LEN(sorted); i++) {
		ASSERT_EQ(strlen(sorted[i]), l.entry[i].name_len);
		EXPECT_EQ(0, memcmp(sorted[i], l.strings + l.entry[i].name_off,
				    l.entry[i].name_len));
	}
	/* Room for one node or one byte less. */
	l.list.count = l.list.out_count - 1;
	EXPECT_EQ(-EMSGSIZE, chr(self->fd, CHRING_IOC_NODE_LIST, &l.list));
	EXPECT_EQ(ARRAY_LEN(sorted), l.list.out_count);
	l.list.count++;
	l.list.strings_size = l.list.out_strings_size - 1;
	EXPECT_EQ(-EMSGSIZE, chr(self->fd, CHRING_IOC_NODE_LIST, &l.list));
	EXPECT_EQ(l.list.strings_size + 1, l.list.out_strings_size);
	l.list.strings_size++;
	EXPECT_EQ(0, chr(self->fd, CHRING_IOC_NODE_LIST, &l.list));
}

/* One wrong field each; nothing changes. */
TEST_F(node, values_refused)
{
	static const struct {
		unsigned long ioc;
		struct chring_node_change arg;
		int ret;
	} wrong[] = {
		{ CHRING_IOC_NODE_ADD, { .weight = 65536 }, -ERANGE },
		{ CHRING_IOC_NODE_ADD, { .weight = ~0U }, -ERANGE },
		{ CHRING_IOC_NODE_ADD, { .state = 3 }, -EINVAL },
		{ CHRING_IOC_NODE_ADD, { .state = ~0U }, -EINVAL },
		{ CHRING_IOC_NODE_ADD, { .flags = 1 }, -EINVAL },
		{ CHRING_IOC_NODE_ADD, { .node = 1 }, -EINVAL },
		{ CHRING_IOC_NODE_ADD, { .epoch = 3 }, -ESTALE },
		{ CHRING_IOC_NODE_ADD, { .generation = 6 }, -ERANGE },
		{ CHRING_IOC_NODE_SET, { }, -EINVAL },
		{ CHRING_IOC_NODE_SET, { .flags = 16 }, -EINVAL },
		{ CHRING_IOC_NODE_SET, { .flags = CHRING_NODE_WEIGHT },
		  -ENOENT },
		{ CHRING_IOC_NODE_SET, { .flags = CHRING_NODE_STATE,
					 .weight = 1 }, -EINVAL },
		{ CHRING_IOC_NODE_SET, { .flags = CHRING_NODE_WEIGHT,
					 .state = 1 }, -EINVAL },
		{ CHRING_IOC_NODE_SET, { .flags = CHRING_NODE_WEIGHT,
					 .cookie = 1 }, -EINVAL },
		{ CHRING_IOC_NODE_SET, { .flags = CHRING_NODE_WEIGHT,
					 .zone_len = 1 }, -EINVAL },
		{ CHRING_IOC_NODE_SET, { .flags = CHRING_NODE_WEIGHT,
					 .weight = 65536 }, -ERANGE },
		{ CHRING_IOC_NODE_SET, { .flags = CHRING_NODE_STATE,
					 .state = 3 }, -EINVAL },
		{ CHRING_IOC_NODE_SET, { .flags = CHRING_NODE_WEIGHT,
					 .node = 1 }, -EINVAL },
		{ CHRING_IOC_NODE_DEL, { }, -ENOENT },
		{ CHRING_IOC_NODE_DEL, { .weight = 1 }, -EINVAL },
		{ CHRING_IOC_NODE_DEL, { .flags = 1 }, -EINVAL },
		{ CHRING_IOC_NODE_DEL, { .node = 1 }, -EINVAL },
		{ CHRING_IOC_NODE_DEL, { .epoch = 1 }, -ESTALE },
	};
	struct chring_node_change arg = {
		.size = sizeof(arg),
		.name = ptr("there"),
		.name_len = 5,
		.weight = 1,
		.generation = 7,
	};
	struct mark before;
	size_t i;

	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_NODE_ADD, &arg));
	before = MARK();
	for (i = 0; i < ARRAY_LEN(wrong); i++) {
		arg = wrong[i].arg;
		arg.size = sizeof(arg);
		arg.name = ptr("other");
		arg.name_len = 5;
		EXPECT_EQ(wrong[i].ret, chr(self->fd, wrong[i].ioc, &arg)) {
			TH_LOG("case %zu", i);
		}
		if (wrong[i].ret == -ESTALE)
			EXPECT_EQ(before.epoch, arg.out_epoch);
		EXPECT_UNCHANGED(before);
	}
	/* By id: one that never was, and no name beside it. */
	arg = (struct chring_node_change){ .size = sizeof(arg), .node = ~0ULL };
	EXPECT_EQ(-ENOENT, chr(self->fd, CHRING_IOC_NODE_DEL, &arg));
	EXPECT_UNCHANGED(before);
}

TEST_F(node, epoch_counts_changes)
{
	struct chring_node_change arg = {
		.size = sizeof(arg),
		.name = ptr("a"),
		.name_len = 1,
		.weight = 1,
	};

	EXPECT_EQ(1, MARK().epoch);
	arg.epoch = 1;
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_NODE_ADD, &arg));
	EXPECT_EQ(2, MARK().epoch);
	/* Nothing to do: no new epoch. */
	ASSERT_EQ(0, node_set_weight(self->fd, "a", 1));
	ASSERT_EQ(0, node_set_state(self->fd, "a", CHRING_STATE_UP));
	EXPECT_EQ(2, MARK().epoch);
	/* A generation that rises is something. */
	arg.flags = CHRING_NODE_WEIGHT;
	arg.epoch = 2;
	arg.generation = 1;
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_NODE_SET, &arg));
	EXPECT_EQ(3, MARK().epoch);
	EXPECT_EQ(1, MARK().generation);
	arg.epoch = 0;
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_NODE_SET, &arg));
	EXPECT_EQ(3, MARK().epoch);
	ASSERT_EQ(0, node_del(self->fd, "a"));
	EXPECT_EQ(4, MARK().epoch);
	EXPECT_EQ(1, MARK().generation);
}

/* Tokens are a matter of membership, not of history. */
TEST_F(node, coming_back_is_as_before)
{
	struct mark first, m;
	char name[16];
	int i;

	for (i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "node-%d", i);
		ASSERT_EQ(0, node_add(self->fd, name, 1 + i % 3,
				      CHRING_STATE_UP, NULL));
	}
	first = MARK();
	EXPECT_EQ((7 + 14 + 18) * 160, first.tokens);
	ASSERT_EQ(0, node_set_weight(self->fd, "node-7", 9));
	EXPECT_NE(first.checksum, MARK().checksum);
	ASSERT_EQ(0, node_set_weight(self->fd, "node-7", 2));
	m = MARK();
	EXPECT_EQ(first.digest, m.digest);
	EXPECT_EQ(first.checksum, m.checksum);
	ASSERT_EQ(0, node_set_state(self->fd, "node-3", CHRING_STATE_DOWN));
	EXPECT_NE(first.digest, MARK().digest);
	EXPECT_EQ(first.checksum, MARK().checksum);
	ASSERT_EQ(0, node_set_state(self->fd, "node-3", CHRING_STATE_UP));
	ASSERT_EQ(0, node_del(self->fd, "node-0"));
	ASSERT_EQ(0, node_add(self->fd, "node-0", 1, CHRING_STATE_UP, NULL));
	m = MARK();
	EXPECT_EQ(first.digest, m.digest);
	EXPECT_EQ(first.checksum, m.checksum);
	EXPECT_LT(first.epoch, m.epoch);
}

static bool stats_is(int fd, __u32 nodes, __u32 live)
{
	struct chring_stats stats = { .size = sizeof(stats) };

	return !chr(fd, CHRING_IOC_STATS, &stats) &&
	       stats.out_nodes == nodes && stats.out_live == live;
}

TEST_F(node, shares_sum_to_the_circle)
{
	struct chring_node_share share[8];
	struct chring_stats stats = {
		.size = sizeof(stats),
		.entries = ptr(share),
		.entry_size = sizeof(share[0]),
		.count = ARRAY_LEN(share),
	};
	__u64 hi = 0, lo = 0;	/* of the sum */
	char name[2] = "a";
	__u32 i;

	for (; name[0] < 'i'; name[0]++) {
		ASSERT_EQ(0, node_add(self->fd, name, name[0] - 'a',
				      CHRING_STATE_UP, NULL));
		ASSERT_EQ(0, chr(self->fd, CHRING_IOC_STATS, &stats));
	}
	ASSERT_EQ(0, node_set_state(self->fd, "d", CHRING_STATE_DRAIN));
	EXPECT_TRUE(stats_is(self->fd, 8, 6));
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_STATS, &stats));
	for (i = 0; i < 8; i++) {
		hi += share[i].share_hi;
		hi += __builtin_add_overflow(lo, share[i].share_lo, &lo);
		EXPECT_EQ(i * 160, share[i].tokens);
		EXPECT_EQ(i == 0 || i == 3, !share[i].share_lo);
	}
	EXPECT_EQ(1, hi);
	EXPECT_EQ(0, lo);
	EXPECT_EQ(0, strcmp(RING, stats.out_name));

	stats.count = 7;
	EXPECT_EQ(-EMSGSIZE, chr(self->fd, CHRING_IOC_STATS, &stats));
	EXPECT_EQ(8, stats.out_nodes);
}

TEST_F(node, alone_it_owns_all)
{
	struct chring_node_share share;
	struct chring_stats stats = {
		.size = sizeof(stats),
		.entries = ptr(&share),
		.entry_size = sizeof(share),
		.count = 1,
	};

	ASSERT_EQ(0, node_add(self->fd, "a", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_STATS, &stats));
	EXPECT_EQ(1, share.share_hi);
	EXPECT_EQ(0, share.share_lo);
}

TEST_HARNESS_MAIN
