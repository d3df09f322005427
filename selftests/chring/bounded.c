// SPDX-License-Identifier: GPL-2.0
/*
 * ACQUIRE and RELEASE. The rule of bounded load is judged by arithmetic of this
 * file: tokens by the label rule, the walk clockwise, the cap with a division.
 */
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "libtest.h"
#include "kselftest_harness.h"

#define RING	"bounded-test"
#define PAGE	4096

/* -- one ticket at a time */

FIXTURE(ticket)
{
	int fd;
	__u64 node[3];
	struct mark before;
};

FIXTURE_SETUP(ticket)
{
	static const char * const name[] = { "a", "b", "c" };
	struct chring_config config = { .balance = 125 };
	size_t i;

	self->fd = ring_fresh(RING, &config);
	ASSERT_LE(0, self->fd);
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, node_add(self->fd, name[i], 1, CHRING_STATE_UP,
				      &self->node[i]));
	ASSERT_EQ(0, mark_ring(self->fd, &self->before));
}

FIXTURE_TEARDOWN(ticket)
{
	ring_delete(self->fd, RING);
	close(self->fd);
}

#define EXPECT_UNCHANGED() ({						\
	struct mark _now;						\
									\
	ASSERT_EQ(0, mark_ring(self->fd, &_now));			\
	EXPECT_TRUE(mark_same(&self->before, &_now));			\
})

#define EXPECT_LOAD(_node, _load) ({					\
	__u64 _is, _cap;						\
									\
	ASSERT_EQ(0, node_load(self->fd, _node, &_is, &_cap));		\
	EXPECT_EQ(_load, _is);						\
})

TEST_F(ticket, answers)
{
	struct chring_lookup lookup;
	struct chring_owner owner;
	struct chring_acquire out;
	struct chring_release back;
	__u64 load, cap;

	ASSERT_EQ(0, lookup_key(self->fd, "key", 3, &lookup, &owner));
	ASSERT_EQ(0, ticket_take(self->fd, "key", &out));
	EXPECT_EQ(owner.node, out.out_node);
	EXPECT_EQ(lookup.out_position, out.out_position);
	EXPECT_EQ(1, out.out_load);
	EXPECT_EQ(1, out.out_tickets);
	EXPECT_EQ(1, out.out_serial);
	EXPECT_EQ(self->before.ring, out.out_ring);
	EXPECT_EQ(self->before.epoch, out.out_epoch);
	ASSERT_EQ(0, node_load(self->fd, owner.node, &load, &cap));
	EXPECT_EQ(1, load);
	/* ceil(125 * 2 / 300) */
	EXPECT_EQ(1, cap);
	/* The owner is full: the next one clockwise, as replicas say. */
	ASSERT_EQ(0, ticket_take_at(self->fd, out.out_position, &out));
	EXPECT_NE(owner.node, out.out_node);
	EXPECT_EQ(2, out.out_tickets);
	EXPECT_EQ(2, out.out_serial);
	ASSERT_EQ(0, ticket_give(self->fd, owner.node, 1, &back));
	EXPECT_EQ(0, back.out_load);
	EXPECT_EQ(1, back.out_tickets);
	EXPECT_EQ(3, back.out_serial);
	EXPECT_EQ(0, back.out_left);
	EXPECT_EQ(self->before.ring, back.out_ring);
	EXPECT_EQ(self->before.epoch, back.out_epoch);
	ASSERT_EQ(0, ticket_give(self->fd, out.out_node, 1, &back));
	EXPECT_UNCHANGED();
}

/* One wrong field each. */
TEST_F(ticket, acquire_refused)
{
	static const struct {
		struct chring_acquire arg;
		int ret;
	} wrong[] = {
		{ { .flags = CHRING_LOOKUP_ZONES }, -EINVAL },
		{ { .flags = CHRING_LOOKUP_PREVIOUS }, -EINVAL },
		{ { .flags = 8 }, -EINVAL },
		{ { .key_len = 65537 }, -ERANGE },
		{ { .key_len = ~0U }, -ERANGE },
		{ { .key_len = 1 }, -EFAULT },
		{ { .key_len = 65536 }, -EFAULT },
		{ { .position = 1 }, -EINVAL },
		{ { .flags = CHRING_LOOKUP_POSITION, .key = 8 }, -EINVAL },
		{ { .flags = CHRING_LOOKUP_POSITION, .key_len = 1 }, -EINVAL },
		{ { .reserved = 1 }, -EINVAL },
		{ { .epoch = 99 }, -ESTALE },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(wrong); i++) {
		struct chring_acquire arg = wrong[i].arg;

		arg.size = sizeof(arg);
		EXPECT_EQ(wrong[i].ret, chr(self->fd, CHRING_IOC_ACQUIRE,
					    &arg)) {
			TH_LOG("case %zu", i);
		}
		EXPECT_EQ(0, arg.out_node);
		if (wrong[i].ret == -ESTALE)
			EXPECT_EQ(self->before.epoch, arg.out_epoch);
	}
	EXPECT_UNCHANGED();
}

