// SPDX-License-Identifier: GPL-2.0
/* What kernel code asks of rings, and how it changes its own. */
#include "libprobe.h"
#include "kselftest_harness.h"

#define PRIVATE	"probe/node"
#define TWIN	"probe/twin"
#define PUBLIC	"api-twin"

FIXTURE(node)
{
	int probe;
	int fd;		/* of the private ring, to read and write */
};

FIXTURE_SETUP(node)
{
	self->probe = probe_open();
	ASSERT_LE(0, self->probe);
	ASSERT_EQ(0, probe_create(self->probe, 0, PRIVATE, NULL, 0));
	self->fd = dev_open(O_RDWR, PRIVATE);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(node)
{
	close(self->fd);
	probe_close(self->probe);
}

static __u64 position_of(unsigned int i)
{
	return i * 0x9e3779b97f4a7c15ULL;
}

/* Nodes n0, n1, ... with tags from 1 on, cookies of ten times these, zones. */
static int fill(int fd, __u32 ring, __u32 n, __u64 down)
{
	static const char * const zone[] = { "", "east", "west" };
	__u32 i;
	int ret = 0;

	for (i = 0; i < n && !ret; i++) {
		char name[8];
		struct probe_server s;

		snprintf(name, sizeof(name), "n%u", i);
		s = server_of(name, 1 + i % 3, 10 * (i + 1), i + 1);
		s.zone = ptr(zone[i % 3]);
		s.zone_len = strlen(zone[i % 3]);
		if (down >> (i + 1) & 1)
			s.state = CHRING_STATE_DOWN;
		ret = probe_add(fd, ring, s, NULL);
	}
	return ret;
}

TEST_F(node, no_answer)
{
	struct probe_answer a;
	__u64 id;

	ASSERT_EQ(0, probe_show(self->probe, 0, &id, NULL));
	EXPECT_EQ(-ENODATA, probe_lookup(self->probe, 0, "key", 3, &a));
	EXPECT_EQ(id, a.ring);
	EXPECT_EQ(1, a.epoch);
	EXPECT_EQ(0, a.node | a.cookie | a.tag);
	EXPECT_EQ(-ENODATA, probe_fit(self->probe, 0, 0, ~0ULL, &a));
	EXPECT_EQ(-ENODATA, probe_replicas(self->probe, 0, 0, 0, &a, 1));
	EXPECT_EQ(-ENODATA, probe_replicas(self->probe, 0, 0,
					   CHRING_LOOKUP_PREVIOUS, &a, 1));
	ASSERT_EQ(0, fill(self->probe, 0, 2, ~0ULL));
	EXPECT_EQ(-EHOSTUNREACH, probe_lookup(self->probe, 0, "key", 3, &a));
	EXPECT_EQ(id, a.ring);
	EXPECT_EQ(3, a.epoch);
	EXPECT_EQ(0, a.node | a.cookie | a.tag);
	EXPECT_EQ(-EHOSTUNREACH, probe_lookup_at(self->probe, 0, 0, &a));
	EXPECT_EQ(-EHOSTUNREACH, probe_fit(self->probe, 0, 0, ~0ULL, &a));
	EXPECT_EQ(0, a.node | a.cookie | a.tag);
	EXPECT_EQ(-EHOSTUNREACH, probe_replicas(self->probe, 0, 0, 0, &a, 1));
	/* There cannot be such a question. */
	EXPECT_EQ(-ERANGE, probe_lookup(self->probe, 0, NULL,
					CHRING_KEY_MAX + 1, &a));
	EXPECT_EQ(id, a.ring);
	EXPECT_EQ(3, a.epoch);
	EXPECT_EQ(0, a.node | a.cookie | a.tag);
}

TEST_F(node, narrow_circle)
{
	struct chring_config config = { .hash = CHRING_HASH_MURMUR3 };
	struct probe_answer a;

	ASSERT_EQ(0, probe_create(self->probe, 1, TWIN, &config, 0));
	ASSERT_EQ(0, fill(self->probe, 1, 3, 0));
	EXPECT_EQ(0, probe_lookup_at(self->probe, 1, ~0U, &a));
	EXPECT_EQ(-ERANGE, probe_lookup_at(self->probe, 1, 1ULL << 32, &a));
	EXPECT_EQ(4, a.epoch);
	EXPECT_EQ(0, a.node | a.cookie | a.tag);
	EXPECT_EQ(-ERANGE, probe_fit(self->probe, 1, 1ULL << 32, ~0ULL, &a));
	EXPECT_EQ(-ERANGE, probe_replicas(self->probe, 1, 1ULL << 32, 0, &a,
					  1));
}

/* Whatever programs are told, in every way to ask. */
TEST_F(node, replicas_are_those_of_programs)
{
	static const __u32 flags[] = {
		0, CHRING_LOOKUP_ZONES, CHRING_LOOKUP_PREVIOUS,
		CHRING_LOOKUP_ZONES | CHRING_LOOKUP_PREVIOUS,
	};
	struct probe_answer a[CHRING_REPLICAS_MAX];
	struct chring_owner owner[CHRING_REPLICAS_MAX];
	__u32 found, i, f, n, k;

	ASSERT_EQ(0, fill(self->probe, 0, 12, 1 << 4));
	ASSERT_EQ(0, probe_set(self->probe, 0, server_of("n3", 9, 0, 0)));
	for (i = 0; i < 60; i++) {
		for (f = 0; f < ARRAY_LEN(flags); f++) {
			n = 1 + i % CHRING_REPLICAS_MAX;
			ASSERT_EQ(0, lookup_owners(self->fd, flags[f],
						   position_of(i), n, owner,
						   &found));
			ASSERT_EQ(found, probe_replicas(self->probe, 0,
							position_of(i),
							flags[f], a, n));
			for (k = 0; k < found; k++) {
				EXPECT_EQ(owner[k].node, a[k].node);
				EXPECT_EQ(owner[k].cookie, a[k].cookie);
				EXPECT_EQ(a[0].epoch, a[k].epoch);
			}
		}
	}
	EXPECT_EQ(-ERANGE, probe_replicas(self->probe, 0, 0, 0, a, 0));
	EXPECT_EQ(-ERANGE, probe_replicas(self->probe, 0, 0, 0, a,
					  CHRING_REPLICAS_MAX + 1));
	EXPECT_EQ(-EINVAL, probe_replicas(self->probe, 0, 0,
					  CHRING_LOOKUP_POSITION, a, 1));
	EXPECT_EQ(-EINVAL, probe_replicas(self->probe, 0, 0, 1U << 31, a, 1));
}

/* Who does not fit is stepped over as if it were down. */
TEST_F(node, fit_is_a_ring_without_the_others)
{
	static const __u64 fits[] = {
		~0ULL, 0xaaaa, 0x5554, 1 << 5, 1 << 1 | 1 << 16, 0x1ff00,
	};
	struct probe_answer is, want;
	__u32 i, k;

	ASSERT_EQ(0, fill(self->probe, 0, 16, 0));
	for (k = 0; k < ARRAY_LEN(fits); k++) {
		ASSERT_EQ(0, probe_create(self->probe, 1, TWIN, NULL, 0));
		ASSERT_EQ(0, fill(self->probe, 1, 16, ~fits[k]));
		for (i = 0; i < 100; i++) {
			ASSERT_EQ(0, probe_fit(self->probe, 0, position_of(i),
					       fits[k], &is));
			ASSERT_EQ(0, probe_lookup_at(self->probe, 1,
						     position_of(i), &want));
			EXPECT_EQ(want.cookie, is.cookie);
			EXPECT_EQ(is.cookie, 10 * is.tag);
			EXPECT_EQ(17, is.epoch);
		}
		ASSERT_EQ(0, probe_put(self->probe, 1));
	}
	EXPECT_EQ(-EHOSTUNREACH, probe_fit(self->probe, 0, 0, 1, &is));
	EXPECT_EQ(17, is.epoch);
}

/* -- priv */

/* It goes with the node, and a change of it alone is a change. */
TEST_F(node, priv)
{
	struct mark before, after;
	struct probe_answer a;
	struct chring_event event;
	__u64 id;

	ASSERT_EQ(0, probe_add(self->probe, 0, server_of("a", 1, 5, 9), &id));
	ASSERT_EQ(0, probe_lookup(self->probe, 0, "key", 3, &a));
	EXPECT_EQ(9, a.tag);
	EXPECT_EQ(id, a.node);
	ASSERT_EQ(0, mark_ring(self->fd, &before));
	ASSERT_EQ(0, probe_set(self->probe, 0, server_of("a", 1, 5, 9)));
	EXPECT_UNCHANGED(before);

	ASSERT_EQ(0, probe_set(self->probe, 0, server_of("a", 1, 5, 8)));
	ASSERT_EQ(0, probe_lookup(self->probe, 0, "key", 3, &a));
	EXPECT_EQ(8, a.tag);
	EXPECT_EQ(id, a.node);
	ASSERT_EQ(0, mark_ring(self->fd, &after));
	EXPECT_EQ(before.epoch + 1, after.epoch);
	EXPECT_EQ(before.digest, after.digest);
	EXPECT_EQ(before.checksum, after.checksum);
	ASSERT_EQ(sizeof(event), read(self->fd, &event, sizeof(event)));
	ASSERT_EQ(sizeof(event), read(self->fd, &event, sizeof(event)));
	EXPECT_EQ(after.epoch, event.epoch);
	EXPECT_EQ(1, event.changed);
	EXPECT_EQ(0, event.added | event.removed | event.flipped | event.flags);

	ASSERT_EQ(0, probe_set(self->probe, 0, server_of("a", 3, 5, 0)));
	ASSERT_EQ(0, probe_lookup(self->probe, 0, "key", 3, &a));
	EXPECT_EQ(0, a.tag);
}

/* Former owners: what they have now, and nothing once they are gone. */
TEST_F(node, priv_of_former_owners)
{
	struct probe_answer a[4];
	int i, n, gone = 0;

	ASSERT_EQ(0, fill(self->probe, 0, 4, 0));
	ASSERT_EQ(0, probe_del(self->probe, 0, "n1"));
	ASSERT_EQ(0, probe_set(self->probe, 0, server_of("n2", 3, 30, 33)));
	n = probe_replicas(self->probe, 0, 0, CHRING_LOOKUP_PREVIOUS, a, 4);
	ASSERT_EQ(4, n);
	for (i = 0; i < n; i++) {
		gone += a[i].cookie == 20;
		EXPECT_EQ(a[i].cookie == 20 ? 0 :
			  a[i].cookie == 30 ? 33 : a[i].cookie / 10, a[i].tag);
	}
	EXPECT_EQ(1, gone);
	/* One of the same name is not the one that is gone. */
	ASSERT_EQ(0, probe_add(self->probe, 0, server_of("n1", 0, 21, 1),
			       NULL));
	n = probe_replicas(self->probe, 0, 0, CHRING_LOOKUP_PREVIOUS, a, 4);
	for (i = 0; i < n; i++)
		EXPECT_EQ(a[i].cookie == 20, !a[i].tag);
}

static bool has_kernel_pointer(const void *p, size_t size)
{
	const __u64 *word = p;
	size_t i;

	for (i = 0; i < size / 8; i++)
		if (word[i] >> 47 == 0x1ffff)
			return true;
	return false;
}

/* Nothing that programs read of nodes has an address in it. */
TEST_F(node, priv_is_shown_to_nobody)
{
	static struct chring_node_share share[16];
	static struct chring_ring_entry ring[64];
	static struct chring_event event[32];
	struct chring_owner owner[CHRING_REPLICAS_MAX];
	struct chring_stats stats = {
		.size = sizeof(stats),
		.entries = ptr(share),
		.entry_size = sizeof(share[0]),
		.count = ARRAY_LEN(share),
	};
	struct chring_ring_list list = {
		.size = sizeof(list),
		.flags = CHRING_LIST_PRIVATE,
		.entries = ptr(ring),
		.entry_size = sizeof(ring[0]),
		.count = ARRAY_LEN(ring),
	};
	struct listing l;
	__u32 n, i;

	ASSERT_EQ(0, fill(self->probe, 0, 12, 0));
	ASSERT_EQ(0, node_list(self->fd, &l));
	ASSERT_EQ(12, l.list.out_count);
	EXPECT_FALSE(has_kernel_pointer(l.entry, 12 * sizeof(l.entry[0])));
	ASSERT_EQ(0, lookup_owners(self->fd, 0, 0, 32, owner, &n));
	EXPECT_FALSE(has_kernel_pointer(owner, n * sizeof(owner[0])));
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_STATS, &stats));
	EXPECT_FALSE(has_kernel_pointer(share, 12 * sizeof(share[0])));
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_RING_LIST, &list));
	for (i = 0; i < list.out_count; i++) {
		ring[i].digest = 0;
		EXPECT_FALSE(has_kernel_pointer(&ring[i], sizeof(ring[i])));
	}
	n = read(self->fd, event, sizeof(event)) / sizeof(event[0]);
	ASSERT_EQ(12, n);
	for (i = 0; i < n; i++) {
		event[i].digest = 0;
		EXPECT_FALSE(has_kernel_pointer(&event[i], sizeof(event[i])));
	}
}

