// SPDX-License-Identifier: GPL-2.0
/*
 * bench FILE: all measurements, as JSON in FILE. In the environment: QUICK=1
 * makes fewer; ONLY names the stages to run, of rings, clusters, changes,
 * threads and large.
 */
#include <sched.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "changes.h"
#include "contest.h"
#include "core/balance.h"
#include "members.h"
#include "need.h"
#include "progress.h"
#include "results.h"
#include "threads.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof(*(a)))

/**
 * struct plan - how much of everything
 * @rings: how many of them, from the beginning of the list
 * @rounds: of rings that fit into caches, more or less
 * @rounds_large: of the one that does not
 * @rounds_threads: of readers and writers
 * @rounds_changes: of changes
 * @large: rivals of the large ring
 * @larges: how many
 */
struct plan {
	u32 rings;
	u32 rounds;
	u32 rounds_large;
	u32 rounds_threads;
	u32 rounds_changes;
	const struct rival *const *large;
	u32 larges;
};

/* Those that chring is compared with most closely are measured next to it. */
static const struct rival *const rivals[] = {
	&chring_rival, &chring_answer_rival, &libchring_rival,
	&chring_batch_rival, &floor_lat_rival, &floor_tput_rival,
	&maglev65537_mod_rival, &maglev65537_fast_rival,
	&maglev655373_mod_rival, &bsearch_branchless_rival,
	&bsearch_branchy_rival, &eytzinger_rival, &stdmap_rival,
	&libmemcached_rival, &jump_rival, &rendezvous_rival,
};

/* Those that targets at 16 M tokens are about. */
static const struct rival *const quick_rivals[] = {
	&chring_rival, &chring_answer_rival, &libchring_rival,
	&chring_batch_rival, &floor_lat_rival, &floor_tput_rival,
	&eytzinger_rival,
};

static const struct rival *const clustered_rivals[] = {
	&clustered_rival, &bsearch_branchy_rival, &bsearch_branchless_rival,
	&eytzinger_rival,
};

/* First those that targets are about. */
static const u32 rings[][2] = {
	{ 32, 160 }, { 64, 160 }, { 64, 1024 }, { 64, 4096 }, { 1000, 160 },
	{ 1000, 1000 },
#define QUICK_RINGS	6
	{ 10, 100 }, { 64, 16 }, { 64, 256 },
};

static const struct plan whole = {
	.rings = ARRAY_SIZE(rings),
	.rounds = 51,
	.rounds_large = 15,
	.rounds_threads = 21,
	.rounds_changes = 25,
	.large = rivals,
	.larges = ARRAY_SIZE(rivals),
};

static const struct plan quick = {
	.rings = QUICK_RINGS,
	.rounds = 5,
	.rounds_large = 3,
	.rounds_threads = 3,
	.rounds_changes = 5,
	.large = quick_rivals,
	.larges = ARRAY_SIZE(quick_rivals),
};

static const u32 large_ring[1][2] = { { 16000, 1000 } };

static struct contest contest;

/* The square root of x, x > 0, by Newton: no need of a library. */
static double root(double x)
{
	double y = x < 1 ? 1 : x;
	int i;

	for (i = 0; i < 64; i++)
		y = (y + x / y) / 2;
	return y;
}

/* How uneven the nodes' shares are: standard deviation over mean. */
static double spread(const struct members *m, const struct chring_view *v)
{
	struct chring_share *share = need(calloc(v->roster->slots,
						 sizeof(*share)));
	double sum = 0, fair = 18446744073709551616.0 / m->nodes;
	u32 i;

	NEED(!chring_balance_shares(v->table, v->out, 64, share));
	for (i = 0; i < m->nodes; i++) {
		double off = share[i].lo / fair - 1;

		sum += off * off;
	}
	free(share);
	return root(sum / m->nodes);
}

static struct members *open_ring(const u32 ring[2])
{
	struct members *m;
	struct chring_view *v;

