// SPDX-License-Identifier: GPL-2.0
/*
 * The status of a ring: read after each change, after each single store of a
 * change, and beside a writer. What it must say is worked out from the model
 * by the rules of the header.
 */
#include <sched.h>
#include <stdlib.h>

#include "core/config.h"
#include "faults.h"
#include "rig.h"
#include "rng.h"
#include "status.h"
#include "tap.h"

#define NODES_MIN	100
#define NODES_MAX	180
/* Slots of that many nodes, never more: the first free one is taken. */
#define WORDS		3
#define READERS		3
#define EPOCHS		3000

/**
 * struct told - what a status says
 * @epoch: and the others as in struct chring_status
 * @has: bits that mean something; of the truth alone
 */
struct told {
	u64 epoch;
	u64 table_epoch;
	u64 nodes_epoch;
	u32 live;
	u32 zones;
	u32 flags;
	u64 out[WORDS];
	u64 has[WORDS];
};

#define acquire(word)	__atomic_load_n(&(word), __ATOMIC_ACQUIRE)

/* One try by the rule of the header. Return: is it of one epoch? */
static bool told_try(const struct chring_status *s, struct told *t)
{
	u64 sequence = acquire(s->sequence);
	u32 i;

	if (sequence % 2)
		return false;
	*t = (struct told){
		.epoch = acquire(s->epoch),
		.table_epoch = acquire(s->table_epoch),
		.nodes_epoch = acquire(s->nodes_epoch),
		.live = acquire(s->live),
		.zones = acquire(s->zones),
		.flags = acquire(s->flags),
	};
	for (i = 0; i < WORDS; i++)
		t->out[i] = acquire(s->out[i]);
	return acquire(s->sequence) == sequence;
}

static bool told_same(const struct told *a, const struct told *b)
{
	return a->epoch == b->epoch && a->table_epoch == b->table_epoch &&
	       a->nodes_epoch == b->nodes_epoch && a->live == b->live &&
	       a->zones == b->zones && a->flags == b->flags &&
	       !memcmp(a->out, b->out, sizeof(a->out));
}

static bool told_true(const struct told *t, const struct told *truth)
{
	struct told masked = *t;
	u32 i;

	for (i = 0; i < WORDS; i++)
		masked.out[i] &= truth->has[i];
	return told_same(&masked, truth);
}

/* -- the truth */

static bool serves(const struct model *m, u32 i)
{
	return m->node[i].state == CHRING_STATE_UP &&
	       model_token_count(&m->config, m->node[i].weight);
}

static bool same_zone(const struct model_node *a, const struct model_node *b)
{
	return a->zone_len == b->zone_len &&
	       !memcmp(a->zone, b->zone, a->zone_len);
}

static u32 count_zones(const struct model *m)
{
	u32 zones = 0, i, k;

	for (i = 0; i < m->nodes; i++) {
		if (!serves(m, i))
			continue;
		for (k = 0; k < i; k++)
			if (serves(m, k) &&
			    same_zone(&m->node[i], &m->node[k]))
				break;
		zones += k == i;
	}
	return zones;
}

/* Of all nodes in any order, and all of them but their states. */
static u64 nodes_sum(const struct model *m)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < m->nodes; i++) {
		const struct model_node *n = &m->node[i];
		const u64 rest[] = { n->id, n->cookie, n->weight };

		sum += xxh64(rest, sizeof(rest),
			     xxh64(n->zone, n->zone_len, 0));
	}
	return sum;
}

/**
 * struct scene - a ring that shows its status, and the truth of it
 * @rig: ring and model
 * @s: its status
 * @now: what it must say
 * @tokens: of the model at @now; one node changes at a time, so that other
 *	tokens are another number of them
 * @sum: of the nodes at @now
 */
struct scene {
	struct rig rig;
	const struct chring_status *s;
	struct told now;
	u32 tokens;
	u64 sum;
};

