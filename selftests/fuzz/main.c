// SPDX-License-Identifier: GPL-2.0
/*
 * A fuzzer of the whole ABI of /dev/chring. Threads share a few rings, nodes and
 * descriptors, and give commands that make sense, but for those that are spoilt
 * on purpose. It goes in rounds, between which everything stops, and now and then
 * the module is unloaded and loaded again.
 *
 *	fuzz [-s SEED] [-c COMMANDS] [-m MINUTES] [-t THREADS]
 */
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>

#include "check.h"
#include "killed.h"
#include "libprobe.h"
#include "libtest.h"
#include "seen.h"
#include "weather.h"
#include "worker.h"

#define THREADS_MAX	16
#define ROUNDS		24	/* of a run that counts commands */
#define ROUND_MAX	40000	/* commands of a round, at most */
#define RELOAD_EVERY	4
#define SUCCESS_MIN	30
#define TICK		3000	/* microseconds */

/**
 * struct fuzz - a run
 * @seed: of everything
 * @count: commands, at least
 * @end: when to end, whatever the count; 0: by the count
 * @threads: how many
 * @faults: the kernel can make allocations fail
 * @probe: descriptor of the module with a private ring; or -errno
 * @lone: descriptor of the first thread's own ring
 * @reloads: of the module
 * @stuck: it could not be unloaded
 * @worker: threads, in memory that their children share
 */
struct fuzz {
	__u64 seed;
	unsigned long count;
	time_t end;
	int threads;
	bool faults;
	int probe;
	int lone;
	unsigned int reloads;
	unsigned int stuck;
	unsigned int broken;
	struct worker *worker;
	struct tally sum;
};

static _Atomic int running;

static void wake(int signal)
{
}

static time_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/* A ring that programs may look at, and not change. */
static void make_private(struct fuzz *f)
{
	struct chring_config config = { .vnodes = 10, .tickets = 2 };

	f->probe = probe_open();
	if (f->probe < 0 ||
	    probe_create(f->probe, 0, PRIVATE, &config, CHRING_KEYS_BYTES) ||
	    probe_add(f->probe, 0, server_of("a", 1, 1, 0), NULL) ||
	    probe_add(f->probe, 0, server_of("b", 2, 2, 0), NULL))
		note("there is no private ring: %d", f->probe);
}

static void set_up(struct fuzz *f)
{
	struct chring_config config = { .vnodes = 10, .balance = 150, .tickets = 2 };

	make_private(f);
	f->lone = ring_fresh(LONE, &config);
	f->worker[0].lone = f->lone;
}

static void tear_down(struct fuzz *f)
{
	pool_empty();
	close(f->lone);
	if (f->probe >= 0)
		probe_close(f->probe);
}

/* Nobody has a descriptor any more: nothing may hold the module. */
static void reload(struct fuzz *f)
{
	int ret;

	tear_down(f);
	ret = module_unload("chring");
	if (ret) {
		note("broken: the module cannot be unloaded: %d", ret);
		f->stuck++;
	} else {
		ret = module_load(MODULE, "");
		if (ret)
			note("broken: the module cannot be loaded: %d", ret);
		f->stuck += !!ret;
		f->reloads++;
	}
	seen_forget();
	set_up(f);
}

/* Each thread begins anew, but for what it has counted. */
static void prepare(struct fuzz *f, unsigned int round, unsigned long count,
		    enum weather what)
{
	int i;

	for (i = 0; i < f->threads; i++) {
		struct worker *w = &f->worker[i];

		w->number = i;
		w->rng = rng_of(f->seed, round, i + 1);
		w->limit = count / f->threads;
		w->faults = what == FAULTY;
		w->broken = 0;
		memset(w->slot_ring, 0, sizeof(w->slot_ring));
		memset(w->held, 0, sizeof(w->held));
		w->cursor_epoch = 0;
	}
}

static void *run_worker(void *w)
{
	worker_run(w);
	running--;
	return NULL;
}

/* Those who wait for a record are woken by signals, if by nothing else. */
static void run_threads(struct fuzz *f, enum weather what)
{
	pthread_t thread[THREADS_MAX];
	unsigned int tick;
	int i;

	running = f->threads;
	for (i = 0; i < f->threads; i++)
		pthread_create(&thread[i], NULL, run_worker, &f->worker[i]);
	for (tick = 0; running; tick++) {
		usleep(TICK);
		weather_change(what, tick);
		/* Whoever has ended is not joined yet: it can be sent to. */
		for (i = 0; i < f->threads; i++)
			pthread_kill(thread[i], SIGUSR1);
	}
	for (i = 0; i < f->threads; i++)
		pthread_join(thread[i], NULL);
}

