// SPDX-License-Identifier: GPL-2.0
/*
 * Whole memberships in one change, dry runs, former owners, zones, and states
 * that come and go, through the real device.
 */
#include <sys/mman.h>
#include <sys/wait.h>

#include "libcrowd.h"
#include "kselftest_harness.h"

#define RING		"place"
#define MIRROR		"place-mirror"
#define POSITIONS	40

static int stats(int fd, struct chring_stats *arg,
		 struct chring_node_share *share, __u32 count)
{
	*arg = (struct chring_stats){
		.size = sizeof(*arg),
		.entries = ptr(share),
		.entry_size = share ? sizeof(*share) : 0,
		.count = share ? count : 0,
	};
	return chr(fd, CHRING_IOC_STATS, arg);
}

static int pin(int fd, unsigned long ioc, struct chring_pin *arg)
{
	arg->size = sizeof(*arg);
	return chr(fd, ioc, arg);
}

static __u64 rng(void)
{
	static __u64 x = 88172645463325252ULL;

	x ^= x << 13;
	x ^= x >> 7;
	return x ^= x << 17;
}

FIXTURE(place)
{
	int fd;
	struct mark before;
};

FIXTURE_SETUP(place)
{
	struct chring_config config = { .vnodes = 10 };

	self->fd = ring_fresh(RING, &config);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(place)
{
	ring_delete(self->fd, RING);
	ring_delete(self->fd, MIRROR);
	close(self->fd);
}

/* -- COMMIT */

TEST_F(place, commit_is_one_change)
{
	struct chring_config config = { .vnodes = 10 };
	struct chring_commit arg;
	struct chring_stats st;
	struct crowd c;
	char name[CROWD_NAME + 1];
	__u64 id, epoch;
	__u32 i;
	int one;

	crowd_name(name, 500);
	ASSERT_EQ(0, node_add(self->fd, name, 7, CHRING_STATE_DOWN, &id));
	ASSERT_EQ(0, node_add(self->fd, "gone", 7, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, stats(self->fd, &st, NULL, 0));
	epoch = st.out_epoch;
	crowd_make(&c, 1000, 0);
	arg = crowd_arg(&c);
	arg.generation = 77;
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_COMMIT, &arg));
	EXPECT_EQ(epoch + 1, arg.out_epoch);
	EXPECT_EQ(77, arg.out_generation);
	ASSERT_EQ(0, stats(self->fd, &st, NULL, 0));
	EXPECT_EQ(epoch + 1, st.out_epoch);
	/* The table before this one is that of before: no other was made. */
	EXPECT_EQ(epoch, st.out_former_epoch);
	EXPECT_EQ(1000, st.out_nodes);
	EXPECT_EQ(10000, st.out_tokens);
	EXPECT_EQ(arg.out_digest, st.out_digest);
	EXPECT_EQ(id, c.nodes[500]);
	EXPECT_LT(id, c.nodes[0]);

	/* The ring has what is asked for: nothing to do. */
	ASSERT_EQ(0, crowd_commit(self->fd, &c));
	ASSERT_EQ(0, stats(self->fd, &st, NULL, 0));
	EXPECT_EQ(epoch + 1, st.out_epoch);

	/* The same nodes one by one are the same ring. */
	one = ring_fresh(MIRROR, &config);
	for (i = 0; i < 1000; i++) {
		crowd_name(name, (i * 7) % 1000);
		ASSERT_EQ(0, node_add(one, name, 1, CHRING_STATE_UP, NULL));
	}
	ASSERT_EQ(0, mark_ring(self->fd, &self->before));
	{
		struct mark m;

		ASSERT_EQ(0, mark_ring(one, &m));
		EXPECT_EQ(self->before.digest, m.digest);
		EXPECT_EQ(self->before.checksum, m.checksum);
	}
	/* And none at all is a membership, too. */
	c.count = 0;
	ASSERT_EQ(0, crowd_commit(self->fd, &c));
	ASSERT_EQ(0, stats(self->fd, &st, NULL, 0));
	EXPECT_EQ(0, st.out_nodes);
	EXPECT_EQ(0, st.out_tokens);
	close(one);
	crowd_free(&c);
}

