// SPDX-License-Identifier: GPL-2.0
/*
 * ACQUIRE and RELEASE by many clients at once: every grant is logged, and judged
 * when all is over. The rule of bounded load is judged by arithmetic of this
 * file: tokens by the label rule, the walk clockwise, the cap with a division.
 */
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "libtest.h"
#include "kselftest_harness.h"

#define RING		"crowd-test"
#define NODES		12
#define VNODES		10
#define WEIGHT_MAX	4
#define TOKENS		(NODES * VNODES * WEIGHT_MAX)
#define CLIENTS		6
#define OPS		20000
#define KEYS		1000
#define HOLD_MAX	60
#define EPOCHS		4096
#define BALANCE		125
/* So many changes fall among the operations of each client, at least. */
#define CHANGES_MIN	100

struct member {
	__u64 id;
	__u32 weight;
	__u32 state;
};

struct token {
	__u64 at;
	__u32 node;
	__u32 index;
};

/* A grant, or a release of @given. */
struct record {
	__u64 serial, epoch, node, position, load, tickets;
	__u32 given;
};

/* Clients and parent share it. */
struct shared {
	_Atomic int failed;
	_Atomic int started;
	_Atomic __u32 changes;
	struct member history[EPOCHS][NODES];
	struct record log[CLIENTS][OPS + NODES];
	__u32 logged[CLIENTS];
};

static struct token circle[TOKENS];
static __u64 position[KEYS];

FIXTURE(crowd)
{
	int fd;
	unsigned long ops;
	struct shared *shared;
	struct member now[NODES];
	pid_t client[CLIENTS];
};

FIXTURE_VARIANT(crowd)
{
	bool hot;	/* four of five are for one key; else Zipf */
};

FIXTURE_VARIANT_ADD(crowd, zipf) { .hot = false };
FIXTURE_VARIANT_ADD(crowd, hot) { .hot = true };

