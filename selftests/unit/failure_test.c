// SPDX-License-Identifier: GPL-2.0
/*
 * What fails changes nothing: each allocation in turn, a kill at each pause,
 * limits, conditions, and answers that nobody can take.
 */
#include <stdlib.h>

#include "core/balance.h"
#include "core/config.h"
#include "core/digest.h"
#include "core/points.h"
#include "core/stand.h"
#include "faults.h"
#include "rig.h"
#include "rng.h"
#include "tap.h"

/* -- a ring before and after */

struct snapshot {
	const struct chring_view *view;
	const struct chring_table *table;
	struct chring_facts facts;
	size_t bytes;
	long retired;
};

static struct snapshot snapshot(const struct rig *rig)
{
	const struct chring_view *v = rig_view(rig);

	return (struct snapshot){
		.view = v,
		.table = v->table,
		.facts = chring_view_facts(v),
		.bytes = chring_platform_bytes(),
		.retired = atomic_long_read(&rig->ring->retired_bytes),
	};
}

/* What earlier changes retired is freed first, for bytes to be comparable. */
static struct snapshot snapshot_at_rest(const struct rig *rig)
{
	chring_retire_wait();
	return snapshot(rig);
}

static bool same_facts(const struct chring_facts *a,
		       const struct chring_facts *b)
{
	return a->ring == b->ring && a->epoch == b->epoch &&
	       a->generation == b->generation && a->digest == b->digest;
}

static void check_unchanged(const struct snapshot *was, const struct rig *rig)
{
	struct snapshot is = snapshot(rig);

	CHECK(is.view == was->view);
	CHECK(is.table == was->table);
	CHECK(same_facts(&is.facts, &was->facts));
	CHECK(is.bytes == was->bytes);
	CHECK(is.retired == was->retired);
}

/* Failed: nothing has changed, and the request says what the ring is. */
static void check_refused(const struct snapshot *was, const struct rig *rig,
			  int error)
{
	CHECK(rig->ret == error);
	check_unchanged(was, rig);
	/* Who is killed while waiting for the lock has not seen the ring. */
	if (error != -EINTR || rig->rq.facts.ring)
		CHECK(same_facts(&rig->rq.facts, &was->facts));
}

/* -- changes to be tried */

static const struct model_node newcomer = {
	.name = "newcomer", .name_len = 8, .zone = "z", .zone_len = 1,
	.weight = 3, .cookie = 1,
};

static void do_add(struct rig *rig)
{
	rig_add(rig, &newcomer);
}

static void do_del(struct rig *rig)
{
	rig_del(rig, 0);
}

static void set(struct rig *rig, u32 flags, u32 weight)
{
	struct model_node want = rig->model.node[0];

	want.weight = weight;
	want.state = (want.state + 1) % 3;
	want.cookie++;
	want.zone_len = want.zone_len % 3 + 1;
	memset(want.zone, 'y', want.zone_len);
	rig_set(rig, 0, flags, &want);
}

static void do_heavier(struct rig *rig)
{
	set(rig, CHRING_NODE_WEIGHT, rig->model.node[0].weight + 2);
}

static void do_lighter(struct rig *rig)
{
	set(rig, CHRING_NODE_WEIGHT, rig->model.node[0].weight - 1);
}

static void do_weightless(struct rig *rig)
{
	set(rig, CHRING_NODE_WEIGHT, 0);
}

static void do_state(struct rig *rig)
{
	set(rig, CHRING_NODE_STATE, 0);
}

static void do_zone(struct rig *rig)
{
	set(rig, CHRING_NODE_ZONE, 0);
}

static void do_cookie(struct rig *rig)
{
	set(rig, CHRING_NODE_COOKIE, 0);
}

static void do_all(struct rig *rig)
{
	set(rig, CHRING_NODE_WEIGHT | CHRING_NODE_STATE | CHRING_NODE_ZONE |
	    CHRING_NODE_COOKIE, rig->model.node[0].weight + 1);
}

typedef void change_fn(struct rig *rig);

/* In an order in which each of them has something to do. */
static change_fn *const changes[] = {
	do_add, do_heavier, do_lighter, do_state, do_zone, do_cookie, do_all,
	do_weightless, do_heavier, do_del,
};

