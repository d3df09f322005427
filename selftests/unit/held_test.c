// SPDX-License-Identifier: GPL-2.0
/*
 * What kernel code has of rings: they outlive their names, tell of changes, keep
 * something for each node, and take nodes in any order.
 */
#include <stdlib.h>

#include "core/config.h"
#include "faults.h"
#include "order.h"
#include "rig.h"
#include "rng.h"
#include "status.h"
#include "tap.h"

static struct chring_ring *open_ring(void)
{
	struct chring_config config = { .vnodes = 5 };
	struct chring_ring *ring;

	NEED(!chring_config_resolve(&config));
	ring = chring_ring_create("ring", 4, &config);
	NEED(!IS_ERR(ring));
	return ring;
}

static struct chring_edit edit_of(const char *name, u32 weight, void *priv)
{
	return (struct chring_edit){
		.flags = CHRING_NODE_ALL,
		.name = name,
		.name_len = strlen(name),
		.weight = weight,
		.priv = priv,
	};
}

static int add(struct chring_ring *ring, const char *name, void *priv)
{
	const struct chring_edit edit = edit_of(name, 1, priv);
	struct chring_request rq = {};

	return chring_ring_node_add(ring, &edit, &rq);
}

static int set(struct chring_ring *ring, const char *name, u32 weight,
	       void *priv)
{
	const struct chring_edit edit = edit_of(name, weight, priv);
	struct chring_request rq = {};

	return chring_ring_node_set(ring, &edit, &rq);
}

static int del(struct chring_ring *ring, const char *name)
{
	const struct chring_edit edit = edit_of(name, 0, NULL);
	struct chring_request rq = {};

	return chring_ring_node_del(ring, &edit, &rq);
}

static const struct chring_node *node_of(const struct chring_ring *ring,
					 const char *name)
{
	const struct chring_roster *r = ring->view->roster;
	int slot = chring_roster_find(r, name, strlen(name));

	NEED(slot >= 0);
	return r->node[slot];
}

/* -- priv */

static void test_priv(void)
{
	struct chring_ring *ring = open_ring();
	const struct chring_table *table;
	struct chring_change change;
	int first, second;
	u64 digest, id, after;

	NEED(!add(ring, "a", &first));
	CHECK(node_of(ring, "a")->priv == &first);
	NEED(!set(ring, "a", 1, &first));
	CHECK(ring->view->epoch == 2);
	digest = ring->view->digest;
	table = ring->view->table;
	id = node_of(ring, "a")->id;

	/* Alone it makes an epoch, and a node of another version. */
	NEED(!set(ring, "a", 1, &second));
	CHECK(ring->view->epoch == 3 && ring->view->nodes_epoch == 3);
	CHECK(ring->view->digest == digest && ring->view->table == table);
	CHECK(node_of(ring, "a")->priv == &second);
	CHECK(node_of(ring, "a")->id == id);
	after = 2;
	CHECK(chring_log_read(&ring->log, &after, &change, 1) == 1);
	CHECK(change.changed == 1 && !change.flipped && !change.flags);

	/* It goes along with whatever else changes. */
	NEED(!set(ring, "a", 2, &second));
	CHECK(node_of(ring, "a")->priv == &second);
	NEED(!set(ring, "a", 2, NULL));
	CHECK(!node_of(ring, "a")->priv && ring->view->epoch == 5);
	chring_ring_abandon(ring);
}

/* Those of a former owner: as it is now, or gone. */
static void test_former(void)
{
	const struct chring_ask ask = { .n = 2 };
	struct chring_ring *ring = open_ring();
	const struct chring_node *node[2];
	int first, second;
	u32 visits, i, gone = 0;

	NEED(!add(ring, "a", &first) && !add(ring, "b", &first));
	NEED(!add(ring, "c", &first));
	NEED(!set(ring, "a", 1, &second) && !del(ring, "b"));
	/* One of the same name is another one. */
	NEED(!add(ring, "d", &first) && !del(ring, "d"));
	NEED(!add(ring, "d", &second));
	NEED(chring_view_formers(ring->view, &ask, node, &visits) == 2);
	for (i = 0; i < 2; i++)
		CHECK(chring_view_has(ring->view, node[i]));
	NEED(!del(ring, "a"));
	NEED(chring_view_formers(ring->view, &ask, node, &visits) == 2);
	for (i = 0; i < 2; i++) {
		bool is_a = node[i]->name[0] == 'a';

		gone += is_a;
		CHECK(chring_view_has(ring->view, node[i]) == !is_a);
		CHECK(node[i]->priv == (is_a || node[i]->name[0] == 'd' ?
					&second : &first));
	}
	NEED(!add(ring, "a", &second));
	for (i = 0; i < 2; i++)
		CHECK(chring_view_has(ring->view, node[i]) ==
		      (node[i]->name[0] != 'a'));
	tap_note("%u former owners are gone", gone);
	chring_ring_abandon(ring);
}

