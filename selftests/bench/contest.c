// SPDX-License-Identifier: GPL-2.0
/*
 * In each round every structure of every ring has its turn: as many lookups
 * of a mode as bring its memory back into the caches, then those that count. So
 * what disturbs the machine meets all of them, and the ratio of a round is of
 * two that were measured within a moment of each other.
 */
#include "contest.h"

#include <malloc.h>

#include "agree.h"
#include "array.h"
#include "median.h"
#include "need.h"
#include "progress.h"
#include "results.h"

#define ROUND_NS	1000000.0
#define LOOKUPS_MIN	32U
#define LOOKUPS_MAX	(1U << 20)
#define WARM_NS		20000000.0
#define WARM_MAX	(1U << 20)
#define LINE		64
/* Lookups at random for each line: one in twenty stays cold. */
#define TOUCHES		3

static size_t bytes_in_use(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

/* What a structure takes beside what it has allocated for itself. */
static size_t bytes_beside(const struct cell *c)
{
	const struct members *m = c->m;

	if (c->built == m->ring)
		return m->footprint;
	/* Those that search the members' own arrays take these. */
	if (c->rival->exact && c->built == m)
		return m->tokens * (sizeof(*m->token) + sizeof(*m->owner));
	return 0;
}

/* By the C library's count, but for arrays: it counts what aligns them too. */
static size_t bytes_since(size_t in_use, size_t in_arrays)
{
	size_t arrays = array_bytes() - in_arrays;

	return arrays ? arrays : bytes_in_use() - in_use;
}

static bool lane_open(struct lane *l, const struct members *m,
		      const struct rival *r)
{
	size_t in_use = bytes_in_use(), in_arrays = array_bytes();

	progress_step("%s: %s", m->name, r->name);
	*l = (struct lane){ .cell = { r, r->build(m), m } };
	if (!l->cell.built)
		return false;
	l->bytes = bytes_since(in_use, in_arrays) + bytes_beside(&l->cell);
	return true;
}

static void lanes_agree(const struct lane *lane, u32 n)
{
	const struct cell *exact[CELLS_MAX];
	u32 exacts = 0, i;

	progress_step("%s: do they agree?", lane[0].cell.m->name);
	for (i = 0; i < n; i++)
		if (lane[i].cell.rival->exact)
			exact[exacts++] = &lane[i].cell;
	agree(exact, exacts);
}

void contest_join(struct contest *c, const struct members *m,
		  const struct rival *const *rival, u32 rivals)
{
	struct lane *first = &c->lane[c->lanes], *l = first;
	u32 i;

	NEED(c->lanes + rivals <= CELLS_MAX);
	for (i = 0; i < rivals; i++) {
		if (!lane_open(l, m, rival[i]))
			continue;
		l->modes = rival[i]->modes & rival[0]->modes;
		results_memory(m, rival[i]->name, l->bytes);
		l++;
	}
	c->lanes = l - c->lane;
	lanes_agree(first, l - first);
}

/* How many lookups fill a round, and how many of them a lap. */
static void set_pace(struct lane *l, enum bench_mode mode)
{
	double ns = lap_time(&l->cell, mode, 0, LOOKUPS_MIN, LOOKUPS_MIN);

	if (ns < ROUND_NS / SAMPLE)
		ns = lap_time(&l->cell, mode, 0, SAMPLE, SAMPLE);
	l->lookups[mode] = max_t(u32, LOOKUPS_MIN,
				 min_t(double, LOOKUPS_MAX, ROUND_NS / ns));
	l->each[mode] = min(l->lookups[mode], SAMPLE);
}

static bool runs_in(const struct lane *l, enum bench_mode mode)
{
	return l->modes & ONLY(mode);
}

/* As many lookups, of any that are asked for, as touch all of its memory. */
static void warm(const struct lane *l, enum bench_mode mode, u32 round)
{
	u32 lines = min_t(size_t, l->bytes / LINE * TOUCHES, WARM_MAX);
	u32 wanted = min(max(l->cell.m->tokens, lines), WARM_MAX), done;
	u32 each = l->each[mode], start = sample_pool(l->cell.m) / 2 + round;
	double spent = 0;

	for (done = 0; done < wanted && spent < WARM_NS; done += each)
		spent += each * lap_time(&l->cell, mode, start++, each, each);
}

/*
 * Keys stand at other positions than those that lat and tput have in common.
 * Of both tput is quicker to warm up for.
 */
static void warm_for(const struct lane *l, enum bench_mode mode, u32 round)
{
	if (mode == MODE_LAT && runs_in(l, MODE_TPUT))
		warm(l, MODE_TPUT, round);
	else if (mode != MODE_TPUT || !runs_in(l, MODE_LAT))
		warm(l, mode, round);
}

/* Each round goes on in the pool where the one before ended, more or less. */
static void run_lane(struct lane *l, u32 round, u32 rounds)
{
	u32 start = sample_pool(l->cell.m) * round / rounds;
	enum bench_mode mode;

	for (mode = 0; mode < MODES; mode++) {
		if (!runs_in(l, mode))
			continue;
		warm_for(l, mode, round);
		l->ns[mode][round] = lap_time(&l->cell, mode, start,
					      l->lookups[mode], l->each[mode]);
	}
}

/* The lane of chring itself, of the same members. */
static const struct lane *standard(const struct contest *c,
				   const struct lane *l)
{
	u32 i;

	for (i = 0; c->lane[i].cell.m != l->cell.m; i++)
		;
	return &c->lane[i];
}

static void report(const struct contest *c, const struct lane *l,
		   enum bench_mode mode)
{
	const struct lane *s = standard(c, l);
	double ratio[ROUNDS_MAX], ns[ROUNDS_MAX];
	u32 i;

	for (i = 0; i < c->rounds; i++) {
		ns[i] = l->ns[mode][i];
		ratio[i] = ns[i] / s->ns[mode][i];
	}
	results_row(l->cell.m->name, l->cell.rival->name, mode,
		    median(ns, c->rounds), median(ratio, c->rounds));
}

void contest_run(struct contest *c)
{
	enum bench_mode mode;
	u32 round, i;

	for (mode = 0; mode < MODES; mode++)
		for (i = 0; i < c->lanes; i++)
			if (runs_in(&c->lane[i], mode))
				set_pace(&c->lane[i], mode);
	for (round = 0; round < c->rounds; round++)
		for (i = 0; i < c->lanes; i++) {
			progress_step("round %u of %u: %s", round + 1,
				      c->rounds, c->lane[i].cell.m->name);
			run_lane(&c->lane[i], round, c->rounds);
		}
	for (i = 0; i < c->lanes; i++)
		for (mode = 0; mode < MODES; mode++)
			if (runs_in(&c->lane[i], mode))
				report(c, &c->lane[i], mode);
}

void contest_end(struct contest *c)
{
	u32 i;

	for (i = 0; i < c->lanes; i++) {
		const struct rival *r = c->lane[i].cell.rival;

		if (r->free)
			r->free(c->lane[i].cell.built);
	}
	c->lanes = 0;
}
