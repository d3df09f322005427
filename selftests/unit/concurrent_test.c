// SPDX-License-Identifier: GPL-2.0
/*
 * Readers beside a writer. Each answer is noted with the epoch that it
 * carries, and judged at the end by what the model says of that epoch alone.
 * They follow the log as well: each epoch once, or told to be lost.
 * At all times, what the ring has retired and not freed is within its bound.
 */
#include <sched.h>
#include <stdlib.h>

#include "core/config.h"
#include "faults.h"
#include "rig.h"
#include "rng.h"
#include "tap.h"

#define READERS		3
#define RETIRED_FREELY	(4L << 20)
/* So many answers a reader notes of an epoch. */
#define NOTED		8

/**
 * struct note - an answer
 * @epoch: that it carries
 * @digest: that it carries
 * @position: what was asked
 * @node: id of the owner, 0 if there is none
 * @error: why there is none
 */
struct note {
	u64 epoch;
	u64 digest;
	u64 position;
	u64 node;
	int error;
};

/**
 * struct plot - what is to happen
 * @config: of the ring, to be resolved
 * @nodes: at the beginning
 * @weight: of each of them
 * @last: epoch at the end
 * @change: makes a change, or finds none to make
 * @sleepy: the last reader holds views and sleeps
 * @slow: grace periods last until the writer must wait
 */
struct plot {
	struct chring_config config;
	u32 nodes;
	u32 weight;
	u32 last;
	void (*change)(struct rig *rig);
	bool sleepy;
	bool slow;
};

/**
 * struct scene - a ring, those who read it, and what was seen
 * @plot: what is to happen
 * @rig: ring; the model is the writer's
 * @stop: readers have seen enough
 * @looks: views that readers have loaded
 * @largest: bytes that one change may retire at most
 * @peak: bytes retired and not freed, the most that anybody saw
 * @membership: by epoch: nodes as the model had them
 * @digest: by epoch
 */
struct scene {
	const struct plot *plot;
	struct rig rig;
	int stop;
	u64 looks;
	long largest;
	long peak;
	struct model *membership;
	u64 *digest;
};

/**
 * struct reader - a thread
 * @scene: that it reads
 * @sleeps: between a lookup and the next, with the view held
 * @state: of its random numbers
 * @note: answers noted
 * @notes: how many
 * @room: for how many
 * @looks: views loaded
 * @epochs: different ones among them
 * @last: epoch of the last
 * @noted: answers noted of it
 * @backward: looks at which the epoch fell
 * @over_bound: looks at which too much was retired
 * @followed: epoch of the last record, or of the last one that is lost
 * @digest: by epoch: what its record says; 0: lost
 * @records: that were read
 * @lost: that it was told to have lost
 * @early: looks at which a record's epoch could not be asked yet
 */
struct reader {
	pthread_t thread;
	struct scene *scene;
	bool sleeps;
	u64 state;
	struct note *note;
	u32 notes;
	u32 room;
	u64 looks;
	u32 epochs;
	u64 last;
	u32 noted;
	u32 backward;
	u32 over_bound;
	u64 followed;
	u64 *digest;
	u64 records;
	u64 lost;
	u32 early;
};

static u64 reader_random(struct reader *r)
{
	r->state ^= r->state << 13;
	r->state ^= r->state >> 7;
	r->state ^= r->state << 17;
	return r->state;
}

/* -- the bound */

static long load(const long *p)
{
	return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}

static void raise_to(long *p, long n)
{
	long is = load(p);

	while (is < n && !__atomic_compare_exchange_n(p, &is, n, false,
						      __ATOMIC_SEQ_CST,
						      __ATOMIC_SEQ_CST))
		;
}

static long retired_bytes(const struct scene *s)
{
	return atomic_long_read(&s->rig.ring->retired_bytes);
}

static long bound(const struct scene *s)
{
	return max(load(&s->largest), RETIRED_FREELY);
}

/* Return: is it within the bound? */
static bool look_at_retired(struct scene *s)
{
	long retired = retired_bytes(s);

	raise_to(&s->peak, retired);
	return retired <= bound(s);
}

