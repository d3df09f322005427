// SPDX-License-Identifier: GPL-2.0
/*
 * The status pages: what they say of a ring after each kind of change, held
 * against what commands say of it, and what a mapping of them is.
 */
#include "kselftest_harness.h"
#include "libstatus.h"

#define RING	"status-test"
#define OTHER	"status-other"

FIXTURE(status)
{
	int fd;
	const volatile struct chring_status *s;
};

FIXTURE_SETUP(status)
{
	/* 1000 has 160 tokens, 1001 and 1002 have 161. */
	struct chring_config config = { .unit = 1000 };

	self->fd = ring_fresh(RING, &config);
	ASSERT_LE(0, self->fd);
	self->s = status_map(self->fd);
	ASSERT_NE(NULL, self->s);
}

FIXTURE_TEARDOWN(status)
{
	status_unmap((void *)self->s);
	ring_delete(self->fd, RING);
	ring_delete(self->fd, OTHER);
	close(self->fd);
}

/* -- which epoch follows which change */

enum level {
	NOTHING,	/* not even an epoch */
	EPOCH,		/* and no more */
	NODES,		/* other nodes, or other than states of them */
	TOKENS,		/* and tokens */
};

/**
 * struct step - a change
 * @level: what it is to be for who has a copy
 * @ioc: of the change
 * @name: of the node
 * @arg: but for the name; of PIN and UNPIN nothing
 * @zone: that the node gets; may be NULL
 * @member: of a COMMIT; names and zones are in members[]
 * @count: of these
 * @error: the change is refused
 */
struct step {
	enum level level;
	unsigned long ioc;
	const char *name;
	struct chring_node_change arg;
	const char *zone;
	struct chring_member member[3];
	__u32 count;
	int error;
};

static const char members[] = "abcdz";