TEST_F(ticket, release_refused)
{
	struct chring_release arg;
	struct chring_acquire out;
	int other = dev_open(O_RDWR, RING);

	ASSERT_LE(0, other);
	ASSERT_EQ(0, ticket_take(self->fd, "key", &out));
	ASSERT_EQ(0, mark_ring(self->fd, &self->before));
	EXPECT_EQ(-ERANGE, ticket_give(self->fd, out.out_node, 0, NULL));
	EXPECT_EQ(-ENOENT, ticket_give(self->fd, out.out_node, 2, NULL));
	EXPECT_EQ(-ENOENT, ticket_give(self->fd, out.out_node, ~0U, NULL));
	EXPECT_EQ(-ENOENT, ticket_give(self->fd, 0, 1, NULL));
	EXPECT_EQ(-ENOENT, ticket_give(self->fd, ~0ULL, 1, NULL));
	/* What one descriptor holds is not another's. */
	EXPECT_EQ(-ENOENT, ticket_give(other, out.out_node, 1, NULL));
	arg = (struct chring_release){
		.size = sizeof(arg),
		.flags = 1,
		.node = out.out_node,
		.count = 1,
	};
	EXPECT_EQ(-EINVAL, chr(self->fd, CHRING_IOC_RELEASE, &arg));
	EXPECT_UNCHANGED();
	EXPECT_EQ(0, ticket_give(self->fd, out.out_node, 1, NULL));
	EXPECT_EQ(-ENOENT, ticket_give(self->fd, out.out_node, 1, NULL));
	close(other);
}

TEST_F(ticket, many_of_one_node)
{
	struct chring_release back;
	struct chring_acquire out;
	int i;

	ASSERT_EQ(0, node_del(self->fd, "b"));
	ASSERT_EQ(0, node_del(self->fd, "c"));
	for (i = 1; i <= 100; i++) {
		ASSERT_EQ(0, ticket_take(self->fd, "key", &out));
		EXPECT_EQ(self->node[0], out.out_node);
		EXPECT_EQ(i, out.out_load);
	}
	ASSERT_EQ(0, ticket_give(self->fd, self->node[0], 60, &back));
	EXPECT_EQ(40, back.out_left);
	EXPECT_EQ(40, back.out_load);
	EXPECT_EQ(101, back.out_serial);
	EXPECT_EQ(-ENOENT, ticket_give(self->fd, self->node[0], 41, NULL));
	ASSERT_EQ(0, ticket_give(self->fd, self->node[0], 40, &back));
	EXPECT_EQ(0, back.out_left);
}

TEST_F(ticket, without_nodes)
{
	struct chring_acquire out;

	ASSERT_EQ(0, node_set_weight(self->fd, "a", 0));
	ASSERT_EQ(0, node_set_state(self->fd, "b", CHRING_STATE_DRAIN));
	ASSERT_EQ(0, node_set_state(self->fd, "c", CHRING_STATE_DOWN));
	EXPECT_EQ(-EHOSTUNREACH, ticket_take(self->fd, "key", &out));
	EXPECT_EQ(self->before.epoch + 3, out.out_epoch);
	EXPECT_EQ(self->before.ring, out.out_ring);
	ASSERT_EQ(0, node_del(self->fd, "a"));
	ASSERT_EQ(0, node_del(self->fd, "b"));
	ASSERT_EQ(0, node_del(self->fd, "c"));
	EXPECT_EQ(-ENODATA, ticket_take(self->fd, "key", &out));
	EXPECT_EQ(self->before.epoch + 6, out.out_epoch);
}

TEST_F(ticket, position_wider_than_the_ring)
{
	struct chring_config config = { .bits = 32, .balance = 125 };
	struct chring_acquire out;
	int fd = ring_fresh(RING "-32", &config);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, node_add(fd, "a", 1, CHRING_STATE_UP, NULL));
	EXPECT_EQ(-ERANGE, ticket_take_at(fd, 1ULL << 32, &out));
	EXPECT_EQ(0, ticket_take_at(fd, 0xffffffff, &out));
	EXPECT_EQ(0xffffffff, out.out_position);
	EXPECT_EQ(1, out.out_load);
	ring_delete(fd, RING "-32");
	close(fd);
}

