// SPDX-License-Identifier: GPL-2.0
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

/* In this file, so that a 32-bit program needs no library. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "libhistory.h"

#define WEIGHT_MAX	4

static struct member (*history)[HISTORY_NODES];
static _Atomic __u64 known;		/* history is complete up to here */
static __u64 token[HISTORY_NODES][WEIGHT_MAX * HISTORY_VNODES];
static struct member now[HISTORY_NODES];

static void node_name(char *to, int node)
{
	sprintf(to, "node-%d", node);
}

static void make_tokens(void)
{
	char label[32];
	int n, i;

	for (n = 0; n < HISTORY_NODES; n++)
		for (i = 0; i < WEIGHT_MAX * HISTORY_VNODES; i++)
			token[n][i] = XXH64(label, sprintf(label, "node-%d#%d",
							   n, i), 0);
}

bool history_begin(void)
{
	history = calloc(HISTORY_EPOCHS, sizeof(*history));
	if (!history)
		return false;
	make_tokens();
	memset(now, 0, sizeof(now));
	atomic_store(&known, 1);
	return true;
}

__u64 history_epoch(void)
{
	return atomic_load(&known);
}

__u64 history_owner(const struct member *m, __u64 at, int *error)
{
	__u64 best = 0, nearest = ~0ULL;
	bool nodes = false;
	int n, i;

	for (n = 0; n < HISTORY_NODES; n++) {
		nodes |= m[n].id != 0;
		if (!m[n].id || m[n].state != CHRING_STATE_UP)
			continue;
		for (i = 0; i < m[n].weight * HISTORY_VNODES; i++) {
			if (token[n][i] - at <= nearest) {
				nearest = token[n][i] - at;
				best = m[n].id;
			}
		}
	}
	*error = best ? 0 : nodes ? -EHOSTUNREACH : -ENODATA;
	return best;
}

const struct member *history_at(__u64 epoch)
{
	struct timespec start, t;

	clock_gettime(CLOCK_MONOTONIC, &start);
	while (atomic_load(&known) < epoch) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		if (t.tv_sec - start.tv_sec > 20)
			return NULL;
		sched_yield();
	}
	return epoch && epoch < HISTORY_EPOCHS ? history[epoch] : NULL;
}

static void record(void)
{
	__u64 epoch = atomic_load(&known) + 1;

	memcpy(history[epoch], now, sizeof(now));
	atomic_store(&known, epoch);
}

static int change_one(int fd, unsigned int *seed)
{
	int n = rand_r(seed) % HISTORY_NODES, what = rand_r(seed) % 8;
	struct member *m = &now[n];
	char name[16];

	node_name(name, n);
	if (!m->id) {
		m->weight = rand_r(seed) % (WEIGHT_MAX + 1);
		m->state = what % 3;
		return node_add(fd, name, m->weight, m->state, &m->id);
	}
	if (what < 2) {
		m->id = 0;
		return node_del(fd, name);
	}
	if (what < 4) {
		m->weight = (m->weight + 1 + what) % (WEIGHT_MAX + 1);
		return node_set_weight(fd, name, m->weight);
	}
	m->state = (m->state + 1 + what % 2) % 3;
	return node_set_state(fd, name, m->state);
}

static int clear(int fd)
{
	char name[16];
	int n, ret;

	for (n = 0; n < HISTORY_NODES; n++) {
		if (!now[n].id)
			continue;
		now[n].id = 0;
		node_name(name, n);
		ret = node_del(fd, name);
		if (ret)
			return ret;
		record();
	}
	return 0;
}

int history_change(int fd, unsigned int *seed)
{
	int ret = change_one(fd, seed);

	if (ret)
		return ret;
	record();
	return history_epoch() % 500 ? 0 : clear(fd);
}
