// SPDX-License-Identifier: GPL-2.0
/*
 * Readers beside a writer that makes 100 changes of a node's weight a second:
 * under RCU as chring has it, and the same ring under a lock, as a program
 * keeps the table that it changes in place: held for a lookup by readers, and
 * for a change by the writer.
 */
#include "threads.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "chring.h"
#include "lap.h"
#include "median.h"
#include "members.h"
#include "need.h"
#include "progress.h"
#include "results.h"

#define ROUNDS_MAX	101
#define ROUND_NS	100000000
#define CHANGE_NS	10000000
/* Positions of a reader, prepared: they fit into the second cache. */
#define SAMPLES		8

/* -- locks */

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static const void *find_rwlock(const void *built, u64 position)
{
	const struct chring_ring *ring = built;
	const void *node;

	pthread_rwlock_rdlock(&rwlock);
	node = view_owner(READ_ONCE(ring->view), position);
	pthread_rwlock_unlock(&rwlock);
	return node;
}

static void rwlock_take(void)
{
	pthread_rwlock_wrlock(&rwlock);
}

static void rwlock_leave(void)
{
	pthread_rwlock_unlock(&rwlock);
}

static const void *find_mutex(const void *built, u64 position)
{
	const struct chring_ring *ring = built;
	const void *node;

	pthread_mutex_lock(&mutex);
	node = view_owner(READ_ONCE(ring->view), position);
	pthread_mutex_unlock(&mutex);
	return node;
}

static void mutex_take(void)
{
	pthread_mutex_lock(&mutex);
}

static void mutex_leave(void)
{
	pthread_mutex_unlock(&mutex);
}

static const struct rival rwlock_rival = {
	.name = "rwlock",
	.find = find_rwlock,
};

static const struct rival mutex_rival = {
	.name = "mutex",
	.find = find_mutex,
};

/**
 * struct guard - how readers and a writer keep apart
 * @rival: lookups of readers
 * @take: before a change; NULL: nothing
 * @leave: after it
 */
struct guard {
	const struct rival *rival;
	void (*take)(void);
	void (*leave)(void);
};

static const struct guard guards[] = {
	{ &chring_rival, NULL, NULL },
	{ &rwlock_rival, rwlock_take, rwlock_leave },
	{ &mutex_rival, mutex_take, mutex_leave },
};

#define GUARDS	(sizeof(guards) / sizeof(*guards))

/**
 * struct cast - who is at work
 * @readers: how many
 * @writer: is there one?
 */
static const struct cast {
	u32 readers;
	bool writer;
} casts[] = {
	{ 1, false },
	{ 2, false },
	{ 1, true },
};

#define CASTS	(sizeof(casts) / sizeof(*casts))

/**
 * struct scene - a ring and its threads
 * @m: members
 * @guard: of this time
 * @stop: it is over
 */
struct scene {
	const struct members *m;
	const struct guard *guard;
	int stop;
};

static bool stopped(const struct scene *s)
{
	return __atomic_load_n(&s->stop, __ATOMIC_ACQUIRE);
}

static void pin(u32 cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	NEED(!pthread_setaffinity_np(pthread_self(), sizeof(set), &set));
}

/* -- readers */

/**
 * struct reader - a thread
 * @scene: where
 * @cpu: on which processor
 * @sample: positions
 * @per_second: lookups, at the end
 */
struct reader {
	pthread_t thread;
	struct scene *scene;
	u32 cpu;
	struct sample sample[SAMPLES];
	double per_second;
};

static void read_until_stopped(struct reader *r)
{
	const struct cell cell = {
		.rival = r->scene->guard->rival,
		.built = r->scene->m->ring,
		.m = r->scene->m,
	};
	static __thread volatile u64 sink;
	u64 begin = lap_clock(), done = 0;

	while (!stopped(r->scene)) {
		sink += lap(&cell, MODE_TPUT,
			    &r->sample[done / SAMPLE % SAMPLES], SAMPLE);
		done += SAMPLE;
	}
	r->per_second = done * 1e9 / (lap_clock() - begin);
}

static void *reader_main(void *arg)
{
	struct reader *r = arg;

	pin(r->cpu);
	rcu_register_thread();
	read_until_stopped(r);
	rcu_unregister_thread();
	return NULL;
}

static struct reader *readers_make(struct scene *s, const u32 cpu[2])
{
	struct reader *r = need(calloc(2, sizeof(*r)));
	u32 i, j;