/* Without a balance the owner bears all; loads are counted all the same. */
TEST_F(ticket, no_bound)
{
	struct chring_acquire first, out;
	int fd = ring_fresh(RING "-plain", NULL);
	__u64 load, cap;
	int i;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, node_add(fd, "a", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, node_add(fd, "b", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, ticket_take(fd, "key", &first));
	for (i = 2; i < 50; i++) {
		ASSERT_EQ(0, ticket_take(fd, "key", &out));
		EXPECT_EQ(first.out_node, out.out_node);
		EXPECT_EQ(i, out.out_load);
		EXPECT_EQ(i, out.out_tickets);
	}
	ASSERT_EQ(0, node_load(fd, first.out_node, &load, &cap));
	EXPECT_EQ(49, load);
	EXPECT_EQ(0, cap);
	ring_delete(fd, RING "-plain");
	close(fd);
}

/* -- who may take tickets */

TEST_F(ticket, reader_may_not)
{
	int reader = dev_open(O_RDONLY, RING);
	int writer = dev_open(O_WRONLY, RING);
	struct chring_acquire out;

	ASSERT_EQ(0, ticket_take(self->fd, "key", &out));
	ASSERT_EQ(0, mark_ring(self->fd, &self->before));
	EXPECT_EQ(-EBADF, ticket_give(reader, out.out_node, 1, NULL));
	EXPECT_EQ(-EBADF, ticket_take(reader, "key", &out));
	EXPECT_UNCHANGED();
	EXPECT_EQ(0, ticket_take(writer, "key", &out));
	EXPECT_EQ(0, ticket_give(writer, out.out_node, 1, NULL));
	close(reader);
	close(writer);
}

TEST_F(ticket, reader_with_tickets)
{
	struct chring_config config = { .tickets = 3, .balance = 100 };
	int fd = ring_fresh(RING "-readers", &config), reader, second, i;
	struct chring_acquire out;
	struct mark before, now;

	ASSERT_LE(0, fd);
	for (i = 0; i < 3; i++) {
		char name[2] = { 'a' + i, 0 };

		ASSERT_EQ(0, node_add(fd, name, 1, CHRING_STATE_UP, NULL));
	}
	reader = dev_open(O_RDONLY, RING "-readers");
	second = dev_open(O_RDONLY, RING "-readers");
	/* Balanced: one of each node, and they count together. */
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, ticket_take(reader, "key", &out));
	ASSERT_EQ(0, mark_ring(fd, &before));
	EXPECT_EQ(-ENOSPC, ticket_take(reader, "key", &out));
	EXPECT_EQ(0, out.out_node);
	ASSERT_EQ(0, mark_ring(fd, &now));
	EXPECT_TRUE(mark_same(&before, &now));
	/* Each descriptor has its own; and who may write has no limit. */
	EXPECT_EQ(0, ticket_take(second, "key", &out));
	for (i = 0; i < 10; i++)
		EXPECT_EQ(0, ticket_take(fd, "key", &out));
	EXPECT_EQ(0, ticket_take(second, "key", &out));
	EXPECT_EQ(0, ticket_give(second, out.out_node, 1, NULL));
	close(reader);
	close(second);
	ASSERT_EQ(0, mark_ring(fd, &now));
	EXPECT_EQ(10, now.tickets);
	ring_delete(fd, RING "-readers");
	close(fd);
}

/* A position tells about tokens: a reader of a keyed ring does not see it. */
TEST_F(ticket, keyed_ring)
{
	struct chring_config config = {
		.hash = CHRING_HASH_SIPHASH,
		.seed = { 1, 2 },
		.tickets = 5,
	};
	int fd = ring_fresh(RING "-keyed", &config), reader;
	struct chring_acquire out;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, node_add(fd, "a", 1, CHRING_STATE_UP, NULL));
	reader = dev_open(O_RDONLY, RING "-keyed");
	EXPECT_EQ(-EBADF, ticket_take_at(reader, 5, &out));
	ASSERT_EQ(0, ticket_take(reader, "key", &out));
	EXPECT_EQ(0, out.out_position);
	ASSERT_EQ(0, ticket_take(fd, "key", &out));
	EXPECT_NE(0, out.out_position);
	EXPECT_EQ(0, ticket_take_at(fd, 5, &out));
	EXPECT_EQ(3, out.out_load);
	close(reader);
	ring_delete(fd, RING "-keyed");
	close(fd);
}

/* -- answers that cannot be given */

