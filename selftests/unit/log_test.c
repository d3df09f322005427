// SPDX-License-Identifier: GPL-2.0
/* The log of a ring: what it says, how it grows, and what it forgets. */
#include <stdlib.h>

#include "core/config.h"
#include "faults.h"
#include "rig.h"
#include "rng.h"
#include "tap.h"

#define EPOCHS	(3 * CHRING_LOG_MAX)

static const struct model_node first = {
	.name = "first", .name_len = 5, .weight = 1,
};

static void open_ring(struct rig *rig)
{
	struct chring_config config = { .vnodes = 3 };

	NEED(!chring_config_resolve(&config));
	rig_open(rig, &config);
}

static struct chring_log *log_of(const struct rig *rig)
{
	return &rig->ring->log;
}

static u64 epoch_of(const struct rig *rig)
{
	return rig_view(rig)->epoch;
}

/* A change that needs neither a table nor a roster. */
static int flip(struct rig *rig)
{
	struct model_node want = rig->model.node[0];

	want.state = (want.state + 1) % 3;
	return rig_set(rig, 0, CHRING_NODE_STATE, &want);
}

/* As many records as are asked for, the first of them a node that comes. */
static void fill(struct rig *rig, u64 epoch)
{
	if (epoch_of(rig) == 1)
		NEED(!rig_add(rig, &first));
	while (epoch_of(rig) < epoch)
		NEED(!flip(rig));
}

/* -- what records say */

static struct chring_change change_of(const struct rig *rig)
{
	const struct chring_view *v = rig_view(rig);

	return (struct chring_change){
		.generation = v->generation,
		.digest = v->digest,
		.tokens = v->table->count,
		.nodes = v->nodes,
		.live = v->live,
	};
}

static void check_change(const struct chring_change *is,
			 const struct chring_change *was,
			 const struct chring_change *want)
{
	CHECK(is->generation == want->generation);
	CHECK(is->digest == want->digest);
	CHECK(is->tokens == want->tokens);
	CHECK(is->nodes == want->nodes);
	CHECK(is->live == want->live);
	CHECK(is->time);
	CHECK(is->nodes == was->nodes + is->added - is->removed);
	CHECK(is->added + is->removed <= 1);
	CHECK(is->added + is->removed == 0 || !(is->changed + is->flipped));
	CHECK(is->tokens == was->tokens || is->flags == CHRING_EVENT_TOKENS);
}

/* All that is in the log after an epoch, held against what was, by epoch. */
static u64 follow(struct rig *rig, u64 after, const struct chring_change *want)
{
	struct chring_change is[7];
	int i, n;

	do {
		u64 from = after;

		n = chring_log_read(log_of(rig), &from, is,
				    1 + rng_below(7));
		NEED(n >= 0);
		/* Lost is what is older than the last of them, and no more. */
		CHECK(from == max(after, epoch_of(rig) <= CHRING_LOG_MAX ? 1 :
					 epoch_of(rig) - CHRING_LOG_MAX));
		for (after = from, i = 0; i < n; i++, after++)
			check_change(&is[i], &want[after], &want[after + 1]);
	} while (n);
	CHECK(after == epoch_of(rig));
	return after;
}

static void test_random_changes(void)
{
	struct chring_change *want = calloc(EPOCHS + 2, sizeof(*want));
	u64 slow = 1, fast = 1;
	struct rig rig;

	NEED(want);
	open_ring(&rig);
	while (epoch_of(&rig) < EPOCHS) {
		rig.rq.generation += rng_once_in(8);
		rig_random_change(&rig);
		want[epoch_of(&rig)] = change_of(&rig);
		if (rng_once_in(20))
			fast = follow(&rig, fast, want);
		if (rng_once_in(1200))
			slow = follow(&rig, slow, want);
	}
	follow(&rig, fast, want);
	follow(&rig, slow, want);
	follow(&rig, 1, want);
	rig_close(&rig);
	free(want);
}

/* One of each kind is counted as what it is. */
static void test_counts(void)
{
	struct chring_change is;
	struct rig rig;
	u64 after = 1;

#define NEXT() do {							\
	CHECK(chring_log_read(log_of(&rig), &after, &is, 1) == 1);	\
	after++;							\
} while (0)
#define COUNTED(a, r, c, f)						\
	CHECK(is.added == (a) && is.removed == (r) &&			\
	      is.changed == (c) && is.flipped == (f))

	struct model_node want = first;

	open_ring(&rig);
	rig_add(&rig, &first);
	NEXT();
	COUNTED(1, 0, 0, 0);
	want.weight = 2;
	want.state = CHRING_STATE_DOWN;
	want.cookie = 3;
	rig_set(&rig, 0, CHRING_NODE_WEIGHT, &want);
	NEXT();
	COUNTED(0, 0, 1, 0);
	rig_set(&rig, 0, CHRING_NODE_COOKIE | CHRING_NODE_STATE, &want);
	NEXT();
	COUNTED(0, 0, 1, 1);
	want.state = CHRING_STATE_DRAIN;
	rig_set(&rig, 0, CHRING_NODE_STATE, &want);
	NEXT();
	COUNTED(0, 0, 0, 1);
	rig.rq.generation = 1;
	rig_set(&rig, 0, CHRING_NODE_STATE, &want);
	NEXT();
	COUNTED(0, 0, 0, 0);
	rig_set(&rig, 0, CHRING_NODE_STATE, &want);
	CHECK(chring_log_read(log_of(&rig), &after, &is, 1) == 0);
	rig_del(&rig, 0);
	NEXT();
	COUNTED(0, 1, 0, 0);
	rig_close(&rig);
}

