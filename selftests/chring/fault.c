// SPDX-License-Identifier: GPL-2.0
/*
 * Every allocation and every copy of a command made to fail, one after the
 * other: ring, epoch and digest stay as they were. Needs a kernel with fault
 * injection.
 *
 * Slab allocations and user copies fail by fail-nth: the n-th one of the call.
 * Pages fail from the n-th on (the space of fail_page_alloc), since vmalloc()
 * falls back from its bulk allocation to single pages, and one failure alone
 * would never be seen.
 */
#include <sys/mman.h>

#include "libtest.h"
#include "kselftest_harness.h"

#define DEBUGFS		"/sys/kernel/debug/"
#define RING		"fault-test"
#define VNODES		200	/* x weight: a table that needs vmalloc() */
#define WEIGHT		15
#define PAGES_AT_ONCE	16	/* more than one allocation asks for */

struct counts {
	unsigned int slab, pages, vmalloc, copies, absorbed;
};

static struct counts total;

#define SLAB		DEBUGFS "failslab/"
#define PAGES		DEBUGFS "fail_page_alloc/"
#define COPIES		DEBUGFS "fail_usercopy/"

/*
 * Files that are written while allocations fail: opened before, since open()
 * allocates.
 */
static int fail_nth, make_it_fail, space, times;

static int put_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, text, strlen(text));
	close(fd);
	return n < 0 ? -errno : 0;
}

static void give_up(const char *what, int fd)
{
	fprintf(stderr, "# cannot %s %d: %s\n", what, fd, strerror(errno));
	abort();
}

/*
 * The copy of this write may be the very one that is to fail: then again.
 * These files have no position to write at.
 */
static void put(int fd, int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", n);

	if (write(fd, text, len) != len &&
	    (errno != EFAULT || write(fd, text, len) != len))
		give_up("write", fd);
}

/* Has the n-th fault come? If it is the copy of this read, it had not before. */
static bool nth_came(void)
{
	char text[16] = "";

	if (pread(fail_nth, text, sizeof(text) - 1, 0) > 0)
		return !atoi(text);
	if (errno != EFAULT)
		give_up("read", fail_nth);
	return false;
}

/* How much of the space is left; such a file is read but once. */
static int space_left(void)
{
	int fd = open(PAGES "space", O_RDONLY);
	char text[16] = "";

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		give_up("read", fd);
	close(fd);
	return atoi(text);
}

/* Which kinds of allocation may fail at all. */
static void allow(bool slab, bool pages, bool vmalloc)
{
	put_file(SLAB "ignore-gfp-wait", slab ? "N" : "Y");
	put_file(PAGES "ignore-gfp-wait", pages ? "N" : "Y");
	put_file(PAGES "ignore-gfp-highmem", vmalloc ? "N" : "Y");
	put_file(PAGES "min-order", "0");
}

static int set_up_injection(void)
{
	fail_nth = open("/proc/thread-self/fail-nth", O_RDWR);
	make_it_fail = open("/proc/thread-self/make-it-fail", O_RDWR);
	space = open(PAGES "space", O_RDWR);
	times = open(PAGES "times", O_RDWR);
	if (fail_nth < 0 || make_it_fail < 0 || space < 0 || times < 0)
		return -ENOENT;
	put_file(SLAB "verbose", "0");
	put_file(PAGES "verbose", "0");
	put_file(COPIES "verbose", "0");
	put_file(PAGES "task-filter", "Y");
	put_file(PAGES "probability", "100");
	put_file(PAGES "interval", "1");
	put(times, 0);
	allow(false, false, false);
	return 0;
}

FIXTURE(fault)
{
	int fd;		/* of the ring, for the command */
	int unbound;	/* of no ring */
	__u64 node;	/* that a ticket is of */
	void *map;	/* status pages, if that went well */
	struct mark before;
};

FIXTURE_SETUP(fault)
{
	struct chring_config config = { .vnodes = VNODES };

	self->unbound = dev_open(O_RDWR, NULL);
	ring_delete(self->unbound, "other");
	self->fd = ring_fresh(RING, &config);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, node_add(self->fd, "a", WEIGHT, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, node_add(self->fd, "b", WEIGHT, CHRING_STATE_UP, NULL));
	/* A log that is full has grown as far as it does: bytes compare. */
	ASSERT_EQ(0, change_often(self->fd, "a", CHRING_EVENTS_KEPT));
	/* A page fault in the middle of a call would find no memory either. */
	ASSERT_EQ(0, mlockall(MCL_CURRENT | MCL_FUTURE));
}

FIXTURE_TEARDOWN(fault)
{
	munlockall();
	ring_delete(self->unbound, "other");
	ring_delete(self->unbound, RING);
	close(self->unbound);
	close(self->fd);
}