TEST_F(ticket, answer_faults)
{
	char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct chring_acquire *take = (void *)page, out;
	struct chring_release *give = (void *)page;

	ASSERT_NE(MAP_FAILED, page);
	*take = (struct chring_acquire){ .size = sizeof(*take) };
	ASSERT_EQ(0, mprotect(page, PAGE, PROT_READ));
	EXPECT_EQ(-EFAULT, chr(self->fd, CHRING_IOC_ACQUIRE, take));
	EXPECT_UNCHANGED();

	ASSERT_EQ(0, ticket_take(self->fd, "key", &out));
	ASSERT_EQ(0, mark_ring(self->fd, &self->before));
	ASSERT_EQ(0, mprotect(page, PAGE, PROT_READ | PROT_WRITE));
	*give = (struct chring_release){
		.size = sizeof(*give),
		.node = out.out_node,
		.count = 1,
	};
	ASSERT_EQ(0, mprotect(page, PAGE, PROT_READ));
	EXPECT_EQ(-EFAULT, chr(self->fd, CHRING_IOC_RELEASE, give));
	EXPECT_UNCHANGED();
	/* The one ticket, and no second one. */
	EXPECT_EQ(-ENOENT, ticket_give(self->fd, out.out_node, 2, NULL));
	EXPECT_EQ(0, ticket_give(self->fd, out.out_node, 1, NULL));
	EXPECT_LOAD(out.out_node, 0);
	munmap(page, PAGE);
}

/* -- whose they are */

TEST_F(ticket, close_gives_back)
{
	int fd = dev_open(O_RDWR, RING), i;
	struct chring_acquire out;

	for (i = 0; i < 30; i++)
		ASSERT_EQ(0, ticket_take(fd, "key", &out));
	/* All three nodes have some: the end is a release of each. */
	close(fd);
	EXPECT_UNCHANGED();
	ASSERT_EQ(0, ticket_take(self->fd, "key", &out));
	EXPECT_EQ(30 + 3 + 1, out.out_serial);
}

TEST_F(ticket, dup_shares)
{
	int fd = dev_open(O_RDWR, RING);
	int twin = dup(fd);
	struct chring_acquire out;

	ASSERT_EQ(0, ticket_take(fd, "key", &out));
	EXPECT_EQ(0, ticket_give(twin, out.out_node, 1, NULL));
	EXPECT_EQ(-ENOENT, ticket_give(fd, out.out_node, 1, NULL));
	ASSERT_EQ(0, ticket_take(twin, "key", &out));
	close(twin);
	EXPECT_LOAD(out.out_node, 1);
	close(fd);
	EXPECT_UNCHANGED();
}

TEST_F(ticket, fork_shares)
{
	int fd = dev_open(O_RDWR, RING), status;
	struct chring_acquire out;
	pid_t child;

	ASSERT_EQ(0, ticket_take(fd, "key", &out));
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		_exit(ticket_take(fd, "other", &out));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_EQ(0, status);
	EXPECT_LOAD(out.out_node, 1);
	/* The child's ticket is held here. */
	close(fd);
	EXPECT_UNCHANGED();
}

/* The last reference may be on its way between two processes. */
TEST_F(ticket, passing_on_keeps)
{
	char control[CMSG_SPACE(sizeof(int))] = {}, byte = 0;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);
	int fd = dev_open(O_RDWR, RING), pair[2];
	struct chring_acquire out;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	ASSERT_EQ(0, ticket_take(fd, "key", &out));
	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	ASSERT_EQ(1, sendmsg(pair[0], &msg, 0));
	close(fd);
	EXPECT_LOAD(out.out_node, 1);
	ASSERT_EQ(1, recvmsg(pair[1], &msg, 0));
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	EXPECT_EQ(-ENOENT, ticket_give(self->fd, out.out_node, 1, NULL));
	EXPECT_LOAD(out.out_node, 1);
	close(fd);
	EXPECT_UNCHANGED();
	close(pair[0]);
	close(pair[1]);
}

/* -- nodes that change while tickets are out */

