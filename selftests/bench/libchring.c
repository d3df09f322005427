// SPDX-License-Identifier: GPL-2.0
/*
 * libchring, as a program calls it: in a copy of the ring, having asked the
 * status pages. The device is in the program, and is asked when the copy is
 * made only.
 */
#include "device.h"
#include "libchring.h"
#include "need.h"
#include "rival.h"

/**
 * struct followed - a ring that is followed
 * @c: handle
 * @node: by number
 * @first: id of the first of them; the others' follow in order
 */
struct followed {
	struct chring *c;
	const void **node;
	u64 first;
};

static void *build(const struct members *m)
{
	struct chring_nodes *nodes;
	struct followed *f;

	if (!m->ring)
		return NULL;
	f = need(malloc(sizeof(*f)));
	device_known();
	device_show(m->ring);
	NEED(!chring_open(NULL, CHRING_OPEN_READ, &f->c));
	NEED(!chring_follow(f->c, 0));
	NEED(!chring_node_list(f->c, &nodes));
	f->node = m->node;
	f->first = nodes->node[0].id;
	chring_nodes_free(nodes);
	return f;
}

static void give_back(void *built)
{
	struct followed *f = built;

	chring_close(f->c);
	free(f);
}

static const void *find_position(const void *built, u64 position)
{
	const struct followed *f = built;
	struct chring_found found;

	return chring_find_position(f->c, position, &found) ? NULL :
	       f->node[found.node - f->first];
}

static const void *find_key(const void *built, const char *key)
{
	const struct followed *f = built;
	struct chring_found found;

	return chring_find(f->c, key, KEY_LEN, &found) ? NULL :
	       f->node[found.node - f->first];
}

const struct rival libchring_rival = {
	.name = "libchring",
	.exact = true,
	.modes = ONLY(MODE_KEY),
	.build = build,
	.free = give_back,
	.find = find_position,
	.find_key = find_key,
};