static void set_bits(struct scene *s)
{
	const struct chring_roster *r = rig_view(&s->rig)->roster;
	u32 i;

	memset(s->now.out, 0, sizeof(s->now.out));
	memset(s->now.has, 0, sizeof(s->now.has));
	for (i = 0; i < r->count; i++) {
		u32 slot = r->order[i];
		const struct model_node *n =
			&s->rig.model.node[rig_node_of(&s->rig, slot)];

		NEED(slot < 64 * WORDS);
		s->now.has[slot / 64] |= 1ULL << slot % 64;
		if (n->state != CHRING_STATE_UP)
			s->now.out[slot / 64] |= 1ULL << slot % 64;
	}
}

/* After a change that made an epoch. */
static void move_on(struct scene *s)
{
	const struct model *m = &s->rig.model;
	u64 sum = nodes_sum(m);

	s->now.epoch++;
	CHECK(rig_view(&s->rig)->epoch == s->now.epoch);
	if (m->tokens != s->tokens)
		s->now.table_epoch = s->now.epoch;
	if (sum != s->sum)
		s->now.nodes_epoch = s->now.epoch;
	s->now.live = model_live(m);
	s->now.zones = count_zones(m);
	set_bits(s);
	s->tokens = m->tokens;
	s->sum = sum;
}

static void pin_or_unpin(struct rig *rig)
{
	rig->ret = chring_ring_pin(rig->ring, &rig->rq);
	if (rig->ret == -EBUSY)
		rig->ret = chring_ring_unpin(rig->ring, &rig->rq);
	CHECK(!rig->ret);
}

/* Something, which may be nothing. Return: has it made an epoch? */
static bool change(struct scene *s)
{
	struct rig *rig = &s->rig;

	rig->rq.generation += rng_once_in(8);
	if (rig->model.nodes > NODES_MAX)
		rig_del(rig, rng_below(rig->model.nodes));
	else if (rig->model.nodes < NODES_MIN || !rng_once_in(16))
		rig_random_change(rig);
	else
		pin_or_unpin(rig);
	if (rig_view(rig)->epoch == s->now.epoch)
		return false;
	move_on(s);
	return true;
}

static void open_ring(struct scene *s)
{
	/* Of three weights two often have as many tokens. */
	struct chring_config config = { .vnodes = 2, .unit = 3 };

	NEED(!chring_config_resolve(&config));
	*s = (struct scene){
		.now = { .epoch = 1, .table_epoch = 1, .nodes_epoch = 1 },
	};
	rig_open(&s->rig, &config);
}

static void open_status(struct scene *s)
{
	NEED(!chring_status_open(s->rig.ring));
	s->s = s->rig.ring->status;
	NEED(s->s);
}

static void open_scene(struct scene *s)
{
	struct model_node node;

	open_ring(s);
	while (s->rig.model.nodes < NODES_MIN) {
		model_random_node(&node, 8);
		if (!rig_add(&s->rig, &node))
			move_on(s);
	}
	open_status(s);
}

static void check_told(const struct scene *s)
{
	struct told t;

	CHECK(told_try(s->s, &t) && told_true(&t, &s->now));
}

static void test_after_each_change(void)
{
	u32 tables = 0, nodes = 0;
	struct scene s;
	u64 sequence, first;

	open_scene(&s);
	first = s.now.epoch;
	CHECK(s.s->size == sizeof(*s.s));
	CHECK(s.s->ring == s.rig.ring->id);
	check_told(&s);
	while (s.now.epoch < EPOCHS) {
		sequence = s.s->sequence;
		/* What is known of it holds until something is different. */
		CHECK(change(&s) == (s.s->sequence != sequence));
		CHECK(s.s->sequence >= sequence);
		check_told(&s);
		tables += s.now.table_epoch == s.now.epoch;
		nodes += s.now.nodes_epoch == s.now.epoch;
	}
	tap_note("%llu epochs, %u of nodes, %u of tokens", EPOCHS - first, nodes,
		 tables);
	CHECK(tables && tables < nodes && nodes < EPOCHS - first);
	rig_close(&s.rig);
}