TEST_F(ticket, state_and_weight)
{
	struct chring_acquire a, b;
	struct chring_release back;
	const char *name;
	__u64 load, cap;

	ASSERT_EQ(0, ticket_take(self->fd, "key", &a));
	ASSERT_EQ(0, ticket_take(self->fd, "key", &b));
	EXPECT_NE(a.out_node, b.out_node);
	name = a.out_node == self->node[0] ? "a" :
	       a.out_node == self->node[1] ? "b" : "c";

	/* Out of service it keeps its load, which does not count for T. */
	ASSERT_EQ(0, node_set_state(self->fd, name, CHRING_STATE_DRAIN));
	ASSERT_EQ(0, node_load(self->fd, a.out_node, &load, &cap));
	EXPECT_EQ(1, load);
	EXPECT_EQ(0, cap);
	ASSERT_EQ(0, ticket_take(self->fd, "key", &b));
	EXPECT_NE(a.out_node, b.out_node);
	EXPECT_EQ(2, b.out_tickets);
	ASSERT_EQ(0, ticket_give(self->fd, b.out_node, 1, NULL));
	ASSERT_EQ(0, node_set_state(self->fd, name, CHRING_STATE_UP));
	ASSERT_EQ(0, ticket_take(self->fd, "key", &b));
	EXPECT_EQ(3, b.out_tickets);
	ASSERT_EQ(0, ticket_give(self->fd, b.out_node, 1, &back));
	EXPECT_EQ(2, back.out_tickets);

	ASSERT_EQ(0, node_set_weight(self->fd, name, 0));
	EXPECT_LOAD(a.out_node, 1);
	ASSERT_EQ(0, ticket_take(self->fd, "key", &b));
	EXPECT_EQ(2, b.out_tickets);
	ASSERT_EQ(0, node_set_weight(self->fd, name, 5));
	EXPECT_LOAD(a.out_node, 1);
	/* Given back while it is out of service: T is as it was. */
	ASSERT_EQ(0, node_set_state(self->fd, name, CHRING_STATE_DOWN));
	ASSERT_EQ(0, ticket_give(self->fd, a.out_node, 1, &back));
	EXPECT_EQ(0, back.out_load);
	EXPECT_EQ(2, back.out_tickets);
	ASSERT_EQ(0, node_set_state(self->fd, name, CHRING_STATE_UP));
	ASSERT_EQ(0, ticket_give(self->fd, b.out_node, 1, &back));
	EXPECT_EQ(1, back.out_tickets);
}

/* Of the same name and in the same slot, it is another node all the same. */
TEST_F(ticket, node_deleted)
{
	struct chring_release back;
	struct chring_acquire out;
	const char *name;
	__u64 heir;
	int fd = dev_open(O_RDWR, RING);

	ASSERT_EQ(0, ticket_take(self->fd, "key", &out));
	ASSERT_EQ(0, ticket_take(fd, "key", &out));
	name = out.out_node == self->node[0] ? "a" :
	       out.out_node == self->node[1] ? "b" : "c";
	ASSERT_EQ(0, node_del(self->fd, name));
	ASSERT_EQ(0, node_add(self->fd, name, 1, CHRING_STATE_UP, &heir));
	EXPECT_LOAD(heir, 0);
	ASSERT_EQ(0, ticket_give(fd, out.out_node, 1, &back));
	EXPECT_EQ(0, back.out_load);
	EXPECT_EQ(1, back.out_tickets);
	EXPECT_EQ(0, back.out_left);
	EXPECT_LOAD(heir, 0);
	/* And what a descriptor's end gives back. */
	ASSERT_EQ(0, ticket_take(fd, "key", &out));
	name = out.out_node == self->node[0] ? "a" :
	       out.out_node == self->node[1] ? "b" :
	       out.out_node == self->node[2] ? "c" : name;
	ASSERT_EQ(0, node_del(self->fd, name));
	ASSERT_EQ(0, node_add(self->fd, name, 1, CHRING_STATE_UP, &heir));
	close(fd);
	EXPECT_LOAD(heir, 0);
}

/* -- many clients: every grant is logged, and judged when all is over */

#define NODES		12
#define VNODES		10
#define WEIGHT_MAX	4
#define TOKENS		(NODES * VNODES * WEIGHT_MAX)
#define CLIENTS		6
#define OPS		20000
#define KEYS		1000
#define HOLD_MAX	60
#define EPOCHS		4096
#define BALANCE		125

struct member {
	__u64 id;
	__u32 weight;
	__u32 state;
};

struct token {
	__u64 at;
	__u32 node;
	__u32 index;
};

/* A grant, or a release of @given. */
struct record {
	__u64 serial, epoch, node, position, load, tickets;
	__u32 given;
};

/* Clients and parent share it. */
struct shared {
	_Atomic int failed;
	_Atomic int started;
	struct member history[EPOCHS][NODES];
	struct record log[CLIENTS][OPS + NODES];
	__u32 logged[CLIENTS];
};

static struct token circle[TOKENS];
static __u64 position[KEYS];

FIXTURE(crowd)
{
	int fd;
	unsigned long ops;
	struct shared *shared;
	struct member now[NODES];
	pid_t client[CLIENTS];
};

FIXTURE_VARIANT(crowd)
{
	bool hot;	/* four of five are for one key; else Zipf */
};

FIXTURE_VARIANT_ADD(crowd, zipf) { .hot = false };
FIXTURE_VARIANT_ADD(crowd, hot) { .hot = true };

