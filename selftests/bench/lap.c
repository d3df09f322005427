// SPDX-License-Identifier: GPL-2.0
/*
 * key: hash of a key, then its owner; one does not wait for the other.
 * lat: owner of a position that is known only when the owner before is.
 * tput: owners of positions, all known.
 *
 * For lat the highest bit of the node's address, which is 0, is added to the
 * next position: the processor has to wait for it, and every structure is
 * asked for the same positions.
 */
#include "lap.h"

#include <time.h>

#include "median.h"

#define LAPS_MAX	1024

static volatile u64 sink;

u64 lap_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static u64 find_keys(const struct cell *c, const struct sample *s, u32 n)
{
	const void *(*find)(const void *, u64) = c->rival->find;
	const void *built = c->built;
	u64 sum = 0;
	u32 i;

	for (i = 0; i < n; i++)
		sum ^= (u64)find(built, xxh64(s->key[i], KEY_LEN, 0));
	return sum;
}

static u64 find_own_keys(const struct cell *c, const struct sample *s, u32 n)
{
	const void *(*find)(const void *, const char *) = c->rival->find_key;
	const void *built = c->built;
	u64 sum = 0;
	u32 i;

	for (i = 0; i < n; i++)
		sum ^= (u64)find(built, s->key[i]);
	return sum;
}

static u64 find_in_turn(const struct cell *c, const struct sample *s, u32 n)
{
	const void *(*find)(const void *, u64) = c->rival->find;
	const void *built = c->built;
	u64 last = 0;
	u32 i;

	for (i = 0; i < n; i++)
		last = (u64)find(built, s->position[i] + (last >> 63));
	return last;
}

static u64 find_all(const struct cell *c, const struct sample *s, u32 n)
{
	const void *(*find)(const void *, u64) = c->rival->find;
	const void *built = c->built;
	u64 sum = 0;
	u32 i;

	for (i = 0; i < n; i++)
		sum ^= (u64)find(built, s->position[i]);
	return sum;
}

static u64 sum_nodes(const void *const *node, u32 n)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < n; i++)
		sum ^= (u64)node[i];
	return sum;
}

static u64 find_batch(const struct cell *c, enum bench_mode mode,
		      const struct sample *s, u32 n)
{
	const void *node[SAMPLE];

	if (mode == MODE_KEY)
		c->rival->find_many_keys(c->built, s->key[0], n, node);
	else
		c->rival->find_many(c->built, s->position, n, node);
	return sum_nodes(node, n);
}

u64 lap(const struct cell *c, enum bench_mode mode, const struct sample *s,
	u32 n)
{
	if (c->rival->find_many)
		return find_batch(c, mode, s, n);
	if (c->rival->walk)
		return (u64)c->rival->walk(c->built, n);
	switch (mode) {
	case MODE_KEY:
		return c->rival->find_key ? find_own_keys(c, s, n) :
					    find_keys(c, s, n);
	case MODE_LAT:
		return find_in_turn(c, s, n);
	default:
		return find_all(c, s, n);
	}
}

double lap_time(const struct cell *c, enum bench_mode mode, u32 start,
		u32 lookups, u32 each)
{
	u32 pool = sample_pool(c->m), laps = 0, done;
	double ns[LAPS_MAX];
	struct sample s;

	for (done = 0; done < lookups && laps < LAPS_MAX; done += each) {
		u64 begin;

		sample_fill(&s, c->m, mode, start++ % pool);
		begin = lap_clock();
		sink += lap(c, mode, &s, each);
		ns[laps++] = (double)(lap_clock() - begin) / each;
	}
	return median(ns, laps);
}