/* With one more change of the larger kind the bound would be passed. */
static bool writer_must_wait(const struct scene *s)
{
	return retired_bytes(s) + load(&s->largest) > bound(s);
}

/* -- readers */

static void note(struct reader *r, const struct chring_view *v)
{
	u64 position = reader_random(r);
	int slot = rig_view_owner(v, position);
	struct note n = {
		.epoch = v->epoch,
		.digest = v->digest,
		.position = position,
		.node = slot < 0 ? 0 : v->roster->node[slot]->id,
		.error = slot < 0 ? slot : 0,
	};

	if (r->noted >= NOTED || r->notes == r->room)
		return;
	r->noted++;
	r->note[r->notes++] = n;
}

static void see(struct reader *r, const struct chring_view *v)
{
	r->backward += v->epoch < r->last;
	if (v->epoch != r->last) {
		r->last = v->epoch;
		r->noted = 0;
		r->epochs++;
	}
	r->looks++;
	__atomic_add_fetch(&r->scene->looks, 1, __ATOMIC_RELAXED);
}

static bool stopped(const struct scene *s)
{
	return __atomic_load_n(&s->stop, __ATOMIC_ACQUIRE);
}

static void nap(long ms)
{
	const struct timespec t = { .tv_nsec = ms * 1000000 };

	nanosleep(&t, NULL);
}

/*
 * A grace period that lasts until the writer must wait for it, and longer:
 * time enough for a writer that does not. But a wait takes more than one.
 */
static void hold_up(struct scene *s)
{
	while (!stopped(s) && !writer_must_wait(s) && !sync_is_waiting())
		nap(1);
	nap(30);
}

/* A reader may be interrupted for long; nothing may go meanwhile. */
static void dawdle(struct reader *r)
{
	if (r->scene->plot->slow)
		hold_up(r->scene);
	else if (reader_random(r) % 64 == 0)
		sched_yield();
}

static void read_under_rcu(struct reader *r)
{
	const struct chring_view *v;
	u32 i;

	rcu_read_lock();
	v = chring_ring_view(r->scene->rig.ring);
	see(r, v);
	for (i = 0; i < 4; i++)
		note(r, v);
	dawdle(r);
	note(r, v);
	rcu_read_unlock();
}

static void read_and_sleep(struct reader *r)
{
	struct chring_view *v = chring_ring_view_get(r->scene->rig.ring);
	u32 i;

	see(r, v);
	for (i = 0; i < 4; i++) {
		note(r, v);
		nap(1);
	}
	note(r, v);
	chring_view_put(v);
}

/* What has come since the last time. */
static void follow(struct reader *r)
{
	struct chring_ring *ring = r->scene->rig.ring;
	struct chring_change change[5];
	u64 after;
	int i, n;

	do {
		after = r->followed;
		n = chring_log_read(&ring->log, &after, change, 5);
		r->lost += after - r->followed;
		for (i = 0; i < n; i++)
			r->digest[++after] = change[i].digest;
		r->followed = after;
		r->records += n;
	} while (n);
	rcu_read_lock();
	r->early += chring_ring_view(ring)->epoch < after;
	rcu_read_unlock();
}

static void *reader_main(void *arg)
{
	struct reader *r = arg;

	rcu_register_thread();
	while (!stopped(r->scene)) {
		if (r->sleeps)
			read_and_sleep(r);
		else
			read_under_rcu(r);
		r->over_bound += !look_at_retired(r->scene);
		follow(r);
	}
	/* The writer has come to the end. */
	follow(r);
	rcu_unregister_thread();
	return NULL;
}