TEST_F(place, commit_refused)
{
	static const struct chring_member good[2] = {
		{ .name_off = 0, .name_len = 1 },
		{ .name_off = 1, .name_len = 1, .zone_off = 2, .zone_len = 1 },
	};
	struct chring_member m[2];
	struct chring_commit arg = {
		.size = sizeof(arg),
		.members = ptr(m),
		.member_size = sizeof(m[0]),
		.count = 2,
		.strings = ptr("abz \x7f"),
		.strings_size = 5,
	}, was = arg;

	ASSERT_EQ(0, node_add(self->fd, "b", 3, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, mark_ring(self->fd, &self->before));
#define REFUSED(err, wrong) do {					\
	arg = was;							\
	memcpy(m, good, sizeof(m));					\
	wrong;								\
	EXPECT_EQ(err, chr(self->fd, CHRING_IOC_COMMIT, &arg)) {	\
		TH_LOG("%s", #wrong);					\
	}								\
	EXPECT_UNCHANGED(self->before);						\
} while (0)
	REFUSED(-EINVAL, m[1].name_off = 0);		/* twice */
	REFUSED(-EINVAL, m[0].name_off = 2);		/* not in order */
	REFUSED(-EINVAL, (m[0].name_off = 1, m[0].name_len = 2));
	REFUSED(-EINVAL, m[0].name_len = 0);
	REFUSED(-EINVAL, m[0].name_len = 6);
	REFUSED(-EINVAL, m[1].name_off = 5);
	REFUSED(-EINVAL, m[1].name_off = ~0U);
	REFUSED(-EINVAL, m[1].zone_off = ~0U);
	REFUSED(-EINVAL, m[1].zone_len = 0);
	REFUSED(-EINVAL, m[1].zone_off = 3);		/* a blank */
	REFUSED(-EINVAL, m[1].name_off = 4);
	REFUSED(-EINVAL, m[1].state = 3);
	REFUSED(-ENAMETOOLONG, m[1].name_len = 256);
	REFUSED(-ENAMETOOLONG, m[1].zone_len = ~0U);
	REFUSED(-ERANGE, m[0].weight = 65536);
	REFUSED(-ERANGE, arg.count = 65537);
	REFUSED(-ERANGE, arg.strings_size = 65536 * 510 + 1);
	REFUSED(-EINVAL, arg.member_size = 24);
	REFUSED(-EINVAL, arg.member_size = 36);
	REFUSED(-ESTALE, arg.epoch = 99);
	REFUSED(-ENOSPC, m[0].weight = m[1].weight = 65535;
		param_set("max_tokens", 1000000));
	param_set("max_tokens", 1 << 24);
	REFUSED(-EINVAL, arg.dry.transfers = ptr(m));
	REFUSED(-EINVAL, (arg.flags = CHRING_DRY_RUN, arg.dry.count = 1));
	REFUSED(-EINVAL, (arg.flags = CHRING_DRY_RUN,
			  arg.dry.transfers = ptr(m), arg.dry.entry_size = 8));
	EXPECT_EQ(-ESTALE, (arg = was, arg.epoch = 99,
			    chr(self->fd, CHRING_IOC_COMMIT, &arg)));
	EXPECT_EQ(self->before.epoch, arg.out_epoch);
	EXPECT_EQ(self->before.digest, arg.out_digest);
	memcpy(m, good, sizeof(m));
	arg = was;
	EXPECT_EQ(0, chr(self->fd, CHRING_IOC_COMMIT, &arg));
}

/* Members of a later version: what this one does not know must be 0. */
TEST_F(place, commit_longer_members)
{
	struct {
		struct chring_member m;
		__u64 later;
	} m[2] = {
		{ .m = { .name_len = 1, .weight = 1 } },
		{ .m = { .name_off = 1, .name_len = 1, .weight = 1 } },
	};
	struct chring_commit arg = {
		.size = sizeof(arg),
		.members = ptr(m),
		.member_size = sizeof(m[0]),
		.count = 2,
		.strings = ptr("ab"),
		.strings_size = 2,
	};

	m[1].later = 1;
	EXPECT_EQ(-E2BIG, chr(self->fd, CHRING_IOC_COMMIT, &arg));
	m[1].later = 0;
	EXPECT_EQ(0, chr(self->fd, CHRING_IOC_COMMIT, &arg));
}

/* -- dry runs */

/* A sum of shares, which may be 2^64. */
struct sum {
	__u64 lo, hi;
};

static void sum_add(struct sum *s, __u64 lo, __u64 hi)
{
	s->lo += lo;
	s->hi += hi + (s->lo < lo);
}

static bool names(const struct crowd *c, __u64 id, __u32 first, __u32 end)
{
	__u32 i;

	for (i = first; i < end; i++)
		if (c->nodes[i] == id)
			return true;
	return false;
}

TEST_F(place, dry_run_comes_true)
{
	static struct chring_transfer t[4096];
	struct chring_node_share share[64];
	struct chring_commit arg;
	struct chring_stats st;
	struct sum sum = {}, came = {};
	struct crowd c;
	__u32 i;

	crowd_make(&c, 50, 0);
	c.count = 45;
	ASSERT_EQ(0, crowd_commit(self->fd, &c));
	ASSERT_EQ(0, mark_ring(self->fd, &self->before));
	/* Five come; too little room for who gives to whom. */
	c.count = 50;
	arg = crowd_arg(&c);
	arg.flags = CHRING_DRY_RUN;
	arg.dry.transfers = ptr(t);
	arg.dry.entry_size = sizeof(t[0]);
	arg.dry.count = 1;
	EXPECT_EQ(-EMSGSIZE, chr(self->fd, CHRING_IOC_COMMIT, &arg));
	EXPECT_LT(5, arg.dry.out_count);
	EXPECT_UNCHANGED(self->before);
	arg.dry.count = ARRAY_LEN(t);
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_COMMIT, &arg));
	EXPECT_UNCHANGED(self->before);
	EXPECT_EQ(self->before.epoch + 1, arg.out_epoch);
	for (i = 0; i < arg.dry.out_count; i++) {
		EXPECT_TRUE(names(&c, t[i].from, 0, 45));
		EXPECT_TRUE(names(&c, t[i].to, 45, 50));
		sum_add(&sum, t[i].share_lo, t[i].share_hi);
	}
	EXPECT_EQ(arg.dry.out_moved_lo, sum.lo);
	EXPECT_EQ(arg.dry.out_moved_hi, sum.hi);
	/* Now truly: what moved is what the five have. */
	ASSERT_EQ(0, crowd_commit(self->fd, &c));
	ASSERT_EQ(0, stats(self->fd, &st, share, ARRAY_LEN(share)));
	EXPECT_EQ(arg.out_epoch, st.out_epoch);
	EXPECT_EQ(arg.out_digest, st.out_digest);
	for (i = 0; i < st.out_nodes; i++)
		if (names(&c, share[i].node, 45, 50))
			sum_add(&came, share[i].share_lo, share[i].share_hi);
	EXPECT_EQ(sum.lo, came.lo);
	EXPECT_EQ(sum.hi, came.hi);
	crowd_free(&c);
}

