// SPDX-License-Identifier: GPL-2.0
/*
 * libchring as rings come, change and go: copies that cannot be had, children,
 * threads, readers that sleep.
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "libtest.h"
#include "libchring.h"

#define RING	"libchring-life"
#define NODES	5

FIXTURE(life) {
	int fd;
	struct chring *c;
};

FIXTURE_VARIANT(life) {
	__u32 hash;
	unsigned int flags;
};

FIXTURE_VARIANT_ADD(life, by_lookups) {
	.flags = 0,
};

FIXTURE_VARIANT_ADD(life, by_a_thread) {
	.flags = CHRING_FOLLOW_THREAD,
};

FIXTURE_VARIANT_ADD(life, keyed_by_lookups) {
	.hash = CHRING_HASH_SIPHASH,
};

FIXTURE_SETUP(life)
{
	struct chring_config config = {
		.vnodes = 50,
		.hash = variant->hash,
		.seed = { variant->hash == CHRING_HASH_SIPHASH ? 7 : 0 },
	};
	char name[] = "n0";

	self->fd = ring_fresh(RING, &config);
	ASSERT_LE(0, self->fd);
	for (; name[1] < '0' + NODES; name[1]++)
		ASSERT_EQ(0, node_add(self->fd, name, 1, CHRING_STATE_UP,
				      NULL));
	ASSERT_EQ(0, chring_open(RING, CHRING_OPEN_READ | CHRING_OPEN_WRITE,
				 &self->c));
	ASSERT_EQ(0, chring_follow(self->c, variant->flags));
}

FIXTURE_TEARDOWN(life)
{
	chring_close(self->c);
	ring_delete(self->fd, RING);
	close(self->fd);
}

/* How many of some keys are found as the kernel says; all that are not, fail. */
static int agree(struct chring *c, int fd, int keys)
{
	int key, asked = 0;

	for (key = 0; key < keys; key++) {
		struct chring_lookup arg;
		struct chring_found f;
		struct chring_owner owner;
		int ret = chring_find(c, &key, sizeof(key), &f);

		if (lookup_key(fd, &key, sizeof(key), &arg, &owner) != ret)
			return -1;
		if (!ret && (f.node != owner.node || f.epoch != arg.out_epoch ||
			     f.ring != arg.out_ring ||
			     f.name_len != strlen(f.name)))
			return -1;
		asked += f.asked;
	}
	return asked;
}

/* A copy there will be, sooner or later. */
static bool catches_up(struct chring *c)
{
	struct chring_found f = { .asked = 1 };
	int i;

	for (i = 0; i < 10000 && f.asked; i++) {
		if (chring_find(c, "key", 3, &f))
			return false;
		if (f.asked && i > 100)
			usleep(1000);
	}
	return !f.asked;
}

TEST_F(life, follows_changes_of_every_kind)
{
	int round;

	EXPECT_EQ(0, agree(self->c, self->fd, 1000));
	for (round = 0; round < 20; round++) {
		/* One of them is in service always. */
		char name[] = { 'n', '1' + round % (NODES - 1), 0 };

		ASSERT_EQ(0, node_set_state(self->fd, name, round % 3));
		EXPECT_LE(0, agree(self->c, self->fd, 100));
		ASSERT_EQ(0, node_set_weight(self->fd, name, round % 4));
		EXPECT_LE(0, agree(self->c, self->fd, 100));
		EXPECT_TRUE(catches_up(self->c));
		EXPECT_EQ(0, agree(self->c, self->fd, 100));
	}
}