/**
 * struct tried - a command that is tried
 * @run: gives it once
 * @undo: makes a success undone; NULL: it changes nothing
 * @prepare: before each try; may be NULL
 */
struct tried {
	int (*run)(struct _test_data_fault *self);
	void (*undo)(struct _test_data_fault *self);
	void (*prepare)(struct _test_data_fault *self);
};

/* One try: what became of it, and whether anything was made to fail. */
struct outcome {
	int ret;
	bool injected;
};

static struct outcome try_nth(struct _test_data_fault *self,
			      const struct tried *t, unsigned int n)
{
	struct outcome o;

	put(fail_nth, n);
	o.ret = t->run(self);
	o.injected = nth_came();
	put(fail_nth, 0);
	return o;
}

/* Space is left for n pages; with what is over, none can have failed. */
static struct outcome try_pages(struct _test_data_fault *self,
				const struct tried *t, unsigned int n)
{
	struct outcome o;

	put(space, n);
	put(make_it_fail, 1);
	put(times, -1);
	o.ret = t->run(self);
	put(times, 0);
	put(make_it_fail, 0);
	o.injected = o.ret || space_left() < PAGES_AT_ONCE;
	return o;
}

static int unexpected(const char *what, unsigned int n, int ret)
{
	note("%s at the %uth fault, %d", what, n, ret);
	return -1;
}

typedef struct outcome try_fn(struct _test_data_fault *self,
			      const struct tried *t, unsigned int n);

/* Return: failures seen, or -1 if something was not as it must be. */
static int try_all(struct _test_data_fault *self, const struct tried *t,
		   try_fn *try, unsigned int *seen, struct counts *counts)
{
	unsigned int n;

	for (n = 1; n < 2000; n++) {
		struct mark now;
		struct outcome o;

		if (t->prepare)
			t->prepare(self);
		if (mark_ring(self->fd, &self->before))
			return -1;
		o = try(self, t, n);
		if (o.ret == -EFAULT && try == try_nth)
			counts->copies++;
		else if (o.ret == -ENOMEM)
			(*seen)++;
		else if (o.ret)
			return unexpected("an error", n, o.ret);
		else if (o.injected && try == try_nth)
			counts->absorbed++;
		if (o.ret) {
			if (mark_ring(self->fd, &now) ||
			    !mark_same(&self->before, &now))
				return unexpected("a change", n, o.ret);
		} else if (t->undo) {
			t->undo(self);
		}
		if (!o.injected)
			return o.ret ? unexpected("no reason", n, o.ret) : 0;
	}
	return unexpected("no end", n, 0);
}

/*
 * What the module holds between two tries; the first time a ring may have to
 * make room.
 */
static __u64 bytes_after_one(struct _test_data_fault *self,
			     const struct tried *t)
{
	if (t->prepare)
		t->prepare(self);
	if (!t->run(self) && t->undo)
		t->undo(self);
	return bytes_settled(self->fd);
}

static int try_command(struct _test_data_fault *self, const char *name,
		       const struct tried *t)
{
	struct counts c = {};
	__u64 held = bytes_after_one(self, t);
	int ret;

	allow(true, false, false);
	ret = try_all(self, t, try_nth, &c.slab, &c);
	allow(false, true, false);
	if (!ret)
		ret = try_all(self, t, try_pages, &c.pages, &c);
	/* The same again, and pages for vmalloc() as well. */
	allow(false, true, true);
	if (!ret)
		ret = try_all(self, t, try_pages, &c.vmalloc, &c);
	c.vmalloc -= c.vmalloc < c.pages ? c.vmalloc : c.pages;
	allow(false, false, false);
	note("%-12s slab %3u, pages %3u, vmalloc %3u, copies %3u, absorbed %3u%s",
	     name, c.slab, c.pages, c.vmalloc, c.copies, c.absorbed,
	     c.slab || c.pages || c.vmalloc ? "" : "; allocates nothing");
	total.slab += c.slab;
	total.pages += c.pages;
	total.vmalloc += c.vmalloc;
	total.copies += c.copies;
	if (!ret && !settles_at(self->fd, held)) {
		note("%llu bytes are held, and were %llu before the faults",
		     (unsigned long long)bytes_held(self->fd),
		     (unsigned long long)held);
		ret = -1;
	}
	return ret;
}

static int run_info(struct _test_data_fault *self)
{
	struct chring_info arg = { .size = sizeof(arg) };

	return chr(self->fd, CHRING_IOC_INFO, &arg);
}

static int run_create(struct _test_data_fault *self)
{
	struct chring_config config = { .vnodes = 3 };

	return ring_create(self->unbound, "other", &config);
}

static void undo_create(struct _test_data_fault *self)
{
	ring_delete(self->unbound, "other");
}

static void prepare_delete(struct _test_data_fault *self)
{
	ring_create(self->unbound, "other", NULL);
}