TEST_F(place, dry_run_of_one_node)
{
	struct chring_transfer t[8];
	struct chring_node_change arg = {
		.size = sizeof(arg),
		.flags = CHRING_DRY_RUN,
		.name = ptr("a"),
		.name_len = 1,
		.dry.transfers = ptr(t),
		.dry.entry_size = sizeof(t[0]),
		.dry.count = ARRAY_LEN(t),
	};
	__u64 a, b;

	ASSERT_EQ(0, node_add(self->fd, "a", 1, CHRING_STATE_UP, &a));
	ASSERT_EQ(0, mark_ring(self->fd, &self->before));
	/* The last one goes: nobody has what it had, all of it. */
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_NODE_DEL, &arg));
	ASSERT_EQ(1, arg.dry.out_count);
	EXPECT_EQ(a, t[0].from);
	EXPECT_EQ(0, t[0].to);
	EXPECT_EQ(1, t[0].share_hi);
	EXPECT_EQ(0, t[0].share_lo);
	EXPECT_EQ(1, arg.dry.out_moved_hi);
	EXPECT_UNCHANGED(self->before);
	ASSERT_EQ(0, node_add(self->fd, "b", 1, CHRING_STATE_UP, &b));
	ASSERT_EQ(0, mark_ring(self->fd, &self->before));
	/* It goes down: the other has it. */
	arg.flags |= CHRING_NODE_STATE;
	arg.state = CHRING_STATE_DOWN;
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_NODE_SET, &arg));
	ASSERT_EQ(1, arg.dry.out_count);
	EXPECT_EQ(a, t[0].from);
	EXPECT_EQ(b, t[0].to);
	EXPECT_EQ(arg.dry.out_moved_lo, t[0].share_lo);
	EXPECT_NE(0, t[0].share_lo);
	EXPECT_UNCHANGED(self->before);
	/* What changes nothing moves nothing. */
	arg.state = CHRING_STATE_UP;
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_NODE_SET, &arg));
	EXPECT_EQ(0, arg.dry.out_count);
	EXPECT_EQ(0, arg.dry.out_moved_lo);
	EXPECT_EQ(self->before.epoch, arg.out_epoch);
	/* And what is refused is refused. */
	arg.flags = CHRING_DRY_RUN;
	arg.state = 0;
	EXPECT_EQ(-EEXIST, chr(self->fd, CHRING_IOC_NODE_ADD, &arg));
	EXPECT_UNCHANGED(self->before);
}