/* -- the end of a ring */

static void test_outlives_its_name(void)
{
	struct chring_ring *ring = open_ring();
	const struct chring_view *v;
	struct chring_request rq = {};
	struct chring_change change;
	struct chring_grant grant;
	u64 after = 1;

	NEED(!add(ring, "a", NULL));
	NEED(!chring_loads_acquire(ring, 0, 0, &grant));
	rcu_read_lock();
	v = chring_ring_view(ring);
	CHECK(chring_ring_use(ring));
	rcu_read_unlock();

	mutex_lock(&ring->lock);
	chring_ring_withdraw(ring);
	CHECK(!chring_ring_unuse(ring));
	mutex_unlock(&ring->lock);

	/* Programs: */
	rcu_read_lock();
	CHECK(!chring_ring_view(ring));
	rcu_read_unlock();
	CHECK(!chring_ring_view_get(ring));
	CHECK(chring_ring_lock(ring) == -ENODEV);
	CHECK(add(ring, "b", NULL) == -ENODEV && !rq.facts.ring);
	CHECK(chring_log_read(&ring->log, &after, &change, 1) == -ENODEV);
	CHECK(chring_loads_acquire(ring, 0, 0, &grant) == -ENODEV);
	CHECK(!chring_loads_bytes(&ring->loads));
	CHECK(chring_status_open(ring) == -ENODEV);
	/* Kernel code: */
	rcu_read_lock();
	CHECK(chring_ring_used_view(ring) == v);
	CHECK(!IS_ERR(chring_view_owner(v, 0)));
	CHECK(chring_ring_use(ring));
	rcu_read_unlock();
	CHECK(!chring_ring_unuse(ring));

	CHECK(chring_ring_unuse(ring));
	rcu_read_lock();
	CHECK(!chring_ring_use(ring));
	rcu_read_unlock();
	mutex_lock(&ring->lock);
	chring_ring_close(ring);
	mutex_unlock(&ring->lock);
	chring_ring_put(ring);
}

/* -- notices */

#define HEARD_MAX	16

/**
 * struct ear - one who is told
 * @nb: as a ring knows it
 * @ring: of which it is told
 * @count: how often
 * @heard: what
 * @action: likewise
 * @order: when, among all
 */
struct ear {
	struct notifier_block nb;
	struct chring_ring *ring;
	u32 count;
	struct chring_notice heard[HEARD_MAX];
	unsigned long action[HEARD_MAX];
	u32 order;
};

static u32 told;

static int hear(struct notifier_block *nb, unsigned long action, void *data)
{
	struct ear *ear = container_of(nb, struct ear, nb);
	const struct chring_notice *notice = data;

	NEED(ear->count < HEARD_MAX);
	/* The writer has the lock, and its view is there. */
	CHECK(lockdep_is_held(&ear->ring->lock));
	CHECK(ear->ring->view->epoch == notice->epoch);
	CHECK(ear->ring->view->digest == notice->digest);
	CHECK(chring_log_epoch(&ear->ring->log) == notice->epoch ||
	      action == CHRING_DELETED);
	ear->action[ear->count] = action;
	ear->heard[ear->count++] = *notice;
	ear->order = ++told;
	/* Of no matter. */
	return 0x8000 | 2;
}

static struct ear ear_of(struct chring_ring *ring, int priority)
{
	return (struct ear){
		.nb = { .notifier_call = hear, .priority = priority },
		.ring = ring,
	};
}

static void check_heard(const struct ear *ear, u32 at, u64 epoch, u32 added,
			u32 removed, u32 changed, u32 flipped)
{
	const struct chring_notice *n = &ear->heard[at];

	CHECK(at < ear->count && ear->action[at] == CHRING_CHANGED);
	CHECK(n->ring == ear->ring->id && n->epoch == epoch);
	CHECK(n->added == added && n->removed == removed);
	CHECK(n->changed == changed && n->flipped == flipped);
}