	progress_step("%ux%u", ring[0], ring[1]);
	m = members_make(ring[0], ring[1]);
	v = chring_ring_view_get(m->ring);
	results_ring(m, spread(m, v), v->table->bytes,
		     v->roster->bytes);
	chring_view_put(v);
	return m;
}

static void run_rings(const u32 (*ring)[2], u32 n,
		      const struct rival *const *rival, u32 rivals,
		      u32 rounds)
{
	struct members *m[ARRAY_SIZE(rings)];
	u32 i;

	contest.rounds = rounds;
	for (i = 0; i < n; i++) {
		m[i] = open_ring(ring[i]);
		contest_join(&contest, m[i], rival, rivals);
	}
	contest_run(&contest);
	contest_end(&contest);
	for (i = 0; i < n; i++)
		members_free(m[i]);
}

static void run_clusters(u32 rounds)
{
	static const u32 bits[] = { 40, 24 };
	struct members *m[ARRAY_SIZE(bits)];
	u32 i;

	contest.rounds = rounds;
	for (i = 0; i < ARRAY_SIZE(bits); i++) {
		m[i] = members_cluster(64, 1000000, bits[i]);
		m[i]->footprint = 0;
		contest_join(&contest, m[i], clustered_rivals,
			     ARRAY_SIZE(clustered_rivals));
	}
	contest_run(&contest);
	contest_end(&contest);
	for (i = 0; i < ARRAY_SIZE(bits); i++)
		members_free(m[i]);
}

/* The last processor that may be used, and another one. Return: how many. */
static u32 choose_cpus(u32 cpu[2])
{
	cpu_set_t set;
	u32 found = 0;
	int i;

	NEED(!sched_getaffinity(0, sizeof(set), &set));
	for (i = CPU_SETSIZE - 1; i >= 0 && found < 2; i--)
		if (CPU_ISSET(i, &set))
			cpu[found++] = i;
	CPU_ZERO(&set);
	CPU_SET(cpu[0], &set);
	NEED(!sched_setaffinity(0, sizeof(set), &set));
	return found;
}

static void note_machine(bool is_quick)
{
	struct utsname name;

	NEED(!uname(&name));
	results_note("kernel", name.release);
	results_note("compiler", "gcc " __VERSION__);
	results_note("rcu", "liburcu memb, inlined");
	results_note("run", is_quick ? "quick" : "whole");
}

/* ONLY in the environment: names of stages. */
static bool stage(const char *name, const char *what)
{
	const char *only = getenv("ONLY");

	if (only && *only && !strstr(only, name))
		return false;
	progress_stage(what);
	return true;
}

static void run(const struct plan *plan, const u32 cpu[2], u32 cpus)
{
	if (stage("rings", "rings of up to a million tokens"))
		run_rings(rings, plan->rings, rivals, ARRAY_SIZE(rivals),
			  plan->rounds);
	if (stage("clusters", "clustered tokens"))
		run_clusters(plan->rounds);
	if (stage("changes", "changes"))
		changes_run(1000, 1000, plan->rounds_changes);
	if (stage("threads", "threads") && cpus == 2)
		threads_run(64, 256, plan->rounds_threads, cpu);
	if (stage("large", "a ring of 16 million tokens"))
		run_rings(large_ring, 1, plan->large, plan->larges,
			  plan->rounds_large);
	progress_end();
}

int main(int argc, char **argv)
{
	const char *want = getenv("QUICK");
	bool is_quick = want && *want && strcmp(want, "0");
	u32 cpu[2], cpus;

	if (argc != 2) {
		fprintf(stderr, "usage: bench FILE\n");
		return 2;
	}
	cpus = choose_cpus(cpu);
	chring_sync_init();
	note_machine(is_quick);
	run(is_quick ? &quick : &whole, cpu, cpus);
	chring_sync_exit();
	results_write(argv[1]);
	return 0;
}