static void readers_start(struct scene *s, struct reader *r)
{
	u32 i;

	for (i = 0; i < READERS; i++) {
		r[i] = (struct reader){
			.scene = s,
			.sleeps = s->plot->sleepy && i == READERS - 1,
			.state = rng() | 1,
			.room = (s->plot->last + 1) * NOTED,
			.followed = rig_view(&s->rig)->epoch,
			.digest = calloc(s->plot->last + 1, sizeof(u64)),
		};
		NEED(r[i].digest);
		r[i].note = calloc(r[i].room, sizeof(*r[i].note));
		NEED(r[i].note);
		NEED(!pthread_create(&r[i].thread, NULL, reader_main, &r[i]));
	}
}

static void readers_stop(struct scene *s, struct reader *r)
{
	u32 i;

	__atomic_store_n(&s->stop, 1, __ATOMIC_RELEASE);
	for (i = 0; i < READERS; i++)
		NEED(!pthread_join(r[i].thread, NULL));
}

/* -- the writer */

/* Before a change: what it retires is at most all that the view refers to. */
static void expect_retirement(struct scene *s)
{
	const struct chring_view *v = rig_view(&s->rig);

	raise_to(&s->largest, v->bytes + v->roster->bytes +
			      chring_shared_table_bytes(v->shared));
}

/* Now and then, so that readers see enough of the epochs. */
static void let_readers_look(struct scene *s)
{
	u64 looks = __atomic_load_n(&s->looks, __ATOMIC_RELAXED);

	while (__atomic_load_n(&s->looks, __ATOMIC_RELAXED) < looks + 2)
		sched_yield();
}

/* Tokens are worked out again when the epoch is judged. */
static void remember(struct scene *s)
{
	struct model *m = &s->membership[rig_view(&s->rig)->epoch];
	struct model now = s->rig.model;

	now.tokens = 0;
	model_copy(m, &now);
	s->digest[rig_view(&s->rig)->epoch] = rig_view(&s->rig)->digest;
}

static void write_epochs(struct scene *s)
{
	u64 epoch = rig_view(&s->rig)->epoch;

	while (epoch < s->plot->last) {
		expect_retirement(s);
		s->plot->change(&s->rig);
		CHECK(look_at_retired(s));
		if (rig_view(&s->rig)->epoch == epoch)
			continue;
		CHECK(rig_view(&s->rig)->epoch == ++epoch);
		remember(s);
		if (!s->plot->slow && rng_once_in(2))
			let_readers_look(s);
	}
}

/* -- the judgement */

static int note_cmp(const void *a, const void *b)
{
	const struct note *x = a, *y = b;

	return (x->epoch > y->epoch) - (x->epoch < y->epoch);
}

static void judge(const struct model *m, const struct note *n)
{
	int owner = model_owner(m, n->position);

	CHECK(n->error == (owner < 0 ? owner : 0));
	CHECK(n->node == (owner < 0 ? 0 : m->node[owner].id));
}

static void judge_notes(struct scene *s, struct note *note, u32 notes)
{
	struct model *m = NULL;
	u64 digest = 0;
	u32 i;

	qsort(note, notes, sizeof(*note), note_cmp);
	for (i = 0; i < notes; i++) {
		if (!i || note[i].epoch != note[i - 1].epoch) {
			if (m)
				model_free(m);
			m = &s->membership[note[i].epoch];
			NEED(m->config.hash);
			model_place(m);
			digest = model_digest(m);
		}
		CHECK(note[i].digest == digest);
		judge(m, &note[i]);
	}
}

/* Nothing is missing, nothing comes too early, and all of it is true. */
static void judge_followed(const struct scene *s, struct reader *r, u64 first)
{
	u64 epoch, seen = 0;

	for (epoch = first + 1; epoch <= s->plot->last; epoch++) {
		CHECK(!r->digest[epoch] ||
		      r->digest[epoch] == s->digest[epoch]);
		seen += !!r->digest[epoch];
	}
	CHECK(r->followed == s->plot->last);
	CHECK(seen == r->records);
	CHECK(r->records + r->lost == s->plot->last - first);
	CHECK(!r->early);
	free(r->digest);
}