#define CHANGES	(sizeof(changes) / sizeof(*changes))

static void open_ring(struct rig *rig, u32 vnodes, u32 nodes)
{
	struct chring_config config = { .vnodes = vnodes };
	struct model_node node = { .weight = 4 };

	NEED(!chring_config_resolve(&config));
	rig_open(rig, &config);
	for (; rig->model.nodes < nodes; rig_add(rig, &node)) {
		node.name_len = 6;
		rng_name(node.name, node.name_len);
	}
}

/* -- each allocation and each pause in turn */

/* Return: how often it failed before it went well. */
static u32 fail_in_turn(struct rig *rig, change_fn *change, int error)
{
	u32 k;

	for (k = 0; ; k++) {
		struct snapshot was = snapshot_at_rest(rig);

		rig->rq.facts = (struct chring_facts){};
		if (error == -EINTR)
			faults_kill(k);
		else
			faults_alloc(k, error);
		change(rig);
		if (!faults_clear())
			break;
		check_refused(&was, rig, error);
	}
	CHECK(!rig->ret);
	rig_check(rig);
	return k;
}

static void fail_all_in_turn(int error, u32 vnodes)
{
	struct rig rig;
	u32 i, k, all = 0;

	open_ring(&rig, vnodes, 3);
	rig.rq.generation = 5;
	for (i = 0; i < CHANGES; i++) {
		k = fail_in_turn(&rig, changes[i], error);
		CHECK(k);
		all += k;
	}
	tap_note("%u failures", all);
	rig_close(&rig);
}

static void test_no_memory(void)
{
	fail_all_in_turn(-ENOMEM, 20);
}

static void test_no_budget(void)
{
	fail_all_in_turn(-EDQUOT, 20);
}

/* So many tokens that long work pauses in the middle of each of its parts. */
static void test_killed(void)
{
	fail_all_in_turn(-EINTR, 30000);
}

/* A node that stays as it is, a heavier, a lighter, one that goes, one new. */
static const struct chring_edit committed[] = {
	{ .name = "a", .weight = 2 }, { .name = "b", .weight = 5 },
	{ .name = "c", .weight = 1 }, { .name = "e", .weight = 3 },
};

#define COMMITTED	(sizeof(committed) / sizeof(*committed))

static void fail_commit_in_turn(int error, u32 vnodes)
{
	struct chring_edit edit[COMMITTED];
	struct model_node node = { .weight = 2, .name_len = 1 };
	u64 id[COMMITTED];
	struct rig rig;
	u32 k, i;

	open_ring(&rig, vnodes, 0);
	for (i = 0; i < 4; i++) {
		node.name[0] = 'a' + i;
		NEED(!rig_add(&rig, &node));
	}
	for (i = 0; i < COMMITTED; i++) {
		edit[i] = committed[i];
		edit[i].flags = CHRING_NODE_ALL;
		edit[i].name_len = 1;
	}
	for (k = 0; ; k++) {
		struct snapshot was = snapshot_at_rest(&rig);

		rig.rq.facts = (struct chring_facts){};
		if (error == -EINTR)
			faults_kill(k);
		else
			faults_alloc(k, error);
		rig.ret = chring_ring_commit(rig.ring, edit, COMMITTED, id,
					     &rig.rq);
		if (!faults_clear())
			break;
		check_refused(&was, &rig, error);
	}
	CHECK(!rig.ret && k > 10);
	tap_note("%u failures", k);
	rig_close(&rig);
}

static void test_commit(void)
{
	fail_commit_in_turn(-ENOMEM, 20);
	fail_commit_in_turn(-EDQUOT, 20);
	fail_commit_in_turn(-EINTR, 30000);
}

static void test_create_without_memory(void)
{
	struct chring_config config = {};
	struct chring_ring *ring;
	u32 k;

	NEED(!chring_config_resolve(&config));
	for (k = 0; ; k++) {
		faults_alloc(k, -ENOMEM);
		ring = chring_ring_create("r", 1, &config);
		if (!faults_clear())
			break;
		CHECK(ring == ERR_PTR(-ENOMEM));
		chring_retire_wait();
		CHECK(!chring_platform_bytes());
	}
	CHECK(k > 3);
	NEED(!IS_ERR(ring));
	chring_ring_abandon(ring);
}