/* -- after each store */

/**
 * struct look - what a program sees that looks in the middle of a change
 * @scene: of the ring, before the change
 * @after: what it sees when it no longer sees what was before
 * @odd: stores after which it would have to begin again
 * @even: others
 * @wrong: of those, what it read was not of the epoch that commands tell of
 */
static struct look {
	const struct scene *scene;
	struct told after;
	u32 odd;
	u32 even;
	u32 wrong;
} look;

static void look_now(void)
{
	const struct scene *s = look.scene;
	const struct chring_ring *ring = s->rig.ring;
	const struct chring_view *v = rcu_access_pointer(ring->view);
	struct told t;

	if (chring_ring_deleted(ring))
		v = NULL;

	if (!told_try(s->s, &t)) {
		look.odd++;
		return;
	}
	look.even++;
	/* NULL: deleted, and then it is to be shown. */
	if (v ? t.epoch != v->epoch || t.flags :
		t.flags != CHRING_STATUS_DELETED)
		look.wrong++;
	else if (v && t.epoch == s->now.epoch)
		look.wrong += !told_true(&t, &s->now);
	else if (look.after.epoch)
		look.wrong += !told_same(&t, &look.after);
	else
		look.after = t;
}

/*
 * There is only one writer, and a reader in its middle: whatever others can
 * see while words are of two epochs, it must begin again.
 */
static void test_after_each_store(void)
{
	struct scene s;
	u32 odd = 0;

	open_scene(&s);
	while (s.now.epoch < EPOCHS) {
		const struct scene before = s;

		look = (struct look){ .scene = &before };
		sync_look = look_now;
		change(&s);
		sync_look = NULL;
		CHECK(!look.wrong);
		if (s.now.epoch == before.now.epoch)
			continue;
		CHECK(told_true(&look.after, &s.now));
		/* The epochs, two counts, and the view. */
		CHECK(look.odd >= 6);
		odd += look.odd;
	}
	tap_note("%u stores in %u changes", odd, EPOCHS);
	rig_close(&s.rig);
}

/* -- the end */

static void test_deleted(void)
{
	struct scene s;
	struct told t;

	open_scene(&s);
	change(&s);
	chring_ring_get(s.rig.ring);
	look = (struct look){ .scene = &s };
	sync_look = look_now;
	rig_close(&s.rig);
	sync_look = NULL;
	CHECK(look.odd && look.even && !look.wrong);
	s.now.flags = CHRING_STATUS_DELETED;
	CHECK(told_try(s.s, &t) && told_true(&t, &s.now));
	CHECK(chring_status_open(s.rig.ring) == -ENODEV);
	chring_ring_put(s.rig.ring);
}

static void test_deleted_unseen(void)
{
	struct scene s;

	open_ring(&s);
	chring_ring_get(s.rig.ring);
	rig_close(&s.rig);
	CHECK(chring_status_open(s.rig.ring) == -ENODEV);
	CHECK(!s.rig.ring->status);
	chring_ring_put(s.rig.ring);
}

static void test_no_memory(void)
{
	static const int error[] = { -ENOMEM, -EDQUOT };
	struct scene s;
	size_t held;
	u32 i;

	open_ring(&s);
	held = chring_platform_bytes();
	for (i = 0; i < 2; i++) {
		faults_alloc(0, error[i]);
		CHECK(chring_status_open(s.rig.ring) == error[i]);
		CHECK(faults_clear());
		CHECK(!s.rig.ring->status);
		CHECK(chring_platform_bytes() == held);
	}
	open_status(&s);
	CHECK(chring_platform_bytes() == held + CHRING_STATUS_BYTES);
	/* It is there: nothing is asked for any more. */
	faults_alloc(0, -ENOMEM);
	CHECK(!chring_status_open(s.rig.ring));
	CHECK(!faults_clear());
	check_told(&s);
	rig_close(&s.rig);
}

/* -- what happens while the first to ask waits for memory */

static struct scene *waiting;
static void (*meanwhile)(struct scene *s);

