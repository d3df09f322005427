// SPDX-License-Identifier: GPL-2.0
/* ACQUIRE and RELEASE, one ticket at a time. */
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "libtest.h"
#include "kselftest_harness.h"

#define RING	"bounded-test"
#define PAGE	4096

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
	EXPECT_UNCHANGED(self->before);
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
	EXPECT_UNCHANGED(self->before);
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
	EXPECT_UNCHANGED(self->before);
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
	EXPECT_UNCHANGED(self->before);
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
	EXPECT_UNCHANGED(self->before);

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
	EXPECT_UNCHANGED(self->before);
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
	EXPECT_UNCHANGED(self->before);
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
	EXPECT_UNCHANGED(self->before);
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
	EXPECT_UNCHANGED(self->before);
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
	EXPECT_UNCHANGED(self->before);
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

TEST_HARNESS_MAIN