static u32 judge_readers(struct scene *s, struct reader *r, u64 first)
{
	struct note *all = NULL;
	u32 n = 0, i;

	for (i = 0; i < READERS; i++) {
		CHECK(r[i].looks);
		CHECK(!r[i].backward);
		CHECK(!r[i].over_bound);
		tap_note("reader %u%s: %llu views, %u epochs, %llu records",
			 i, r[i].sleeps ? " (sleeps)" : "", r[i].looks,
			 r[i].epochs, r[i].records);
		judge_followed(s, &r[i], first);
		all = realloc(all, (n + r[i].notes + 1) * sizeof(*all));
		NEED(all);
		if (r[i].notes)
			memcpy(all + n, r[i].note,
			       r[i].notes * sizeof(*all));
		n += r[i].notes;
		free(r[i].note);
	}
	judge_notes(s, all, n);
	free(all);
	return n;
}

/* -- scenes */

static void scene_open(struct scene *s)
{
	struct chring_config config = s->plot->config;
	struct model_node node;

	NEED(!chring_config_resolve(&config));
	rig_open(&s->rig, &config);
	s->membership = calloc(s->plot->last + 1, sizeof(*s->membership));
	s->digest = calloc(s->plot->last + 1, sizeof(*s->digest));
	NEED(s->membership && s->digest);
	while (s->rig.model.nodes < s->plot->nodes) {
		model_random_node(&node, 1);
		node.weight = s->plot->weight;
		expect_retirement(s);
		rig_add(&s->rig, &node);
	}
	remember(s);
}

static void scene_close(struct scene *s)
{
	u32 i;

	rig_check(&s->rig);
	for (i = 0; i <= s->plot->last; i++)
		model_free(&s->membership[i]);
	free(s->membership);
	free(s->digest);
	rig_close(&s->rig);
}

/* Return: most bytes that were retired and not freed. */
static long play(const struct plot *plot)
{
	struct scene s = { .plot = plot };
	struct reader reader[READERS];
	u32 notes;
	u64 first;

	scene_open(&s);
	first = rig_view(&s.rig)->epoch;
	readers_start(&s, reader);
	write_epochs(&s);
	readers_stop(&s, reader);
	notes = judge_readers(&s, reader, first);
	tap_note("%u epochs, %u answers judged", plot->last, notes);
	tap_note("%u tokens in %zu bytes, at most %ld bytes retired",
		 rig_view(&s.rig)->table->count,
		 rig_view(&s.rig)->table->bytes, s.peak);
	CHECK(notes > plot->last);
	scene_close(&s);
	return s.peak;
}

/* Anything, with 8 to 16 nodes or so. */
static void change_any(struct rig *rig)
{
	if (rig->model.nodes > 16)
		rig_del(rig, rng_below(rig->model.nodes));
	else
		rig_random_change(rig);
}

static void test_many_epochs(void)
{
	static const struct plot plot = {
		.config = { .vnodes = 4 },
		.nodes = 10,
		.weight = 3,
		.last = 4000,
		.change = change_any,
		.sleepy = true,
	};

	play(&plot);
}

/* As many nodes as there are, each a little heavier or lighter, or out. */
static void change_one(struct rig *rig)
{
	u32 node = rng_below(rig->model.nodes);
	struct model_node want = rig->model.node[node];

	want.weight = 98 + rng_below(5);
	want.state = rng_once_in(8) ? 1 + rng_below(2) : CHRING_STATE_UP;
	rig_set(rig, node, rng_once_in(8) ? CHRING_NODE_STATE :
					    CHRING_NODE_WEIGHT, &want);
}

/* No grace period ends before 4 MiB are retired. */
static void test_writer_waits(void)
{
	static const struct plot plot = {
		.config = { .vnodes = 16 },
		.nodes = 12,
		.weight = 100,
		.last = 400,
		.change = change_one,
		.sleepy = true,
		.slow = true,
	};

	CHECK(play(&plot) > RETIRED_FREELY * 3 / 4);
}

/* One retired table is over 4 MiB by itself: no second one waits beside it. */
static void test_table_over_the_bound(void)
{
	static const struct plot plot = {
		.config = { .vnodes = 600 },
		.nodes = 5,
		.weight = 100,
		.last = 24,
		.change = change_one,
		.slow = true,
	};

	CHECK(play(&plot) > RETIRED_FREELY);
}