static int alloc_meanwhile(size_t size)
{
	void (*happens)(struct scene *s) = meanwhile;

	(void)size;
	meanwhile = NULL;
	if (happens)
		happens(waiting);
	return 0;
}

static int open_meanwhile(struct scene *s, void (*happens)(struct scene *s))
{
	int (*alloc)(size_t size) = chring_platform_hooks.alloc;
	int ret;

	waiting = s;
	meanwhile = happens;
	chring_platform_hooks.alloc = alloc_meanwhile;
	ret = chring_status_open(s->rig.ring);
	chring_platform_hooks.alloc = alloc;
	CHECK(!meanwhile);
	return ret;
}

static void change_well(struct scene *s)
{
	while (!change(s))
		;
}

static void close_ring(struct scene *s)
{
	rig_close(&s->rig);
}

/* The one that was there first stays, and the other is given back. */
static void test_opened_meanwhile(void)
{
	struct scene s;

	open_ring(&s);
	CHECK(!open_meanwhile(&s, open_status));
	CHECK(s.s == s.rig.ring->status);
	change_well(&s);
	check_told(&s);
	rig_close(&s.rig);
}

static void test_changed_meanwhile(void)
{
	struct scene s;

	open_ring(&s);
	CHECK(!open_meanwhile(&s, change_well));
	s.s = s.rig.ring->status;
	check_told(&s);
	rig_close(&s.rig);
}

static void test_deleted_meanwhile(void)
{
	struct scene s;

	open_ring(&s);
	chring_ring_get(s.rig.ring);
	CHECK(open_meanwhile(&s, close_ring) == -ENODEV);
	CHECK(!s.rig.ring->status);
	chring_ring_put(s.rig.ring);
}

/* -- readers beside a writer */

/**
 * struct reader - a thread
 * @ring: that it reads
 * @stop: it is enough
 * @told: by epoch: what it read first; @epoch 0: nothing
 * @epochs: of which it read something
 * @readings: that were of one epoch
 * @again: tries that were not
 * @wrong: readings that were not as an earlier one of the same epoch
 * @early: readings of an epoch that could not be asked yet
 * @late: readings of an epoch before one that had been asked
 */
struct reader {
	pthread_t thread;
	struct chring_ring *ring;
	const int *stop;
	struct told *told;
	u32 epochs;
	u64 readings;
	u64 again;
	u32 wrong;
	u32 early;
	u32 late;
};

static u64 asked_epoch(struct chring_ring *ring)
{
	u64 epoch;

	rcu_read_lock();
	epoch = chring_ring_view(ring)->epoch;
	rcu_read_unlock();
	return epoch;
}

static void read_once(struct reader *r)
{
	const struct chring_status *s = acquire(r->ring->status);
	u64 asked = asked_epoch(r->ring);
	struct told t, *first;

	while (!told_try(s, &t))
		r->again++;
	r->late += t.epoch < asked;
	r->early += asked_epoch(r->ring) < t.epoch;
	first = &r->told[min_t(u64, t.epoch, EPOCHS)];
	if (first->epoch) {
		r->wrong += !told_same(first, &t);
	} else {
		*first = t;
		r->epochs++;
	}
	__atomic_add_fetch(&r->readings, 1, __ATOMIC_RELAXED);
}

static void *reader_main(void *arg)
{
	struct reader *r = arg;

	rcu_register_thread();
	/* Each asks for the status: it is made once, by one of them. */
	r->wrong += chring_status_open(r->ring) != 0;
	do {
		read_once(r);
	} while (!__atomic_load_n(r->stop, __ATOMIC_ACQUIRE));
	rcu_unregister_thread();
	return NULL;
}

static void readers_start(struct reader *r, struct scene *s, const int *stop)
{
	u32 i;

	for (i = 0; i < READERS; i++) {
		r[i] = (struct reader){
			.ring = s->rig.ring,
			.stop = stop,
			.told = calloc(EPOCHS + 1, sizeof(*r->told)),
		};
		NEED(r[i].told);
		NEED(!pthread_create(&r[i].thread, NULL, reader_main, &r[i]));
	}
}

