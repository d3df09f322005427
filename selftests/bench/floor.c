// SPDX-License-Identifier: GPL-2.0
/*
 * The floors: one load of memory as large as chring's table. Dependent: each
 * cell of a line holds the address of the next one, in an order without order.
 * Independent: the position says which.
 */
#include <xxhash.h>

#include "array.h"
#include "need.h"
#include "rival.h"

#define LINE	64

struct cell {
	struct cell *next;
} __attribute__((aligned(LINE)));

struct floor {
	struct cell *at;
	u32 cells;
	struct cell *cell;
};

/* One circle through all cells (Sattolo's shuffle). */
static void link_cells(struct floor *f)
{
	u32 *order = need(malloc(f->cells * sizeof(*order)));
	u32 i, j, t;

	for (i = 0; i < f->cells; i++)
		order[i] = i;
	for (i = f->cells - 1; i; i--) {
		j = XXH64(&i, sizeof(i), 0) % i;
		t = order[i];
		order[i] = order[j];
		order[j] = t;
	}
	for (i = 0; i < f->cells; i++)
		f->cell[order[i]].next =
			&f->cell[order[i + 1 == f->cells ? 0 : i + 1]];
	free(order);
}

static void *build(const struct members *m)
{
	struct floor *f = need(calloc(1, sizeof(*f)));

	f->cells = m->footprint / LINE + 1;
	f->cell = array_alloc(f->cells, sizeof(*f->cell));
	f->at = f->cell;
	link_cells(f);
	return f;
}

static void floor_free(void *built)
{
	struct floor *f = built;

	free(f->cell);
	free(f);
}

static const void *walk(void *built, u32 n)
{
	struct floor *f = built;
	struct cell *at = f->at;

	while (n--)
		at = at->next;
	f->at = at;
	return at;
}

static const void *find(const void *built, u64 position)
{
	const struct floor *f = built;

	return f->cell[(__uint128_t)position * f->cells >> 64].next;
}

const struct rival floor_lat_rival = {
	.name = "floor_lat",
	.modes = ONLY(MODE_LAT),
	.build = build,
	.free = floor_free,
	.walk = walk,
};

const struct rival floor_tput_rival = {
	.name = "floor_tput",
	.modes = ONLY(MODE_TPUT),
	.build = build,
	.free = floor_free,
	.find = find,
};