#define MEMBER(_i, _weight, _state, ...) \
	{ .name_off = _i, .name_len = 1, .weight = _weight, .state = _state, \
	  ##__VA_ARGS__ }
#define IN_Z	.zone_off = 4, .zone_len = 1

#define ADD(_level, _name, ...) \
	{ _level, CHRING_IOC_NODE_ADD, _name, { __VA_ARGS__ } }
#define SET(_level, _name, ...) \
	{ _level, CHRING_IOC_NODE_SET, _name, { __VA_ARGS__ } }
#define COMMIT(_level, _count, ...) \
	{ _level, CHRING_IOC_COMMIT, .count = _count, .member = { __VA_ARGS__ } }

#define WEIGHT(w)	.flags = CHRING_NODE_WEIGHT, .weight = w
#define STATE(s)	.flags = CHRING_NODE_STATE, .state = CHRING_STATE_##s

static const struct step steps[] = {
	ADD(TOKENS, "a", .weight = 1000),
	ADD(TOKENS, "b", .weight = 1000, .state = CHRING_STATE_DRAIN),
	ADD(NODES, "c", .weight = 0),
	{ NOTHING, CHRING_IOC_NODE_ADD, "a", { .weight = 1 },
	  .error = -EEXIST },
	{ NOTHING, CHRING_IOC_NODE_ADD, "d",
	  { .weight = 1, .flags = CHRING_DRY_RUN } },
	SET(EPOCH, "b", STATE(UP)),
	SET(NOTHING, "b", STATE(UP)),
	SET(EPOCH, "a", STATE(DOWN)),
	SET(EPOCH, "a", STATE(DRAIN)),
	SET(TOKENS, "a", WEIGHT(1001)),
	SET(NODES, "a", WEIGHT(1002)),
	SET(NOTHING, "a", WEIGHT(1002)),
	SET(EPOCH, "a", WEIGHT(1002), .generation = 3),
	{ NOTHING, CHRING_IOC_NODE_SET, "a",
	  { WEIGHT(5), .generation = 2 }, .error = -ERANGE },
	SET(NODES, "a", .flags = CHRING_NODE_COOKIE, .cookie = 7),
	{ NODES, CHRING_IOC_NODE_SET, "b", { .flags = CHRING_NODE_ZONE }, "z" },
	SET(TOKENS, "a", .flags = CHRING_NODE_WEIGHT | CHRING_NODE_STATE,
	    .weight = 2000),
	SET(TOKENS, "c", WEIGHT(1)),
	SET(TOKENS, "c", WEIGHT(0)),
	{ EPOCH, CHRING_IOC_PIN },
	{ NOTHING, CHRING_IOC_PIN, .error = -EBUSY },
	SET(TOKENS, "a", WEIGHT(1000)),
	SET(EPOCH, "a", STATE(DOWN)),
	{ EPOCH, CHRING_IOC_UNPIN },
	{ NOTHING, CHRING_IOC_UNPIN, .error = -ENOENT },
	/* The cookie of "a" goes. */
	COMMIT(NODES, 3, MEMBER(0, 1000, 2), MEMBER(1, 1000, 0, IN_Z),
	       MEMBER(2, 0, 0)),
	COMMIT(NOTHING, 3, MEMBER(0, 1000, 2), MEMBER(1, 1000, 0, IN_Z),
	       MEMBER(2, 0, 0)),
	COMMIT(EPOCH, 3, MEMBER(0, 1000, 0), MEMBER(1, 1000, 2, IN_Z),
	       MEMBER(2, 0, 1)),
	/* "d" in the place of "c", then others in those of all three. */
	COMMIT(NODES, 3, MEMBER(0, 1000, 0), MEMBER(1, 1000, 2, IN_Z),
	       MEMBER(3, 0, 2)),
	COMMIT(TOKENS, 1, MEMBER(2, 1000, 1, IN_Z)),
	COMMIT(TOKENS, 3, MEMBER(0, 1, 0), MEMBER(1, 1, 1, IN_Z),
	       MEMBER(3, 0, 0)),
	{ NODES, CHRING_IOC_NODE_DEL, "d" },
	{ TOKENS, CHRING_IOC_NODE_DEL, "a" },
	{ NOTHING, CHRING_IOC_NODE_DEL, "a", .error = -ENOENT },
	COMMIT(TOKENS, 0),
	COMMIT(NOTHING, 0),
};

static int make(int fd, const struct step *step)
{
	struct chring_node_change arg = step->arg;
	struct chring_pin pin = { .size = sizeof(pin) };

	if (step->ioc == CHRING_IOC_COMMIT)
		return commit(fd, step->member, step->count, members,
			      sizeof(members), 0);
	if (step->ioc == CHRING_IOC_PIN || step->ioc == CHRING_IOC_UNPIN)
		return chr(fd, step->ioc, &pin);
	arg.size = sizeof(arg);
	arg.name = ptr(step->name);
	arg.name_len = strlen(step->name);
	arg.zone = ptr(step->zone);
	arg.zone_len = step->zone ? strlen(step->zone) : 0;
	return chr(fd, step->ioc, &arg);
}

TEST_F(status, tells_of_every_change)
{
	const volatile struct chring_status *s = self->s;
	__u64 epoch = 1, nodes = 1, tokens = 1, sequence;
	size_t i;

	for (i = 0; i <= ARRAY_LEN(steps); i++) {
		EXPECT_EQ(0, status_wrong(self->fd, s));
		EXPECT_EQ(epoch, s->epoch);
		EXPECT_EQ(nodes, s->nodes_epoch);
		EXPECT_EQ(tokens, s->table_epoch) {
			TH_LOG("before step %zu", i);
		}
		if (i == ARRAY_LEN(steps))
			break;
		sequence = s->sequence;
		ASSERT_EQ(steps[i].error, make(self->fd, &steps[i])) {
			TH_LOG("step %zu", i);
		}
		/* What is known of it holds until something is different. */
		EXPECT_EQ(steps[i].level == NOTHING, sequence == s->sequence);
		EXPECT_LE(sequence, s->sequence);
		epoch += steps[i].level >= EPOCH;
		if (steps[i].level >= NODES)
			nodes = epoch;
		if (steps[i].level >= TOKENS)
			tokens = epoch;
	}
}

/* A mapping says what is, not what was at the ring's beginning. */
TEST_F(status, mapped_late)
{
	const volatile struct chring_status *late;
	int fd = ring_fresh(OTHER, NULL);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, node_add(fd, "a", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, node_add(fd, "b", 0, CHRING_STATE_DOWN, NULL));
	ASSERT_EQ(0, node_set_state(fd, "a", CHRING_STATE_DRAIN));
	late = status_map(fd);
	ASSERT_NE(NULL, late);
	EXPECT_EQ(0, status_wrong(fd, late));
	EXPECT_EQ(4, late->epoch);
	EXPECT_EQ(3, late->nodes_epoch);
	EXPECT_EQ(2, late->table_epoch);
	status_unmap((void *)late);
	close(fd);
}

/* -- mappings */

TEST_F(status, rings_do_not_mix)
{
	const volatile struct chring_status *other;
	int fd = ring_fresh(OTHER, NULL);

	ASSERT_LE(0, fd);
	other = status_map(fd);
	ASSERT_NE(NULL, other);
	ASSERT_EQ(0, node_add(fd, "a", 1, CHRING_STATE_DOWN, NULL));
	EXPECT_EQ(0, status_wrong(fd, other));
	EXPECT_EQ(0, status_wrong(self->fd, self->s));
	EXPECT_NE(other->ring, self->s->ring);
	EXPECT_EQ(2, other->epoch);
	EXPECT_EQ(1, self->s->epoch);
	ASSERT_EQ(0, node_add(self->fd, "b", 1, CHRING_STATE_UP, NULL));
	EXPECT_EQ(0, self->s->out[0] & 1);
	EXPECT_EQ(1, other->out[0] & 1);
	ASSERT_EQ(0, ring_delete(fd, OTHER));
	EXPECT_EQ(CHRING_STATUS_DELETED, other->flags);
	EXPECT_EQ(0, status_wrong(self->fd, self->s));
	status_unmap((void *)other);
	close(fd);
}

/* All who map a ring see the same pages. */
TEST_F(status, mappings_are_of_one_memory)
{
	int fd = dev_open(O_RDONLY, RING);
	const volatile struct chring_status *other = status_map(fd);

	ASSERT_NE(NULL, other);
	ASSERT_NE(self->s, other);
	ASSERT_EQ(0, node_add(self->fd, "a", 1, CHRING_STATE_UP, NULL));
	EXPECT_EQ(2, other->epoch);
	EXPECT_EQ(0, memcmp((void *)self->s, (void *)other, STATUS_BYTES));
	status_unmap((void *)other);
	close(fd);
}

TEST_F(status, of_default_without_bind)
{
	int fd = dev_open(O_RDONLY, NULL), by_name;
	const volatile struct chring_status *s;
	struct chring_ring_name bind = {
		.size = sizeof(bind),
		.name = ptr(RING),
		.name_len = strlen(RING),
	};

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, ring_of(fd));
	s = status_map(fd);
	ASSERT_NE(NULL, s);
	by_name = dev_open(O_RDONLY, CHRING_DEFAULT_RING);
	EXPECT_EQ(ring_of(by_name), s->ring);
	EXPECT_EQ(ring_of(by_name), ring_of(fd));
	EXPECT_EQ(-EBUSY, chr(fd, CHRING_IOC_BIND, &bind));
	EXPECT_EQ(0, status_wrong(fd, s));
	status_unmap((void *)s);
	EXPECT_EQ(-EBUSY, chr(fd, CHRING_IOC_BIND, &bind));
	close(by_name);
	close(fd);
}

