// SPDX-License-Identifier: GPL-2.0
/*
 * Mappings that are refused, and what is not to be had of one that is not: each
 * with its errno, and ring and descriptor stay as they were.
 */
#include "kselftest_harness.h"
#include "libstatus.h"

#define RING	"status-test"

FIXTURE(refused)
{
	int fd;
	unsigned long max_bytes;
};

FIXTURE_SETUP(refused)
{
	ASSERT_EQ(0, param_get("max_total_bytes", &self->max_bytes));
	self->fd = ring_fresh(RING, NULL);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, node_add(self->fd, "a", 1, CHRING_STATE_UP, NULL));
}

FIXTURE_TEARDOWN(refused)
{
	param_set("max_total_bytes", self->max_bytes);
	ring_delete(self->fd, RING);
	close(self->fd);
}

/* -- what is asked for */

/**
 * struct asked - a mapping, asked for
 * @open: how the descriptor is open
 * @prot: of the mapping
 * @flags: of the mapping
 * @offset: in bytes
 * @size: in bytes
 * @error: what becomes of it
 */
struct asked {
	int open;
	int prot;
	int flags;
	off_t offset;
	size_t size;
	int error;
};

#define EXACT	sizeof(struct chring_status)
#define READ	PROT_READ
#define WRITE	PROT_WRITE
#define EXEC	PROT_EXEC

static const struct asked asked[] = {
	{ O_RDONLY, READ, MAP_SHARED, 0, EXACT, 0 },
	{ O_RDWR, READ, MAP_SHARED, 0, EXACT, 0 },
	{ O_RDONLY, READ, MAP_SHARED_VALIDATE, 0, EXACT, 0 },
	{ O_RDONLY, READ, MAP_SHARED | MAP_POPULATE, 0, EXACT, 0 },
	{ O_RDONLY, READ, MAP_SHARED | MAP_LOCKED, 0, EXACT, 0 },
	/* The mode of the descriptor. */
	{ O_WRONLY, READ, MAP_SHARED, 0, EXACT, -EACCES },
	{ O_WRONLY, PROT_NONE, MAP_SHARED, 0, EXACT, -EACCES },
	{ O_RDONLY, WRITE, MAP_SHARED, 0, EXACT, -EACCES },
	{ O_RDONLY, READ | WRITE, MAP_SHARED, 0, EXACT, -EACCES },
	/* More than to read. */
	{ O_RDWR, WRITE, MAP_SHARED, 0, EXACT, -EPERM },
	{ O_RDWR, READ | WRITE, MAP_SHARED, 0, EXACT, -EPERM },
	{ O_RDWR, READ | EXEC, MAP_SHARED, 0, EXACT, -EPERM },
	{ O_RDONLY, READ | EXEC, MAP_SHARED, 0, EXACT, -EPERM },
	{ O_RDONLY, EXEC, MAP_SHARED, 0, EXACT, -EPERM },
	{ O_RDWR, READ | WRITE, MAP_PRIVATE, 0, EXACT, -EPERM },
	/* A copy, which would not be kept up to date. */
	{ O_RDONLY, READ, MAP_PRIVATE, 0, EXACT, -EINVAL },
	{ O_RDWR, READ, MAP_PRIVATE, 0, EXACT, -EINVAL },
	{ O_RDWR, PROT_NONE, MAP_PRIVATE, 0, EXACT, -EINVAL },
	/* Where. */
	{ O_RDONLY, READ, MAP_SHARED, PAGE, EXACT - PAGE, -EINVAL },
	{ O_RDONLY, READ, MAP_SHARED, PAGE, 1, -EINVAL },
	{ O_RDONLY, READ, MAP_SHARED, STATUS_BYTES, PAGE, -EINVAL },
	{ O_RDONLY, READ, MAP_SHARED, 1L << 30, PAGE, -EINVAL },
	{ O_RDONLY, READ, MAP_SHARED, 1, EXACT, -EINVAL },
	/* How much. */
	{ O_RDONLY, READ, MAP_SHARED, 0, 1, 0 },
	{ O_RDONLY, READ, MAP_SHARED, 0, STATUS_BYTES, 0 },
	{ O_RDONLY, READ, MAP_SHARED, 0, 0, -EINVAL },
	{ O_RDONLY, READ, MAP_SHARED, 0, STATUS_BYTES + 1, -EINVAL },
	{ O_RDONLY, READ, MAP_SHARED, 0, 1 << 20, -EINVAL },
};

static int ask(int fd, const struct asked *a)
{
	void *p = mmap(NULL, a->size, a->prot, a->flags, fd, a->offset);

	if (p == MAP_FAILED)
		return -errno;
	return munmap(p, a->size) ? -errno : 0;
}

