// SPDX-License-Identifier: GPL-2.0
/* Notifiers: what kernel code is told, and in which order. */
#include <pthread.h>

#include "libprobe.h"
#include "kselftest_harness.h"

#define RING	"api-notice"
#define PRIVATE	"probe/notice"

FIXTURE(notice)
{
	int probe;
	int fd;		/* of RING, to read and write */
};

FIXTURE_SETUP(notice)
{
	self->probe = probe_open();
	ASSERT_LE(0, self->probe);
	self->fd = ring_fresh(RING, NULL);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, probe_get(self->probe, 0, RING));
}

FIXTURE_TEARDOWN(notice)
{
	probe_close(self->probe);
	ring_delete(self->fd, RING);
	close(self->fd);
}

static int unlisten(int probe_fd)
{
	struct probe_call call = {};

	return probe(probe_fd, PROBE_UNLISTEN, 0, &call);
}

static int listening(int probe_fd)
{
	struct probe_call call = {};

	return probe(probe_fd, PROBE_LISTENING, 0, &call);
}

/* Does a notice say what programs read of the same epoch? */
static bool same(const struct probe_notice *n, const struct chring_event *e)
{
	return n->action == 1 && n->ring == e->ring && n->epoch == e->epoch &&
	       n->generation == e->generation && n->digest == e->digest &&
	       n->added == e->added && n->removed == e->removed &&
	       n->changed == e->changed && n->flipped == e->flipped;
}

TEST_F(notice, registration)
{
	int unbound = dev_open(O_RDWR, NULL);

	EXPECT_EQ(-ENXIO, unlisten(self->probe));
	EXPECT_EQ(0, probe_listen(self->probe, 0, 0));
	EXPECT_EQ(-EEXIST, probe_listen(self->probe, 0, 0));
	EXPECT_EQ(0, unlisten(self->probe));
	EXPECT_EQ(0, probe_listen(self->probe, 0, 0));
	EXPECT_EQ(0, unlisten(self->probe));
	ASSERT_EQ(0, ring_delete(unbound, RING));
	EXPECT_EQ(-ENODEV, probe_listen(self->probe, 0, 0));
	close(unbound);
}

