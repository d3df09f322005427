// SPDX-License-Identifier: GPL-2.0
#include "files.h"
#include "give.h"
#include "worker.h"

/* How often in a thousand. The rest is for files, see below. */
static const int often[CMD_IOCTLS] = {
	[CMD_INFO] = 20,
	[CMD_RING_CREATE] = 22,
	[CMD_RING_DELETE] = 10,
	[CMD_BIND] = 25,
	[CMD_RING_LIST] = 15,
	[CMD_NODE_ADD] = 70,
	[CMD_NODE_SET] = 90,
	[CMD_NODE_DEL] = 30,
	[CMD_NODE_LIST] = 40,
	[CMD_COMMIT] = 60,
	[CMD_LOOKUP] = 130,
	[CMD_LOOKUP_BATCH] = 60,
	[CMD_ACQUIRE] = 75,
	[CMD_RELEASE] = 50,
	[CMD_STATS] = 40,
	[CMD_RANGES] = 45,
	[CMD_DIFF] = 35,
	[CMD_TOKENS] = 35,
	[CMD_PIN] = 22,
	[CMD_UNPIN] = 26,
};

static void do_something(struct worker *w)
{
	int n = rng_below(&w->rng, 1000), cmd;

	for (cmd = 0; cmd < CMD_IOCTLS; cmd++) {
		n -= often[cmd];
		if (n < 0)
			return give(w, cmd);
	}
	if (n < 8)
		give_unknown(w);
	else if (n < 38)
		files_read(w);
	else if (n < 45)
		files_poll(w);
	else if (n < 75)
		files_map(w);
	else if (n < 98)
		pool_replace(rng_below(&w->rng, POOL_SLOTS), &w->rng, true);
	else
		files_fork(w);
}

void *worker_run(void *worker)
{
	struct worker *w = worker;
	unsigned long end = tally_tried(&w->tally) + w->limit;

	inject_open(&w->inject);
	for (w->step = 0; tally_tried(&w->tally) < end; w->step++)
		do_something(w);
	files_unmap(w);
	inject_close(&w->inject);
	return NULL;
}