static void test_notices(void)
{
	struct chring_ring *ring = open_ring();
	struct ear ear = ear_of(ring, 0);
	struct chring_edit edit[3] = {
		edit_of("a", 2, NULL), edit_of("b", 1, NULL),
		edit_of("c", 1, NULL),
	};
	struct chring_request rq = { .dry_run = true };
	u64 id[3];

	CHECK(chring_notices_remove(ring, &ear.nb) == -ENOENT);
	CHECK(!chring_notices_add(ring, &ear.nb));
	CHECK(chring_notices_add(ring, &ear.nb) == -EEXIST);
	NEED(!add(ring, "a", NULL) && !add(ring, "d", NULL));
	check_heard(&ear, 0, 2, 1, 0, 0, 0);
	check_heard(&ear, 1, 3, 1, 0, 0, 0);

	/* What fails, what is only asked, and what is so already. */
	CHECK(add(ring, "a", NULL) == -EEXIST);
	CHECK(del(ring, "x") == -ENOENT);
	CHECK(!set(ring, "a", 1, NULL));
	NEED(!chring_ring_commit(ring, edit, 3, id, &rq));
	CHECK(ear.count == 2);

	rq = (struct chring_request){ .generation = 7 };
	NEED(!chring_ring_commit(ring, edit, 3, id, &rq));
	check_heard(&ear, 2, 4, 2, 1, 1, 0);
	CHECK(ear.heard[2].generation == 7);
	edit[0].state = CHRING_STATE_DOWN;
	rq = (struct chring_request){};
	NEED(!chring_ring_node_set(ring, edit, &rq));
	check_heard(&ear, 3, 5, 0, 0, 0, 1);
	NEED(!chring_ring_pin(ring, &rq));
	check_heard(&ear, 4, 6, 0, 0, 0, 0);
	CHECK(ear.count == 5);

	CHECK(!chring_notices_remove(ring, &ear.nb));
	CHECK(chring_notices_remove(ring, &ear.nb) == -ENOENT);
	NEED(!del(ring, "a"));
	CHECK(ear.count == 5);
	chring_ring_abandon(ring);
}

/* Each by its priority, and those of one in the order in which they came. */
static void test_many_ears(void)
{
	static const int priority[] = { 0, 5, -3, 5, 0 };
	static const u32 order[] = { 3, 1, 5, 2, 4 };
	struct chring_ring *ring = open_ring();
	struct ear ear[5];
	u32 i;

	for (i = 0; i < 5; i++) {
		ear[i] = ear_of(ring, priority[i]);
		CHECK(!chring_notices_add(ring, &ear[i].nb));
	}
	told = 0;
	NEED(!add(ring, "a", NULL));
	for (i = 0; i < 5; i++)
		CHECK(ear[i].count == 1 && ear[i].order == order[i]);
	/* From the middle, the beginning and the end. */
	CHECK(!chring_notices_remove(ring, &ear[3].nb));
	CHECK(!chring_notices_remove(ring, &ear[1].nb));
	CHECK(!chring_notices_remove(ring, &ear[2].nb));
	NEED(!add(ring, "b", NULL));
	CHECK(ear[0].count == 2 && ear[4].count == 2);
	CHECK(ear[1].count + ear[2].count + ear[3].count == 3);
	CHECK(!chring_notices_remove(ring, &ear[0].nb));
	CHECK(!chring_notices_remove(ring, &ear[4].nb));
	chring_ring_abandon(ring);
}

static void test_told_of_the_end(void)
{
	struct chring_ring *ring = open_ring();
	struct ear ear = ear_of(ring, 0), late = ear_of(ring, 0);
	u64 digest;

	NEED(!add(ring, "a", NULL));
	digest = ring->view->digest;
	CHECK(!chring_notices_add(ring, &ear.nb));
	CHECK(chring_ring_use(ring));
	mutex_lock(&ring->lock);
	chring_ring_withdraw(ring);
	CHECK(!chring_ring_unuse(ring));
	mutex_unlock(&ring->lock);
	CHECK(ear.count == 1 && ear.action[0] == CHRING_DELETED);
	CHECK(ear.heard[0].epoch == 2 && ear.heard[0].digest == digest);
	CHECK(!ear.heard[0].added && ear.heard[0].ring == ring->id);
	CHECK(chring_notices_add(ring, &late.nb) == -ENODEV);
	CHECK(chring_notices_remove(ring, &late.nb) == -ENOENT);
	CHECK(!chring_notices_remove(ring, &ear.nb));
	CHECK(chring_ring_unuse(ring));
	mutex_lock(&ring->lock);
	chring_ring_close(ring);
	mutex_unlock(&ring->lock);
	chring_ring_put(ring);
}

