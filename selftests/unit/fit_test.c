// SPDX-License-Identifier: GPL-2.0
/*
 * The first node clockwise that fits, against the model of the membership: who
 * does not fit is as good as out of service.
 */
#include <stdlib.h>

#include "core/config.h"
#include "faults.h"
#include "rig.h"
#include "rng.h"
#include "tap.h"

#define ROUNDS		600
#define NODES_MAX	40
#define FITS_MAX	256

/**
 * struct fitness - who fits
 * @rig: of whom
 * @fits: by index of the model
 * @asked: how often
 */
struct fitness {
	const struct rig *rig;
	bool fits[FITS_MAX];
	u32 asked;
};

static u32 index_of(const struct rig *rig, const struct chring_node *node)
{
	u32 i;

	for (i = 0; i < rig->model.nodes; i++)
		if (rig->model.node[i].id == node->id)
			return i;
	NEED(!"a node that the model does not have");
	return 0;
}

static bool is_fit(const struct chring_node *node, void *data)
{
	struct fitness *f = data;
	u32 i = index_of(f->rig, node);

	/* Only who could be the answer is asked for. */
	CHECK(node->tokens && f->rig->model.node[i].weight);
	CHECK(f->rig->model.node[i].state == CHRING_STATE_UP);
	f->asked++;
	return f->fits[i];
}

/* Return: index in the model, or an error. */
static int find(struct fitness *f, u64 position, u32 *visits)
{
	const struct chring_node *node;

	f->asked = 0;
	node = chring_view_fitting(rig_view(f->rig), position, is_fit, f,
				   visits);
	return IS_ERR(node) ? (int)PTR_ERR(node) : (int)index_of(f->rig, node);
}

static int find_model(const struct fitness *f, u64 position)
{
	struct model m;
	int want;
	u32 i;

	model_copy(&m, &f->rig->model);
	for (i = 0; i < m.nodes; i++)
		if (!f->fits[i])
			m.node[i].state = CHRING_STATE_DOWN;
	want = model_owner(&m, position);
	model_free(&m);
	return want;
}

/* Return: the walk went on over the nodes. */
static bool check_position(struct fitness *f, u64 position)
{
	const struct chring_view *v = rig_view(f->rig);
	u32 tokens = min(v->table->count, 64U), visits;
	int got = find(f, position, &visits);

	CHECK(got == find_model(f, position));
	CHECK(visits <= tokens + v->roster->slots);
	CHECK(f->asked <= visits);
	return visits > tokens;
}

static u32 check_positions(struct fitness *f)
{
	const struct model *m = &f->rig->model;
	u32 by_node = 0, i;

	for (i = 0; i < 20; i++)
		by_node += check_position(f, rng());
	for (i = 0; i < 20 && m->tokens; i++)
		by_node += check_position(f, m->token[rng_below(m->tokens)].token +
					     rng_below(3) - 1);
	return by_node;
}

static void choose(struct fitness *f, u32 one_in)
{
	u32 i;

	NEED(f->rig->model.nodes <= FITS_MAX);
	for (i = 0; i < FITS_MAX; i++)
		f->fits[i] = rng_once_in(one_in);
}

static void test_any(void)
{
	u32 round, by_node = 0;

	for (round = 0; round < ROUNDS; round++) {
		struct chring_config config;
		struct model members;
		struct fitness f = {};
		struct rig rig;

		model_random_config(&config);
		rig_open(&rig, &config);
		model_init(&members, &config);
		model_random(&members, NODES_MAX);
		rig_fill(&rig, &members);
		f.rig = &rig;
		choose(&f, 1);
		by_node += check_positions(&f);
		choose(&f, 2);
		by_node += check_positions(&f);
		choose(&f, 20);
		by_node += check_positions(&f);
		model_free(&members);
		rig_close(&rig);
	}
	tap_note("%u walks node by node", by_node);
	CHECK(by_node > 100);
}

/* Slots that are free, and nodes that come and go. */
static void test_through_changes(void)
{
	struct chring_config config = { .vnodes = 9 };
	struct fitness f = {};
	struct rig rig;
	u32 step;

	NEED(!chring_config_resolve(&config));
	rig_open(&rig, &config);
	f.rig = &rig;
	for (step = 0; step < 400; step++) {
		rig_random_change(&rig);
		choose(&f, 1 + step % 7);
		check_positions(&f);
	}
	rig_close(&rig);
}

static void test_nobody(void)
{
	struct model_node node = {
		.name = "a", .name_len = 1, .weight = 1,
		.state = CHRING_STATE_DOWN,
	};
	struct chring_config config = {};
	struct fitness f = {};
	struct rig rig;
	u32 visits;

	NEED(!chring_config_resolve(&config));
	rig_open(&rig, &config);
	f.rig = &rig;
	choose(&f, 1);
	CHECK(find(&f, 0, &visits) == -ENODATA && !visits);
	NEED(!rig_add(&rig, &node));
	CHECK(find(&f, 0, &visits) == -EHOSTUNREACH && !f.asked);
	node.state = CHRING_STATE_UP;
	NEED(!rig_set(&rig, 0, CHRING_NODE_STATE, &node));
	CHECK(find(&f, 0, &visits) == 0);
	f.fits[0] = false;
	CHECK(find(&f, 0, &visits) == -EHOSTUNREACH && f.asked);
	rig_close(&rig);
}

static const struct tap_test tests[] = {
	{ "any", test_any },
	{ "through_changes", test_through_changes },
	{ "nobody", test_nobody },
};

int main(void)
{
	int status;

	faults_init();
	chring_sync_init();
	rng_init();
	status = tap_run(tests, sizeof(tests) / sizeof(*tests),
			 rig_check_memory);
	chring_sync_exit();
	return status;
}