static int token_cmp(const void *a, const void *b)
{
	const struct token *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static void make_circle(void)
{
	char label[32];
	__u32 i, k;

	for (i = 0; i < NODES; i++)
		for (k = 0; k < VNODES * WEIGHT_MAX; k++) {
			snprintf(label, sizeof(label), "node-%u#%u", i, k);
			circle[i * VNODES * WEIGHT_MAX + k] = (struct token){
				XXH64(label, strlen(label), 0), i, k };
		}
	qsort(circle, TOKENS, sizeof(*circle), token_cmp);
	for (i = 0; i < KEYS; i++)
		position[i] = XXH64(&i, sizeof(i), 1);
}

static int fill_ring(int fd, struct member *m)
{
	char name[16];
	__u32 i;
	int ret;

	for (i = 0; i < NODES; i++) {
		m[i].weight = 1 + i % WEIGHT_MAX;
		snprintf(name, sizeof(name), "node-%u", i);
		ret = node_add(fd, name, m[i].weight, CHRING_STATE_UP,
			       &m[i].id);
		if (ret)
			return ret;
	}
	return 0;
}

FIXTURE_SETUP(crowd)
{
	struct chring_config config = { .vnodes = VNODES, .balance = BALANCE };

	make_circle();
	self->ops = scaled(OPS);
	self->shared = mmap(NULL, sizeof(*self->shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->shared);
	self->fd = ring_fresh(RING, &config);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, fill_ring(self->fd, self->now));
	memcpy(self->shared->history[NODES + 1], self->now, sizeof(self->now));
}

FIXTURE_TEARDOWN(crowd)
{
	ring_delete(self->fd, RING);
	close(self->fd);
	munmap(self->shared, sizeof(*self->shared));
}

/* Keys that come one by one: xorshift and the skew of the variant. */
static __u32 next_random(__u32 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static __u64 next_position(bool hot, __u32 *state)
{
	static double sum[KEYS];
	double at;
	__u32 i;

	if (hot)
		return position[next_random(state) % 5 ? 0 :
				next_random(state) % KEYS];
	if (!sum[0])
		for (i = 0; i < KEYS; i++)
			sum[i] = (i ? sum[i - 1] : 0) + 1.0 / (i + 1);
	at = next_random(state) / 4294967296.0 * sum[KEYS - 1];
	for (i = 0; sum[i] < at; i++)
		;
	return position[i];
}

/* -- a client */

struct client {
	int fd;
	struct shared *shared;
	__u32 which;
	__u64 held[HOLD_MAX];
	__u32 count;
};

static void write_log(struct client *c, const struct record *r)
{
	c->shared->log[c->which][c->shared->logged[c->which]++] = *r;
}

static int client_take(struct client *c, __u64 at)
{
	struct chring_acquire out;
	int ret = ticket_take_at(c->fd, at, &out);

	if (ret)
		return ret;
	write_log(c, &(struct record){
		.serial = out.out_serial, .epoch = out.out_epoch,
		.node = out.out_node, .position = at,
		.load = out.out_load, .tickets = out.out_tickets,
	});
	c->held[c->count++] = out.out_node;
	return 0;
}

static int client_give(struct client *c, __u32 which)
{
	struct chring_release out;
	__u64 node = c->held[which];
	int ret = ticket_give(c->fd, node, 1, &out);

	if (ret)
		return ret;
	write_log(c, &(struct record){
		.serial = out.out_serial, .epoch = out.out_epoch,
		.node = node, .given = 1,
		.load = out.out_load, .tickets = out.out_tickets,
	});
	c->held[which] = c->held[--c->count];
	return 0;
}

/* Nobody is through before the ring has changed under all that he does. */
static void keep_pace(const struct client *c, unsigned long left,
		      unsigned long ops)
{
	while (c->shared->changes < CHANGES_MIN * (ops - left) / ops)
		sched_yield();
}

static int client_run(struct client *c, unsigned long all, bool hot,
		      bool paced)
{
	__u32 state = 2463534242U + c->which;
	unsigned long ops = all;
	int ret = 0;

	while (ops > c->count && !ret) {
		bool full = c->count == HOLD_MAX;

		if (paced)
			keep_pace(c, ops, all);
		if (full || (c->count && next_random(&state) % 8 < 3))
			ret = client_give(c, next_random(&state) % c->count);
		else
			ret = client_take(c, next_position(hot, &state));
		ops--;
	}
	while (c->count && !ret)
		ret = client_give(c, 0);
	return ret;
}

static pid_t start_client(struct shared *shared, __u32 which,
			  unsigned long ops, bool hot, bool paced)
{
	struct client c = { .shared = shared, .which = which };
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	c.fd = dev_open(O_RDWR, RING);
	atomic_fetch_add(&shared->started, 1);
	if (c.fd < 0 || client_run(&c, ops, hot, paced))
		atomic_fetch_add(&shared->failed, 1);
	_exit(0);
}

/* -- the judge */

static bool member_serves(const struct member *m)
{
	return m->state == CHRING_STATE_UP && m->weight;
}

/* ceil(F * tickets * w / (100 * W)) */
static __u64 cap_of(const struct member *all, __u32 node, __u64 tickets)
{
	unsigned __int128 n;
	__u64 weight = 0;
	__u32 i;

	for (i = 0; i < NODES; i++)
		weight += member_serves(&all[i]) ? all[i].weight : 0;
	n = (unsigned __int128)BALANCE * tickets * all[node].weight;
	return (n + 100 * weight - 1) / (100 * weight);
}

static __u64 tickets_of(const struct member *all, const __u64 *load)
{
	__u64 sum = 0;
	__u32 i;

	for (i = 0; i < NODES; i++)
		sum += member_serves(&all[i]) ? load[i] : 0;
	return sum;
}

/* @load NULL: the owner, whatever it bears. */
static int walk(const struct member *all, const __u64 *load, __u64 at)
{
	__u64 tickets = load ? tickets_of(all, load) + 1 : 0;
	__u32 first = 0, i;

	while (first < TOKENS && circle[first].at < at)
		first++;
	for (i = 0; i < TOKENS; i++) {
		const struct token *t = &circle[(first + i) % TOKENS];

		if (!member_serves(&all[t->node]) ||
		    t->index >= VNODES * all[t->node].weight)
			continue;
		if (!load ||
		    load[t->node] + 1 <= cap_of(all, t->node, tickets))
			return t->node;
	}
	return -1;
}

struct verdict {
	unsigned long grants, releases, moved, wrong, gaps, backward;
	__u64 last_epoch;
};

static int index_of(const struct member *all, __u64 id)
{
	int i;

	for (i = 0; i < NODES; i++)
		if (all[i].id == id)
			return i;
	return -1;
}

static void judge_one(struct verdict *v, const struct shared *s,
		      const struct record *r, __u64 *load)
{
	const struct member *all = s->history[r->epoch % EPOCHS];
	int node = index_of(all, r->node);

	v->backward += r->epoch < v->last_epoch;
	v->last_epoch = r->epoch;
	if (node < 0) {
		v->wrong++;
		return;
	}
	if (r->given) {
		v->releases++;
		load[node] -= r->given;
	} else {
		v->grants++;
		v->wrong += walk(all, load, r->position) != node;
		v->moved += walk(all, NULL, r->position) != node;
		load[node]++;
	}
	v->wrong += load[node] != r->load;
	v->wrong += tickets_of(all, load) != r->tickets;
}

static int record_cmp(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	return (x->serial > y->serial) - (x->serial < y->serial);
}

static void judge(struct shared *s, struct verdict *v)
{
	struct record *all = calloc(CLIENTS * (OPS + NODES), sizeof(*all));
	__u64 load[NODES] = {};
	__u32 n = 0, i;

	for (i = 0; i < CLIENTS; i++) {
		memcpy(all + n, s->log[i], s->logged[i] * sizeof(*all));
		n += s->logged[i];
	}
	qsort(all, n, sizeof(*all), record_cmp);
	*v = (struct verdict){};
	for (i = 0; i < n; i++) {
		v->gaps += all[i].serial != i + 1;
		judge_one(v, s, &all[i], load);
	}
	free(all);
}

/* -- the parent */

static int change(struct _test_data_crowd *self, __u32 node, __u32 weight,
		  __u32 state)
{
	struct chring_node_change arg = {
		.size = sizeof(arg),
		.flags = CHRING_NODE_WEIGHT | CHRING_NODE_STATE,
		.node = self->now[node].id,
		.weight = weight,
		.state = state,
	};
	int ret = chr(self->fd, CHRING_IOC_NODE_SET, &arg);

	if (ret || arg.out_epoch >= EPOCHS)
		return ret ? ret : -ERANGE;
	self->now[node].weight = weight;
	self->now[node].state = state;
	memcpy(self->shared->history[arg.out_epoch], self->now,
	       sizeof(self->now));
	return 0;
}

static bool all_ended(struct _test_data_crowd *self)
{
	int i, left = 0;

	for (i = 0; i < CLIENTS; i++) {
		if (self->client[i] &&
		    waitpid(self->client[i], NULL, WNOHANG) ==
		    self->client[i])
			self->client[i] = 0;
		left += !!self->client[i];
	}
	return !left;
}

/* Node 0 stays in service, so that there always is one. */
TEST_F_TIMEOUT(crowd, judged, 600)
{
	__u32 state = 12345, changes = 0, i;
	struct verdict v;
	struct mark now;

	for (i = 0; i < CLIENTS; i++)
		self->client[i] = start_client(self->shared, i, self->ops,
					       variant->hot, true);
	while (!all_ended(self)) {
		__u32 node = 1 + next_random(&state) % (NODES - 1);

		usleep(2000);
		if (changes >= EPOCHS - NODES - 10)
			continue;
		ASSERT_EQ(0, change(self, node,
				    next_random(&state) % (WEIGHT_MAX + 1),
				    next_random(&state) % 3 ? CHRING_STATE_UP :
				    1 + next_random(&state) % 2));
		self->shared->changes = ++changes;
	}
	EXPECT_EQ(0, self->shared->failed);
	judge(self->shared, &v);
	note("%lu grants, %lu releases, %u changes: %lu keys (%lu %%) left their first owner",
	     v.grants, v.releases, changes, v.moved,
	     v.moved * 100 / (v.grants ? v.grants : 1));
	EXPECT_EQ(0, v.gaps);
	EXPECT_EQ(0, v.backward);
	EXPECT_EQ(0, v.wrong);
	EXPECT_LT(0, v.moved);
	EXPECT_LT(self->ops * CLIENTS / 3, v.grants);
	EXPECT_EQ(v.grants, v.releases);
	/* The last operations only give back what is held. */
	EXPECT_LE(CHANGES_MIN * 9 / 10, changes);
	ASSERT_EQ(0, mark_ring(self->fd, &now));
	EXPECT_EQ(0, now.tickets);
}

/* As many as get as far as that, and then none of them has a chance. */
TEST_F_TIMEOUT(crowd, killed, 300)
{
	struct chring_acquire out;
	struct mark now;
	__u32 round, i;
	__u64 seen = 0;

	for (round = 0; round < 5; round++) {
		self->shared->started = 0;
		memset(self->shared->logged, 0, sizeof(self->shared->logged));
		for (i = 0; i < CLIENTS; i++)
			self->client[i] = start_client(self->shared, i, OPS,
						       variant->hot, false);
		while (self->shared->started < CLIENTS)
			usleep(1000);
		usleep(20000);
		ASSERT_EQ(0, mark_ring(self->fd, &now));
		seen += now.tickets;
		for (i = 0; i < CLIENTS; i++)
			kill(self->client[i], SIGKILL);
		for (i = 0; i < CLIENTS; i++)
			waitpid(self->client[i], NULL, 0);
		ASSERT_EQ(0, mark_ring(self->fd, &now));
		EXPECT_EQ(0, now.tickets);
	}
	note("%llu tickets were out when clients were killed, 5 times",
	     (unsigned long long)seen);
	EXPECT_LT(0, seen);
	/* T as well. */
	ASSERT_EQ(0, ticket_take_at(self->fd, 0, &out));
	EXPECT_EQ(1, out.out_tickets);
}

/* Tickets that are only taken: no cap falls, so none may be passed. */
TEST_F_TIMEOUT(crowd, at_rest, 300)
{
	struct chring_config plain = { .vnodes = VNODES };
	int fd = ring_fresh(RING "-plain", &plain);
	unsigned long taken = self->ops / 4, moved = 0, i;
	__u64 load[NODES], cap[NODES], over = 0, worst = 0;
	struct member twin[NODES] = {};
	__u32 state = 99;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, fill_ring(fd, twin));
	for (i = 0; i < taken; i++) {
		__u64 at = next_position(variant->hot, &state);
		struct chring_acquire bounded, owner;

		ASSERT_EQ(0, ticket_take_at(self->fd, at, &bounded));
		ASSERT_EQ(0, ticket_take_at(fd, at, &owner));
		moved += index_of(self->now, bounded.out_node) !=
			 index_of(twin, owner.out_node);
	}
	for (i = 0; i < NODES; i++) {
		__u64 most = cap_of(self->now, i, taken), bare, none;

		ASSERT_EQ(0, node_load(self->fd, self->now[i].id, &load[i],
				       &cap[i]));
		EXPECT_GE(most, load[i]);
		EXPECT_EQ(cap_of(self->now, i, taken + 1), cap[i]);
		ASSERT_EQ(0, node_load(fd, twin[i].id, &bare, &none));
		EXPECT_EQ(0, none);
		over += bare > most;
		if (bare > most && bare - most > worst)
			worst = bare - most;
	}
	EXPECT_EQ(taken, tickets_of(self->now, load));
	note("%lu tickets at balance %u: %lu left their first owner; without a bound %llu nodes are over their cap, by up to %llu",
	     taken, BALANCE, moved, (unsigned long long)over,
	     (unsigned long long)worst);
	EXPECT_LT(0, moved);
	EXPECT_LT(0, over);
	ring_delete(fd, RING "-plain");
	close(fd);
}

TEST_HARNESS_MAIN
