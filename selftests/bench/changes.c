// SPDX-License-Identifier: GPL-2.0
/*
 * A change of chring is all of it, from the request to the pointer store:
 * hashing, sorting, merging, index, digest. Before each the
 * memory of the last one has been given back, as on a ring at rest.
 *
 * The full sort that a table without merging needs is heapsort, which is what
 * the kernel's sort() is (here libbsd's), of 16-byte pairs, hashing not
 * counted. The C library's qsort() (a mergesort with memory aside, which the
 * kernel does not have) stands beside it.
 */
#include "changes.h"

#include <bsd/stdlib.h>

#include "array.h"
#include "core/points.h"
#include "lap.h"
#include "median.h"
#include "members.h"
#include "need.h"
#include "progress.h"
#include "results.h"
#include "stdmap.h"

#define ROUNDS_MAX	101
/* What takes long is done in one round of so many. */
#define SELDOM		5

/**
 * struct shop - what changes are made of
 * @nodes: on the ring at rest; the node that comes has this number
 * @vnodes: of each
 * @ring: the ring
 * @fresh: a ring that is built in one go
 * @tokens: on the ring at rest
 * @pair: as many, and those of the node that comes
 * @come: tokens of the node that comes
 * @tree: std::map of the ring
 * @tree_fresh: one that is built
 * @m: members, for the std::map
 * @from: memory as large as the table
 * @to: the same again
 * @bytes: its size
 * @rank: by slot: place in the order of names
 * @merged: table, merged without a ring
 */
struct shop {
	u32 nodes;
	u32 vnodes;
	struct chring_ring *ring;
	struct chring_ring *fresh;
	u32 tokens;
	struct pair *pair;
	u64 *come;
	void *tree;
	void *tree_fresh;
	struct members *m;
	char *from;
	char *to;
	size_t bytes;
	u16 *rank;
	struct chring_table *merged;
};

static const struct chring_table *table_of(const struct chring_ring *ring)
{
	return ring->view->table;
}

/* -- chring */

static void at_rest(struct shop *s)
{
	(void)s;
	chring_retire_wait();
	chring_retire_wait();
}

static void ring_add(struct shop *s)
{
	char name[16];
	const struct chring_edit edit = members_edit(s->nodes, name);
	struct chring_request rq = {};

	NEED(!chring_ring_node_add(s->ring, &edit, &rq));
}

static void ring_delete(struct shop *s)
{
	char name[16];
	const struct chring_edit edit = members_edit(s->nodes, name);
	struct chring_request rq = {};

	NEED(!chring_ring_node_del(s->ring, &edit, &rq));
}

/* Out of service or back again: never another table. */
static void ring_flip(struct shop *s)
{
	char name[16];
	struct chring_edit edit = members_edit(0, name);
	const struct chring_table *before = table_of(s->ring);
	u32 was = chring_view_state(s->ring->view, 0);
	struct chring_request rq = {};

	edit.flags = CHRING_NODE_STATE;
	edit.state = was == CHRING_STATE_UP ? CHRING_STATE_DRAIN :
					      CHRING_STATE_UP;
	NEED(!chring_ring_node_set(s->ring, &edit, &rq));
	NEED(table_of(s->ring) == before);
	NEED(chring_view_state(s->ring->view, 0) == edit.state);
}

static void fresh_begin(struct shop *s)
{
	if (s->fresh)
		chring_ring_abandon(s->fresh);
	at_rest(s);
	s->fresh = members_ring(s->vnodes);
}

static void fresh_build(struct shop *s)
{
	members_commit(s->fresh, s->nodes);
}

static void merge_begin(struct shop *s)
{
	chring_table_free(s->merged);
}

/* The table alone, of what comes: hashed and sorted here as well. */
static void merge(struct shop *s)
{
	const struct chring_run none = {};
	struct chring_run run;

	NEED(!chring_run_alloc(&run, s->vnodes));
	members_points(s->ring, s->nodes, run.token);
	NEED(!chring_run_own(&run, s->nodes));
	NEED(!chring_run_sort(&run));
	s->merged = chring_table_merge(table_of(s->ring), &run, &none,
				       s->rank);
	NEED(!IS_ERR(s->merged));
	chring_run_free(&run);
}

/* -- others */

static void copy(struct shop *s)
{
	memcpy(s->to, s->from, s->bytes);
}

static void tree_add(struct shop *s)
{
	members_points(s->ring, s->nodes, s->come);
	stdmap_add(s->tree, s->come, s->vnodes, s);
}

static void tree_delete(struct shop *s)
{
	members_points(s->ring, s->nodes, s->come);
	stdmap_delete(s->tree, s->come, s->vnodes);
}

static void tree_begin(struct shop *s)
{
	if (s->tree_fresh)
		stdmap_rival.free(s->tree_fresh);
}

static void tree_build(struct shop *s)
{
	members_pairs(s->ring, s->nodes, s->vnodes, s->pair);
	s->tree_fresh = stdmap_rival.build(s->m);
}

static void pairs_begin(struct shop *s)
{
	members_pairs(s->ring, s->nodes + 1, s->vnodes, s->pair);
}