/* Work that only reads can be killed as well, and comes out right if not. */
static void test_killed_while_reading(void)
{
	u64 hash[3] = { 1, 2, 3 }, sum = 0;
	const struct chring_view *v;
	struct rig rig;
	int ret;
	u32 k;

	open_ring(&rig, 30000, 3);
	v = rig_view(&rig);
	for (k = 0, ret = -EINTR; ret == -EINTR; k++) {
		faults_kill(k);
		ret = chring_checksum(v->table, &rig.ring->config, hash, &sum);
		CHECK(faults_clear() == (ret == -EINTR));
		CHECK(!ret == !!sum);
	}
	CHECK(!ret && k > 3);
	for (k = 0, ret = -EINTR; ret == -EINTR; k++) {
		struct chring_share share[3] = {};

		faults_kill(k);
		ret = chring_balance_shares(v->table, v->out, 64, share);
		CHECK(faults_clear() == (ret == -EINTR));
	}
	CHECK(!ret && k > 3);
	rig_close(&rig);
}

/* Pauses in what was done since the last call. */
static u32 pauses(void)
{
	u32 n = faults_pauses();

	faults_clear();
	return n;
}

/* One more token in a table: what is copied, and the index. */
static void check_merge_pauses(const struct chring_table *t, u32 pass)
{
	const struct chring_run none = {};
	const u16 rank = 0;
	struct chring_table *more;
	struct chring_run one;
	u32 n_pauses, k;

	NEED(!chring_run_alloc(&one, 1));
	one.token[0] = chring_table_token(t, t->count - 1);
	pauses();
	more = chring_table_merge(t, &one, &none, &rank);
	NEED(!IS_ERR(more));
	n_pauses = pauses();
	CHECK(more->shift == t->shift && more->count == t->count + 1);
	CHECK(n_pauses >= pass + pass / 2);
	chring_table_free(more);
	for (k = 0; k < n_pauses; k++) {
		faults_kill(k);
		CHECK(chring_table_merge(t, &one, &none, &rank) ==
		      ERR_PTR(-EINTR));
		faults_clear();
	}
	chring_run_free(&one);
}

typedef int pass_fn(const struct chring_stand *a, const struct chring_stand *b,
		    u64 *token);

/* Killed at any pause of a pass over stands, of which there are enough. */
static void check_pass(pass_fn *pass, const struct chring_stand *a,
		       const struct chring_stand *b, u64 *token)
{
	u32 n, k;

	pauses();
	CHECK(!pass(a, b, token));
	n = pauses();
	CHECK(n >= max(a->count, b->count) >> 16);
	for (k = 0; k < n; k++) {
		faults_kill(k);
		CHECK(pass(a, b, token) == -EINTR);
		CHECK(faults_clear());
	}
}

/* No pass over tokens goes further than 2^16 without one. */
static void test_long_work_pauses(void)
{
	/* Not a power of 2: one more is as many buckets. */
	const u32 n = (1 << 18) + 1, pass = n >> 16;
	const struct chring_config config = {
		.hash = CHRING_HASH_XXH64, .bits = 64, .sep = "#", .sep_len = 1,
	};
	const struct chring_stand nowhere = {};
	const struct chring_run none = {};
	struct chring_stand all;
	struct chring_table *t;
	u64 *token;
	struct chring_run run;
	const u16 rank = 0;

	NEED(!chring_run_alloc(&run, n));
	pauses();
	CHECK(!chring_points_fill(&config, "n", 1, 0, n, run.token));
	CHECK(pauses() >= pass);
	/* Eight digits, counted and moved. */
	CHECK(!chring_run_sort(&run));
	CHECK(pauses() >= 16 * pass);
	/* In order already: looked at, and no memory asked for. */
	faults_alloc(0, -ENOMEM);
	CHECK(!chring_run_sort(&run));
	CHECK(pauses() == pass);
	/* Merged and indexed. */
	t = chring_table_merge(NULL, &run, &none, &rank);
	NEED(!IS_ERR(t));
	CHECK(pauses() >= 2 * pass);
	check_merge_pauses(t, pass);
	chring_table_free(t);
	all = (struct chring_stand){ .token = run.token, .count = n };
	token = calloc(n, sizeof(*token));
	NEED(token);
	check_pass(chring_stand_merge, &all, &nowhere, token);
	check_pass(chring_stand_except, &all, &nowhere, token);
	free(token);
	chring_run_free(&run);
}

