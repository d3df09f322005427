// SPDX-License-Identifier: GPL-2.0
/*
 * count NODES VNODES WHAT N: N lookups of one kind and nothing else of
 * interest, for callgrind, which counts inside of the function that WHAT is
 * done by (see chring.c): no loop around it, no clock.
 */
#include <stdlib.h>

#include "members.h"
#include "need.h"
#include "sample.h"

static void lookups(const struct members *m, const void *followed,
		    const char *what, const struct sample *s, u32 n)
{
	const void *node[SAMPLE];
	u32 i;

	if (!strcmp(what, "find_many_keys"))
		chring_batch_rival.find_many_keys(m->ring, s->key[0], n, node);
	else if (!strcmp(what, "find_many"))
		chring_batch_rival.find_many(m->ring, s->position, n, node);
	else if (!strcmp(what, "chring_find"))
		for (i = 0; i < n; i++)
			libchring_rival.find_key(followed, s->key[i]);
	else if (!strcmp(what, "find_key"))
		for (i = 0; i < n; i++)
			chring_rival.find_key(m->ring, s->key[i]);
	else
		for (i = 0; i < n; i++)
			chring_rival.find(m->ring, s->position[i]);
}

int main(int argc, char **argv)
{
	struct members *m;
	struct sample s;
	void *followed;
	u32 n, nr;

	NEED(argc == 5);
	chring_sync_init();
	m = members_make(atoi(argv[1]), atoi(argv[2]));
	followed = libchring_rival.build(m);
	n = atoi(argv[4]);
	for (nr = 0; n; nr++) {
		u32 some = min(n, SAMPLE);

		sample_fill(&s, m, MODE_KEY, nr);
		sample_fill(&s, m, MODE_TPUT, nr);
		lookups(m, followed, argv[3], &s, some);
		n -= some;
	}
	libchring_rival.free(followed);
	members_free(m);
	chring_sync_exit();
	return 0;
}