/* -- changes */

static int add_bad(int fd, struct probe_server s)
{
	return probe_add(fd, 0, s, NULL);
}

TEST_F(node, what_is_refused_changes_nothing)
{
	static char longer[CHRING_NAME_MAX + 1];
	struct probe_server good = server_of("a", 1, 0, 0), s[3];
	struct mark before;

	memset(longer, 'n', sizeof(longer));
	ASSERT_EQ(0, probe_add(self->probe, 0, good, NULL));
	before = MARK();

	EXPECT_EQ(-EEXIST, add_bad(self->probe, good));
	EXPECT_EQ(-EINVAL, add_bad(self->probe, server_of("", 1, 0, 0)));
	EXPECT_EQ(-EINVAL, add_bad(self->probe, server_of("a b", 1, 0, 0)));
	EXPECT_EQ(-ERANGE, add_bad(self->probe, server_of("b", 65536, 0, 0)));
	s[0] = server_of("b", 1, 0, 0);
	s[0].state = 3;
	EXPECT_EQ(-EINVAL, add_bad(self->probe, s[0]));
	s[0].state = 0;
	s[0].name = ptr(longer);
	s[0].name_len = sizeof(longer);
	EXPECT_EQ(-ENAMETOOLONG, add_bad(self->probe, s[0]));
	s[0] = server_of("b", 1, 0, 0);
	s[0].zone = ptr(longer);
	s[0].zone_len = sizeof(longer);
	EXPECT_EQ(-ENAMETOOLONG, add_bad(self->probe, s[0]));
	s[0].zone = ptr("\x01");
	s[0].zone_len = 1;
	EXPECT_EQ(-EINVAL, add_bad(self->probe, s[0]));
	EXPECT_EQ(-EINVAL, probe_replace(self->probe, 0, s, 1));

	EXPECT_EQ(-ENOENT, probe_set(self->probe, 0, server_of("b", 1, 0, 0)));
	EXPECT_EQ(-ERANGE, probe_set(self->probe, 0,
				     server_of("a", 65536, 0, 0)));
	EXPECT_EQ(-ENOENT, probe_del(self->probe, 0, "b"));
	EXPECT_EQ(-EINVAL, probe_del(self->probe, 0, ""));

	s[0] = server_of("c", 1, 0, 0);
	s[1] = server_of("b", 1, 0, 0);
	s[2] = server_of("c", 2, 0, 0);
	EXPECT_EQ(-EEXIST, probe_replace(self->probe, 0, s, 3));
	s[2] = server_of("d", 65536, 0, 0);
	EXPECT_EQ(-ERANGE, probe_replace(self->probe, 0, s, 3));
	EXPECT_EQ(-ERANGE, probe_replace(self->probe, 0, s,
					 CHRING_NODES_MAX + 1));
	EXPECT_EQ(-ERANGE, probe_replace(self->probe, 0, s, ~0U));
	EXPECT_UNCHANGED(before);
}

