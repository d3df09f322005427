// SPDX-License-Identifier: GPL-2.0
/*
 * Status pages read by processes as fast as they can, while a writer changes
 * the ring so that all words follow from the epoch: what is read must be of one
 * epoch, and in order with what commands answer.
 */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "kselftest_harness.h"
#include "libstatus.h"

#define RING		"status-test"
#define WORDS		3
#define NODES		(WORDS * 64)
#define ZONES		5
#define NAME		4	/* bytes of one, and of a zone */
#define FIRST		4	/* epoch from which on words are known */
#define CYCLE		8	/* epochs after which the ring is as before */
#define READERS		4	/* every second one gives commands too */
#define EPOCHS		5000
#define SEEN_MIN	500	/* epochs, by each reader */
#define SECONDS_MAX	400

/* -- a ring that is known by its epoch */

/**
 * struct writer - who changes the ring
 * @fd: of the ring
 * @epoch: of the ring
 * @member: its nodes
 * @strings: names and zones of these
 */
struct writer {
	int fd;
	__u64 epoch;
	struct chring_member member[NODES];
	char strings[(NODES + ZONES) * NAME + 1];
};

static void writer_init(struct writer *w, int fd)
{
	int i;

	*w = (struct writer){ .fd = fd, .epoch = 1 };
	for (i = 0; i < NODES + ZONES; i++)
		sprintf(w->strings + i * NAME, "n%03d", i);
	for (i = 0; i < NODES; i++)
		w->member[i] = (struct chring_member){
			.weight = 1,
			.name_off = i * NAME,
			.name_len = NAME,
			.zone_off = (NODES + i % ZONES) * NAME,
			.zone_len = NAME,
		};
}

/*
 * All nodes are out of service at odd epochs and in service at even ones, so
 * that every bit is another one each time. The last one has another cookie at
 * every second epoch, the first one another weight at every fourth.
 */
static int write_epoch(struct writer *w)
{
	__u64 epoch = w->epoch + 1;
	int i, ret;

	for (i = 0; i < NODES; i++)
		w->member[i].state = epoch % 2 ? 1 + i % 2 : 0;
	w->member[NODES - 1].cookie = epoch / 2 % 2;
	w->member[0].weight = 1 + epoch / 4 % 2;
	ret = commit(w->fd, w->member, NODES, w->strings,
		     sizeof(w->strings) - 1, 0);
	w->epoch += !ret;
	return ret;
}

static int write_epochs(struct writer *w, __u64 count)
{
	int ret = 0;

	while (count-- && !ret)
		ret = write_epoch(w);
	return ret;
}

static bool is_true(const struct chring_status *s)
{
	bool in_service = s->epoch % 2 == 0;
	int i;

	for (i = 0; i < WORDS; i++)
		if (s->out[i] != (in_service ? 0 : ~0ULL))
			return false;
	return s->epoch >= FIRST && !s->flags &&
	       s->size == sizeof(*s) &&
	       s->table_epoch == s->epoch - s->epoch % 4 &&
	       s->nodes_epoch == s->epoch - s->epoch % 2 &&
	       s->live == (in_service ? NODES : 0) &&
	       s->zones == (in_service ? ZONES : 0);
}

FIXTURE(order)
{
	int fd;
	const struct chring_status *s;
	struct writer w;
};

FIXTURE_SETUP(order)
{
	struct chring_config config = { .vnodes = 4 };

	self->fd = ring_fresh(RING, &config);
	ASSERT_LE(0, self->fd);
	self->s = status_map(self->fd);
	ASSERT_NE(NULL, self->s);
	writer_init(&self->w, self->fd);
	ASSERT_EQ(0, write_epochs(&self->w, FIRST - 1));
	ASSERT_TRUE(is_true(self->s));
}

FIXTURE_TEARDOWN(order)
{
	status_unmap(self->s);
	ring_delete(self->fd, RING);
	close(self->fd);
}

/* -- readers beside the writer */

/**
 * struct reader - a process
 * @asks: gives commands between its readings
 * @readings: that it has made
 * @again: tries that were not of one epoch
 * @epochs: of which it has read something
 * @last: epoch of the last reading
 * @wrong: readings that were not of one epoch after all
 * @backward: readings after one of a later epoch
 * @late: readings of an epoch before that of an answer that was there already
 * @early: readings of an epoch that a command did not answer for yet
 */
struct reader {
	bool asks;
	unsigned long readings, again, epochs;
	__u64 last;
	unsigned long wrong, backward, late, early;
};

/* Of the parent and its readers. */
struct scene {
	int stop;
	struct reader reader[READERS];
};

static __u64 asked_epoch(int fd, __u64 position)
{
	struct chring_lookup out;
	struct chring_owner owner;
	int ret = lookup_position(fd, position, &out, &owner);

	return ret && ret != -EHOSTUNREACH ? 0 : out.out_epoch;
}