	for (i = 0; i < 2; i++) {
		r[i].scene = s;
		r[i].cpu = cpu[i];
		for (j = 0; j < SAMPLES; j++)
			sample_fill(&r[i].sample[j], s->m, MODE_TPUT,
				    i * SAMPLES + j);
	}
	return r;
}

/* -- the writer */

struct writer {
	pthread_t thread;
	struct scene *scene;
	u32 cpu;
	u32 changes;
};

static void change(struct writer *w)
{
	const struct guard *g = w->scene->guard;
	struct chring_request rq = {};
	struct chring_edit edit;
	char name[16];

	edit = members_edit(0, name);
	edit.flags = CHRING_NODE_WEIGHT;
	edit.weight = 1 + ++w->changes % 2;
	if (g->take)
		g->take();
	NEED(!chring_ring_node_set(w->scene->m->ring, &edit, &rq));
	if (g->leave)
		g->leave();
}

static void sleep_until(struct timespec *t, long ns)
{
	t->tv_nsec += ns;
	if (t->tv_nsec >= 1000000000) {
		t->tv_nsec -= 1000000000;
		t->tv_sec++;
	}
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, t, NULL);
}

/*
 * Ends with the weight that it began with. What it retires is freed on its own
 * processor, as the kernel does.
 */
static void *writer_main(void *arg)
{
	struct writer *w = arg;
	struct call_rcu_data *worker = need(create_call_rcu_data(0, w->cpu));
	struct timespec t;

	pin(w->cpu);
	rcu_register_thread();
	set_thread_call_rcu_data(worker);
	clock_gettime(CLOCK_MONOTONIC, &t);
	while (!stopped(w->scene) || w->changes % 2) {
		change(w);
		sleep_until(&t, CHANGE_NS);
	}
	chring_retire_wait();
	chring_retire_wait();
	set_thread_call_rcu_data(NULL);
	call_rcu_data_free(worker);
	rcu_unregister_thread();
	return NULL;
}

/* -- rounds */

/* Return: lookups a second of all readers. */
static double play(struct scene *s, const struct cast *cast, struct reader *r,
		   u32 writer_cpu)
{
	const struct timespec t = { .tv_nsec = ROUND_NS };
	struct writer w = { .scene = s, .cpu = writer_cpu };
	double sum = 0;
	u32 i;

	__atomic_store_n(&s->stop, 0, __ATOMIC_RELEASE);
	if (cast->writer)
		NEED(!pthread_create(&w.thread, NULL, writer_main, &w));
	for (i = 0; i < cast->readers; i++)
		NEED(!pthread_create(&r[i].thread, NULL, reader_main, &r[i]));
	nanosleep(&t, NULL);
	__atomic_store_n(&s->stop, 1, __ATOMIC_RELEASE);
	for (i = 0; i < cast->readers; i++) {
		NEED(!pthread_join(r[i].thread, NULL));
		sum += r[i].per_second;
	}
	if (cast->writer)
		NEED(!pthread_join(w.thread, NULL));
	return sum;
}

static double rate[GUARDS][CASTS][ROUNDS_MAX];

static void report(const struct scene *s, u32 guard, u32 cast, u32 rounds)
{
	double of_one[ROUNDS_MAX], all[ROUNDS_MAX];
	u32 i;

	for (i = 0; i < rounds; i++) {
		all[i] = rate[guard][cast][i];
		of_one[i] = all[i] / rate[guard][0][i];
	}
	results_threads(s->m->name, guards[guard].rival->name,
			casts[cast].readers, casts[cast].writer,
			median(all, rounds), median(of_one, rounds));
}

void threads_run(u32 nodes, u32 vnodes, u32 rounds, const u32 cpu[2])
{
	struct members *m = members_make(nodes, vnodes);
	struct scene s = { .m = m };
	struct reader *r = readers_make(&s, cpu);
	u32 round, i, j;

	for (round = 0; round < rounds; round++)
		for (i = 0; i < GUARDS * CASTS; i++) {
			progress_step("round %u of %u", round + 1, rounds);
			s.guard = &guards[i / CASTS];
			rate[i / CASTS][i % CASTS][round] =
				play(&s, &casts[i % CASTS], r, cpu[1]);
		}
	for (i = 0; i < GUARDS; i++)
		for (j = 0; j < CASTS; j++)
			report(&s, i, j, rounds);
	free(r);
	members_free(m);
}