/* -- tickets, taken and given back while nodes come and go */

#define HELD		16

/**
 * struct taker - a thread that takes tickets and gives them back
 * @ring: of which
 * @stop: it is enough
 * @state: of its random numbers
 * @held: tickets
 * @count: how many
 * @events: grants and releases
 * @grants: of these
 * @wrong: grants that do not add up
 */
struct taker {
	pthread_t thread;
	struct chring_ring *ring;
	const int *stop;
	u64 state;
	struct chring_grant held[HELD];
	u32 count;
	u64 events;
	u64 grants;
	u64 wrong;
};

static u64 taker_random(struct taker *t)
{
	t->state ^= t->state << 13;
	t->state ^= t->state >> 7;
	t->state ^= t->state << 17;
	return t->state;
}

static void taker_give(struct taker *t, u32 which)
{
	struct chring_grant g;

	t->wrong += chring_loads_release(t->ring, t->held[which].node,
					 t->held[which].slot, 1, &g) != 0;
	t->held[which] = t->held[--t->count];
	t->events++;
}

static void taker_take(struct taker *t)
{
	struct chring_grant *g = &t->held[t->count];
	int ret = chring_loads_acquire(t->ring, taker_random(t), 0, g);

	/* The node is in service, so that its load is among all tickets. */
	if (!ret) {
		t->wrong += !g->load || g->tickets < g->load || !g->node;
		t->count++;
		t->events++;
		t->grants++;
	} else {
		t->wrong += ret != -EHOSTUNREACH && ret != -ENODATA;
	}
}

static void *taker_main(void *arg)
{
	struct taker *t = arg;

	while (!__atomic_load_n(t->stop, __ATOMIC_ACQUIRE)) {
		if (t->count == HELD || (t->count && taker_random(t) % 2))
			taker_give(t, taker_random(t) % t->count);
		else
			taker_take(t);
	}
	while (t->count)
		taker_give(t, 0);
	return NULL;
}

static void check_no_loads(const struct rig *rig, u64 events)
{
	const struct chring_loads *l = &rig->ring->loads;
	u32 slot;

	CHECK(!l->tickets);
	CHECK(l->serial == events);
	for (slot = 0; slot < l->slots; slot++)
		CHECK(!l->load[slot].load);
}