/* -- former owners */

static int ask(int fd, __u32 flags, __u64 position, __u64 *id, __u32 *n)
{
	struct chring_owner owner[4];
	int ret = lookup_owners(fd, flags, position, ARRAY_LEN(owner), owner,
				n);
	__u32 i;

	for (i = 0; i < *n; i++)
		id[i] = owner[i].cookie;
	return ret;
}

/* Cookies tell nodes of the two rings apart: they are the same in both. */
static int differ(int fd, __u32 flags, int mirror, __u32 mirror_flags)
{
	__u64 a[4], b[4];
	__u32 n, k;
	int i;

	for (i = 0; i < POSITIONS; i++) {
		__u64 position = rng();
		int ret = ask(fd, flags, position, a, &n);

		if (ret != ask(mirror, mirror_flags, position, b, &k) ||
		    n != k || memcmp(a, b, n * sizeof(a[0])))
			return -1;
	}
	return 0;
}

/* Who owned before is who owns in a ring that is as it was. */
TEST_F_TIMEOUT(place, former_owners_are_those_of_before, 600)
{
	struct chring_config config = { .vnodes = 10 };
	int mirror = ring_fresh(MIRROR, &config);
	unsigned long rounds = scaled(1000), round;
	struct crowd now, was;
	__u32 i;

	crowd_make(&now, 60, 4);
	crowd_make(&was, 60, 4);
	ASSERT_EQ(0, crowd_commit(self->fd, &now));
	for (round = 0; round < rounds; round++) {
		memcpy(was.member, now.member, 60 * sizeof(*now.member));
		/* Weights change, and with them tokens; and states. */
		for (i = 0; i < 60; i++) {
			now.member[i].weight = rng() % 4;
			now.member[i].state = rng() % 3;
		}
		now.member[rng() % 60].weight = 10 + round % 7;
		ASSERT_EQ(0, crowd_commit(self->fd, &now));
		for (i = 0; i < 60; i++)
			was.member[i].state =
				now.member[i].state == CHRING_STATE_DOWN ?
				CHRING_STATE_DOWN : CHRING_STATE_UP;
		ASSERT_EQ(0, crowd_commit(mirror, &was));
		EXPECT_EQ(0, differ(self->fd, CHRING_LOOKUP_PREVIOUS, mirror,
				    0));
		EXPECT_EQ(0, differ(self->fd, CHRING_LOOKUP_PREVIOUS |
					      CHRING_LOOKUP_ZONES, mirror,
				    CHRING_LOOKUP_ZONES));
		/* A flip does not replace them, but who is down is not asked. */
		i = rng() % 60;
		now.member[i].state = (now.member[i].state + 1) % 3;
		ASSERT_EQ(0, crowd_commit(self->fd, &now));
		was.member[i].state = now.member[i].state == CHRING_STATE_DOWN ?
				      CHRING_STATE_DOWN : CHRING_STATE_UP;
		ASSERT_EQ(0, crowd_commit(mirror, &was));
		EXPECT_EQ(0, differ(self->fd, CHRING_LOOKUP_PREVIOUS, mirror,
				    0));
	}
	crowd_free(&now);
	crowd_free(&was);
	close(mirror);
}