static int token_cmp(const void *a, const void *b)
{
	const struct token *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static void make_circle(void)
{
	char label[32];
	__u32 i, k;

	for (i = 0; i < NODES; i++)
		for (k = 0; k < VNODES * WEIGHT_MAX; k++) {
			snprintf(label, sizeof(label), "node-%u#%u", i, k);
			circle[i * VNODES * WEIGHT_MAX + k] = (struct token){
				XXH64(label, strlen(label), 0), i, k };
		}
	qsort(circle, TOKENS, sizeof(*circle), token_cmp);
	for (i = 0; i < KEYS; i++)
		position[i] = XXH64(&i, sizeof(i), 1);
}

static int fill_ring(int fd, struct member *m)
{
	char name[16];
	__u32 i;
	int ret;

	for (i = 0; i < NODES; i++) {
		m[i].weight = 1 + i % WEIGHT_MAX;
		snprintf(name, sizeof(name), "node-%u", i);
		ret = node_add(fd, name, m[i].weight, CHRING_STATE_UP,
			       &m[i].id);
		if (ret)
			return ret;
	}
	return 0;
}

FIXTURE_SETUP(crowd)
{
	struct chring_config config = { .vnodes = VNODES, .balance = BALANCE };

	make_circle();
	self->ops = scaled(OPS);
	self->shared = mmap(NULL, sizeof(*self->shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->shared);
	self->fd = ring_fresh(RING, &config);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, fill_ring(self->fd, self->now));
	memcpy(self->shared->history[NODES + 1], self->now, sizeof(self->now));
}

FIXTURE_TEARDOWN(crowd)
{
	ring_delete(self->fd, RING);
	close(self->fd);
	munmap(self->shared, sizeof(*self->shared));
}

/* Keys that come one by one: xorshift and the skew of the variant. */
static __u32 next_random(__u32 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static __u64 next_position(bool hot, __u32 *state)
{
	static double sum[KEYS];
	double at;
	__u32 i;

	if (hot)
		return position[next_random(state) % 5 ? 0 :
				next_random(state) % KEYS];
	if (!sum[0])
		for (i = 0; i < KEYS; i++)
			sum[i] = (i ? sum[i - 1] : 0) + 1.0 / (i + 1);
	at = next_random(state) / 4294967296.0 * sum[KEYS - 1];
	for (i = 0; sum[i] < at; i++)
		;
	return position[i];
}

/* -- a client */

struct client {
	int fd;
	struct shared *shared;
	__u32 which;
	__u64 held[HOLD_MAX];
	__u32 count;
};

static void write_log(struct client *c, const struct record *r)
{
	c->shared->log[c->which][c->shared->logged[c->which]++] = *r;
}

static int client_take(struct client *c, __u64 at)
{
	struct chring_acquire out;
	int ret = ticket_take_at(c->fd, at, &out);

	if (ret)
		return ret;
	write_log(c, &(struct record){
		.serial = out.out_serial, .epoch = out.out_epoch,
		.node = out.out_node, .position = at,
		.load = out.out_load, .tickets = out.out_tickets,
	});
	c->held[c->count++] = out.out_node;
	return 0;
}

static int client_give(struct client *c, __u32 which)
{
	struct chring_release out;
	__u64 node = c->held[which];
	int ret = ticket_give(c->fd, node, 1, &out);

	if (ret)
		return ret;
	write_log(c, &(struct record){
		.serial = out.out_serial, .epoch = out.out_epoch,
		.node = node, .given = 1,
		.load = out.out_load, .tickets = out.out_tickets,
	});
	c->held[which] = c->held[--c->count];
	return 0;
}

static int client_run(struct client *c, unsigned long ops, bool hot)
{
	__u32 state = 2463534242U + c->which;
	int ret = 0;

	while (ops > c->count && !ret) {
		bool full = c->count == HOLD_MAX;

		if (full || (c->count && next_random(&state) % 8 < 3))
			ret = client_give(c, next_random(&state) % c->count);
		else
			ret = client_take(c, next_position(hot, &state));
		ops--;
	}
	while (c->count && !ret)
		ret = client_give(c, 0);
	return ret;
}

static pid_t start_client(struct shared *shared, __u32 which,
			  unsigned long ops, bool hot)
{
	struct client c = { .shared = shared, .which = which };
	pid_t pid = fork();

	if (pid)
		return pid;
	c.fd = dev_open(O_RDWR, RING);
	atomic_fetch_add(&shared->started, 1);
	if (c.fd < 0 || client_run(&c, ops, hot))
		atomic_fetch_add(&shared->failed, 1);
	_exit(0);
}

/* -- the judge */

static bool member_serves(const struct member *m)
{
	return m->state == CHRING_STATE_UP && m->weight;
}

/* ceil(F * tickets * w / (100 * W)) */
static __u64 cap_of(const struct member *all, __u32 node, __u64 tickets)
{
	unsigned __int128 n;
	__u64 weight = 0;
	__u32 i;

	for (i = 0; i < NODES; i++)
		weight += member_serves(&all[i]) ? all[i].weight : 0;
	n = (unsigned __int128)BALANCE * tickets * all[node].weight;
	return (n + 100 * weight - 1) / (100 * weight);
}

static __u64 tickets_of(const struct member *all, const __u64 *load)
{
	__u64 sum = 0;
	__u32 i;

	for (i = 0; i < NODES; i++)
		sum += member_serves(&all[i]) ? load[i] : 0;
	return sum;
}

/* @load NULL: the owner, whatever it bears. */
static int walk(const struct member *all, const __u64 *load, __u64 at)
{
	__u64 tickets = load ? tickets_of(all, load) + 1 : 0;
	__u32 first = 0, i;

	while (first < TOKENS && circle[first].at < at)
		first++;
	for (i = 0; i < TOKENS; i++) {
		const struct token *t = &circle[(first + i) % TOKENS];

		if (!member_serves(&all[t->node]) ||
		    t->index >= VNODES * all[t->node].weight)
			continue;
		if (!load ||
		    load[t->node] + 1 <= cap_of(all, t->node, tickets))
			return t->node;
	}
	return -1;
}

struct verdict {
	unsigned long grants, releases, moved, wrong, gaps, backward;
	__u64 last_epoch;
};

static int index_of(const struct member *all, __u64 id)
{
	int i;

	for (i = 0; i < NODES; i++)
		if (all[i].id == id)
			return i;
	return -1;
}

static void judge_one(struct verdict *v, const struct shared *s,
		      const struct record *r, __u64 *load)
{
	const struct member *all = s->history[r->epoch % EPOCHS];
	int node = index_of(all, r->node);

	v->backward += r->epoch < v->last_epoch;
	v->last_epoch = r->epoch;
	if (node < 0) {
		v->wrong++;
		return;
	}
	if (r->given) {
		v->releases++;
		load[node] -= r->given;
	} else {
		v->grants++;
		v->wrong += walk(all, load, r->position) != node;
		v->moved += walk(all, NULL, r->position) != node;
		load[node]++;
	}
	v->wrong += load[node] != r->load;
	v->wrong += tickets_of(all, load) != r->tickets;
}

static int record_cmp(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	return (x->serial > y->serial) - (x->serial < y->serial);
}

static void judge(struct shared *s, struct verdict *v)
{
	struct record *all = calloc(CLIENTS * (OPS + NODES), sizeof(*all));
	__u64 load[NODES] = {};
	__u32 n = 0, i;

	for (i = 0; i < CLIENTS; i++) {
		memcpy(all + n, s->log[i], s->logged[i] * sizeof(*all));
		n += s->logged[i];
	}
	qsort(all, n, sizeof(*all), record_cmp);
	*v = (struct verdict){};
	for (i = 0; i < n; i++) {
		v->gaps += all[i].serial != i + 1;
		judge_one(v, s, &all[i], load);
	}
	free(all);
}

/* -- the parent */

static int change(struct _test_data_crowd *self, __u32 node, __u32 weight,
		  __u32 state)
{
	struct chring_node_change arg = {
		.size = sizeof(arg),
		.flags = CHRING_NODE_WEIGHT | CHRING_NODE_STATE,
		.node = self->now[node].id,
		.weight = weight,
		.state = state,
	};
	int ret = chr(self->fd, CHRING_IOC_NODE_SET, &arg);

	if (ret || arg.out_epoch >= EPOCHS)
		return ret ? ret : -ERANGE;
	self->now[node].weight = weight;
	self->now[node].state = state;
	memcpy(self->shared->history[arg.out_epoch], self->now,
	       sizeof(self->now));
	return 0;
}

static bool all_ended(struct _test_data_crowd *self)
{
	int i, left = 0;

	for (i = 0; i < CLIENTS; i++) {
		if (self->client[i] &&
		    waitpid(self->client[i], NULL, WNOHANG) ==
		    self->client[i])
			self->client[i] = 0;
		left += !!self->client[i];
	}
	return !left;
}

/* Node 0 stays in service, so that there always is one. */
TEST_F_TIMEOUT(crowd, judged, 600)
{
	__u32 state = 12345, changes = 0, i;
	struct verdict v;
	struct mark now;

	for (i = 0; i < CLIENTS; i++)
		self->client[i] = start_client(self->shared, i, self->ops,
					       variant->hot);
	while (!all_ended(self)) {
		__u32 node = 1 + next_random(&state) % (NODES - 1);

		usleep(2000);
		if (changes >= EPOCHS - NODES - 10)
			continue;
		ASSERT_EQ(0, change(self, node,
				    next_random(&state) % (WEIGHT_MAX + 1),
				    next_random(&state) % 3 ? CHRING_STATE_UP :
				    1 + next_random(&state) % 2));
		changes++;
	}
	EXPECT_EQ(0, self->shared->failed);
	judge(self->shared, &v);
	note("%lu grants, %lu releases, %u changes: %lu keys (%lu %%) left their first owner",
	     v.grants, v.releases, changes, v.moved,
	     v.moved * 100 / (v.grants ? v.grants : 1));
	EXPECT_EQ(0, v.gaps);
	EXPECT_EQ(0, v.backward);
	EXPECT_EQ(0, v.wrong);
	EXPECT_LT(0, v.moved);
	EXPECT_LT(self->ops * CLIENTS / 3, v.grants);
	EXPECT_EQ(v.grants, v.releases);
	EXPECT_LT(10, changes);
	ASSERT_EQ(0, mark_ring(self->fd, &now));
	EXPECT_EQ(0, now.tickets);
}

/* As many as get as far as that, and then none of them has a chance. */
TEST_F_TIMEOUT(crowd, killed, 300)
{
	struct chring_acquire out;
	struct mark now;
	__u32 round, i;
	__u64 seen = 0;

	for (round = 0; round < 5; round++) {
		self->shared->started = 0;
		memset(self->shared->logged, 0, sizeof(self->shared->logged));
		for (i = 0; i < CLIENTS; i++)
			self->client[i] = start_client(self->shared, i, OPS,
						       variant->hot);
		while (self->shared->started < CLIENTS)
			usleep(1000);
		usleep(20000);
		ASSERT_EQ(0, mark_ring(self->fd, &now));
		seen += now.tickets;
		for (i = 0; i < CLIENTS; i++)
			kill(self->client[i], SIGKILL);
		for (i = 0; i < CLIENTS; i++)
			waitpid(self->client[i], NULL, 0);
		ASSERT_EQ(0, mark_ring(self->fd, &now));
		EXPECT_EQ(0, now.tickets);
	}
	note("%llu tickets were out when clients were killed, 5 times",
	     (unsigned long long)seen);
	EXPECT_LT(0, seen);
	/* T as well. */
	ASSERT_EQ(0, ticket_take_at(self->fd, 0, &out));
	EXPECT_EQ(1, out.out_tickets);
}

/* Tickets that are only taken: no cap falls, so none may be passed. */
TEST_F_TIMEOUT(crowd, at_rest, 300)
{
	struct chring_config plain = { .vnodes = VNODES };
	int fd = ring_fresh(RING "-plain", &plain);
	unsigned long taken = self->ops / 4, moved = 0, i;
	__u64 load[NODES], cap[NODES], over = 0, worst = 0;
	struct member twin[NODES] = {};
	__u32 state = 99;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, fill_ring(fd, twin));
	for (i = 0; i < taken; i++) {
		__u64 at = next_position(variant->hot, &state);
		struct chring_acquire bounded, owner;

		ASSERT_EQ(0, ticket_take_at(self->fd, at, &bounded));
		ASSERT_EQ(0, ticket_take_at(fd, at, &owner));
		moved += index_of(self->now, bounded.out_node) !=
			 index_of(twin, owner.out_node);
	}
	for (i = 0; i < NODES; i++) {
		__u64 most = cap_of(self->now, i, taken), bare, none;

		ASSERT_EQ(0, node_load(self->fd, self->now[i].id, &load[i],
				       &cap[i]));
		EXPECT_GE(most, load[i]);
		EXPECT_EQ(cap_of(self->now, i, taken + 1), cap[i]);
		ASSERT_EQ(0, node_load(fd, twin[i].id, &bare, &none));
		EXPECT_EQ(0, none);
		over += bare > most;
		if (bare > most && bare - most > worst)
			worst = bare - most;
	}
	EXPECT_EQ(taken, tickets_of(self->now, load));
	note("%lu tickets at balance %u: %lu left their first owner; without a bound %llu nodes are over their cap, by up to %llu",
	     taken, BALANCE, moved, (unsigned long long)over,
	     (unsigned long long)worst);
	EXPECT_LT(0, moved);
	EXPECT_LT(0, over);
	ring_delete(fd, RING "-plain");
	close(fd);
}

TEST_HARNESS_MAIN