static u64 count_readings(const struct reader *r)
{
	u64 n = 0;
	u32 i;

	for (i = 0; i < READERS; i++)
		n += __atomic_load_n(&r[i].readings, __ATOMIC_RELAXED);
	return n;
}

/* Now and then, so that readers see enough of the epochs. */
static void let_readers_look(const struct reader *r)
{
	u64 n = count_readings(r);

	while (count_readings(r) < n + 2)
		sched_yield();
}

static void judge(struct reader *r, const struct told *truth)
{
	u32 epoch;

	NEED(!pthread_join(r->thread, NULL));
	for (epoch = 1; epoch <= EPOCHS; epoch++)
		CHECK(!r->told[epoch].epoch ||
		      told_true(&r->told[epoch], &truth[epoch]));
	CHECK(!r->wrong);
	CHECK(!r->early);
	CHECK(!r->late);
	free(r->told);
}

/* All of them, when it is enough: what each of them saw, added up. */
static struct reader readers_stop(struct reader *r, const struct told *truth,
				  int *stop)
{
	struct reader sum = {};
	u32 i;

	__atomic_store_n(stop, 1, __ATOMIC_RELEASE);
	for (i = 0; i < READERS; i++) {
		judge(&r[i], truth);
		sum.readings += r[i].readings;
		sum.epochs += r[i].epochs;
		sum.again += r[i].again;
	}
	return sum;
}

static void test_beside_a_writer(void)
{
	struct told *truth = calloc(EPOCHS + 1, sizeof(*truth));
	struct reader reader[READERS], sum;
	struct scene s;
	int stop = 0;

	NEED(truth);
	open_scene(&s);
	truth[s.now.epoch] = s.now;
	readers_start(reader, &s, &stop);
	while (s.now.epoch < EPOCHS) {
		change(&s);
		truth[s.now.epoch] = s.now;
		if (rng_once_in(2))
			let_readers_look(reader);
	}
	sum = readers_stop(reader, truth, &stop);
	tap_note("%llu readings of %u epochs, %llu tries that were not",
		 sum.readings, sum.epochs, sum.again);
	CHECK(sum.epochs > EPOCHS / 2);
	CHECK(sum.again);
	rig_close(&s.rig);
	free(truth);
}

/* The first to ask, several at once, find the ring in the middle of changes. */
static void test_opened_beside_a_writer(void)
{
	struct told *truth = calloc(EPOCHS + 1, sizeof(*truth));
	u32 round, last, readings = 0;
	struct reader reader[READERS];
	struct scene s;
	int stop;

	NEED(truth);
	for (round = 0; round < 50; round++) {
		open_ring(&s);
		stop = 0;
		truth[1] = s.now;
		readers_start(reader, &s, &stop);
		/* Some more after the first of them has read. */
		for (last = EPOCHS; s.now.epoch < last;) {
			change(&s);
			truth[s.now.epoch] = s.now;
			if (last == EPOCHS && count_readings(reader))
				last = min_t(u64, s.now.epoch + 20, EPOCHS - 1);
		}
		readings += readers_stop(reader, truth, &stop).readings;
		rig_close(&s.rig);
	}
	tap_note("%u rings, %u readings", round, readings);
	free(truth);
}

static const struct tap_test tests[] = {
	{ "after_each_change", test_after_each_change },
	{ "after_each_store", test_after_each_store },
	{ "deleted", test_deleted },
	{ "deleted_unseen", test_deleted_unseen },
	{ "no_memory", test_no_memory },
	{ "opened_meanwhile", test_opened_meanwhile },
	{ "changed_meanwhile", test_changed_meanwhile },
	{ "deleted_meanwhile", test_deleted_meanwhile },
	{ "beside_a_writer", test_beside_a_writer },
	{ "opened_beside_a_writer", test_opened_beside_a_writer },
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