TEST_F(place, pin_holds_former_owners)
{
	struct chring_config config = { .vnodes = 10 };
	int mirror = ring_fresh(MIRROR, &config);
	struct chring_pin arg = { .epoch = 99 };
	struct chring_stats st;
	struct crowd c;
	__u32 i;

	crowd_make(&c, 40, 0);
	ASSERT_EQ(0, crowd_commit(self->fd, &c));
	ASSERT_EQ(0, crowd_commit(mirror, &c));
	ASSERT_EQ(0, mark_ring(self->fd, &self->before));
	EXPECT_EQ(-ENOENT, pin(self->fd, CHRING_IOC_UNPIN,
			       &(struct chring_pin){}));
	EXPECT_EQ(-ESTALE, pin(self->fd, CHRING_IOC_PIN, &arg));
	EXPECT_EQ(self->before.epoch, arg.out_epoch);
	EXPECT_UNCHANGED(self->before);
	arg = (struct chring_pin){ .generation = 5 };
	EXPECT_EQ(0, pin(self->fd, CHRING_IOC_PIN, &arg));
	EXPECT_EQ(self->before.epoch + 1, arg.out_epoch);
	EXPECT_EQ(self->before.digest, arg.out_digest);
	EXPECT_EQ(5, arg.out_generation);
	EXPECT_EQ(-EBUSY, pin(self->fd, CHRING_IOC_PIN,
			      &(struct chring_pin){}));
	for (i = 0; i < 20; i++) {
		c.member[i].weight = 5;
		ASSERT_EQ(0, crowd_commit(self->fd, &c));
		EXPECT_EQ(0, differ(self->fd, CHRING_LOOKUP_PREVIOUS, mirror,
				    0));
	}
	EXPECT_NE(0, differ(self->fd, 0, mirror, 0));
	ASSERT_EQ(0, stats(self->fd, &st, NULL, 0));
	EXPECT_EQ(1, st.out_pinned);
	EXPECT_EQ(self->before.epoch, st.out_former_epoch);
	/* Unpinned they are still there, until tokens change. */
	EXPECT_EQ(0, pin(self->fd, CHRING_IOC_UNPIN, &(struct chring_pin){}));
	EXPECT_EQ(0, differ(self->fd, CHRING_LOOKUP_PREVIOUS, mirror, 0));
	ASSERT_EQ(0, crowd_commit(mirror, &c));
	c.member[30].weight = 5;
	ASSERT_EQ(0, crowd_commit(self->fd, &c));
	EXPECT_EQ(0, differ(self->fd, CHRING_LOOKUP_PREVIOUS, mirror, 0));
	crowd_free(&c);
	close(mirror);
}

/* Owner and former owner in one answer, of one epoch; and in batches. */
TEST_F(place, both_at_once)
{
	struct chring_owner owner[2], former[2];
	struct chring_lookup arg = {
		.size = sizeof(arg),
		.key = ptr("key"),
		.key_len = 3,
		.count = 2,
		.owners = ptr(owner),
		.entry_size = sizeof(owner[0]),
		.formers = ptr(former),
	};
	__u32 lens[1] = { 3 };
	__u64 nodes[1], a, b;
	struct chring_lookup_batch batch = {
		.size = sizeof(batch),
		.flags = CHRING_LOOKUP_PREVIOUS,
		.keys = ptr("key"),
		.keys_size = 3,
		.lens = ptr(lens),
		.count = 1,
		.nodes = ptr(nodes),
	};

	EXPECT_EQ(-ENODATA, chr(self->fd, CHRING_IOC_LOOKUP, &arg));
	ASSERT_EQ(0, node_add(self->fd, "a", 1, CHRING_STATE_UP, &a));
	/* An owner there is, and no former one: an answer all the same. */
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_LOOKUP, &arg));
	EXPECT_EQ(1, arg.out_count);
	EXPECT_EQ(0, arg.out_formers);
	EXPECT_EQ(-ENODATA, chr(self->fd, CHRING_IOC_LOOKUP_BATCH, &batch));
	ASSERT_EQ(0, node_add(self->fd, "b", 9, CHRING_STATE_UP, &b));
	ASSERT_EQ(0, node_set_weight(self->fd, "a", 0));
	ASSERT_EQ(0, node_set_state(self->fd, "b", CHRING_STATE_DRAIN));
	ASSERT_EQ(0, node_add(self->fd, "c", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, node_del(self->fd, "b"));
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_LOOKUP, &arg));
	EXPECT_EQ(1, arg.out_count);
	EXPECT_EQ(2, arg.out_formers);
	EXPECT_EQ(arg.out_epoch - 1, arg.out_former_epoch);
	/* Gone, and asked for what it still has. */
	EXPECT_TRUE(former[0].node == b || former[1].node == b);
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_LOOKUP_BATCH, &batch));
	EXPECT_EQ(former[0].node, nodes[0]);
	EXPECT_EQ(arg.out_epoch, batch.out_epoch);
}

