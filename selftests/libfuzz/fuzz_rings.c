// SPDX-License-Identifier: GPL-2.0
/*
 * A ring of any config through any changes is what the model says: nodes, tokens,
 * digest, shares, owners and the walk from any key to further nodes.
 */
#include "input.h"
#include "rig.h"
#include "rng.h"
#include "tap.h"

#include <stdlib.h>

#define CHANGES_MAX	48
/* Waiting for a grace period takes longer than all the rest. */
#define MEMORY_EVERY	512

/* Nodes in service in the order of the walk, the naive way. */
static u32 walk(const struct model *m, u64 position, u32 *node, u32 n)
{
	struct model_token *t = model_sorted(m);
	u32 found = 0, first = 0, i, k;

	while (first < m->tokens && t[first].token < position)
		first++;
	for (i = 0; i < m->tokens && found < n; i++) {
		u32 next = t[(first + i) % m->tokens].node;

		for (k = 0; k < found && node[k] != next; k++)
			;
		if (k == found && m->node[next].state == CHRING_STATE_UP)
			node[found++] = next;
	}
	free(t);
	return found;
}

static void check_walk(const struct rig *rig, u64 position)
{
	const struct chring_ask ask = {
		.position = position,
		.n = 1 + rng_below(CHRING_REPLICAS_MAX),
	};
	const struct chring_node *node[CHRING_REPLICAS_MAX];
	u32 want[CHRING_REPLICAS_MAX], found, visits, i;
	int ret = chring_view_owners(rig_view(rig), &ask, node, &visits);

	found = walk(&rig->model, position, want, ask.n);
	if (!found) {
		CHECK(ret == model_owner(&rig->model, position));
		return;
	}
	NEED(ret == (int)found);
	for (i = 0; i < found; i++)
		CHECK(model_same_name(&rig->model.node[want[i]], node[i]->name,
				      node[i]->name_len));
}

static void check_walks(const struct rig *rig)
{
	u32 i;

	for (i = 0; i < rig->model.tokens; i++)
		check_walk(rig, rig->model.token[i].token + rng_below(2));
	check_walk(rig, 0);
	check_walk(rig, ~0ULL);
}

static void change(struct rig *rig)
{
	int left = CHANGES_MAX;

	do {
		rig_random_change(rig);
		rig_check(rig);
	} while (input_left() && --left);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static unsigned int runs;
	struct chring_config config;
	struct rig rig;

	input_begin(bytes, len);
	model_random_config(&config);
	rig_open(&rig, &config);
	change(&rig);
	rig_check_owners(&rig);
	check_walks(&rig);
	rig_close(&rig);
	if (!(++runs % MEMORY_EVERY))
		rig_check_memory();
	return 0;
}
