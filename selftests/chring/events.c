// SPDX-License-Identifier: GPL-2.0
/* read() and poll(): one record for each epoch, to each who follows. */
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "libtest.h"
#include "kselftest_harness.h"

#define RING	"events-test"
#define KEPT	CHRING_EVENTS_KEPT
#define RECORD	sizeof(struct chring_event)
#define HUP	(POLLERR | POLLHUP)
#define IN	(POLLIN | POLLRDNORM)

FIXTURE(events)
{
	int fd;		/* to change the ring */
	int reader;	/* bound at epoch 1, does not wait */
};

FIXTURE_SETUP(events)
{
	self->fd = ring_fresh(RING, NULL);
	ASSERT_LE(0, self->fd);
	self->reader = dev_open(O_RDONLY | O_NONBLOCK, RING);
	ASSERT_LE(0, self->reader);
}

FIXTURE_TEARDOWN(events)
{
	int fd = dev_open(O_RDWR, NULL);

	ring_delete(fd, RING);
	close(fd);
	close(self->reader);
	close(self->fd);
}

/* Bytes or -errno. */
static ssize_t get(int fd, void *to, size_t size)
{
	ssize_t n = read(fd, to, size);

	return n < 0 ? -errno : n;
}

static ssize_t get_one(int fd, struct chring_event *event)
{
	memset(event, 0xa5, RECORD);
	return get(fd, event, RECORD);
}

static int ready(int fd, int timeout)
{
	struct pollfd p = { .fd = fd, .events = IN | POLLOUT | POLLPRI };

	return poll(&p, 1, timeout) < 0 ? -errno : p.revents;
}

static int change(int fd, unsigned long ioc, struct chring_node_change *arg)
{
	arg->size = sizeof(*arg);
	arg->name = ptr("a");
	arg->name_len = 1;
	return chr(fd, ioc, arg);
}

/* So many changes of node "a": each is one more than before of its cookie. */
static int touch(int fd, int count)
{
	static __u64 cookie;
	int i, ret = 0;

	for (i = 0; i < count && !ret; i++) {
		struct chring_node_change arg = {
			.flags = CHRING_NODE_COOKIE,
			.cookie = ++cookie,
		};

		ret = change(fd, CHRING_IOC_NODE_SET, &arg);
	}
	return ret;
}

static __u64 now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* -- what a record says */

/**
 * struct step - a change of node "a"
 * @ioc: of the change
 * @arg: but for the name
 * @zone: that it gets; may be NULL
 * @want: what its record counts
 * @none: it finds nothing to change
 */
static const struct step {
	unsigned long ioc;
	struct chring_node_change arg;
	const char *zone;
	struct chring_event want;
	bool none;
} steps[] = {
	{ CHRING_IOC_NODE_ADD, { .weight = 2, .generation = 5 }, "z",
	  { .added = 1, .nodes = 1, .live = 1, .tokens = 320, .generation = 5,
	    .flags = CHRING_EVENT_TOKENS } },
	{ CHRING_IOC_NODE_SET, { .flags = CHRING_NODE_WEIGHT, .weight = 3 },
	  NULL, { .changed = 1, .nodes = 1, .live = 1, .tokens = 480,
		  .generation = 5, .flags = CHRING_EVENT_TOKENS } },
	{ CHRING_IOC_NODE_SET, { .flags = CHRING_NODE_WEIGHT, .weight = 3 },
	  NULL, {}, true },
	{ CHRING_IOC_NODE_SET, { .flags = CHRING_NODE_STATE,
				 .state = CHRING_STATE_DOWN },
	  NULL, { .flipped = 1, .nodes = 1, .tokens = 480, .generation = 5 } },
	{ CHRING_IOC_NODE_SET, { .flags = CHRING_NODE_STATE,
				 .state = CHRING_STATE_DRAIN },
	  NULL, { .flipped = 1, .nodes = 1, .tokens = 480, .generation = 5 } },
	{ CHRING_IOC_NODE_SET, { .flags = CHRING_NODE_STATE,
				 .state = CHRING_STATE_DRAIN },
	  NULL, {}, true },
	{ CHRING_IOC_NODE_SET, { .flags = CHRING_NODE_COOKIE, .cookie = 9 },
	  NULL, { .changed = 1, .nodes = 1, .tokens = 480, .generation = 5 } },
	{ CHRING_IOC_NODE_SET, { .flags = CHRING_NODE_ZONE },
	  "y", { .changed = 1, .nodes = 1, .tokens = 480, .generation = 5 } },
	{ CHRING_IOC_NODE_SET, { .flags = CHRING_NODE_ZONE }, "y", {}, true },
	{ CHRING_IOC_NODE_SET, { .flags = CHRING_NODE_WEIGHT |
				 CHRING_NODE_STATE, .weight = 1 },
	  NULL, { .changed = 1, .flipped = 1, .nodes = 1, .live = 1,
		  .tokens = 160, .generation = 5,
		  .flags = CHRING_EVENT_TOKENS } },
	{ CHRING_IOC_NODE_SET, { .flags = CHRING_NODE_WEIGHT, .weight = 1,
				 .generation = 6 },
	  NULL, { .nodes = 1, .live = 1, .tokens = 160, .generation = 6 } },
	{ CHRING_IOC_NODE_SET, { .flags = CHRING_NODE_WEIGHT },
	  NULL, { .changed = 1, .nodes = 1, .generation = 6,
		  .flags = CHRING_EVENT_TOKENS } },
	{ CHRING_IOC_NODE_DEL, { .generation = 7 },
	  NULL, { .removed = 1, .generation = 7 } },
};