/* -- states */

/**
 * struct flips - what readers and the writer of flips share
 * @stop: readers end
 * @answers: of all readers
 * @wrong: of these
 */
struct flips {
	int stop;
	unsigned long answers;
	unsigned long wrong;
};

#define FLIP_KEYS	16

/* Two owners of each key with all in service, and of odd epochs without one. */
static void read_flips(int fd, struct flips *f, const __u64 (*up)[3],
		       __u64 flips, int odd)
{
	while (!__atomic_load_n(&f->stop, __ATOMIC_ACQUIRE)) {
		int k = rng() % FLIP_KEYS;
		struct chring_owner owner[2];
		struct chring_lookup arg = {
			.size = sizeof(arg),
			.key = ptr(&k),
			.key_len = sizeof(k),
			.count = 2,
			.owners = ptr(owner),
			.entry_size = sizeof(owner[0]),
		};
		const __u64 *u = up[k];
		__u64 want[2];
		int ret = chr(fd, CHRING_IOC_LOOKUP, &arg), n = 0, i;

		for (i = 0; i < 3 && n < 2; i++)
			if (u[i] != flips || (int)(arg.out_epoch % 2) != odd)
				want[n++] = u[i];
		if (ret || arg.out_count != 2 || owner[0].node != want[0] ||
		    owner[1].node != want[1])
			__atomic_add_fetch(&f->wrong, 1, __ATOMIC_RELAXED);
		__atomic_add_fetch(&f->answers, 1, __ATOMIC_RELEASE);
	}
}

/* Down and up, many times: no table is made for it, and no answer is wrong. */
TEST_F_TIMEOUT(place, down_and_up_10000_times, 600)
{
	unsigned long n = scaled(10000), i;
	__u64 up[FLIP_KEYS][3], node, former;
	struct chring_stats st;
	struct flips *f;
	pid_t reader[2];
	__u64 bytes;
	int k, r;

	f = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, f);
	for (k = 0; k < 9; k++)
		ASSERT_EQ(0, node_add(self->fd, (char[]){ 'a' + k, 0 }, 1,
				      CHRING_STATE_UP, &node));
	for (k = 0; k < FLIP_KEYS; k++) {
		struct chring_owner owner[3];
		struct chring_lookup arg = {
			.size = sizeof(arg),
			.key = ptr(&k),
			.key_len = sizeof(k),
			.count = 3,
			.owners = ptr(owner),
			.entry_size = sizeof(owner[0]),
		};

		ASSERT_EQ(0, chr(self->fd, CHRING_IOC_LOOKUP, &arg));
		for (r = 0; r < 3; r++)
			up[k][r] = owner[r].node;
	}
	/* The log takes no more room after these. */
	ASSERT_EQ(0, change_often(self->fd, "a", CHRING_EVENTS_KEPT));
	/* The owner of the first key flips. */
	node = up[0][0];
	ASSERT_EQ(0, stats(self->fd, &st, NULL, 0));
	former = st.out_former_epoch;
	bytes = st.out_bytes;
	for (r = 0; r < 2; r++) {
		reader[r] = fork();
		if (!reader[r]) {
			read_flips(self->fd, f, up, node,
				   (st.out_epoch + 1) % 2);
			_exit(0);
		}
	}
	while (!__atomic_load_n(&f->answers, __ATOMIC_ACQUIRE))
		usleep(1000);
	for (i = 0; i < 2 * n; i++) {
		struct chring_node_change arg = {
			.size = sizeof(arg),
			.flags = CHRING_NODE_STATE,
			.node = node,
			.state = i % 2 ? CHRING_STATE_UP : CHRING_STATE_DOWN,
		};

		ASSERT_EQ(0, chr(self->fd, CHRING_IOC_NODE_SET, &arg));
	}
	__atomic_store_n(&f->stop, 1, __ATOMIC_RELEASE);
	for (r = 0; r < 2; r++)
		waitpid(reader[r], NULL, 0);
	note("%lu flips, %lu answers, %lu wrong", 2 * n, f->answers, f->wrong);
	EXPECT_EQ(0, f->wrong);
	i = st.out_epoch + 2 * n;
	ASSERT_EQ(0, stats(self->fd, &st, NULL, 0));
	EXPECT_EQ(i, st.out_epoch);
	EXPECT_EQ(former, st.out_former_epoch);
	EXPECT_EQ(bytes, st.out_bytes);
	munmap(f, 4096);
}