TEST_F(node, limits)
{
	struct probe_server s[2] = {
		server_of("a", 1, 0, 0), server_of("b", 1, 0, 0),
	};
	unsigned long tokens, bytes;
	struct mark before;

	ASSERT_EQ(0, probe_replace(self->probe, 0, s, 2));
	ASSERT_EQ(0, param_get("max_tokens", &tokens));
	ASSERT_EQ(0, param_get("max_total_bytes", &bytes));
	before = MARK();
	param_set("max_tokens", 400);
	EXPECT_EQ(-ENOSPC, probe_add(self->probe, 0, server_of("c", 1, 0, 0),
				     NULL));
	s[1].weight = 2;
	EXPECT_EQ(-ENOSPC, probe_set(self->probe, 0, s[1]));
	EXPECT_EQ(-ENOSPC, probe_replace(self->probe, 0, s, 2));
	param_set("max_tokens", tokens);
	param_set("max_total_bytes", 1);
	EXPECT_EQ(-EDQUOT, probe_add(self->probe, 0, server_of("c", 1, 0, 0),
				     NULL));
	EXPECT_EQ(-EDQUOT, probe_set(self->probe, 0, s[1]));
	EXPECT_EQ(-EDQUOT, probe_replace(self->probe, 0, s, 2));
	EXPECT_EQ(-EDQUOT, probe_create(self->probe, 1, TWIN, NULL, 0));
	/* What needs less is possible for the reader of it all. */
	param_set("max_total_bytes", bytes);
	EXPECT_UNCHANGED(before);
	EXPECT_EQ(0, probe_set(self->probe, 0, s[1]));
}