static void test_tickets(void)
{
	struct chring_config config = { .vnodes = 4, .balance = 125 };
	struct taker taker[READERS] = {};
	u64 events = 0, grants = 0;
	int stop = 0;
	struct rig rig;
	u32 i;

	NEED(!chring_config_resolve(&config));
	rig_open(&rig, &config);
	for (i = 0; i < READERS; i++) {
		taker[i].ring = rig.ring;
		taker[i].stop = &stop;
		taker[i].state = rng() | 1;
		NEED(!pthread_create(&taker[i].thread, NULL, taker_main,
				     &taker[i]));
	}
	for (i = 0; i < 2000; i++) {
		change_any(&rig);
		if (rng_once_in(4))
			sched_yield();
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
	for (i = 0; i < READERS; i++) {
		NEED(!pthread_join(taker[i].thread, NULL));
		CHECK(!taker[i].wrong);
		events += taker[i].events;
		grants += taker[i].grants;
	}
	tap_note("%llu grants through %llu epochs", grants,
		 rig_view(&rig)->epoch);
	CHECK(grants > 1000);
	CHECK(events == 2 * grants);
	check_no_loads(&rig, events);
	rig_close(&rig);
}

/* -- rings that are held, beside their end */

/* What a name leads to, as in the registry. */
static struct chring_ring *named;

/**
 * struct holder - a thread that holds rings
 * @thread: thread
 * @stop: it is time to end
 * @held: rings that it got
 * @last: of them: it was the last one
 * @outlived: lookups in rings that had been deleted
 * @wrong: lookups that cannot be
 */
struct holder {
	pthread_t thread;
	const int *stop;
	u64 held;
	u64 last;
	u64 outlived;
	u64 wrong;
};

/* As the registry's worker does it. */
static void ring_end(struct chring_ring *ring)
{
	mutex_lock(&ring->lock);
	chring_ring_close(ring);
	mutex_unlock(&ring->lock);
	chring_ring_put(ring);
}

static void look(struct holder *h, const struct chring_ring *ring, u64 position)
{
	const struct chring_view *v, *shown;
	const struct chring_node *node;

	rcu_read_lock();
	shown = chring_ring_view(ring);
	v = chring_ring_used_view(ring);
	node = chring_view_owner(v, position);
	h->outlived += !shown;
	/* What programs are shown is no other ring, and no later epoch. */
	h->wrong += IS_ERR(node) || v->ring != ring || !node->id ||
		    (shown && shown->epoch > v->epoch);
	rcu_read_unlock();
}

static void *holder_main(void *arg)
{
	struct holder *h = arg;
	struct chring_ring *ring;
	u64 position = (uintptr_t)h;
	bool used;
	u32 i;

	rcu_register_thread();
	while (!__atomic_load_n(h->stop, __ATOMIC_ACQUIRE)) {
		rcu_read_lock();
		ring = rcu_dereference(named);
		used = ring && chring_ring_use(ring);
		rcu_read_unlock();
		if (!used)
			continue;
		h->held++;
		for (i = 0; i < 20; i++) {
			position = position * 6364136223846793005ULL + 1;
			look(h, ring, position);
		}
		if (chring_ring_unuse(ring)) {
			h->last++;
			ring_end(ring);
		}
	}
	rcu_unregister_thread();
	return NULL;
}

static void change_held(struct chring_ring *ring)
{
	struct chring_edit edit = {
		.flags = CHRING_NODE_ALL, .name = "ab", .name_len = 1,
		.weight = 1,
	};
	struct chring_request rq = {};
	u32 i;

	for (i = 0; i < 10; i++) {
		edit.weight = 1 + i % 3;
		NEED(!(i ? chring_ring_node_set(ring, &edit, &rq) :
			   chring_ring_node_add(ring, &edit, &rq)));
		if (!i)
			rcu_assign_pointer(named, ring);
		sched_yield();
	}
}

static void delete_held(struct chring_ring *ring)
{
	bool last;

	mutex_lock(&ring->lock);
	rcu_assign_pointer(named, NULL);
	chring_ring_withdraw(ring);
	last = chring_ring_unuse(ring);
	if (last)
		chring_ring_close(ring);
	mutex_unlock(&ring->lock);
	if (last)
		chring_ring_put(ring);
}

static void test_held(void)
{
	struct chring_config config = { .vnodes = 4 };
	struct holder holder[READERS] = {};
	u64 held = 0, last = 0, outlived = 0;
	int stop = 0;
	u32 i;

	NEED(!chring_config_resolve(&config));
	for (i = 0; i < READERS; i++) {
		holder[i].stop = &stop;
		NEED(!pthread_create(&holder[i].thread, NULL, holder_main,
				     &holder[i]));
	}
	for (i = 0; i < 600; i++) {
		struct chring_ring *ring = chring_ring_create("r", 1, &config);

		NEED(!IS_ERR(ring));
		change_held(ring);
		delete_held(ring);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
	for (i = 0; i < READERS; i++) {
		NEED(!pthread_join(holder[i].thread, NULL));
		CHECK(!holder[i].wrong);
		held += holder[i].held;
		last += holder[i].last;
		outlived += holder[i].outlived;
	}
	tap_note("%llu times held, %llu times the last, %llu lookups after the end",
		 held, last, outlived);
	CHECK(held && last && outlived);
}

static const struct tap_test tests[] = {
	{ "held", test_held },
	{ "tickets", test_tickets },
	{ "many_epochs", test_many_epochs },
	{ "writer_waits", test_writer_waits },
	{ "table_over_the_bound", test_table_over_the_bound },
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