/* -- limits */

static void test_max_tokens(void)
{
	struct snapshot was;
	struct rig rig;

	open_ring(&rig, 10, 3);		/* of 40 tokens each */
	faults_max_tokens = 149;
	was = snapshot_at_rest(&rig);
	do_add(&rig);			/* 30 more */
	check_refused(&was, &rig, -ENOSPC);
	faults_max_tokens = 150;
	do_add(&rig);
	CHECK(!rig.ret);
	was = snapshot_at_rest(&rig);
	do_heavier(&rig);
	check_refused(&was, &rig, -ENOSPC);
	/* A limit that came later keeps nobody from going down to it. */
	faults_max_tokens = 1;
	do_state(&rig);
	CHECK(!rig.ret);
	do_lighter(&rig);
	CHECK(!rig.ret);
	do_del(&rig);
	CHECK(!rig.ret);
	rig_check(&rig);
	rig_close(&rig);
	faults_max_tokens = FAULTS_MAX_TOKENS;
}

/* 65535 times 65535 tokens are counted right, and refused at once. */
static void test_most_tokens(void)
{
	struct model_node node = newcomer;
	struct snapshot was;
	struct rig rig;

	open_ring(&rig, CHRING_VNODES_MAX, 0);
	node.weight = CHRING_WEIGHT_MAX;
	was = snapshot_at_rest(&rig);
	rig_add(&rig, &node);
	check_refused(&was, &rig, -ENOSPC);
	faults_max_tokens = U32_MAX;
	/* The node, then its tokens. */
	faults_alloc(1, -ENOMEM);
	rig_add(&rig, &node);
	CHECK(faults_clear());
	check_refused(&was, &rig, -ENOMEM);
	rig_close(&rig);
	faults_max_tokens = FAULTS_MAX_TOKENS;
}

static void test_max_nodes(void)
{
	struct chring_roster r = { .count = CHRING_NODES_MAX };

	CHECK(chring_roster_free_slot(&r) == -ENOSPC);
	r.count = CHRING_NODES_MAX - 1;
	CHECK(chring_roster_free_slot(&r) == 0);
}

/* -- names, conditions, answers */

static void test_names(void)
{
	const struct chring_edit nobody = {
		.name = "nobody", .name_len = 6, .flags = CHRING_NODE_STATE,
	};
	const struct chring_edit no_id = {
		.node = ~0ULL, .flags = CHRING_NODE_STATE,
	};
	struct snapshot was;
	struct rig rig;

	open_ring(&rig, 10, 3);
	do_add(&rig);
	was = snapshot_at_rest(&rig);
	do_add(&rig);
	check_refused(&was, &rig, -EEXIST);
	rig.ret = chring_ring_node_set(rig.ring, &nobody, &rig.rq);
	check_refused(&was, &rig, -ENOENT);
	rig.ret = chring_ring_node_del(rig.ring, &nobody, &rig.rq);
	check_refused(&was, &rig, -ENOENT);
	rig.ret = chring_ring_node_set(rig.ring, &no_id, &rig.rq);
	check_refused(&was, &rig, -ENOENT);
	rig.ret = chring_ring_node_del(rig.ring, &no_id, &rig.rq);
	check_refused(&was, &rig, -ENOENT);
	rig_close(&rig);
}

static void test_epoch(void)
{
	struct rig rig;
	u32 i;

	open_ring(&rig, 10, 3);
	for (i = 0; i < CHANGES; i++) {
		struct snapshot was = snapshot_at_rest(&rig);

		rig.rq.epoch = was.facts.epoch - 1;
		changes[i](&rig);
		check_refused(&was, &rig, -ESTALE);
		rig.rq.epoch = was.facts.epoch + 1;
		changes[i](&rig);
		check_refused(&was, &rig, -ESTALE);
		rig.rq.epoch = was.facts.epoch;
		changes[i](&rig);
		CHECK(!rig.ret);
		CHECK(rig.rq.facts.epoch == was.facts.epoch + 1);
	}
	rig_close(&rig);
}