/* -- growth */

/* Return: allocations that a flip makes, each of which has failed. */
static u32 fail_flip(struct rig *rig)
{
	struct chring_log was = *log_of(rig);
	const struct chring_log *is = log_of(rig);
	size_t bytes;
	u32 k;

	for (k = 0; ; k++) {
		chring_retire_wait();
		bytes = chring_platform_bytes();
		faults_alloc(k, -ENOMEM);
		flip(rig);
		if (!faults_clear())
			return k;
		CHECK(rig->ret == -ENOMEM);
		CHECK(chring_platform_bytes() == bytes);
		CHECK(is->epoch == was.epoch && is->count == was.count);
		CHECK(is->space.change == was.space.change);
		CHECK(is->wait.wakes == was.wait.wakes);
	}
}

/* Where it doubles one allocation more can fail, and changes nothing. */
static void test_growth_fails(void)
{
	const size_t record = sizeof(struct chring_change);
	struct rig rig;
	u32 room, usual;

	open_ring(&rig);
	CHECK(!chring_log_bytes(log_of(&rig)));
	fill(&rig, 3);
	usual = fail_flip(&rig);
	CHECK(usual);
	for (room = CHRING_LOG_MIN; room < CHRING_LOG_MAX; room *= 2) {
		fill(&rig, room);
		CHECK(fail_flip(&rig) == usual);
		CHECK(chring_log_bytes(log_of(&rig)) == room * record);
		CHECK(fail_flip(&rig) == usual + 1);
		CHECK(chring_log_bytes(log_of(&rig)) == 2 * room * record);
	}
	fill(&rig, CHRING_LOG_MAX + 1);
	CHECK(fail_flip(&rig) == usual);
	CHECK(chring_log_bytes(log_of(&rig)) == CHRING_LOG_MAX * record);
	rig_close(&rig);
}

/* Growth that is not wanted in the end: the answer cannot be taken. */
static int answer_fails(struct chring_request *rq)
{
	(void)rq;
	return -EFAULT;
}

static void test_growth_given_back(void)
{
	struct rig rig;
	size_t bytes;

	open_ring(&rig);
	fill(&rig, CHRING_LOG_MIN + 1);
	chring_retire_wait();
	bytes = chring_platform_bytes();
	rig.rq.answer = answer_fails;
	CHECK(flip(&rig) == -EFAULT);
	CHECK(chring_platform_bytes() == bytes);
	rig.rq.answer = NULL;
	CHECK(!flip(&rig));
	chring_retire_wait();
	CHECK(chring_platform_bytes() ==
	      bytes + CHRING_LOG_MIN * sizeof(struct chring_change));
	rig_close(&rig);
}

/* -- the end */

static void test_closed(void)
{
	struct chring_change change;
	struct chring_ring *ring;
	unsigned long wakes;
	struct rig rig;
	u64 after = 1;

	open_ring(&rig);
	ring = chring_ring_get(rig.ring);
	fill(&rig, 20);
	CHECK(ring->log.wait.wakes == 19);
	wakes = ring->log.wait.wakes;
	CHECK(chring_log_read(&ring->log, &after, &change, 1) == 1);
	rig_close(&rig);
	CHECK(ring->log.wait.wakes == wakes + 1);
	CHECK(chring_log_closed(&ring->log));
	CHECK(chring_log_read(&ring->log, &after, &change, 1) == -ENODEV);
	/* Who still holds the ring holds no log. */
	chring_retire_wait();
	CHECK(chring_platform_bytes() == sizeof(*ring));
	chring_ring_put(ring);
}

static const struct tap_test tests[] = {
	{ "random_changes", test_random_changes },
	{ "counts", test_counts },
	{ "growth_fails", test_growth_fails },
	{ "growth_given_back", test_growth_given_back },
	{ "closed", test_closed },
};

int main(void)
{
	int status;

	faults_init();
	chring_sync_init();
	rng_init();
	status = tap_run(tests, sizeof(tests) / sizeof(*tests),
			 rig_check_memory);
	chring_sync_exit();
	return status;
}