static int run_delete(struct _test_data_fault *self)
{
	return ring_delete(self->unbound, "other");
}

static void prepare_bind(struct _test_data_fault *self)
{
	close(self->unbound);
	self->unbound = dev_open(O_RDWR, NULL);
}

static int run_bind(struct _test_data_fault *self)
{
	struct chring_ring_name arg = {
		.size = sizeof(arg),
		.name = ptr(RING),
		.name_len = strlen(RING),
	};

	return chr(self->unbound, CHRING_IOC_BIND, &arg);
}

static int run_ring_list(struct _test_data_fault *self)
{
	static struct chring_ring_entry entry[64];
	struct chring_ring_list arg = {
		.size = sizeof(arg),
		.entries = ptr(entry),
		.entry_size = sizeof(entry[0]),
		.count = ARRAY_LEN(entry),
	};

	return chr(self->fd, CHRING_IOC_RING_LIST, &arg);
}

static int run_add(struct _test_data_fault *self)
{
	return node_add(self->fd, "c", WEIGHT, CHRING_STATE_UP, NULL);
}

static void undo_add(struct _test_data_fault *self)
{
	node_del(self->fd, "c");
}

static int run_weight(struct _test_data_fault *self)
{
	return node_set_weight(self->fd, "a", 2 * WEIGHT);
}

static void undo_weight(struct _test_data_fault *self)
{
	node_set_weight(self->fd, "a", WEIGHT);
}

static int run_less(struct _test_data_fault *self)
{
	return node_set_weight(self->fd, "a", WEIGHT / 2);
}

static int run_state(struct _test_data_fault *self)
{
	return node_set_state(self->fd, "a", CHRING_STATE_DOWN);
}

static void undo_state(struct _test_data_fault *self)
{
	node_set_state(self->fd, "a", CHRING_STATE_UP);
}

static int run_del(struct _test_data_fault *self)
{
	return node_del(self->fd, "b");
}

static void undo_del(struct _test_data_fault *self)
{
	node_add(self->fd, "b", WEIGHT, CHRING_STATE_UP, NULL);
}

/* Both of what there is, and one that comes: those who are not named go. */
static int commit_three(struct _test_data_fault *self, __u32 flags)
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
	return chr(self->fd, CHRING_IOC_COMMIT, &arg);
}

static int run_commit(struct _test_data_fault *self)
{
	return commit_three(self, 0);
}

static void undo_commit(struct _test_data_fault *self)
{
	node_del(self->fd, "c");
	node_set_weight(self->fd, "b", WEIGHT);
}

static int run_dry(struct _test_data_fault *self)
{
	return commit_three(self, CHRING_DRY_RUN);
}

static int run_pin(struct _test_data_fault *self)
{
	struct chring_pin arg = { .size = sizeof(arg) };

	return chr(self->fd, CHRING_IOC_PIN, &arg);
}

static int run_unpin(struct _test_data_fault *self)
{
	struct chring_pin arg = { .size = sizeof(arg) };

	return chr(self->fd, CHRING_IOC_UNPIN, &arg);
}

static void undo_pin(struct _test_data_fault *self)
{
	run_unpin(self);
}

static void prepare_unpin(struct _test_data_fault *self)
{
	run_pin(self);
}

/* A new ring, and a log that has no room for one more record. */
static void prepare_grow(struct _test_data_fault *self)
{
	close(self->fd);
	self->fd = ring_fresh(RING, NULL);
	node_add(self->fd, "a", 1, CHRING_STATE_UP, NULL);
	node_add(self->fd, "b", 1, CHRING_STATE_UP, NULL);
	change_often(self->fd, "a", 14);
}

static int run_node_list(struct _test_data_fault *self)
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

	return chr(self->fd, CHRING_IOC_NODE_LIST, &arg);
}

static int run_lookup(struct _test_data_fault *self)
{
	struct chring_lookup out;
	struct chring_owner owner;

	return lookup_key(self->fd, "key", 3, &out, &owner);
}

static int run_lookup_long(struct _test_data_fault *self)
{
	static char key[CHRING_KEY_MAX];
	struct chring_lookup out;
	struct chring_owner owner;

	return lookup_key(self->fd, key, sizeof(key), &out, &owner);
}

static int run_batch(struct _test_data_fault *self)
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
	return chr(self->fd, CHRING_IOC_LOOKUP_BATCH, &arg);
}

static int run_read(struct _test_data_fault *self)
{
	struct chring_event event;

	if (read(self->unbound, &event, sizeof(event)) < 0)
		return -errno;
	return 0;
}

static void prepare_read(struct _test_data_fault *self)
{
	prepare_bind(self);
	run_bind(self);
	change_often(self->fd, "a", 2);
}