static void pairs_heapsort(struct shop *s)
{
	NEED(!heapsort(s->pair, s->tokens + s->vnodes, sizeof(*s->pair),
		       members_pair_cmp));
}

static void pairs_qsort(struct shop *s)
{
	qsort(s->pair, s->tokens + s->vnodes, sizeof(*s->pair),
	      members_pair_cmp);
}

static void pairs_build(struct shop *s)
{
	members_pairs(s->ring, s->nodes, s->vnodes, s->pair);
	qsort(s->pair, s->tokens, sizeof(*s->pair), members_pair_cmp);
}

/**
 * struct job - something that is timed
 * @structure: whose work it is
 * @mode: what it does
 * @than: the job of chring that it is compared with
 * @seldom: not in every round
 * @begin: before it, not timed
 * @run: it
 */
struct job {
	const char *structure;
	const char *mode;
	u32 than;
	bool seldom;
	void (*begin)(struct shop *s);
	void (*run)(struct shop *s);
};

enum {
	JOB_BUILD, JOB_ADD, JOB_FLIP, JOB_DELETE
};

static const struct job jobs[] = {
	[JOB_BUILD] = { "chring", "build", JOB_BUILD, true, fresh_begin,
			fresh_build },
	[JOB_ADD] = { "chring", "add", JOB_ADD, false, at_rest, ring_add },
	[JOB_FLIP] = { "chring", "flip", JOB_FLIP, false, at_rest, ring_flip },
	[JOB_DELETE] = { "chring", "delete", JOB_DELETE, false, at_rest,
			 ring_delete },
	{ "chring_table", "add", JOB_ADD, false, merge_begin, merge },
	{ "memcpy", "add", JOB_ADD, false, NULL, copy },
	{ "memcpy", "delete", JOB_DELETE, false, NULL, copy },
	{ "stdmap", "add", JOB_ADD, false, NULL, tree_add },
	{ "stdmap", "delete", JOB_DELETE, false, NULL, tree_delete },
	{ "stdmap", "build", JOB_BUILD, true, tree_begin, tree_build },
	{ "heapsort", "add", JOB_ADD, true, pairs_begin, pairs_heapsort },
	{ "qsort", "add", JOB_ADD, true, pairs_begin, pairs_qsort },
	{ "qsort", "build", JOB_BUILD, true, NULL, pairs_build },
};

#define JOBS	(sizeof(jobs) / sizeof(*jobs))

static void shop_open(struct shop *s, u32 nodes, u32 vnodes)
{
	u32 i;

	*s = (struct shop){ .nodes = nodes, .vnodes = vnodes };
	s->m = members_make(nodes, vnodes);
	s->ring = s->m->ring;
	s->tokens = s->m->tokens;
	s->pair = need(calloc(s->tokens + vnodes, sizeof(*s->pair)));
	s->come = need(calloc(vnodes, sizeof(*s->come)));
	s->tree = stdmap_rival.build(s->m);
	s->bytes = s->m->footprint;
	s->from = array_alloc(s->bytes, 1);
	s->to = array_alloc(s->bytes, 1);
	memset(s->from, 1, s->bytes);
	memset(s->to, 2, s->bytes);
	s->rank = need(calloc(nodes + 1, sizeof(*s->rank)));
	for (i = 0; i <= nodes; i++)
		s->rank[i] = i;
}

static void shop_close(struct shop *s)
{
	chring_table_free(s->merged);
	if (s->fresh)
		chring_ring_abandon(s->fresh);
	if (s->tree_fresh)
		stdmap_rival.free(s->tree_fresh);
	stdmap_rival.free(s->tree);
	members_free(s->m);
	free(s->rank);
	free(s->from);
	free(s->to);
	free(s->pair);
	free(s->come);
}

static double time_job(const struct job *job, struct shop *s)
{
	u64 begin;

	if (job->begin)
		job->begin(s);
	begin = lap_clock();
	job->run(s);
	return lap_clock() - begin;
}

void changes_run(u32 nodes, u32 vnodes, u32 rounds)
{
	static double ns[JOBS][ROUNDS_MAX];
	u32 times[JOBS] = {}, round, i;
	double middle[JOBS];
	struct shop s;

	shop_open(&s, nodes, vnodes);
	/* Not counted: brings in memory that is used again and again. */
	for (i = 0; i < JOBS; i++)
		if (!jobs[i].seldom)
			time_job(&jobs[i], &s);
	for (round = 0; round < rounds; round++)
		for (i = 0; i < JOBS; i++) {
			progress_step("round %u of %u: %s, %s", round + 1,
				      rounds, jobs[i].structure, jobs[i].mode);
			if (!jobs[i].seldom || round % SELDOM == 0)
				ns[i][times[i]++] = time_job(&jobs[i], &s);
		}
	for (i = 0; i < JOBS; i++)
		middle[i] = median(ns[i], times[i]);
	for (i = 0; i < JOBS; i++)
		results_time(s.m->name, jobs[i].structure, jobs[i].mode,
			     middle[i], middle[i] / middle[jobs[i].than]);
	shop_close(&s);
}