/* A cookie and a zone are not of the tokens, and are of the answer. */
TEST_F(life, follows_what_is_not_of_the_tokens)
{
	struct chring_edit edit = {
		.name = "n1",
		.name_len = 2,
		.cookie = 4711,
		.zone = "far",
		.zone_len = 3,
		.set = CHRING_NODE_COOKIE | CHRING_NODE_ZONE,
	};
	struct chring_query q = { .key = "key", .key_len = 3, .count = NODES,
				  .flags = CHRING_LOOKUP_ZONES };
	struct chring_answer own = { .asked = 1 }, all;
	__u32 i, seen = 0;

	ASSERT_EQ(0, chring_node_set(self->c, &edit, NULL));
	EXPECT_TRUE(catches_up(self->c));
	ASSERT_EQ(0, chring_lookup(self->c, &q, &own));
	EXPECT_EQ(0, own.asked);
	/* Former owners make it a question for the kernel. */
	q.formers = 1;
	ASSERT_EQ(0, chring_lookup(self->c, &q, &all));
	EXPECT_EQ(1, all.asked);
	EXPECT_EQ(NODES, own.count);
	EXPECT_EQ(0, memcmp(own.owner, all.owner,
			    NODES * sizeof(*own.owner)));
	EXPECT_EQ(all.position, own.position);
	for (i = 0; i < NODES; i++)
		seen += own.owner[i].cookie == 4711;
	EXPECT_EQ(1, seen);
	/* The only one of its zone: it is among the first two. */
	EXPECT_TRUE(own.owner[0].cookie == 4711 || own.owner[1].cookie == 4711);
}

/* What has no answer is refused as the kernel refuses it. */
TEST_F(life, refuses_as_the_kernel_does)
{
	static char key[CHRING_KEY_MAX + 1];
	struct chring_query none = { .key = "k", .key_len = 1 };
	struct chring_query stale = { .key = "k", .key_len = 1, .count = 1,
				      .epoch = 1 };
	struct chring_answer a;
	struct chring_found f;
	char name[] = "n0";

	EXPECT_EQ(-ERANGE, chring_find(self->c, key, sizeof(key), &f));
	EXPECT_EQ(0, f.ring);
	EXPECT_EQ(0, f.epoch);
	EXPECT_EQ(0, chring_find(self->c, key, CHRING_KEY_MAX, &f));
	EXPECT_EQ(0, chring_find(self->c, NULL, 0, &f));
	EXPECT_EQ(-ERANGE, chring_lookup(self->c, &none, &a));
	EXPECT_EQ(-ESTALE, chring_lookup(self->c, &stale, &a));
	EXPECT_EQ(1 + NODES, a.epoch);
	for (; name[1] < '0' + NODES; name[1]++)
		ASSERT_EQ(0, node_set_state(self->fd, name,
					    CHRING_STATE_DOWN));
	EXPECT_EQ(-EHOSTUNREACH, chring_find(self->c, "k", 1, &f));
	EXPECT_EQ(1 + 2 * NODES, f.epoch);
	for (name[1] = '0'; name[1] < '0' + NODES; name[1]++)
		ASSERT_EQ(0, node_del(self->fd, name));
	EXPECT_EQ(-ENODATA, chring_find(self->c, "k", 1, &f));
	ASSERT_EQ(0, node_add(self->fd, "new", 1, CHRING_STATE_UP, NULL));
	EXPECT_TRUE(catches_up(self->c));
	ASSERT_EQ(0, chring_find(self->c, "k", 1, &f));
	EXPECT_STREQ("new", f.name);
	EXPECT_EQ(3, f.name_len);
}

TEST_F(life, ring_is_deleted)
{
	int fd = dev_open(O_RDWR, NULL);
	struct chring_found f;

	EXPECT_EQ(0, chring_find(self->c, "k", 1, &f));
	ASSERT_EQ(0, ring_delete(fd, RING));
	EXPECT_EQ(-ENODEV, chring_find(self->c, "k", 1, &f));
	EXPECT_EQ(-ENODEV, chring_refresh(self->c));
	/* One of the same name is another ring. */
	ASSERT_EQ(0, ring_create(fd, RING, NULL));
	EXPECT_EQ(-ENODEV, chring_find(self->c, "k", 1, &f));
	EXPECT_EQ(0, ring_delete(fd, RING));
	close(fd);
}

TEST_F(life, follows_once)
{
	struct chring *c;

	EXPECT_EQ(-EBUSY, chring_follow(self->c, 0));
	ASSERT_EQ(0, chring_open(RING, CHRING_OPEN_READ, &c));
	EXPECT_EQ(-EINVAL, chring_follow(c, 2));
	EXPECT_EQ(-EINVAL, chring_refresh(c));
	chring_close(c);
}

