// SPDX-License-Identifier: GPL-2.0
/* The status pages: what mmap() shows of a ring, and what it refuses. */
#include <sys/mman.h>

#include "kselftest_harness.h"
#include "libtest.h"

FIXTURE(status) {
	int fd;
	const volatile struct chring_status *s;
};

FIXTURE_SETUP(status)
{
	void *p;

	self->fd = ring_fresh("status", NULL);
	ASSERT_LE(0, self->fd);
	p = mmap(NULL, sizeof(*self->s), PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, p);
	self->s = p;
}

FIXTURE_TEARDOWN(status)
{
	munmap((void *)self->s, sizeof(*self->s));
	close(self->fd);
	self->fd = dev_open(O_RDWR, NULL);
	ring_delete(self->fd, "status");
	close(self->fd);
}

/* The words, against what the commands say of the ring. */
static void expect_told(struct __test_metadata *const _metadata, int fd,
			const volatile struct chring_status *s)
{
	struct chring_stats stats = { .size = sizeof(stats) };
	struct listing l;
	__u32 i;

	ASSERT_EQ(0, chr(fd, CHRING_IOC_STATS, &stats));
	ASSERT_EQ(0, node_list(fd, &l));
	EXPECT_EQ(sizeof(*s), s->size);
	EXPECT_EQ(0, s->flags);
	EXPECT_EQ(0, s->sequence % 2);
	EXPECT_EQ(stats.out_ring, s->ring);
	EXPECT_EQ(stats.out_epoch, s->epoch);
	EXPECT_EQ(stats.out_live, s->live);
	EXPECT_EQ(stats.out_zones, s->zones);
	for (i = 0; i < l.list.out_count; i++) {
		__u32 bit = l.entry[i].bit;

		EXPECT_EQ(l.entry[i].state != CHRING_STATE_UP,
			  s->out[bit / 64] >> bit % 64 & 1);
	}
	free(l.entry);
	free(l.strings);
}

TEST_F(status, tells_of_every_change)
{
	const volatile struct chring_status *s = self->s;
	int fd = self->fd;

	expect_told(_metadata, fd, s);
	EXPECT_EQ(1, s->epoch);
	EXPECT_EQ(1, s->table_epoch);
	EXPECT_EQ(1, s->nodes_epoch);

	/* Tokens come. */
	ASSERT_EQ(0, node_add(fd, "a", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, node_add(fd, "b", 1, CHRING_STATE_DRAIN, NULL));
	expect_told(_metadata, fd, s);
	EXPECT_EQ(3, s->epoch);
	EXPECT_EQ(3, s->table_epoch);
	EXPECT_EQ(3, s->nodes_epoch);

	/* A flip leaves tokens and nodes as they are. */
	ASSERT_EQ(0, node_set_state(fd, "b", CHRING_STATE_UP));
	ASSERT_EQ(0, node_set_state(fd, "a", CHRING_STATE_DOWN));
	expect_told(_metadata, fd, s);
	EXPECT_EQ(5, s->epoch);
	EXPECT_EQ(3, s->table_epoch);
	EXPECT_EQ(3, s->nodes_epoch);

	/* A node without tokens leaves the tokens as they are. */
	ASSERT_EQ(0, node_add(fd, "c", 0, CHRING_STATE_UP, NULL));
	expect_told(_metadata, fd, s);
	EXPECT_EQ(6, s->epoch);
	EXPECT_EQ(3, s->table_epoch);
	EXPECT_EQ(6, s->nodes_epoch);
}

TEST_HARNESS_MAIN
