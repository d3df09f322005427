// SPDX-License-Identifier: GPL-2.0
/* What kernel code asks for with every failure, see libfault.h. */
#include <sys/mman.h>

#include "libfault.h"
#include "libinject.h"
#include "libprobe.h"
#include "kselftest_harness.h"

#define PRIVATE		"probe/fault"
#define OTHER		"probe/other"
#define VNODES		200	/* x weight: a table that needs vmalloc() */
#define WEIGHT		15

FIXTURE(api)
{
	struct fault f;
};

static struct probe_server node(const char *name, __u32 weight, __u32 tag)
{
	return server_of(name, weight, 1, tag);
}

FIXTURE_SETUP(api)
{
	struct chring_config config = { .vnodes = VNODES };
	struct fault *f = &self->f;
	int i;

	f->probe = probe_open();
	ASSERT_LE(0, f->probe);
	ASSERT_EQ(0, probe_create(f->probe, 0, PRIVATE, &config, 0));
	f->fd = dev_open(O_RDWR, PRIVATE);
	ASSERT_LE(0, f->fd);
	ASSERT_EQ(0, probe_add(f->probe, 0, node("a", WEIGHT, 1), NULL));
	ASSERT_EQ(0, probe_add(f->probe, 0, node("b", WEIGHT, 2), NULL));
	/* A log that is full has grown as far as it does: bytes compare. */
	for (i = 0; i < CHRING_EVENTS_KEPT; i++)
		ASSERT_EQ(0, probe_set(f->probe, 0, node("a", WEIGHT, i & 1)));
	/* A page fault in the middle of a call would find no memory either. */
	ASSERT_EQ(0, mlockall(MCL_CURRENT | MCL_FUTURE));
}

FIXTURE_TEARDOWN(api)
{
	munlockall();
	close(self->f.fd);
	probe_close(self->f.probe);
}

static int run_create(struct fault *f)
{
	return probe_create(f->probe, 1, OTHER, NULL, 0);
}

static void undo_create(struct fault *f)
{
	probe_put(f->probe, 1);
}

static int run_add(struct fault *f)
{
	return probe_add(f->probe, 0, node("c", WEIGHT, 3), NULL);
}

static void undo_add(struct fault *f)
{
	probe_del(f->probe, 0, "c");
}

static int run_weight(struct fault *f)
{
	return probe_set(f->probe, 0, node("a", 2 * WEIGHT, 1));
}

static int run_priv(struct fault *f)
{
	return probe_set(f->probe, 0, node("a", WEIGHT, 9));
}

static void undo_set(struct fault *f)
{
	probe_set(f->probe, 0, node("a", WEIGHT, 1));
}

static int run_state(struct fault *f)
{
	struct probe_server s = node("a", WEIGHT, 1);

	s.state = CHRING_STATE_DOWN;
	return probe_set(f->probe, 0, s);
}

static int run_del(struct fault *f)
{
	return probe_del(f->probe, 0, "b");
}

static void undo_del(struct fault *f)
{
	probe_add(f->probe, 0, node("b", WEIGHT, 2), NULL);
}

static void prepare_set(struct fault *f)
{
	undo_set(f);
}

static int run_replace(struct fault *f)
{
	const struct probe_server s[] = {
		node("c", WEIGHT, 3), node("b", WEIGHT / 2, 2),
		node("a", WEIGHT, 1),
	};

	return probe_replace(f->probe, 0, s, ARRAY_LEN(s));
}

static void undo_replace(struct fault *f)
{
	const struct probe_server s[] = {
		node("a", WEIGHT, 1), node("b", WEIGHT, 2),
	};

	probe_replace(f->probe, 0, s, ARRAY_LEN(s));
}

static int run_get(struct fault *f)
{
	return probe_get(f->probe, 1, CHRING_DEFAULT_RING);
}

static int run_put(struct fault *f)
{
	return probe_put(f->probe, 1);
}

static void prepare_put(struct fault *f)
{
	run_get(f);
}

/* The last one: it ends the ring. */
static void prepare_end(struct fault *f)
{
	run_create(f);
}

static int run_lookup(struct fault *f)
{
	struct probe_answer a;

	return probe_lookup(f->probe, 0, "key", 3, &a);
}

static int run_fit(struct fault *f)
{
	struct probe_answer a;

	return probe_fit(f->probe, 0, 0, ~0ULL, &a);
}

static int run_replicas(struct fault *f)
{
	struct probe_answer a[CHRING_REPLICAS_MAX];
	int ret = probe_replicas(f->probe, 0, 0, CHRING_LOOKUP_PREVIOUS, a,
				 CHRING_REPLICAS_MAX);

	return ret < 0 ? ret : 0;
}

static int run_listen(struct fault *f)
{
	return probe_listen(f->probe, 0, 0);
}

static void undo_listen(struct fault *f)
{
	struct probe_call call = {};

	probe(f->probe, PROBE_UNLISTEN, 0, &call);
}

static int run_list(struct fault *f)
{
	static struct chring_ring_entry entry[64];
	struct chring_ring_list arg = {
		.size = sizeof(arg),
		.flags = CHRING_LIST_PRIVATE,
		.entries = ptr(entry),
		.entry_size = sizeof(entry[0]),
		.count = ARRAY_LEN(entry),
	};

	return chr(f->fd, CHRING_IOC_RING_LIST, &arg);
}

TEST_F_TIMEOUT(api, every_function, 600)
{
	static const struct tried all[] = {
		{ "create", run_create, undo_create },
		{ "node_add", run_add, undo_add },
		{ "node_set +", run_weight, undo_set, prepare_set },
		{ "node_set pr", run_priv, undo_set, prepare_set },
		{ "node_set st", run_state, undo_set, prepare_set },
		{ "node_del", run_del, undo_del },
		{ "replace", run_replace, undo_replace, undo_replace },
		{ "get", run_get, undo_create },
		{ "put", run_put, NULL, prepare_put },
		{ "put, last", run_put, NULL, prepare_end },
		{ "lookup", run_lookup },
		{ "lookup_fit", run_fit },
		{ "replicas", run_replicas },
		{ "register", run_listen, undo_listen },
		{ "RING_LIST", run_list },
	};
	struct counts total = {};

	if (inject_set_up())
		SKIP(return, "this kernel has no fault injection");
	EXPECT_EQ(0, faults_try_all(&self->f, all, ARRAY_LEN(all), &total));
	EXPECT_LT(0, total.slab);
	EXPECT_LT(0, total.vmalloc);
}

TEST_HARNESS_MAIN