/* What a program needs of them, which may be the first page alone. */
TEST_F(status, less_than_all)
{
	const volatile struct chring_status *page;
	char *all;

	page = mmap(NULL, 1, PROT_READ, MAP_SHARED | MAP_POPULATE, self->fd, 0);
	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(0, node_add(self->fd, "a", 1, CHRING_STATE_DOWN, NULL));
	EXPECT_EQ(2, page->epoch);
	EXPECT_EQ(1, page->out[0] & 1);
	munmap((void *)page, 1);
	/* Of all of them, the first go, and then the last is elsewhere. */
	all = (char *)status_map(self->fd);
	ASSERT_EQ(0, munmap(all, STATUS_BYTES - PAGE));
	EXPECT_EQ(0, memcmp(all + STATUS_BYTES - PAGE, (const char *)self->s +
			    STATUS_BYTES - PAGE, PAGE));
	munmap(all + STATUS_BYTES - PAGE, PAGE);
}

/* A mapping may be moved, and has its words where it is then. */
TEST_F(status, moved)
{
	void *to = mmap(NULL, STATUS_BYTES, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *from = (void *)self->s;

	ASSERT_NE(MAP_FAILED, to);
	ASSERT_EQ(to, mremap(from, STATUS_BYTES, STATUS_BYTES,
			     MREMAP_MAYMOVE | MREMAP_FIXED, to));
	self->s = to;
	ASSERT_EQ(0, node_add(self->fd, "a", 1, CHRING_STATE_DOWN, NULL));
	EXPECT_EQ(0, status_wrong(self->fd, self->s));
}

TEST_HARNESS_MAIN