static void take(struct reader *r, const struct chring_status *got)
{
	r->wrong += !is_true(got);
	r->backward += got->epoch < r->last;
	r->epochs += got->epoch != r->last;
	r->last = got->epoch;
	__atomic_add_fetch(&r->readings, 1, __ATOMIC_RELAXED);
}

static void read_and_ask(struct reader *r, int fd,
			 const struct chring_status *s,
			 struct chring_status *got)
{
	__u64 asked = asked_epoch(fd, r->readings), then;

	r->again += status_read(s, got, WORDS);
	then = asked_epoch(fd, r->readings);
	r->late += !asked || got->epoch < asked;
	r->early += !then || then < got->epoch;
}

static int reader_main(struct scene *scene, struct reader *r)
{
	int fd = dev_open(O_RDONLY, RING);
	const struct chring_status *s = status_map(fd);
	struct chring_status got = {};

	if (!s)
		return 1;
	while (!__atomic_load_n(&scene->stop, __ATOMIC_RELAXED)) {
		if (r->asks)
			read_and_ask(r, fd, s, &got);
		else
			r->again += status_read(s, &got, WORDS);
		take(r, &got);
	}
	return 0;
}

static pid_t reader_start(struct scene *scene, int i)
{
	struct reader *r = &scene->reader[i];
	pid_t pid;

	r->asks = i % 2;
	pid = fork();
	if (!pid)
		_exit(reader_main(scene, r));
	return pid;
}

static bool enough(const struct scene *scene, __u64 epoch)
{
	int i;

	for (i = 0; i < READERS; i++)
		if (__atomic_load_n(&scene->reader[i].epochs,
				    __ATOMIC_RELAXED) < scaled(SEEN_MIN))
			return false;
	return epoch >= scaled(EPOCHS);
}

static time_t seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

TEST_F_TIMEOUT(order, readers_beside_a_writer, 600)
{
	struct scene *scene = shared(sizeof(*scene));
	time_t end = seconds() + SECONDS_MAX;
	unsigned long again = 0;
	pid_t pid[READERS];
	int i;

	ASSERT_NE(NULL, scene);
	for (i = 0; i < READERS; i++)
		pid[i] = reader_start(scene, i);
	while (!enough(scene, self->w.epoch) && seconds() < end)
		ASSERT_EQ(0, write_epoch(&self->w));
	__atomic_store_n(&scene->stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < READERS; i++) {
		const struct reader *r = &scene->reader[i];

		ASSERT_EQ(0, ended(pid[i]));
		note("%lu readings%s of %lu of %llu epochs, %lu times again",
		     r->readings, r->asks ? " and commands" : "", r->epochs,
		     (unsigned long long)self->w.epoch, r->again);
		EXPECT_EQ(0, r->wrong);
		EXPECT_EQ(0, r->backward);
		EXPECT_EQ(0, r->late);
		EXPECT_EQ(0, r->early);
		EXPECT_LE(scaled(SEEN_MIN), r->epochs);
		again += r->again;
	}
	/* Changes were met in their middle. */
	EXPECT_LT(0, again);
}

/* -- a reader that does not get on */

/* Reads all of it with a stop in the middle. Return: 0: as it should be. */
static int read_and_stop(const struct chring_status *s, const __u64 *last)
{
	struct chring_status got = {};
	__u64 sequence = __atomic_load_n(&s->sequence, __ATOMIC_ACQUIRE);
	__u64 epoch = __atomic_load_n(&s->epoch, __ATOMIC_ACQUIRE);

	if (sequence % 2 || epoch == *last)
		return 1;
	raise(SIGSTOP);
	/* What it has of before is of no use, and it is told so. */
	if (__atomic_load_n(&s->sequence, __ATOMIC_ACQUIRE) == sequence)
		return 2;
	status_read(s, &got, WORDS);
	return is_true(&got) && got.epoch == *last ? 0 : 3;
}

TEST_F_TIMEOUT(order, stopped_reader_holds_nothing, 600)
{
	const __u64 changes = scaled(10000) / CYCLE * CYCLE;
	__u64 *last = shared(sizeof(*last)), held;
	int status;
	pid_t pid;

	ASSERT_NE(NULL, last);
	/* A log that is full has grown as far as it does. */
	ASSERT_EQ(0, write_epochs(&self->w, CHRING_EVENTS_KEPT));
	held = bytes_settled(self->fd);
	pid = fork();
	if (!pid)
		_exit(read_and_stop(self->s, last));
	ASSERT_EQ(pid, waitpid(pid, &status, WUNTRACED));
	ASSERT_TRUE(WIFSTOPPED(status));
	ASSERT_EQ(0, write_epochs(&self->w, changes));
	note("%llu bytes before and %llu after %llu changes",
	     (unsigned long long)held,
	     (unsigned long long)bytes_settled(self->fd),
	     (unsigned long long)changes);
	EXPECT_EQ(held, bytes_settled(self->fd));
	*last = self->w.epoch;
	ASSERT_EQ(0, kill(pid, SIGCONT));
	EXPECT_EQ(0, ended(pid));
}

TEST_HARNESS_MAIN