static void test_generation_never_falls(void)
{
	struct rig rig;
	u32 i;

	open_ring(&rig, 10, 3);
	for (i = 0; i < CHANGES; i++) {
		struct snapshot was;

		rig.rq.generation = 100 + i;
		changes[i](&rig);
		CHECK(!rig.ret && rig.rq.facts.generation == 100 + i);
		was = snapshot_at_rest(&rig);
		rig.rq.generation = 99 + i;
		do_state(&rig);
		check_refused(&was, &rig, -ERANGE);
	}
	rig_close(&rig);
}

/* Who is to be answered, and what the ring was like when the answer was due. */
static const struct rig *answered;
static struct snapshot answered_at;
static u32 answers;

static int answer_fails(struct chring_request *rq)
{
	answers++;
	CHECK(rig_view(answered) == answered_at.view);
	CHECK(rq->facts.ring == answered_at.facts.ring);
	CHECK(rq->facts.epoch == answered_at.facts.epoch + 1);
	CHECK(rq->node);
	return -EFAULT;
}

static int answer_fails_unchanged(struct chring_request *rq)
{
	answers++;
	CHECK(same_facts(&rq->facts, &answered_at.facts));
	return -EFAULT;
}

static int answer_succeeds(struct chring_request *rq)
{
	answers++;
	CHECK(rig_view(answered) == answered_at.view);
	CHECK(rq->facts.epoch == answered_at.facts.epoch + 1);
	return 0;
}

static void check_answers(struct rig *rig, change_fn *change)
{
	u64 node;

	answered = rig;
	answered_at = snapshot_at_rest(rig);
	answers = 0;
	rig->rq.answer = answer_fails;
	change(rig);
	check_refused(&answered_at, rig, -EFAULT);
	node = rig->rq.node;
	rig->rq.answer = answer_succeeds;
	change(rig);
	CHECK(!rig->ret && answers == 2);
	/* An id that was answered once is not given again, to no one else. */
	CHECK(change == do_add ? rig->rq.node > node : rig->rq.node == node);
	rig_check(rig);
}

static void test_answer(void)
{
	struct rig rig;
	u32 i;

	open_ring(&rig, 10, 3);
	for (i = 0; i < CHANGES; i++)
		check_answers(&rig, changes[i]);
	answered_at = snapshot_at_rest(&rig);
	answers = 0;
	rig.rq.answer = answer_fails_unchanged;
	rig_set(&rig, 0, CHRING_NODE_WEIGHT, &rig.model.node[0]);
	check_refused(&answered_at, &rig, -EFAULT);
	CHECK(answers == 1);
	rig_close(&rig);
}

/* -- a ring that has been deleted */

static void test_closed(void)
{
	struct chring_view *held;
	struct rig rig;
	u64 digest;
	u32 i;

	open_ring(&rig, 10, 3);
	chring_ring_get(rig.ring);
	held = chring_ring_view_get(rig.ring);
	digest = held->digest;
	chring_ring_abandon(rig.ring);
	CHECK(!chring_ring_view_get(rig.ring));
	for (i = 0; i < CHANGES; i++) {
		changes[i](&rig);
		CHECK(rig.ret == -ENODEV);
	}
	chring_retire_wait();
	/* Who holds the view still reads it, and its ring. */
	CHECK(held->digest == digest && rig_view_owner(held, 0) >= 0);
	CHECK(held->ring == rig.ring);
	chring_view_put(held);
	chring_ring_put(rig.ring);
	model_free(&rig.model);
}

static const struct tap_test tests[] = {
	{ "no_memory", test_no_memory },
	{ "no_budget", test_no_budget },
	{ "killed", test_killed },
	{ "commit", test_commit },
	{ "create_without_memory", test_create_without_memory },
	{ "killed_while_reading", test_killed_while_reading },
	{ "long_work_pauses", test_long_work_pauses },
	{ "max_tokens", test_max_tokens },
	{ "most_tokens", test_most_tokens },
	{ "max_nodes", test_max_nodes },
	{ "names", test_names },
	{ "epoch", test_epoch },
	{ "generation_never_falls", test_generation_never_falls },
	{ "answer", test_answer },
	{ "closed", test_closed },
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