/* A child goes on by itself, whoever looked after the copy of its parent. */
TEST_F(life, child_goes_on)
{
	int status, i;
	pid_t pid;

	EXPECT_EQ(0, agree(self->c, self->fd, 100));
	for (i = 0; i < 10; i++) {
		pid = fork();
		if (!pid) {
			bool ok = catches_up(self->c) &&
				  !agree(self->c, self->fd, 100) &&
				  !node_set_state(self->fd, "n1", i % 2) &&
				  agree(self->c, self->fd, 100) >= 0 &&
				  !node_set_weight(self->fd, "n2", 1 + i % 2) &&
				  agree(self->c, self->fd, 100) >= 0 &&
				  catches_up(self->c);

			chring_close(self->c);
			_exit(!ok);
		}
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(0, status);
		EXPECT_TRUE(catches_up(self->c));
		EXPECT_EQ(0, agree(self->c, self->fd, 100));
	}
}

/* -- forks while threads look up */

struct looker {
	struct chring *c;
	int stop;
	unsigned long wrong;
};

static void *look(void *arg)
{
	struct looker *l = arg;
	struct chring_found f;

	while (!__atomic_load_n(&l->stop, __ATOMIC_ACQUIRE))
		if (chring_find(l->c, "key", 3, &f))
			__atomic_add_fetch(&l->wrong, 1, __ATOMIC_RELAXED);
	return NULL;
}

TEST_F_TIMEOUT(life, forks_under_threads, 300)
{
	struct looker l = { .c = self->c };
	int i, rounds = scaled(60), status;
	pthread_t thread[2];

	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, look, &l));
	for (i = 0; i < rounds; i++) {
		pid_t pid = fork();

		if (!pid) {
			alarm(60);
			_exit(agree(self->c, self->fd, 10) < 0);
		}
		ASSERT_EQ(0, node_set_state(self->fd, "n3", i % 2));
		ASSERT_EQ(0, node_set_weight(self->fd, "n4", 1 + i % 2));
		waitpid(pid, &status, 0);
		/* The writer is quicker than a comparison: 1 is no fault. */
		EXPECT_TRUE(WIFEXITED(status));
	}
	__atomic_store_n(&l.stop, 1, __ATOMIC_RELEASE);
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	EXPECT_EQ(0, l.wrong);
}

/* The same of a handle that has no copy: names are asked for all the time. */
TEST(forks_under_threads_that_ask)
{
	int fd = ring_fresh(RING, NULL), i, rounds = scaled(200), status;
	struct looker l = {};
	pthread_t thread[2];

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, node_add(fd, "a", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, chring_open(RING, CHRING_OPEN_READ, &l.c));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, look, &l));
	for (i = 0; i < rounds; i++) {
		pid_t pid = fork();

		if (!pid) {
			struct chring_found f;

			alarm(60);
			_exit(chring_find(l.c, "key", 3, &f) || !f.name);
		}
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_EQ(0, status);
	}
	__atomic_store_n(&l.stop, 1, __ATOMIC_RELEASE);
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	EXPECT_EQ(0, l.wrong);
	chring_close(l.c);
	ring_delete(fd, RING);
	close(fd);
}

/* -- a reader that is stopped, wherever it is */

/* Looks up all the time, having said that it begins, until it is told to end. */
static void read_until(struct chring *c, int told, int say)
{
	struct pollfd on = { .fd = told, .events = POLLIN };
	struct chring_found f;

	if (write(say, "", 1) != 1)
		_exit(2);
	while (!chring_find(c, "key", 3, &f))
		if (poll(&on, 1, 0) > 0)
			_exit(!catches_up(c));
	_exit(3);
}