/* In any order, and it is the ring that a program would have committed. */
TEST_F(node, replace_takes_any_order)
{
	enum { N = 200 };
	static struct probe_server s[N];
	static char name[N][16];
	int public = ring_fresh(PUBLIC, NULL), round;
	struct mark mine, theirs;
	__u32 i;

	ASSERT_LE(0, public);
	for (i = 0; i < N; i++) {
		snprintf(name[i], sizeof(name[i]), i % 3 ? "n%u" : "node-%u",
			 i * 7919 % 1009);
		s[i] = server_of(name[i], 1 + i % 2, i, i % 60);
		ASSERT_EQ(0, node_add(public, name[i], 1 + i % 2,
				      CHRING_STATE_UP, NULL));
	}
	ASSERT_EQ(0, mark_ring(public, &theirs));
	for (round = 0; round < 20; round++) {
		struct probe_server swap;
		__u32 k = (round * 31) % N;

		ASSERT_EQ(0, probe_replace(self->probe, 0, s, N));
		ASSERT_EQ(0, mark_ring(self->fd, &mine));
		EXPECT_EQ(theirs.digest, mine.digest);
		EXPECT_EQ(theirs.checksum, mine.checksum);
		/* The order is nothing that could change it. */
		EXPECT_EQ(2, mine.epoch);
		for (i = 0; i < N; i++) {
			swap = s[i];
			s[i] = s[(i * 13 + k) % N];
			s[(i * 13 + k) % N] = swap;
		}
	}
	ring_delete(public, PUBLIC);
	close(public);
}