/* -- walks */

#define SOME	12

/**
 * struct scene - a membership, and the tokens that the device says it has
 * @c: its members
 * @zone: number of each one's zone
 * @token: in the order of the table
 * @tokens: how many
 */
struct scene {
	struct crowd c;
	__u32 zone[SOME];
	struct chring_token token[SOME * 40];
	__u32 tokens;
};

static void scene_random(struct scene *s)
{
	__u32 zones = 1 + rng() % 5, i;

	for (i = 0; i < SOME; i++) {
		struct chring_member *m = &s->c.member[i];

		m->weight = rng() % 5 ? rng() % 5 : 0;
		m->state = rng() % 3 ? CHRING_STATE_UP : rng() % 3;
		/* Unequal ones: most nodes are in the first. */
		s->zone[i] = rng() % 2 ? 0 : rng() % zones;
		m->zone_off = (SOME + s->zone[i]) * CROWD_NAME;
		m->zone_len = CROWD_NAME;
	}
}

static int scene_tokens(int fd, struct scene *s)
{
	struct chring_circle_list arg = {
		.size = sizeof(arg),
		.entries = ptr(s->token),
		.entry_size = sizeof(s->token[0]),
		.count = ARRAY_LEN(s->token),
	};
	int ret = chr(fd, CHRING_IOC_TOKENS, &arg);

	s->tokens = arg.out_count;
	return ret ? ret : -arg.out_more;
}

static __u32 member_of(const struct scene *s, __u64 id)
{
	__u32 i = 0;

	while (s->c.nodes[i] != id)
		i++;
	return i;
}

/* Nodes in service in the order of a walk from a position. Return: how many. */
static __u32 walk_of(const struct scene *s, __u64 position, __u32 *walk)
{
	__u32 seen = 0, n = 0, first, i;

	for (first = 0; first < s->tokens; first++)
		if (s->token[first].position >= position)
			break;
	for (i = 0; i < s->tokens; i++) {
		__u32 m = member_of(s, s->token[(first + i) %
						s->tokens].node);

		if (seen & 1U << m || s->c.member[m].state != CHRING_STATE_UP)
			continue;
		seen |= 1U << m;
		walk[n++] = m;
	}
	return n;
}

static void zones_first(const struct scene *s, const __u32 *walk, __u32 n,
			__u32 *to)
{
	__u32 zones = 0, first = 0, pass, i, k = 0;

	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < n; i++) {
			__u32 zone = 1U << s->zone[walk[i]];

			if (!pass && !(zones & zone)) {
				zones |= zone;
				first |= 1U << i;
			}
			if (!!(first & 1U << i) != pass)
				to[k++] = walk[i];
		}
	}
}

static bool list_is(int fd, const struct scene *s, __u32 flags, __u64 position,
		    __u32 count, const __u32 *want, __u32 n)
{
	struct chring_owner owner[CHRING_REPLICAS_MAX];
	__u32 found, i;
	int ret = lookup_owners(fd, flags, position, count, owner, &found);

	if (!n)
		return ret == -EHOSTUNREACH;
	if (ret || found != (count < n ? count : n))
		return false;
	for (i = 0; i < found; i++)
		if (owner[i].node != s->c.nodes[want[i]])
			return false;
	return true;
}

/*
 * Memberships at random, and lists of all lengths, so that the one for n is the
 * beginning of the one for n + 1: against a walk all around.
 */