TEST_F(refused, of_a_ring)
{
	struct mark before = MARK();
	size_t i;
	int fd;

	for (i = 0; i < ARRAY_LEN(asked); i++) {
		fd = dev_open(asked[i].open, RING);
		ASSERT_LE(0, fd);
		EXPECT_EQ(asked[i].error, ask(fd, &asked[i])) {
			TH_LOG("mapping %zu", i);
		}
		close(fd);
	}
	EXPECT_UNCHANGED(before);
}

/* Refused for what it is, it has not asked for a ring. */
TEST_F(refused, of_no_ring)
{
	int by_name = dev_open(O_RDONLY, CHRING_DEFAULT_RING), ret;
	__u64 is_default = ring_of(by_name);
	struct chring_ring_name bind = {
		.size = sizeof(bind),
		.name = ptr(RING),
		.name_len = strlen(RING),
	};
	size_t i;
	int fd;

	for (i = 0; i < ARRAY_LEN(asked); i++) {
		fd = dev_open(asked[i].open, NULL);
		ASSERT_LE(0, fd);
		EXPECT_EQ(asked[i].error, ask(fd, &asked[i]));
		if (asked[i].open != O_WRONLY) {
			EXPECT_EQ(asked[i].error ? 0 : is_default,
				  ring_of(fd)) {
				TH_LOG("mapping %zu", i);
			}
		}
		ret = chr(fd, CHRING_IOC_BIND, &bind);
		EXPECT_EQ(asked[i].error ? 0 : -EBUSY, ret);
		close(fd);
	}
	close(by_name);
}

/* -- what is not to be had of a mapping */

TEST_F(refused, more_of_a_mapping)
{
	static const int open_for[] = { O_RDONLY, O_RDWR };
	static const int more[] = { WRITE, READ | WRITE, EXEC, READ | EXEC };
	struct mark before = MARK();
	size_t i, k;

	for (i = 0; i < ARRAY_LEN(open_for); i++) {
		int fd = dev_open(open_for[i], RING);
		char *p = (char *)status_map(fd);

		ASSERT_NE(NULL, p);
		for (k = 0; k < ARRAY_LEN(more); k++) {
			errno = 0;
			EXPECT_EQ(-1, mprotect(p, STATUS_BYTES, more[k]));
			EXPECT_EQ(EACCES, errno);
			EXPECT_EQ(-1, mprotect(p + PAGE, PAGE, more[k]));
			EXPECT_EQ(EACCES, errno);
		}
		/* Less, and again what it was. */
		EXPECT_EQ(0, mprotect(p, STATUS_BYTES, PROT_NONE));
		EXPECT_EQ(0, mprotect(p, STATUS_BYTES, READ));
		EXPECT_EQ(0, status_wrong(fd, (void *)p));
		status_unmap((void *)p);
		close(fd);
	}
	EXPECT_UNCHANGED(before);
}

TEST_F(refused, longer_mapping)
{
	static const size_t size[][2] = {
		{ STATUS_BYTES, STATUS_BYTES + PAGE },
		{ STATUS_BYTES, 1 << 20 },
		/* A second mapping of what is mapped already, and more. */
		{ 0, STATUS_BYTES },
		{ 0, STATUS_BYTES + PAGE },
		{ 0, PAGE },
	};
	const struct chring_status *s = status_map(self->fd);
	void *page = mmap(NULL, PAGE, READ, MAP_SHARED, self->fd, 0);
	size_t i;

	ASSERT_NE(NULL, s);
	ASSERT_NE(MAP_FAILED, page);
	for (i = 0; i < ARRAY_LEN(size); i++) {
		errno = 0;
		EXPECT_EQ(MAP_FAILED, mremap((void *)s, size[i][0], size[i][1],
					     MREMAP_MAYMOVE));
		EXPECT_EQ(EFAULT, errno) {
			TH_LOG("%zu to %zu", size[i][0], size[i][1]);
		}
	}
	/* Not even to what there is to show. */
	EXPECT_EQ(MAP_FAILED, mremap(page, PAGE, 2 * PAGE, MREMAP_MAYMOVE));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(0, status_wrong(self->fd, s));
	munmap(page, PAGE);
	status_unmap(s);
}

/* Who may write a process's memory may not write this. */
TEST_F(refused, write_through_proc)
{
	static const char bytes[16] = "sixteen bytes.";
	const struct chring_status *s = status_map(self->fd);
	int mem = open("/proc/self/mem", O_RDWR);

	ASSERT_NE(NULL, s);
	ASSERT_LE(0, mem);
	EXPECT_GT(0, pwrite(mem, bytes, sizeof(bytes), (uintptr_t)s));
	EXPECT_GT(0, pwrite(mem, bytes, sizeof(bytes),
			    (uintptr_t)&s->epoch));
	EXPECT_EQ(0, status_wrong(self->fd, s));
	close(mem);
	status_unmap(s);
}