/* One for each epoch; a membership in one change is one. */
TEST_F(notice, every_change_and_no_other)
{
	static const struct chring_member member[] = {
		{ .name_len = 1, .weight = 2 },
		{ .name_off = 1, .name_len = 1, .weight = 1 },
		{ .name_off = 2, .name_len = 1, .weight = 1 },
	};
	struct chring_commit commit = {
		.size = sizeof(commit),
		.flags = CHRING_DRY_RUN,
		.members = ptr(member),
		.member_size = sizeof(member[0]),
		.count = ARRAY_LEN(member),
		.strings = ptr("abc"),
		.strings_size = 3,
	};
	struct chring_pin pin = { .size = sizeof(pin) };
	static struct probe_notice notice[16];
	struct chring_event event[16];
	int fd = dev_open(O_RDWR, RING);
	int n, i;

	ASSERT_EQ(0, probe_listen(self->probe, 0, 0));
	ASSERT_EQ(0, node_add(fd, "a", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, node_add(fd, "z", 1, CHRING_STATE_UP, NULL));
	EXPECT_EQ(-EEXIST, node_add(fd, "a", 1, CHRING_STATE_UP, NULL));
	EXPECT_EQ(-ENOENT, node_del(fd, "x"));
	EXPECT_EQ(0, node_set_weight(fd, "a", 1));
	EXPECT_EQ(0, chr(fd, CHRING_IOC_COMMIT, &commit));
	ASSERT_EQ(2, probe_notices(self->probe, 0, notice, 16));
	commit.flags = 0;
	commit.nodes = 8;
	EXPECT_EQ(-EFAULT, chr(fd, CHRING_IOC_COMMIT, &commit));
	ASSERT_EQ(2, probe_notices(self->probe, 0, notice, 16));
	commit.nodes = 0;
	commit.generation = 77;
	ASSERT_EQ(0, chr(fd, CHRING_IOC_COMMIT, &commit));
	ASSERT_EQ(0, node_set_state(fd, "b", CHRING_STATE_DRAIN));
	ASSERT_EQ(0, chr(fd, CHRING_IOC_PIN, &pin));
	ASSERT_EQ(0, node_del(fd, "c"));
	ASSERT_EQ(0, unlisten(self->probe));
	ASSERT_EQ(0, node_del(fd, "b"));

	n = read(fd, event, sizeof(event)) / sizeof(event[0]);
	ASSERT_EQ(7, n);
	ASSERT_EQ(n - 1, probe_notices(self->probe, 0, notice, 16));
	for (i = 0; i < n - 1; i++) {
		EXPECT_TRUE(same(&notice[i], &event[i]));
		EXPECT_EQ(event[i].epoch, notice[i].seen);
	}
	EXPECT_EQ(2, notice[2].added);
	EXPECT_EQ(1, notice[2].removed);
	EXPECT_EQ(1, notice[2].changed);
	EXPECT_EQ(77, notice[2].generation);
	close(fd);
}

TEST_F(notice, of_a_private_ring)
{
	static struct probe_notice notice[8];
	struct probe_server s[2] = {
		server_of("b", 1, 0, 2), server_of("a", 1, 0, 1),
	};
	__u64 id;

	ASSERT_EQ(0, probe_create(self->probe, 1, PRIVATE, NULL, 0));
	ASSERT_EQ(0, probe_show(self->probe, 1, &id, NULL));
	ASSERT_EQ(0, probe_listen(self->probe, 1, 0));
	ASSERT_EQ(0, probe_replace(self->probe, 1, s, 2));
	s[0].tag = 3;
	ASSERT_EQ(0, probe_replace(self->probe, 1, s, 2));
	ASSERT_EQ(0, probe_replace(self->probe, 1, s, 2));
	EXPECT_EQ(-ENOENT, probe_del(self->probe, 1, "c"));
	ASSERT_EQ(2, probe_notices(self->probe, 1, notice, 8));
	EXPECT_EQ(id, notice[0].ring);
	EXPECT_EQ(2, notice[0].epoch);
	EXPECT_EQ(2, notice[0].added);
	EXPECT_EQ(3, notice[1].epoch);
	EXPECT_EQ(1, notice[1].changed);
	EXPECT_EQ(notice[0].digest, notice[1].digest);
}

TEST_F(notice, deletion)
{
	static struct probe_notice notice[4];
	int unbound = dev_open(O_RDWR, NULL);
	__u64 id;

	ASSERT_EQ(0, probe_show(self->probe, 0, &id, NULL));
	ASSERT_EQ(0, node_add(self->fd, "a", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, probe_listen(self->probe, 0, 0));
	ASSERT_EQ(0, ring_delete(unbound, RING));
	ASSERT_EQ(1, probe_notices(self->probe, 0, notice, 4));
	EXPECT_EQ(2, notice[0].action);
	EXPECT_EQ(id, notice[0].ring);
	EXPECT_EQ(2, notice[0].epoch);
	EXPECT_EQ(2, notice[0].seen);
	EXPECT_EQ(0, notice[0].added | notice[0].removed | notice[0].changed |
		     notice[0].flipped);
	EXPECT_EQ(0, unlisten(self->probe));
	close(unbound);
}

/* -- a burst */

#define WRITERS		4
#define CHANGES		200	/* of each; together the log keeps them */

struct writer {
	pthread_barrier_t *start;
	int number;
	int changes;
	int ret;
};

static void *write_ring(void *p)
{
	struct writer *w = p;
	int fd = dev_open(O_RDWR, RING), i;
	char name[8];

	snprintf(name, sizeof(name), "w%d", w->number);
	w->ret = fd < 0 ? fd : 0;
	pthread_barrier_wait(w->start);
	for (i = 0; i < w->changes && !w->ret; i++) {
		switch (i % 4) {
		case 0:
			w->ret = node_add(fd, name, 1, CHRING_STATE_UP, NULL);
			break;
		case 1:
			w->ret = node_set_weight(fd, name, 2);
			break;
		case 2:
			w->ret = node_set_state(fd, name, CHRING_STATE_DOWN);
			break;
		default:
			w->ret = node_del(fd, name);
		}
	}
	close(fd);
	return NULL;
}

/*
 * Many who write at once: notices come in the order of epochs, one of each, and
 * say what is in the log.
 */
TEST_F_TIMEOUT(notice, order_under_a_burst, 120)
{
	static struct chring_event event[CHRING_EVENTS_KEPT];
	static struct probe_notice notice[CHRING_EVENTS_KEPT];
	int changes = scaled(CHANGES) & ~3, all = WRITERS * changes, i;
	int reader = dev_open(O_RDONLY, RING);
	struct writer w[WRITERS];
	pthread_t t[WRITERS];
	pthread_barrier_t start;

	ASSERT_LE(0, reader);
	pthread_barrier_init(&start, NULL, WRITERS);
	ASSERT_EQ(0, probe_listen(self->probe, 0, 0));
	for (i = 0; i < WRITERS; i++) {
		w[i] = (struct writer){ &start, i, changes, 0 };
		ASSERT_EQ(0, pthread_create(&t[i], NULL, write_ring, &w[i]));
	}
	for (i = 0; i < WRITERS; i++) {
		pthread_join(t[i], NULL);
		EXPECT_EQ(0, w[i].ret);
	}
	ASSERT_EQ(all * sizeof(event[0]), read(reader, event, sizeof(event)));
	ASSERT_EQ(all, probe_notices(self->probe, 0, notice,
				     ARRAY_LEN(notice)));
	for (i = 0; i < all; i++) {
		EXPECT_EQ(2 + i, notice[i].epoch);
		EXPECT_EQ(notice[i].epoch, notice[i].seen);
		EXPECT_TRUE(same(&notice[i], &event[i]));
	}
	EXPECT_EQ(0, unlisten(self->probe));
	pthread_barrier_destroy(&start);
	close(reader);
}

/* -- who is told no more is not running */

static void *add_one(void *p)
{
	int *ret = p;
	int fd = dev_open(O_RDWR, RING);

	*ret = node_add(fd, "slow", 1, CHRING_STATE_UP, NULL);
	close(fd);
	return NULL;
}

TEST_F(notice, unregistering_waits)
{
	static struct probe_notice notice[4];
	pthread_t t;
	int ret, i;

	ASSERT_EQ(0, probe_listen(self->probe, 0, 400));
	ASSERT_EQ(0, pthread_create(&t, NULL, add_one, &ret));
	for (i = 0; i < 5000 && !listening(self->probe); i++)
		usleep(1000);
	ASSERT_EQ(1, listening(self->probe));
	/* -EBUSY: it was still running after. */
	EXPECT_EQ(0, unlisten(self->probe));
	EXPECT_EQ(0, listening(self->probe));
	pthread_join(t, NULL);
	EXPECT_EQ(0, ret);
	ASSERT_EQ(0, node_add(self->fd, "b", 1, CHRING_STATE_UP, NULL));
	EXPECT_EQ(1, probe_notices(self->probe, 0, notice, 4));
}

/* The writer waits, readers do not, and can ask for what is told already. */
TEST_F(notice, readers_do_not_wait_for_it)
{
	struct chring_lookup out;
	struct chring_owner owner;
	pthread_t t;
	int ret, i;

	ASSERT_EQ(0, probe_listen(self->probe, 0, 400));
	ASSERT_EQ(0, pthread_create(&t, NULL, add_one, &ret));
	for (i = 0; i < 5000 && !listening(self->probe); i++)
		usleep(1000);
	EXPECT_EQ(0, lookup_key(self->fd, "key", 3, &out, &owner));
	EXPECT_EQ(2, out.out_epoch);
	EXPECT_EQ(1, listening(self->probe));
	pthread_join(t, NULL);
	EXPECT_EQ(0, ret);
	EXPECT_EQ(0, unlisten(self->probe));
}

TEST_HARNESS_MAIN