static void run_round(struct fuzz *f, unsigned int round, unsigned long count)
{
	static const enum weather order[] = { CALM, FAULTY, POOR, CROWDED };
	enum weather what = order[round % ARRAY_LEN(order)];
	struct rng rng = rng_of(f->seed, round, 0);
	int i;

	if (what == FAULTY && !f->faults)
		what = CALM;
	prepare(f, round, count, what);
	weather_begin(what);
	pool_fill(&rng);
	run_threads(f, what);
	weather_end(what);
	for (i = 0; i < f->threads; i++)
		f->broken += f->worker[i].broken;
}

static struct tally sum_up(const struct fuzz *f)
{
	struct tally sum = f->sum;
	int i;

	for (i = 0; i < f->threads; i++)
		tally_add(&sum, &f->worker[i].tally);
	return sum;
}

/* What has not been met may come in as much time again. */
static bool is_done(const struct fuzz *f)
{
	struct tally sum;

	if (f->end)
		return now() >= f->end;
	sum = sum_up(f);
	return tally_tried(&sum) >= 2 * f->count ||
	       (tally_tried(&sum) >= f->count && !tally_missing(&sum, f->faults));
}

static void run(struct fuzz *f)
{
	unsigned long each = f->end ? ROUND_MAX / 4 : f->count / ROUNDS + 1;
	unsigned int round;

	if (each > ROUND_MAX)
		each = ROUND_MAX;
	for (round = 0; !is_done(f); round++) {
		time_t from = now();

		run_round(f, round, each);
		note("round %u: %lu commands, %ld s", round, each, (long)(now() - from));
		if (round % RELOAD_EVERY == RELOAD_EVERY - 1)
			reload(f);
	}
}

/* Between rounds of the module's life, when no parameter stands in the way. */
static void run_killed(struct fuzz *f)
{
	struct rng rng = rng_of(f->seed, ~0U, 0);

	param_set("max_tokens", 1 << 24);
	killed_run(&f->sum, &rng);
}

static int verdict(bool good, int number, const char *what)
{
	printf("%sok %d - %s\n", good ? "" : "not ", number, what);
	return !good;
}

static int report(struct fuzz *f)
{
	struct tally sum = sum_up(f);
	unsigned int wrong = 0, missing = tally_print(&sum, f->faults, &wrong);
	int failed = 0;

	note("%lu commands, %.1f %% succeeded, %u unloads, seed %llu",
	     tally_tried(&sum), tally_success(&sum), f->reloads, f->seed);
	note("%u documented errors not met, %u others, %u answers that are not right",
	     missing, wrong, f->broken);
	puts("1..5");
	failed |= verdict(!missing, 1, "every error that is documented is met");
	failed |= verdict(!wrong, 2, "no other is");
	failed |= verdict(tally_success(&sum) >= SUCCESS_MIN, 3, "commands succeed");
	failed |= verdict(!f->broken, 4, "what holds of every answer holds");
	failed |= verdict(!f->stuck, 5, "the module unloads when nobody uses it");
	return failed;
}

static bool get_options(struct fuzz *f, int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "s:c:m:t:l")) != -1) {
		unsigned long n = optarg ? strtoul(optarg, NULL, 0) : 0;

		if (c == 's')
			f->seed = strtoull(optarg, NULL, 0);
		else if (c == 'c')
			f->count = n;
		else if (c == 'm')
			f->end = now() + 60 * n;
		else if (c == 't' && n && n <= THREADS_MAX)
			f->threads = n;
		else
			return false;
	}
	return optind == argc;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = wake };
	struct fuzz f = { .count = 1000000, .threads = 4 };
	int i;

	if (getrandom(&f.seed, sizeof(f.seed), 0) < 0 || !get_options(&f, argc, argv)) {
		fputs("usage: fuzz [-s SEED] [-c COMMANDS] [-m MINUTES] [-t THREADS]\n", stderr);
		return 2;
	}
	note("seed %llu, %d threads", f.seed, f.threads);
	sigaction(SIGUSR1, &action, NULL);
	f.worker = mmap(NULL, f.threads * sizeof(*f.worker), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (i = 0; i < f.threads; i++) {
		f.worker[i].lone = -1;
		if (arena_make(&f.worker[i].arena))
			return 1;
	}
	f.faults = inject_possible();
	set_up(&f);
	run_killed(&f);
	run(&f);
	tear_down(&f);
	return report(&f);
}