/*
 * The first mapping of a ring, for later ones allocate nothing of the module's.
 * What fails may be the kernel's own, after the ring has got its pages.
 */
static int run_mmap(struct _test_data_fault *self)
{
	self->map = mmap(NULL, sizeof(struct chring_status), PROT_READ,
			 MAP_SHARED, self->fd, 0);
	return self->map == MAP_FAILED ? -errno : 0;
}

static void undo_mmap(struct _test_data_fault *self)
{
	munmap(self->map, sizeof(struct chring_status));
}

static int run_acquire(struct _test_data_fault *self)
{
	struct chring_acquire out;

	return ticket_take(self->fd, "key", &out);
}

/* A descriptor that has not held any yet: it has no room for one. */
static void prepare_acquire(struct _test_data_fault *self)
{
	close(self->fd);
	self->fd = dev_open(O_RDWR, RING);
}

static void prepare_release(struct _test_data_fault *self)
{
	struct chring_acquire out;

	prepare_acquire(self);
	ticket_take(self->fd, "key", &out);
	self->node = out.out_node;
}

static int run_release(struct _test_data_fault *self)
{
	return ticket_give(self->fd, self->node, 1, NULL);
}

static int run_stats(struct _test_data_fault *self)
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

	return chr(self->fd, CHRING_IOC_STATS, &arg);
}

/* More than a chunk, and entries that do not go out in one copy. */
static int run_list(struct _test_data_fault *self, unsigned long ioc,
		    __u32 entry_size)
{
	static char entries[600 * 64];
	struct chring_circle_list arg = {
		.size = sizeof(arg),
		.entries = ptr(entries),
		.entry_size = entry_size,
		.count = 600,
	};

	return chr(self->fd, ioc, &arg);
}

static int run_ranges(struct _test_data_fault *self)
{
	return run_list(self, CHRING_IOC_RANGES, sizeof(struct chring_range));
}

static int run_ranges_long(struct _test_data_fault *self)
{
	return run_list(self, CHRING_IOC_RANGES, 64);
}

static int run_diff(struct _test_data_fault *self)
{
	return run_list(self, CHRING_IOC_DIFF,
			sizeof(struct chring_diff_entry));
}

static int run_tokens(struct _test_data_fault *self)
{
	return run_list(self, CHRING_IOC_TOKENS, sizeof(struct chring_token));
}

TEST_F_TIMEOUT(fault, every_command, 600)
{
	static const struct {
		const char *name;
		struct tried t;
	} all[] = {
		{ "INFO", { run_info } },
		{ "RING_CREATE", { run_create, undo_create } },
		{ "RING_DELETE", { run_delete, NULL, prepare_delete } },
		{ "BIND", { run_bind, NULL, prepare_bind } },
		{ "RING_LIST", { run_ring_list } },
		{ "NODE_ADD", { run_add, undo_add } },
		{ "NODE_SET +", { run_weight, undo_weight } },
		{ "NODE_SET -", { run_less, undo_weight } },
		{ "NODE_SET st", { run_state, undo_state } },
		{ "NODE_DEL", { run_del, undo_del } },
		{ "COMMIT", { run_commit, undo_commit } },
		{ "dry run", { run_dry } },
		{ "PIN", { run_pin, undo_pin } },
		{ "UNPIN", { run_unpin, NULL, prepare_unpin } },
		{ "NODE_LIST", { run_node_list } },
		{ "LOOKUP", { run_lookup } },
		{ "LOOKUP long", { run_lookup_long } },
		{ "BATCH", { run_batch } },
		{ "ACQUIRE", { run_acquire, NULL, prepare_acquire } },
		{ "RELEASE", { run_release, NULL, prepare_release } },
		{ "STATS", { run_stats } },
		{ "RANGES", { run_ranges } },
		{ "RANGES long", { run_ranges_long } },
		{ "DIFF", { run_diff } },
		{ "TOKENS", { run_tokens } },
		{ "read", { run_read, NULL, prepare_read } },
		/* The last ones: their ring is another one afterwards. */
		{ "NODE_SET gr", { run_state, NULL, prepare_grow } },
		{ "mmap", { run_mmap, undo_mmap, prepare_grow } },
	};
	size_t i;

	if (set_up_injection())
		SKIP(return, "this kernel has no fault injection");
	for (i = 0; i < ARRAY_LEN(all); i++) {
		EXPECT_EQ(0, try_command(self, all[i].name, &all[i].t)) {
			TH_LOG("%s", all[i].name);
		}
	}
	note("in all: slab %u, pages %u, vmalloc %u, copies %u",
	     total.slab, total.pages, total.vmalloc, total.copies);
	EXPECT_LT(0, total.slab);
	EXPECT_LT(0, total.vmalloc);
	EXPECT_LT(0, total.copies);
}

TEST_HARNESS_MAIN