/* Not a word of what does not come about, wherever it fails. */
static void test_failures_are_silent(void)
{
	struct chring_ring *ring = open_ring();
	struct ear ear = ear_of(ring, 0);
	u32 failures;
	int ret;

	NEED(!add(ring, "a", NULL));
	CHECK(!chring_notices_add(ring, &ear.nb));
	for (failures = 0; ; failures++) {
		faults_alloc(failures, -ENOMEM);
		ret = add(ring, "b", NULL);
		if (!faults_clear())
			break;
		CHECK(ret == -ENOMEM && !ear.count);
	}
	CHECK(failures > 3 && !ret && ear.count == 1);
	CHECK(!chring_notices_remove(ring, &ear.nb));
	chring_ring_abandon(ring);
}

/* -- any order */

#define EDITS_MAX	300

static int edit_cmp(const void *a, const void *b)
{
	const struct chring_edit *x = a, *y = b;
	int cmp = memcmp(x->name, y->name, min(x->name_len, y->name_len));

	return cmp ? cmp : (int)x->name_len - (int)y->name_len;
}

/* Names that have much in common, and some that have not. */
static void random_name(char *name, u32 *len)
{
	u32 common = rng_once_in(3) ? 0 : rng_below(40);

	*len = common + 1 + rng_below(rng_once_in(10) ? 200 : 4);
	memset(name, 'n', common);
	rng_name(name + common, *len - common);
}

static bool has_twins(const struct chring_edit *edit, u32 n)
{
	u32 i;

	for (i = 1; i < n; i++)
		if (!edit_cmp(&edit[i - 1], &edit[i]))
			return true;
	return false;
}

static void test_sort(void)
{
	static char name[EDITS_MAX][CHRING_NAME_MAX];
	static struct chring_edit edit[EDITS_MAX], want[EDITS_MAX];
	u32 round, twins = 0, i;

	for (round = 0; round < 500; round++) {
		u32 n = rng_below(rng_once_in(2) ? 8 : EDITS_MAX);
		int ret;

		for (i = 0; i < n; i++) {
			u32 len;

			random_name(name[i], &len);
			edit[i] = (struct chring_edit){
				.name = name[i],
				.name_len = len,
				.cookie = i,
				.priv = name[i],
			};
		}
		memcpy(want, edit, n * sizeof(*edit));
		qsort(want, n, sizeof(*want), edit_cmp);
		ret = chring_edits_sort(edit, n);
		if (has_twins(want, n)) {
			CHECK(ret == -EEXIST);
			twins++;
			continue;
		}
		CHECK(!ret);
		for (i = 0; i < n; i++)
			CHECK(edit[i].name == want[i].name &&
			      edit[i].name_len == want[i].name_len &&
			      edit[i].cookie == want[i].cookie &&
			      edit[i].priv == want[i].priv);
	}
	tap_note("%u times a name was there twice", twins);
	CHECK(twins);
}

static void test_sort_failures(void)
{
	static char name[20000][8];
	static struct chring_edit edit[20000];
	u32 i, k, failures = 0;
	int ret;

	for (k = 0; ; k++) {
		for (i = 0; i < 20000; i++) {
			rng_name(name[i], 4);
			memcpy(name[i] + 4, &(u32){ i | 0x80808080 }, 4);
			edit[i] = (struct chring_edit){
				.name = name[i],
				.name_len = 8,
			};
		}
		if (k % 2)
			faults_kill(k / 2);
		else
			faults_alloc(k / 2, -ENOMEM);
		ret = chring_edits_sort(edit, 20000);
		if (!faults_clear()) {
			CHECK(!ret);
			if (k % 2)
				break;
			continue;
		}
		failures++;
		CHECK(ret == (k % 2 ? -EINTR : -ENOMEM));
	}
	CHECK(failures > 5);
}

static const struct tap_test tests[] = {
	{ "priv", test_priv },
	{ "former", test_former },
	{ "outlives_its_name", test_outlives_its_name },
	{ "notices", test_notices },
	{ "many_ears", test_many_ears },
	{ "told_of_the_end", test_told_of_the_end },
	{ "failures_are_silent", test_failures_are_silent },
	{ "sort", test_sort },
	{ "sort_failures", test_sort_failures },
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