TEST_F(events, one_record_for_each_change)
{
	struct chring_event got;
	__u64 before, epoch = 1;
	size_t i;

	EXPECT_EQ(-EAGAIN, get_one(self->reader, &got));
	for (i = 0; i < ARRAY_LEN(steps); i++) {
		struct chring_event want = steps[i].want;
		struct chring_node_change arg = steps[i].arg;

		arg.zone = ptr(steps[i].zone);
		arg.zone_len = steps[i].zone ? strlen(steps[i].zone) : 0;
		before = now();
		ASSERT_EQ(0, change(self->fd, steps[i].ioc, &arg));
		if (!steps[i].none) {
			ASSERT_EQ(RECORD, get_one(self->reader, &got)) {
				TH_LOG("step %zu", i);
			}
			EXPECT_LE(before, got.time);
			EXPECT_GE(now(), got.time);
			want.size = RECORD;
			want.type = CHRING_EVENT_CHANGE;
			want.ring = arg.out_ring;
			want.old_epoch = epoch++;
			want.epoch = epoch;
			want.digest = arg.out_digest;
			want.time = got.time;
			EXPECT_EQ(0, memcmp(&want, &got, RECORD)) {
				TH_LOG("step %zu", i);
			}
		}
		EXPECT_EQ(epoch, arg.out_epoch);
		EXPECT_EQ(-EAGAIN, get_one(self->reader, &got));
	}
}