TEST_F_TIMEOUT(life, stopped_reader_costs_nothing, 300)
{
	unsigned long changes = scaled(2000), i;
	int in[2], out[2], status;
	__u64 before, now;
	char byte;
	pid_t pid;

	/* The log grows no more after these, and there are former owners. */
	ASSERT_EQ(0, change_often(self->fd, "n1", CHRING_EVENTS_KEPT));
	ASSERT_EQ(0, node_set_weight(self->fd, "n2", 2));
	ASSERT_EQ(0, node_set_weight(self->fd, "n2", 1));
	EXPECT_TRUE(catches_up(self->c));
	ASSERT_EQ(0, pipe(in));
	ASSERT_EQ(0, pipe(out));
	pid = fork();
	if (!pid)
		read_until(self->c, in[0], out[1]);
	ASSERT_EQ(1, read(out[0], &byte, 1));
	ASSERT_EQ(0, kill(pid, SIGSTOP));
	ASSERT_EQ(pid, waitpid(pid, &status, WUNTRACED));
	before = bytes_settled(self->fd);
	for (i = 0; i < changes; i++)
		ASSERT_EQ(0, node_set_weight(self->fd, "n2", 1 + (i + 1) % 2));
	now = bytes_settled(self->fd);
	note("%lu changes beside a stopped reader: %llu bytes held before, %llu after",
	     changes, before, now);
	EXPECT_EQ(before, now);
	ASSERT_EQ(0, kill(pid, SIGCONT));
	ASSERT_EQ(1, write(in[1], "", 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* -- copies that cannot be had: the kernel is asked, and that is all */

TEST(tokens_of_a_keyed_ring_are_not_given_to_readers)
{
	struct chring_config config = {
		.hash = CHRING_HASH_SIPHASH,
		.seed = { 7 },
	};
	int fd = ring_fresh(RING, &config);
	__u32 lens[2] = { 1, 2 };
	__u64 nodes[2];
	struct chring_batch b = {
		.keys = "abc",
		.keys_size = 3,
		.lens = lens,
		.nodes = nodes,
		.count = 2,
	};
	struct chring_found f;
	struct chring *c;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, node_add(fd, "a", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, chring_open(RING, CHRING_OPEN_READ, &c));
	EXPECT_EQ(-EBADF, chring_follow(c, 0));
	EXPECT_EQ(-EBADF, chring_follow(c, CHRING_FOLLOW_THREAD));
	EXPECT_EQ(0, chring_find(c, "k", 1, &f));
	EXPECT_EQ(1, f.asked);
	EXPECT_STREQ("a", f.name);
	EXPECT_EQ(-EBADF, chring_find_position(c, 1, &f));
	EXPECT_EQ(0, chring_lookup_batch(c, &b));
	EXPECT_EQ(1, b.out_asked);
	EXPECT_EQ(2, b.out_done);
	EXPECT_EQ(nodes[0], nodes[1]);
	chring_close(c);
	ring_delete(fd, RING);
	close(fd);
}

TEST(descriptor_that_does_not_read)
{
	struct chring *c;

	ASSERT_EQ(0, chring_open("default", CHRING_OPEN_WRITE, &c));
	EXPECT_EQ(-EBADF, chring_follow(c, 0));
	chring_close(c);
}

/* No room for the pages: lookups go on, and the copy can be had later. */
TEST(memory_is_used_up)
{
	struct chring_found f;
	unsigned long max;
	struct chring *c;
	int fd;

	fd = ring_fresh(RING, NULL);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, node_add(fd, "a", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, chring_open(RING, CHRING_OPEN_READ, &c));
	ASSERT_EQ(0, param_get("max_total_bytes", &max));
	ASSERT_EQ(0, param_set("max_total_bytes", 1));
	EXPECT_EQ(-EDQUOT, chring_follow(c, 0));
	EXPECT_EQ(0, chring_find(c, "k", 1, &f));
	EXPECT_EQ(1, f.asked);
	ASSERT_EQ(0, param_set("max_total_bytes", max));
	EXPECT_EQ(0, chring_follow(c, 0));
	EXPECT_EQ(0, chring_find(c, "k", 1, &f));
	EXPECT_EQ(0, f.asked);
	chring_close(c);
	ring_delete(fd, RING);
	close(fd);
}

/* A handle that is open keeps the module, so none outlives its rings. */
TEST(module_stays_while_a_handle_is_open)
{
	struct chring *c;

	ASSERT_EQ(0, chring_open("default", CHRING_OPEN_READ, &c));
	ASSERT_EQ(0, chring_follow(c, 0));
	EXPECT_EQ(-1, syscall(SYS_delete_module, "chring", O_NONBLOCK));
	EXPECT_EQ(EWOULDBLOCK, errno);
	chring_close(c);
}

TEST_HARNESS_MAIN