/* What the kernel says of the mapping at @p: two letters each; NULL. */
static char *vm_flags(const void *p)
{
	static char line[512];
	FILE *f = fopen("/proc/self/smaps", "r");
	unsigned long from, to;
	bool here = false;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			here = from == (uintptr_t)p;
		if (here && !strncmp(line, "VmFlags:", 8))
			break;
		line[0] = 0;
	}
	if (f)
		fclose(f);
	return line[0] ? line : NULL;
}

TEST_F(refused, dump)
{
	static const char *const never[] = { " wr", " ex", " mw", " me" };
	const struct chring_status *s;
	char *flags;
	size_t i;

	s = status_map(self->fd);
	ASSERT_NE(NULL, s);
	flags = vm_flags(s);
	ASSERT_NE(NULL, flags);
	note("%.*s", (int)strcspn(flags, "\n"), flags);
	EXPECT_NE(NULL, strstr(flags, " rd"));
	EXPECT_NE(NULL, strstr(flags, " dd"));
	EXPECT_NE(NULL, strstr(flags, " de"));
	for (i = 0; i < ARRAY_LEN(never); i++)
		EXPECT_EQ(NULL, strstr(flags, never[i]));
	/* Nor can that be asked for. */
	EXPECT_EQ(-1, madvise((void *)s, STATUS_BYTES, MADV_DODUMP));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_NE(NULL, strstr(vm_flags(s), " dd"));
	status_unmap(s);
}

/* -- a ring that is deleted, and memory that is used up */

TEST_F(refused, of_a_deleted_ring)
{
	int fd = dev_open(O_RDONLY, RING), late = dev_open(O_RDWR, RING);
	const struct chring_status *s;
	int mapped;

	ASSERT_LE(0, fd);
	ASSERT_LE(0, late);
	/* Whether or not somebody has mapped it before, and still has. */
	for (mapped = 0; mapped < 2; mapped++) {
		s = mapped ? status_map(fd) : NULL;
		ASSERT_EQ(0, ring_delete(self->fd, RING));
		EXPECT_EQ(-ENODEV, status_may_map(late));
		EXPECT_EQ(-ENODEV, status_may_map(fd));
		if (s) {
			EXPECT_EQ(0, status_unmap(s));
			EXPECT_EQ(-ENODEV, status_may_map(late));
			break;
		}
		close(self->fd);
		self->fd = ring_fresh(RING, NULL);
		close(fd);
		fd = dev_open(O_RDONLY, RING);
		close(late);
		late = dev_open(O_RDWR, RING);
		ASSERT_LE(0, late);
	}
	close(late);
	close(fd);
}

TEST_F(refused, over_budget)
{
	struct mark before = MARK();
	__u64 held = bytes_settled(self->fd);
	const struct chring_status *s;

	ASSERT_EQ(0, param_set("max_total_bytes", held));
	EXPECT_EQ(-EDQUOT, status_may_map(self->fd));
	ASSERT_EQ(0, param_set("max_total_bytes", held + STATUS_BYTES - 1));
	EXPECT_EQ(-EDQUOT, status_may_map(self->fd));
	EXPECT_UNCHANGED(before);
	EXPECT_EQ(held, bytes_held(self->fd));
	ASSERT_EQ(0, param_set("max_total_bytes", held + STATUS_BYTES));
	s = status_map(self->fd);
	ASSERT_NE(NULL, s);
	EXPECT_EQ(0, status_wrong(self->fd, s));
	EXPECT_EQ(held + STATUS_BYTES, bytes_held(self->fd));
	/* Later ones do not allocate. */
	ASSERT_EQ(0, param_set("max_total_bytes", 0));
	EXPECT_EQ(0, status_may_map(self->fd));
	status_unmap(s);
	EXPECT_EQ(0, status_may_map(self->fd));
	EXPECT_UNCHANGED(before);
}

/* It has asked for a ring before there was no memory: that is its own then. */
TEST_F(refused, over_budget_of_no_ring)
{
	int fd, by_name;

	/* Nobody has mapped the ring ``default`` of a module just loaded. */
	close(self->fd);
	ASSERT_EQ(0, module_unload("chring"));
	ASSERT_EQ(0, module_load(MODULE, ""));
	fd = dev_open(O_RDONLY, NULL);
	by_name = dev_open(O_RDONLY, CHRING_DEFAULT_RING);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, param_set("max_total_bytes", 0));
	EXPECT_EQ(-EDQUOT, status_may_map(fd));
	EXPECT_EQ(ring_of(by_name), ring_of(fd));
	ASSERT_EQ(0, param_set("max_total_bytes", self->max_bytes));
	EXPECT_EQ(0, status_may_map(fd));
	close(by_name);
	close(fd);
	self->fd = ring_fresh(RING, NULL);
	ASSERT_LE(0, self->fd);
}

TEST_HARNESS_MAIN
