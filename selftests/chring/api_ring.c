// SPDX-License-Identifier: GPL-2.0
/* Rings that kernel code holds, and rings of its own. */
#include <poll.h>
#include <sys/mman.h>

#include "libprobe.h"
#include "kselftest_harness.h"

#define RING	"api-test"
#define PRIVATE	"probe/api-test[::1]"

FIXTURE(api)
{
	int probe;
	int fd;		/* of RING, to read and write */
};

FIXTURE_SETUP(api)
{
	self->probe = probe_open();
	ASSERT_LE(0, self->probe);
	self->fd = ring_fresh(RING, NULL);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, node_add(self->fd, "a", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, node_add(self->fd, "b", 2, CHRING_STATE_UP, NULL));
}

FIXTURE_TEARDOWN(api)
{
	probe_close(self->probe);
	ring_delete(self->fd, RING);
	close(self->fd);
}

/* Kernel code is answered as programs are. */
TEST_F(api, answers_are_those_of_programs)
{
	struct probe_answer a;
	struct chring_lookup out;
	struct chring_owner owner;
	__u64 id, epoch;
	__u32 key;

	ASSERT_EQ(0, probe_get(self->probe, 0, RING));
	ASSERT_EQ(0, probe_show(self->probe, 0, &id, &epoch));
	EXPECT_EQ(3, epoch);
	for (key = 0; key < 200; key++) {
		struct probe_call call = { .in = ptr(&key), .in_len = 4 };

		ASSERT_EQ(0, lookup_key(self->fd, &key, 4, &out, &owner));
		ASSERT_EQ(0, probe_lookup(self->probe, 0, &key, 4, &a));
		EXPECT_EQ(owner.node, a.node);
		EXPECT_EQ(owner.cookie, a.cookie);
		EXPECT_EQ(out.out_ring, a.ring);
		EXPECT_EQ(id, a.ring);
		EXPECT_EQ(epoch, a.epoch);
		EXPECT_EQ(0, a.tag);
		ASSERT_EQ(0, probe(self->probe, PROBE_HASH, 0, &call));
		EXPECT_EQ(out.out_position, call.position);
		ASSERT_EQ(0, probe_lookup_at(self->probe, 0, call.position,
					     &a));
		EXPECT_EQ(owner.node, a.node);
	}
}

TEST_HARNESS_MAIN