/* What is refused leaves no record either. */
TEST_F(events, none_for_a_failure)
{
	struct chring_node_change arg = { .weight = 1 };
	struct chring_event got;

	ASSERT_EQ(0, node_add(self->fd, "a", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(RECORD, get_one(self->reader, &got));
	EXPECT_EQ(-EEXIST, change(self->fd, CHRING_IOC_NODE_ADD, &arg));
	arg.epoch = 1;
	arg.flags = CHRING_NODE_WEIGHT;
	arg.weight = 2;
	EXPECT_EQ(-ESTALE, change(self->fd, CHRING_IOC_NODE_SET, &arg));
	EXPECT_EQ(-EAGAIN, get_one(self->reader, &got));
	EXPECT_EQ(0, ready(self->reader, 0));
}

/* -- where a descriptor begins */

/* Epoch before the first record that @fd will read, a node being changed. */
static __u64 begins_at(int fd, int changer)
{
	struct chring_event got;

	if (node_set_state(changer, "a", CHRING_STATE_DOWN) ||
	    node_set_state(changer, "a", CHRING_STATE_UP) ||
	    get_one(fd, &got) != RECORD || got.type != CHRING_EVENT_CHANGE)
		return 0;
	return got.old_epoch;
}

static __u64 epoch_of(int fd)
{
	struct listing l;

	return node_list(fd, &l) ? 0 : l.list.out_epoch;
}

TEST_F(events, begin_with_bind)
{
	int fd = dev_open(O_RDONLY | O_NONBLOCK, NULL), bound;
	struct chring_event got;

	ASSERT_EQ(0, node_add(self->fd, "a", 1, CHRING_STATE_UP, NULL));
	bound = dev_open(O_RDONLY | O_NONBLOCK, RING);
	EXPECT_EQ(-EAGAIN, get_one(bound, &got));
	EXPECT_EQ(2, begins_at(bound, self->fd));
	/* Others are where they were. */
	ASSERT_EQ(RECORD, get_one(self->reader, &got));
	EXPECT_EQ(1, got.old_epoch);
	close(bound);
	close(fd);
}

/* The first use of an unbound descriptor takes the ring ``default``. */
TEST_F(events, begin_with_first_use)
{
	int changer = dev_open(O_RDWR, CHRING_DEFAULT_RING), fd, use;
	struct chring_event got;
	__u64 epoch;

	ASSERT_EQ(0, node_add(changer, "a", 1, CHRING_STATE_UP, NULL));
	for (use = 0; use < 3; use++) {
		fd = dev_open(O_RDONLY | O_NONBLOCK, NULL);
		ASSERT_EQ(0, node_set_weight(changer, "a", 2 + use));
		epoch = epoch_of(changer);
		switch (use) {
		case 0:
			EXPECT_EQ(0, ready(fd, 0));
			break;
		case 1:
			EXPECT_EQ(-EAGAIN, get_one(fd, &got));
			break;
		case 2:
			EXPECT_EQ(epoch, epoch_of(fd));
			break;
		}
		EXPECT_EQ(epoch, begins_at(fd, changer));
		close(fd);
	}
	ASSERT_EQ(0, node_del(changer, "a"));
	close(changer);
}

TEST_F(events, rings_do_not_mix)
{
	int other = ring_fresh("events-other", NULL);
	struct chring_event got;

	ASSERT_LE(0, other);
	ASSERT_EQ(0, node_add(other, "a", 1, CHRING_STATE_UP, NULL));
	EXPECT_EQ(0, ready(self->reader, 0));
	EXPECT_EQ(-EAGAIN, get_one(self->reader, &got));
	ASSERT_EQ(0, node_add(self->fd, "b", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, node_add(self->fd, "c", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(RECORD, get_one(other, &got));
	EXPECT_EQ(2, got.epoch);
	EXPECT_EQ(1, got.nodes);
	EXPECT_EQ(0, ready(other, 0));
	ASSERT_EQ(RECORD, get_one(self->reader, &got));
	EXPECT_EQ(1, got.nodes);
	ASSERT_EQ(RECORD, get_one(self->reader, &got));
	EXPECT_EQ(2, got.nodes);
	ASSERT_EQ(0, ring_delete(other, "events-other"));
	EXPECT_EQ(0, ready(self->reader, 0));
	close(other);
}

TEST_F(events, not_open_for_reading)
{
	int fd = dev_open(O_WRONLY, RING);
	struct chring_event got;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, node_add(fd, "a", 1, CHRING_STATE_UP, NULL));
	EXPECT_EQ(-EBADF, get_one(fd, &got));
	close(fd);
}

/* -- buffers */

TEST_F(events, sizes_of_buffers)
{
	char bytes[8 * RECORD];
	const struct chring_event *got = (void *)bytes;

	EXPECT_EQ(-EINVAL, get(self->reader, bytes, 0));
	EXPECT_EQ(-EINVAL, get(self->reader, bytes, RECORD - 1));
	ASSERT_EQ(0, node_add(self->fd, "a", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, touch(self->fd, 9));
	EXPECT_EQ(-EINVAL, get(self->reader, bytes, 0));
	EXPECT_EQ(-EINVAL, get(self->reader, bytes, 1));
	EXPECT_EQ(-EINVAL, get(self->reader, bytes, RECORD - 1));
	EXPECT_EQ(RECORD, get(self->reader, bytes, RECORD));
	EXPECT_EQ(2, got->epoch);
	EXPECT_EQ(RECORD, get(self->reader, bytes, 2 * RECORD - 1));
	EXPECT_EQ(3, got->epoch);
	/* Nothing is written behind the last whole one. */
	memset(bytes, 0xa5, sizeof(bytes));
	EXPECT_EQ(3 * RECORD, get(self->reader, bytes, 4 * RECORD - 1));
	EXPECT_EQ(4, got[0].epoch);
	EXPECT_EQ(6, got[2].epoch);
	EXPECT_EQ('\xa5', bytes[3 * RECORD]);
	EXPECT_EQ('\xa5', bytes[4 * RECORD - 1]);
	EXPECT_EQ(5 * RECORD, get(self->reader, bytes, sizeof(bytes)));
	EXPECT_EQ(7, got[0].epoch);
	EXPECT_EQ(11, got[4].epoch);
	EXPECT_EQ(-EAGAIN, get(self->reader, bytes, sizeof(bytes)));
}

/* What could not be written has not been read. */
TEST_F(events, fault)
{
	struct chring_event got;
	char *page;

	page = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(0, munmap(page + 4096, 4096));
	ASSERT_EQ(0, node_add(self->fd, "a", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, touch(self->fd, 19));
	EXPECT_EQ(-EFAULT, get(self->reader, page + 4096, 2 * RECORD));
	EXPECT_EQ(-EFAULT, get(self->reader, page + 4096 - RECORD + 1,
			       4 * RECORD));
	EXPECT_EQ(RECORD, get_one(self->reader, &got));
	EXPECT_EQ(2, got.epoch);
	/* Ten fit before the hole, more than are copied at once. */
	EXPECT_EQ(10 * RECORD, get(self->reader, page + 4096 - 11 * RECORD + 8,
				   18 * RECORD));
	EXPECT_EQ(RECORD, get_one(self->reader, &got));
	EXPECT_EQ(13, got.epoch);
	munmap(page, 4096);
}

/* -- poll */

TEST_F(events, poll)
{
	struct chring_event got;
	__u64 before;

	EXPECT_EQ(0, ready(self->reader, 0));
	before = now();
	EXPECT_EQ(0, ready(self->reader, 200));
	EXPECT_LE(200 * 1000000ULL, now() - before);
	ASSERT_EQ(0, node_add(self->fd, "a", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, touch(self->fd, 1));
	EXPECT_EQ(IN, ready(self->reader, -1));
	EXPECT_EQ(IN, ready(self->reader, 0));
	ASSERT_EQ(RECORD, get_one(self->reader, &got));
	EXPECT_EQ(IN, ready(self->reader, 0));
	ASSERT_EQ(RECORD, get_one(self->reader, &got));
	EXPECT_EQ(0, ready(self->reader, 0));
	/* A no-op wakes nobody. */
	ASSERT_EQ(0, node_set_weight(self->fd, "a", 1));
	EXPECT_EQ(0, ready(self->reader, 0));
}

TEST_F(events, deleted)
{
	struct chring_event got;
	__u64 held = bytes_settled(self->fd);
	int fd;

	fd = ring_fresh("events-gone", NULL);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, node_add(fd, "a", 1, CHRING_STATE_UP, NULL));
	EXPECT_EQ(IN, ready(fd, 0));
	ASSERT_EQ(0, ring_delete(self->fd, "events-gone"));
	EXPECT_EQ(HUP, ready(fd, 0));
	EXPECT_EQ(-ENODEV, get_one(fd, &got));
	EXPECT_EQ(-EINVAL, get(fd, &got, 0));
	EXPECT_EQ(HUP, ready(fd, -1));
	close(fd);
	EXPECT_TRUE(settles_at(self->fd, held));
}

/* -- sleepers */

/* A child that does something and ends with how it went, as 0 to 255. */
static pid_t child(int (*fn)(int fd), int fd)
{
	pid_t pid = fork();

	if (!pid)
		_exit(fn(fd));
	return pid;
}

/* Is it asleep, this time and soon after? */
static bool sleeps(pid_t pid)
{
	int i, asleep = 0;
	char path[64], state;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	for (i = 0; i < 1000 && asleep < 5; i++) {
		FILE *f = fopen(path, "r");

		usleep(10000);
		if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
			state = '?';
		if (f)
			fclose(f);
		asleep = state == 'S' ? asleep + 1 : 0;
	}
	return asleep == 5;
}

static int ended(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* Return: epoch of the record, or 128 + errno. */
static int sleep_in_read(int fd)
{
	struct chring_event got;
	ssize_t n = get_one(fd, &got);

	if (n < 0)
		return 128 - n;
	return n == RECORD && got.type == CHRING_EVENT_CHANGE ? got.epoch : 0;
}

static int sleep_in_poll(int fd)
{
	int revents = ready(fd, -1);

	return revents == HUP ? 1 : revents == IN ? 2 : 0;
}

TEST_F(events, change_wakes)
{
	int fd = dev_open(O_RDONLY, RING);
	pid_t in_read = child(sleep_in_read, fd);
	pid_t in_poll = child(sleep_in_poll, self->reader);

	ASSERT_TRUE(sleeps(in_read));
	ASSERT_TRUE(sleeps(in_poll));
	ASSERT_EQ(0, node_add(self->fd, "a", 1, CHRING_STATE_UP, NULL));
	EXPECT_EQ(2, ended(in_read));
	EXPECT_EQ(2, ended(in_poll));
	/* What was there before is not waited for. */
	ASSERT_EQ(0, touch(self->fd, 1));
	EXPECT_EQ(3, sleep_in_read(fd));
	close(fd);
}

TEST_F(events, deletion_wakes)
{
	int fd = dev_open(O_RDONLY, RING);
	pid_t in_read = child(sleep_in_read, fd);
	pid_t in_poll = child(sleep_in_poll, self->reader);

	ASSERT_TRUE(sleeps(in_read));
	ASSERT_TRUE(sleeps(in_poll));
	ASSERT_EQ(0, ring_delete(self->fd, RING));
	EXPECT_EQ(128 + ENODEV, ended(in_read));
	EXPECT_EQ(1, ended(in_poll));
	close(fd);
}

static void no_action(int sig)
{
}

static int sleep_until_signal(int fd)
{
	struct sigaction action = { .sa_handler = no_action };

	sigaction(SIGUSR1, &action, NULL);
	return sleep_in_read(fd);
}

static int sleep_over_signal(int fd)
{
	struct sigaction action = {
		.sa_handler = no_action,
		.sa_flags = SA_RESTART,
	};

	sigaction(SIGUSR1, &action, NULL);
	return sleep_in_read(fd);
}

TEST_F(events, signal_ends_the_wait)
{
	int fd = dev_open(O_RDONLY, RING), other = dev_open(O_RDONLY, RING);
	pid_t until = child(sleep_until_signal, fd);
	pid_t over = child(sleep_over_signal, other);

	ASSERT_TRUE(sleeps(until));
	ASSERT_TRUE(sleeps(over));
	ASSERT_EQ(0, kill(until, SIGUSR1));
	ASSERT_EQ(0, kill(over, SIGUSR1));
	EXPECT_EQ(128 + EINTR, ended(until));
	ASSERT_TRUE(sleeps(over));
	ASSERT_EQ(0, node_add(self->fd, "a", 1, CHRING_STATE_UP, NULL));
	EXPECT_EQ(2, ended(over));
	close(other);
	close(fd);
}

/* -- a descriptor that is shared */

/* Who does not want to wait is not kept by one who sleeps on the same. */
TEST_F(events, sleeper_keeps_nobody)
{
	int fd = dev_open(O_RDONLY, RING);
	pid_t pid = child(sleep_in_read, fd);
	struct chring_event got;

	ASSERT_TRUE(sleeps(pid));
	ASSERT_EQ(0, fcntl(fd, F_SETFL, O_NONBLOCK));
	EXPECT_EQ(-EAGAIN, get_one(fd, &got));
	EXPECT_EQ(0, ready(fd, 0));
	ASSERT_EQ(0, node_add(self->fd, "a", 1, CHRING_STATE_UP, NULL));
	EXPECT_EQ(2, ended(pid));
	EXPECT_EQ(-EAGAIN, get_one(fd, &got));
	close(fd);
}

TEST_F(events, dup_shares)
{
	int other = dup(self->reader);
	struct chring_event got;

	ASSERT_EQ(0, node_add(self->fd, "a", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, touch(self->fd, 2));
	ASSERT_EQ(RECORD, get_one(other, &got));
	EXPECT_EQ(2, got.epoch);
	ASSERT_EQ(RECORD, get_one(self->reader, &got));
	EXPECT_EQ(3, got.epoch);
	ASSERT_EQ(RECORD, get_one(other, &got));
	EXPECT_EQ(4, got.epoch);
	EXPECT_EQ(0, ready(self->reader, 0));
	close(other);
}

#define SHARERS	4

/* Shared memory of the tests with several processes. */
static void *shared(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* By epoch: how many got the record. */
static unsigned int *takers;

/* Return: 0 if epochs only rose, until the ring went. */
static int take_records(int fd)
{
	struct chring_event got[3];
	__u64 last = 0;
	ssize_t n;
	int i;

	while ((n = get(fd, got, sizeof(got))) > 0)
		for (i = 0; i < n / (ssize_t)RECORD; i++) {
			if (got[i].type != CHRING_EVENT_CHANGE ||
			    got[i].epoch <= last)
				return 1;
			last = got[i].epoch;
			__atomic_add_fetch(&takers[last], 1, __ATOMIC_RELAXED);
		}
	return n == -ENODEV ? 0 : 2;
}

TEST_F(events, each_record_to_one_of_those_who_share)
{
	int fd = dev_open(O_RDONLY, RING), i;
	pid_t pid[SHARERS];

	takers = shared((KEPT + 1) * sizeof(*takers));
	ASSERT_NE(NULL, takers);
	for (i = 0; i < SHARERS; i++)
		pid[i] = child(take_records, fd);
	ASSERT_EQ(0, node_add(self->fd, "a", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, touch(self->fd, KEPT - 2));
	while (ready(fd, 0) == IN)
		usleep(1000);
	ASSERT_EQ(0, ring_delete(self->fd, RING));
	for (i = 0; i < SHARERS; i++)
		EXPECT_EQ(0, ended(pid[i]));
	for (i = 2; i <= KEPT; i++)
		EXPECT_EQ(1, takers[i]);
	close(fd);
}

/* -- who comes too late */

/* The log, to which @changes were made, is read from @fd one by one. */
static bool reads_rest(int fd, __u64 old_epoch, __u64 epoch)
{
	struct chring_event got;

	while (get_one(fd, &got) == RECORD) {
		if (got.type != CHRING_EVENT_CHANGE ||
		    got.old_epoch != old_epoch || got.epoch != ++old_epoch)
			return false;
	}
	return errno == EAGAIN && old_epoch == epoch;
}

TEST_F(events, as_many_as_are_kept)
{
	struct chring_event got;

	ASSERT_EQ(0, node_add(self->fd, "a", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, touch(self->fd, KEPT - 1));
	EXPECT_TRUE(reads_rest(self->reader, 1, KEPT + 1));
	ASSERT_EQ(0, node_set_weight(self->fd, "a", 3));
	ASSERT_EQ(RECORD, get_one(self->reader, &got));
	EXPECT_EQ(KEPT + 2, got.epoch);
}

/* Readers that fall behind by more and more, while the same changes come. */
TEST_F(events, lost_are_counted)
{
	static const int late[] = { 1500, 1025, 1024, 1023, 2, 1, 0 };
	int reader[ARRAY_LEN(late)];
	struct chring_event got, want = {
		.size = RECORD,
		.type = CHRING_EVENT_LOST,
	};
	__u64 first;
	size_t i;

	ASSERT_EQ(0, node_add(self->fd, "a", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(RECORD, get_one(self->reader, &got));
	want.ring = got.ring;
	first = got.epoch;
	for (i = 0; i < ARRAY_LEN(late); i++) {
		reader[i] = dev_open(O_RDONLY | O_NONBLOCK, RING);
		ASSERT_LE(0, reader[i]);
		ASSERT_EQ(0, touch(self->fd, i + 1 < ARRAY_LEN(late) ?
				   late[i] - late[i + 1] : KEPT));
	}
	want.epoch = first + late[0];
	for (i = 0; i < ARRAY_LEN(late); i++) {
		want.old_epoch = want.epoch - late[i];
		want.lost = late[i];
		EXPECT_EQ(IN, ready(reader[i], 0));
		if (late[i]) {
			ASSERT_EQ(RECORD, get_one(reader[i], &got));
			EXPECT_EQ(0, memcmp(&want, &got, RECORD)) {
				TH_LOG("%llu lost, not %d", got.lost, late[i]);
			}
		}
		EXPECT_TRUE(reads_rest(reader[i], want.epoch,
				       want.epoch + KEPT));
		close(reader[i]);
	}
}

/* Loss goes on while it is told of, and what fits in is behind it. */
TEST_F(events, lost_and_lost_again)
{
	struct chring_event got[3];

	ASSERT_EQ(0, node_add(self->fd, "a", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, touch(self->fd, KEPT + 9));
	ASSERT_EQ(RECORD, get_one(self->reader, got));
	EXPECT_EQ(10, got[0].lost);
	ASSERT_EQ(0, node_set_weight(self->fd, "a", 2));
	ASSERT_EQ(0, node_set_weight(self->fd, "a", 3));
	ASSERT_EQ(3 * RECORD, get(self->reader, got, sizeof(got)));
	EXPECT_EQ(CHRING_EVENT_LOST, got[0].type);
	EXPECT_EQ(2, got[0].lost);
	EXPECT_EQ(11, got[0].old_epoch);
	EXPECT_EQ(13, got[0].epoch);
	EXPECT_EQ(CHRING_EVENT_CHANGE, got[1].type);
	EXPECT_EQ(13, got[1].old_epoch);
	EXPECT_EQ(14, got[1].epoch);
	EXPECT_EQ(15, got[2].epoch);
}

/* The log is part of the ring's memory, and grows as it is filled. */
TEST_F(events, log_is_counted)
{
	struct chring_stats stats = { .size = sizeof(stats) };
	__u64 held, bytes, first;

	ASSERT_EQ(0, node_add(self->fd, "a", 1, CHRING_STATE_UP, NULL));
	held = bytes_settled(self->fd);
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_STATS, &stats));
	first = bytes = stats.out_bytes;
	ASSERT_EQ(0, touch(self->fd, 15));
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_STATS, &stats));
	EXPECT_EQ(bytes, stats.out_bytes);
	ASSERT_EQ(0, touch(self->fd, 2));
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_STATS, &stats));
	EXPECT_LT(bytes, stats.out_bytes);
	EXPECT_TRUE(settles_at(self->fd, held + stats.out_bytes - bytes));
	ASSERT_EQ(0, touch(self->fd, KEPT));
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_STATS, &stats));
	bytes = stats.out_bytes;
	EXPECT_TRUE(settles_at(self->fd, held + bytes - first));
	ASSERT_EQ(0, touch(self->fd, KEPT));
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_STATS, &stats));
	EXPECT_EQ(bytes, stats.out_bytes);
}

/* -- list and records make the whole of it */

#define NODES		16

/* However few: more than are kept, for who is slow, and then as many as that. */
static __u32 epochs(void)
{
	__u32 n = scaled(20000);

	return n < 2000 ? 2000 : n;
}

/**
 * struct state - what a record says of an epoch, and a list
 * @digest: of the ring
 * @tokens: of all nodes
 * @nodes: all of them
 */
struct state {
	__u64 digest;
	__u64 tokens;
	__u32 nodes;
};

/* By epoch, written by the writer before it goes on. */
static struct state *truth;

static int random_change(int fd, int i, struct state *s, __u64 *epoch)
{
	static __u32 weight[NODES];	/* 0: not there */
	int n = random() % NODES, w = 1 + random() % 3;
	struct chring_node_change arg = {
		.size = sizeof(arg),
		.name = ptr(&"ABCDEFGHIJKLMNOP"[n]),
		.name_len = 1,
	};
	unsigned long ioc;
	int ret;

	if (!weight[n]) {
		ioc = CHRING_IOC_NODE_ADD;
		arg.weight = w;
	} else if (i % 4) {
		ioc = CHRING_IOC_NODE_SET;
		arg.flags = CHRING_NODE_WEIGHT | CHRING_NODE_COOKIE;
		arg.weight = w;
		arg.cookie = i;
	} else {
		ioc = CHRING_IOC_NODE_DEL;
		w = 0;
	}
	ret = chr(fd, ioc, &arg);
	s->tokens += 160 * (w - (int)weight[n]);
	s->nodes += !!w - !!weight[n];
	s->digest = arg.out_digest;
	*epoch = arg.out_epoch;
	weight[n] = w;
	return ret;
}

static int write_epochs(int fd)
{
	struct state s = {};
	__u64 epoch = 1;
	int i;

	srandom(1);
	for (i = 2; epoch < epochs(); i++) {
		if (random_change(fd, i, &s, &epoch) || epoch != i)
			return 1;
		truth[epoch].tokens = s.tokens;
		truth[epoch].nodes = s.nodes;
		/* Last: it says that the rest is there. */
		__atomic_store_n(&truth[epoch].digest, s.digest,
				 __ATOMIC_RELEASE);
	}
	return 0;
}

/**
 * struct follower - a copy of a ring
 * @fd: followed
 * @epoch: of @is
 * @is: by the list, then by records
 * @records: that were taken in
 * @losses: how often it had to begin again
 */
struct follower {
	int fd;
	__u64 epoch;
	struct state is;
	unsigned long records, losses;
};

static int begin(struct follower *f)
{
	struct listing l;
	__u32 i;

	if (node_list(f->fd, &l))
		return -1;
	f->epoch = l.list.out_epoch;
	f->is = (struct state){
		.digest = l.list.out_digest,
		.nodes = l.list.out_count,
	};
	for (i = 0; i < f->is.nodes; i++)
		f->is.tokens += l.entry[i].tokens;
	free(l.entry);
	free(l.strings);
	return 0;
}

/* Return: -1 if there is a gap between this record and what was before. */
static int take(struct follower *f, const struct chring_event *e)
{
	if (e->type == CHRING_EVENT_LOST) {
		f->losses++;
		return begin(f);
	}
	if (e->epoch <= f->epoch)
		return 0;
	if (e->old_epoch != f->epoch ||
	    e->nodes != f->is.nodes + e->added - e->removed ||
	    (e->tokens != f->is.tokens && !(e->flags & CHRING_EVENT_TOKENS)))
		return -1;
	f->records++;
	f->epoch = e->epoch;
	f->is = (struct state){
		.digest = e->digest,
		.tokens = e->tokens,
		.nodes = e->nodes,
	};
	return 0;
}

static bool is_true(const struct follower *f)
{
	const struct state *t = &truth[f->epoch];

	if (f->epoch == 1)
		return !f->is.nodes;
	/* The writer may not have noted the newest yet. */
	while (!__atomic_load_n(&t->digest, __ATOMIC_ACQUIRE))
		usleep(100);
	return t->digest == f->is.digest && t->tokens == f->is.tokens &&
	       t->nodes == f->is.nodes;
}

/* Slow: until too much has happened, then all at once. */
static void dawdle(struct follower *f)
{
	__u64 was = epoch_of(f->fd), is;

	do {
		usleep(1000);
		is = epoch_of(f->fd);
	} while (is < epochs() && is < was + KEPT + 100);
}

TEST_F(events, list_and_records_have_no_gap)
{
	struct follower f = { .fd = dev_open(O_RDONLY, RING) };
	struct chring_event got[100];
	int i, n, round = 0;
	pid_t pid;

	truth = shared((epochs() + 1) * sizeof(*truth));
	ASSERT_NE(NULL, truth);
	ASSERT_EQ(0, begin(&f));
	pid = child(write_epochs, self->fd);
	while (f.epoch < epochs()) {
		if (round++ % 256 == 0)
			dawdle(&f);
		n = get(f.fd, got, sizeof(got));
		ASSERT_LT(0, n);
		for (i = 0; i < n / (int)RECORD; i++) {
			ASSERT_EQ(0, take(&f, &got[i])) {
				TH_LOG("epoch %llu after %llu", got[i].epoch,
				       f.epoch);
			}
			ASSERT_TRUE(is_true(&f)) {
				TH_LOG("at epoch %llu", f.epoch);
			}
		}
	}
	EXPECT_EQ(0, ended(pid));
	EXPECT_EQ(epochs(), f.epoch);
	note("%lu records, began again %lu times", f.records, f.losses);
	EXPECT_LT(KEPT / 4, f.records);
	EXPECT_LT(0, f.losses);
	close(f.fd);
}

TEST_HARNESS_MAIN