TEST_F(node, replace_keeps_ids)
{
	struct probe_server s[3] = {
		server_of("b", 1, 2, 2), server_of("a", 1, 1, 1),
		server_of("c", 1, 3, 3),
	};
	struct listing was, now;
	struct probe_answer a;

	ASSERT_EQ(0, probe_replace(self->probe, 0, s, 3));
	ASSERT_EQ(0, node_list(self->fd, &was));
	s[2] = server_of("d", 1, 4, 4);
	s[0].weight = 9;
	ASSERT_EQ(0, probe_replace(self->probe, 0, s, 3));
	ASSERT_EQ(0, node_list(self->fd, &now));
	ASSERT_EQ(3, now.list.out_count);
	EXPECT_EQ(was.entry[0].node, now.entry[0].node);
	EXPECT_EQ(was.entry[1].node, now.entry[1].node);
	EXPECT_LT(was.entry[2].node, now.entry[2].node);
	EXPECT_EQ(3, now.list.out_epoch);

	/* priv alone, of one of them. */
	s[1].tag = 11;
	ASSERT_EQ(0, probe_replace(self->probe, 0, s, 3));
	ASSERT_EQ(0, probe_fit(self->probe, 0, 0, 1 << 11, &a));
	EXPECT_EQ(now.entry[0].node, a.node);
	EXPECT_EQ(4, a.epoch);
	ASSERT_EQ(0, probe_replace(self->probe, 0, NULL, 0));
	EXPECT_EQ(-ENODATA, probe_lookup(self->probe, 0, "key", 3, &a));
}

/* As many as there may be, the last name first. */
TEST_F_TIMEOUT(node, replace_as_many_as_there_may_be, 300)
{
	static struct probe_server s[CHRING_NODES_MAX];
	static char name[CHRING_NODES_MAX][16];
	__u32 n = scaled(CHRING_NODES_MAX), i;
	struct chring_config config = { .vnodes = 1 };
	struct listing l;
	int fd;

	for (i = 0; i < n; i++) {
		snprintf(name[i], sizeof(name[i]), "%05u", n - 1 - i);
		s[i] = server_of(name[i], 1, n - 1 - i, 0);
	}
	ASSERT_EQ(0, probe_create(self->probe, 1, TWIN, &config, 0));
	ASSERT_EQ(0, probe_replace(self->probe, 1, s, n));
	fd = dev_open(O_RDWR, TWIN);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, node_list(fd, &l));
	ASSERT_EQ(n, l.list.out_count);
	for (i = 0; i < n; i++)
		ASSERT_EQ(i, l.entry[i].cookie);
	close(fd);
}

TEST_HARNESS_MAIN