TEST_F_TIMEOUT(place, random_memberships, 600)
{
	unsigned long rounds = scaled(3000), i, lists = 0;
	static struct scene s;
	int k;

	crowd_make(&s.c, SOME, 5);
	for (i = 0; i < rounds; i++) {
		scene_random(&s);
		ASSERT_EQ(0, crowd_commit(self->fd, &s.c));
		ASSERT_EQ(0, scene_tokens(self->fd, &s));
		for (k = 0; k < 6; k++) {
			__u32 walk[SOME], zoned[SOME], n, count;
			__u64 position = rng();

			/* On a token, and beside it. */
			if (k % 2 && s.tokens)
				position = s.token[rng() % s.tokens].position +
					   k / 2;
			n = walk_of(&s, position, walk);
			zones_first(&s, walk, n, zoned);
			for (count = 1; count <= n + 1; count += 1 + k / 4) {
				ASSERT_TRUE(list_is(self->fd, &s, 0, position,
						    count, walk, n));
				ASSERT_TRUE(list_is(self->fd, &s,
						    CHRING_LOOKUP_ZONES,
						    position, count, zoned,
						    n));
				lists += 2;
			}
		}
	}
	note("%lu memberships, %lu lists", rounds, lists);
	crowd_free(&s.c);
}

/* As many nodes as can be, of zones of very unequal sizes, and most are out. */
TEST_F_TIMEOUT(place, walks_are_bounded, 600)
{
	const __u32 nodes = scaled(CHRING_NODES_MAX);
	const __u32 left[] = { nodes / 12, 32, 3, 1, 0 };
	struct chring_config config = { .vnodes = 1 };
	int fd = ring_fresh(MIRROR, &config);
	unsigned long bytes;
	struct chring_owner owner[32];
	struct chring_stats st;
	struct crowd c;
	__u32 i, k, n;

	ASSERT_EQ(0, param_get("max_total_bytes", &bytes));
	ASSERT_EQ(0, param_set("max_total_bytes", 1UL << 30));
	crowd_make(&c, nodes, 3);
	for (k = 0; k < ARRAY_LEN(left); k++) {
		__u32 zones[3] = {};

		for (i = 0; i < nodes; i++) {
			/* The second and third zone have 2 nodes each. */
			if (i > 5)
				c.member[i].zone_off = c.member[0].zone_off;
			c.member[i].state = i < left[k] ? CHRING_STATE_UP :
							  CHRING_STATE_DOWN;
		}
		for (i = 0; i < left[k] && i < 6; i++)
			zones[i % 3] = 1;
		ASSERT_EQ(0, crowd_commit(fd, &c));
		for (i = 0; i < 20; i++) {
			__u32 flags = i % 2 ? CHRING_LOOKUP_ZONES : 0;
			__u32 seen[3] = {}, found;
			int ret = lookup_owners(fd, flags, rng(), 32, owner,
						&found);

			if (!left[k]) {
				EXPECT_EQ(-EHOSTUNREACH, ret);
				continue;
			}
			ASSERT_EQ(0, ret);
			n = left[k] < 32 ? left[k] : 32;
			EXPECT_EQ(n, found);
			/* Those of new zones come first. */
			for (n = 0; i % 2 && n < zones[0] + zones[1] + zones[2];
			     n++)
				seen[owner[n].cookie < 6 ?
				     owner[n].cookie % 3 : 0]++;
			if (i % 2)
				EXPECT_EQ(0, memcmp(seen, zones, sizeof(seen)));
		}
		ASSERT_EQ(0, stats(fd, &st, NULL, 0));
		note("%u of %u nodes in service: the longest walk so far looked at %u",
		     st.out_live, st.out_nodes, st.out_worst_walk);
		EXPECT_EQ(left[k], st.out_live);
		EXPECT_EQ(zones[0] + zones[1] + zones[2], st.out_zones);
		EXPECT_GE(64 * 32 + nodes, st.out_worst_walk);
	}
	EXPECT_LT(nodes, st.out_worst_walk);
	ring_delete(fd, MIRROR);
	param_set("max_total_bytes", bytes);
	crowd_free(&c);
	close(fd);
}

TEST_HARNESS_MAIN
