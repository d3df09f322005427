// SPDX-License-Identifier: GPL-2.0
/* Every command with every failure, see libfault.h. */
#include <sys/mman.h>

#include "libfault.h"
#include "libinject.h"
#include "kselftest_harness.h"

#define RING		"fault-test"
#define VNODES		200	/* x weight: a table that needs vmalloc() */
#define WEIGHT		15

FIXTURE(fault)
{
	struct fault f;
};

FIXTURE_SETUP(fault)
{
	struct chring_config config = { .vnodes = VNODES };

	self->f.unbound = dev_open(O_RDWR, NULL);
	ring_delete(self->f.unbound, "other");
	self->f.fd = ring_fresh(RING, &config);
	ASSERT_LE(0, self->f.fd);
	ASSERT_EQ(0, node_add(self->f.fd, "a", WEIGHT, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, node_add(self->f.fd, "b", WEIGHT, CHRING_STATE_UP, NULL));
	/* A log that is full has grown as far as it does: bytes compare. */
	ASSERT_EQ(0, change_often(self->f.fd, "a", CHRING_EVENTS_KEPT));
	/* A page fault in the middle of a call would find no memory either. */
	ASSERT_EQ(0, mlockall(MCL_CURRENT | MCL_FUTURE));
}

FIXTURE_TEARDOWN(fault)
{
	munlockall();
	ring_delete(self->f.unbound, "other");
	ring_delete(self->f.unbound, RING);
	close(self->f.unbound);
	close(self->f.fd);
}

static int run_info(struct fault *f)
{
	struct chring_info arg = { .size = sizeof(arg) };

	return chr(f->fd, CHRING_IOC_INFO, &arg);
}

static int run_create(struct fault *f)
{
	struct chring_config config = { .vnodes = 3 };

	return ring_create(f->unbound, "other", &config);
}

static void undo_create(struct fault *f)
{
	ring_delete(f->unbound, "other");
}

static void prepare_delete(struct fault *f)
{
	ring_create(f->unbound, "other", NULL);
}

static int run_delete(struct fault *f)
{
	return ring_delete(f->unbound, "other");
}

static void prepare_bind(struct fault *f)
{
	close(f->unbound);
	f->unbound = dev_open(O_RDWR, NULL);
}

static int run_bind(struct fault *f)
{
	struct chring_ring_name arg = {
		.size = sizeof(arg),
		.name = ptr(RING),
		.name_len = strlen(RING),
	};

	return chr(f->unbound, CHRING_IOC_BIND, &arg);
}

static int run_ring_list(struct fault *f)
{
	static struct chring_ring_entry entry[64];
	struct chring_ring_list arg = {
		.size = sizeof(arg),
		.entries = ptr(entry),
		.entry_size = sizeof(entry[0]),
		.count = ARRAY_LEN(entry),
	};

	return chr(f->fd, CHRING_IOC_RING_LIST, &arg);
}

static int run_add(struct fault *f)
{
	return node_add(f->fd, "c", WEIGHT, CHRING_STATE_UP, NULL);
}

static void undo_add(struct fault *f)
{
	node_del(f->fd, "c");
}

static int run_weight(struct fault *f)
{
	return node_set_weight(f->fd, "a", 2 * WEIGHT);
}

static void undo_weight(struct fault *f)
{
	node_set_weight(f->fd, "a", WEIGHT);
}

static int run_less(struct fault *f)
{
	return node_set_weight(f->fd, "a", WEIGHT / 2);
}

static int run_state(struct fault *f)
{
	return node_set_state(f->fd, "a", CHRING_STATE_DOWN);
}

static void undo_state(struct fault *f)
{
	node_set_state(f->fd, "a", CHRING_STATE_UP);
}

static int run_del(struct fault *f)
{
	return node_del(f->fd, "b");
}

static void undo_del(struct fault *f)
{
	node_add(f->fd, "b", WEIGHT, CHRING_STATE_UP, NULL);
}

/* Both of what there is, and one that comes: those who are not named go. */
static int commit_three(struct fault *f, __u32 flags)
{
	static const struct chring_member member[] = {
		{ .name_len = 1, .weight = WEIGHT },
		{ .name_off = 1, .name_len = 1, .weight = WEIGHT / 2 },
		{ .name_off = 2, .name_len = 1, .weight = WEIGHT,
		  .zone_off = 3, .zone_len = 1 },
	};
	static struct chring_transfer transfer[64];
	static __u64 nodes[3];
	struct chring_commit arg = {
		.size = sizeof(arg),
		.flags = flags,
		.members = ptr(member),
		.member_size = sizeof(member[0]),
		.count = ARRAY_LEN(member),
		.strings = ptr("abcz"),
		.strings_size = 4,
		.nodes = ptr(nodes),
	};

	if (flags & CHRING_DRY_RUN) {
		arg.dry.transfers = ptr(transfer);
		arg.dry.entry_size = sizeof(transfer[0]);
		arg.dry.count = ARRAY_LEN(transfer);
	}
	return chr(f->fd, CHRING_IOC_COMMIT, &arg);
}

static int run_commit(struct fault *f)
{
	return commit_three(f, 0);
}

static void undo_commit(struct fault *f)
{
	node_del(f->fd, "c");
	node_set_weight(f->fd, "b", WEIGHT);
}

static int run_dry(struct fault *f)
{
	return commit_three(f, CHRING_DRY_RUN);
}

static int run_pin(struct fault *f)
{
	struct chring_pin arg = { .size = sizeof(arg) };

	return chr(f->fd, CHRING_IOC_PIN, &arg);
}

static int run_unpin(struct fault *f)
{
	struct chring_pin arg = { .size = sizeof(arg) };

	return chr(f->fd, CHRING_IOC_UNPIN, &arg);
}

static void undo_pin(struct fault *f)
{
	run_unpin(f);
}

static void prepare_unpin(struct fault *f)
{
	run_pin(f);
}

/* A new ring, and a log that has no room for one more record. */
static void prepare_grow(struct fault *f)
{
	close(f->fd);
	f->fd = ring_fresh(RING, NULL);
	node_add(f->fd, "a", 1, CHRING_STATE_UP, NULL);
	node_add(f->fd, "b", 1, CHRING_STATE_UP, NULL);
	change_often(f->fd, "a", 14);
}

static int run_node_list(struct fault *f)
{
	static struct chring_node_entry entry[8];
	static char strings[64];
	struct chring_node_list arg = {
		.size = sizeof(arg),
		.entries = ptr(entry),
		.entry_size = sizeof(entry[0]),
		.count = ARRAY_LEN(entry),
		.strings = ptr(strings),
		.strings_size = sizeof(strings),
	};

	return chr(f->fd, CHRING_IOC_NODE_LIST, &arg);
}

static int run_lookup(struct fault *f)
{
	struct chring_lookup out;
	struct chring_owner owner;

	return lookup_key(f->fd, "key", 3, &out, &owner);
}

static int run_lookup_long(struct fault *f)
{
	static char key[CHRING_KEY_MAX];
	struct chring_lookup out;
	struct chring_owner owner;

	return lookup_key(f->fd, key, sizeof(key), &out, &owner);
}

static int run_batch(struct fault *f)
{
	static char keys[128 << 10];
	static __u32 lens[1024];
	static __u64 nodes[1024];
	struct chring_lookup_batch arg = {
		.size = sizeof(arg),
		.keys = ptr(keys),
		.keys_size = sizeof(keys),
		.lens = ptr(lens),
		.count = ARRAY_LEN(lens),
		.nodes = ptr(nodes),
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(lens); i++)
		lens[i] = 100;
	return chr(f->fd, CHRING_IOC_LOOKUP_BATCH, &arg);
}

static int run_read(struct fault *f)
{
	struct chring_event event;

	if (read(f->unbound, &event, sizeof(event)) < 0)
		return -errno;
	return 0;
}

static void prepare_read(struct fault *f)
{
	prepare_bind(f);
	run_bind(f);
	change_often(f->fd, "a", 2);
}

/*
 * The first mapping of a ring, for later ones allocate nothing of the module's.
 * What fails may be the kernel's own, after the ring has got its pages.
 */
static int run_mmap(struct fault *f)
{
	f->map = mmap(NULL, sizeof(struct chring_status), PROT_READ,
			 MAP_SHARED, f->fd, 0);
	return f->map == MAP_FAILED ? -errno : 0;
}

static void undo_mmap(struct fault *f)
{
	munmap(f->map, sizeof(struct chring_status));
}

static int run_acquire(struct fault *f)
{
	struct chring_acquire out;

	return ticket_take(f->fd, "key", &out);
}

/* A descriptor that has not held any yet: it has no room for one. */
static void prepare_acquire(struct fault *f)
{
	close(f->fd);
	f->fd = dev_open(O_RDWR, RING);
}

static void prepare_release(struct fault *f)
{
	struct chring_acquire out;

	prepare_acquire(f);
	ticket_take(f->fd, "key", &out);
	f->node = out.out_node;
}

static int run_release(struct fault *f)
{
	return ticket_give(f->fd, f->node, 1, NULL);
}

static int run_stats(struct fault *f)
{
	static struct chring_node_share share[8];
	struct chring_config config;
	struct chring_stats arg = {
		.size = sizeof(arg),
		.config = ptr(&config),
		.config_size = sizeof(config),
		.entries = ptr(share),
		.entry_size = sizeof(share[0]),
		.count = ARRAY_LEN(share),
	};

	return chr(f->fd, CHRING_IOC_STATS, &arg);
}

/* More than a chunk, and entries that do not go out in one copy. */
static int run_list(struct fault *f, unsigned long ioc,
		    __u32 entry_size)
{
	static char entries[600 * 64];
	struct chring_circle_list arg = {
		.size = sizeof(arg),
		.entries = ptr(entries),
		.entry_size = entry_size,
		.count = 600,
	};

	return chr(f->fd, ioc, &arg);
}

static int run_ranges(struct fault *f)
{
	return run_list(f, CHRING_IOC_RANGES, sizeof(struct chring_range));
}

static int run_ranges_long(struct fault *f)
{
	return run_list(f, CHRING_IOC_RANGES, 64);
}

static int run_diff(struct fault *f)
{
	return run_list(f, CHRING_IOC_DIFF,
			sizeof(struct chring_diff_entry));
}

static int run_tokens(struct fault *f)
{
	return run_list(f, CHRING_IOC_TOKENS, sizeof(struct chring_token));
}

TEST_F_TIMEOUT(fault, every_command, 600)
{
	static const struct tried all[] = {
		{ "INFO", run_info },
		{ "RING_CREATE", run_create, undo_create },
		{ "RING_DELETE", run_delete, NULL, prepare_delete },
		{ "BIND", run_bind, NULL, prepare_bind },
		{ "RING_LIST", run_ring_list },
		{ "NODE_ADD", run_add, undo_add },
		{ "NODE_SET +", run_weight, undo_weight },
		{ "NODE_SET -", run_less, undo_weight },
		{ "NODE_SET st", run_state, undo_state },
		{ "NODE_DEL", run_del, undo_del },
		{ "COMMIT", run_commit, undo_commit },
		{ "dry run", run_dry },
		{ "PIN", run_pin, undo_pin },
		{ "UNPIN", run_unpin, NULL, prepare_unpin },
		{ "NODE_LIST", run_node_list },
		{ "LOOKUP", run_lookup },
		{ "LOOKUP long", run_lookup_long },
		{ "BATCH", run_batch },
		{ "ACQUIRE", run_acquire, NULL, prepare_acquire },
		{ "RELEASE", run_release, NULL, prepare_release },
		{ "STATS", run_stats },
		{ "RANGES", run_ranges },
		{ "RANGES long", run_ranges_long },
		{ "DIFF", run_diff },
		{ "TOKENS", run_tokens },
		{ "read", run_read, NULL, prepare_read },
		/* The last ones: their ring is another one afterwards. */
		{ "NODE_SET gr", run_state, NULL, prepare_grow },
		{ "mmap", run_mmap, undo_mmap, prepare_grow },
	};
	struct counts total = {};

	if (inject_set_up())
		SKIP(return, "this kernel has no fault injection");
	EXPECT_EQ(0, faults_try_all(&self->f, all, ARRAY_LEN(all), &total));
	EXPECT_LT(0, total.slab);
	EXPECT_LT(0, total.vmalloc);
	EXPECT_LT(0, total.copies);
}

TEST_HARNESS_MAIN
