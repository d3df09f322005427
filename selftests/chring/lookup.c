// SPDX-License-Identifier: GPL-2.0
/* LOOKUP and LOOKUP_BATCH: what they refuse, and their edges. */
#include <sys/mman.h>

#include "libtest.h"
#include "kselftest_harness.h"

#define RING	"lookup-test"

FIXTURE(lookup)
{
	int fd;
	struct mark before;
};

FIXTURE_SETUP(lookup)
{
	self->fd = ring_fresh(RING, NULL);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, node_add(self->fd, "a", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, node_add(self->fd, "b", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, mark_ring(self->fd, &self->before));
}

FIXTURE_TEARDOWN(lookup)
{
	ring_delete(self->fd, RING);
	close(self->fd);
}

/* One wrong field each. */
TEST_F(lookup, refused)
{
	struct chring_owner owner;
	static const struct {
		struct chring_lookup arg;
		int ret;
	} wrong[] = {
		{ { .count = 0 }, -ERANGE },
		{ { .count = 33 }, -ERANGE },
		{ { .count = ~0U }, -ERANGE },
		{ { .count = 1, .flags = CHRING_LOOKUP_PREVIOUS,
		    .formers = 8 }, -EINVAL },
		{ { .count = 1, .reserved = 1 }, -EINVAL },
		{ { .count = 1, .flags = 8 }, -EINVAL },
		{ { .count = 1, .key_len = 65537 }, -ERANGE },
		{ { .count = 1, .key_len = ~0U }, -ERANGE },
		{ { .count = 1, .key_len = 1 }, -EFAULT },
		{ { .count = 1, .key_len = 65536 }, -EFAULT },
		{ { .count = 1, .position = 1 }, -EINVAL },
		{ { .count = 1, .flags = CHRING_LOOKUP_POSITION,
		    .key_len = 1 }, -EINVAL },
		{ { .count = 1, .flags = CHRING_LOOKUP_POSITION, .key = 1 },
		  -EINVAL },
		{ { .count = 1, .entry_size = 8 }, -EINVAL },
		{ { .count = 1, .entry_size = 20 }, -EINVAL },
		{ { .count = 1, .entry_size = 4104 }, -EINVAL },
		{ { .count = 1, .epoch = 99 }, -ESTALE },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(wrong); i++) {
		struct chring_lookup arg = wrong[i].arg;

		arg.size = sizeof(arg);
		arg.owners = ptr(&owner);
		if (!arg.entry_size)
			arg.entry_size = sizeof(owner);
		EXPECT_EQ(wrong[i].ret, chr(self->fd, CHRING_IOC_LOOKUP, &arg)) {
			TH_LOG("case %zu", i);
		}
		EXPECT_EQ(0, arg.out_count);
		if (wrong[i].ret == -ESTALE)
			EXPECT_EQ(self->before.epoch, arg.out_epoch);
	}
	EXPECT_UNCHANGED(self->before);
}

TEST_F(lookup, answer_tells_ring_and_epoch)
{
	struct chring_lookup out;
	struct chring_owner owner;
	__u64 at_key;

	ASSERT_EQ(0, lookup_key(self->fd, "key", 3, &out, &owner));
	EXPECT_EQ(self->before.ring, out.out_ring);
	EXPECT_EQ(self->before.epoch, out.out_epoch);
	EXPECT_EQ(1, out.out_count);
	at_key = owner.node;
	ASSERT_EQ(0, lookup_position(self->fd, out.out_position, &out, &owner));
	EXPECT_EQ(at_key, owner.node);
	out.epoch = self->before.epoch;
	EXPECT_EQ(0, chr(self->fd, CHRING_IOC_LOOKUP, &out));
}

TEST_F(lookup, without_nodes)
{
	struct chring_lookup out;
	struct chring_owner owner;
	__u64 position = 0, node;
	struct chring_lookup_batch batch = {
		.size = sizeof(batch),
		.flags = CHRING_LOOKUP_POSITION,
		.keys = ptr(&position),
		.keys_size = 8,
		.count = 1,
		.nodes = ptr(&node),
	};

	/* In service, but none with weight; then none in service; then none. */
	ASSERT_EQ(0, node_set_weight(self->fd, "a", 0));
	ASSERT_EQ(0, lookup_key(self->fd, "key", 3, &out, &owner));
	ASSERT_EQ(0, node_set_weight(self->fd, "b", 0));
	EXPECT_EQ(-EHOSTUNREACH, lookup_key(self->fd, "key", 3, &out, &owner));
	EXPECT_EQ(self->before.epoch + 2, out.out_epoch);
	ASSERT_EQ(0, node_set_weight(self->fd, "a", 1));
	ASSERT_EQ(0, node_set_state(self->fd, "a", CHRING_STATE_DRAIN));
	EXPECT_EQ(-EHOSTUNREACH, lookup_key(self->fd, "key", 3, &out, &owner));
	ASSERT_EQ(0, node_set_state(self->fd, "a", CHRING_STATE_DOWN));
	EXPECT_EQ(-EHOSTUNREACH, lookup_key(self->fd, "key", 3, &out, &owner));
	EXPECT_EQ(-EHOSTUNREACH, chr(self->fd, CHRING_IOC_LOOKUP_BATCH,
				     &batch));
	EXPECT_EQ(out.out_epoch, batch.out_epoch);
	ASSERT_EQ(0, node_del(self->fd, "a"));
	EXPECT_EQ(-EHOSTUNREACH, lookup_key(self->fd, "key", 3, &out, &owner));
	ASSERT_EQ(0, node_del(self->fd, "b"));
	EXPECT_EQ(-ENODATA, lookup_key(self->fd, "key", 3, &out, &owner));
	EXPECT_EQ(self->before.ring, out.out_ring);
	EXPECT_EQ(-ENODATA, chr(self->fd, CHRING_IOC_LOOKUP_BATCH, &batch));
}

static int lookup_many(int fd, __u64 position, __u32 count, __u32 *found,
		       __u64 *node)
{
	struct chring_owner owner[CHRING_REPLICAS_MAX];
	int ret = lookup_owners(fd, 0, position, count, owner, found);
	__u32 i;

	for (i = 0; i < *found; i++)
		node[i] = owner[i].node;
	return ret;
}

/*
 * One node holds nearly all tokens, so that light ones are far away: all are
 * found, each once, and the list for n is the beginning of that for n + 1.
 */
TEST_F(lookup, replicas_beside_a_heavy_node)
{
	__u64 all[CHRING_REPLICAS_MAX], some[CHRING_REPLICAS_MAX];
	struct chring_config config = { .vnodes = 1 };
	int fd = ring_fresh(RING "-heavy", &config);
	__u32 found, n, i, k;
	char name[16];

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, node_add(fd, "heavy", 60000, CHRING_STATE_UP, NULL));
	for (i = 0; i < 9; i++) {
		snprintf(name, sizeof(name), "light-%u", i);
		ASSERT_EQ(0, node_add(fd, name, 1, CHRING_STATE_UP, NULL));
	}
	ASSERT_EQ(0, node_add(fd, "nothing", 0, CHRING_STATE_UP, NULL));
	for (k = 0; k < 16; k++) {
		__u64 position = (__u64)k << 60;

		ASSERT_EQ(0, lookup_many(fd, position, 32, &found, all));
		EXPECT_EQ(10, found);
		for (i = 0; i < found; i++)
			for (n = 0; n < i; n++)
				EXPECT_NE(all[i], all[n]);
		for (n = 1; n <= 10; n++) {
			ASSERT_EQ(0, lookup_many(fd, position, n, &found,
						 some));
			EXPECT_EQ(n, found);
			EXPECT_EQ(0, memcmp(all, some, n * sizeof(*all)));
		}
	}
	ring_delete(fd, RING "-heavy");
	close(fd);
}

/* Keys that each take a long walk: one call goes over several read sections. */
TEST_F(lookup, batch_beside_a_heavy_node_out_of_service)
{
	struct chring_config config = { .vnodes = 1 };
	static __u64 position[2000], node[2000];
	struct chring_lookup_batch batch = {
		.size = sizeof(batch),
		.flags = CHRING_LOOKUP_POSITION,
		.keys = ptr(position),
		.keys_size = sizeof(position),
		.count = ARRAY_LEN(position),
		.nodes = ptr(node),
	};
	int fd = ring_fresh(RING "-heavy", &config);
	struct chring_owner owner;
	struct chring_lookup out;
	char name[16];
	__u32 i;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, node_add(fd, "heavy", 60000, CHRING_STATE_DRAIN, NULL));
	for (i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "light-%u", i);
		ASSERT_EQ(0, node_add(fd, name, 1, CHRING_STATE_UP, NULL));
	}
	for (i = 0; i < ARRAY_LEN(position); i++)
		position[i] = i * (~0ULL / ARRAY_LEN(position));
	ASSERT_EQ(0, chr(fd, CHRING_IOC_LOOKUP_BATCH, &batch));
	EXPECT_EQ(ARRAY_LEN(position), batch.out_done);
	for (i = 0; i < ARRAY_LEN(position); i += 7) {
		ASSERT_EQ(0, lookup_position(fd, position[i], &out, &owner));
		EXPECT_EQ(owner.node, node[i]);
	}
	ring_delete(fd, RING "-heavy");
	close(fd);
}

TEST_F(lookup, position_wider_than_the_ring)
{
	struct chring_config config = { .bits = 32 };
	struct chring_lookup out;
	struct chring_owner owner;
	__u64 position[2] = { 5, 1ULL << 32 }, node[2];
	struct chring_lookup_batch batch = {
		.size = sizeof(batch),
		.flags = CHRING_LOOKUP_POSITION,
		.keys = ptr(position),
		.keys_size = sizeof(position),
		.count = 2,
		.nodes = ptr(node),
	};
	int fd = ring_fresh(RING "-32", &config);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, node_add(fd, "a", 1, CHRING_STATE_UP, NULL));
	EXPECT_EQ(0, lookup_position(fd, 0xffffffff, &out, &owner));
	EXPECT_EQ(0xffffffff, out.out_position);
	EXPECT_EQ(-ERANGE, lookup_position(fd, 1ULL << 32, &out, &owner));
	EXPECT_EQ(-ERANGE, chr(fd, CHRING_IOC_LOOKUP_BATCH, &batch));
	position[1]--;
	EXPECT_EQ(0, chr(fd, CHRING_IOC_LOOKUP_BATCH, &batch));
	EXPECT_EQ(2, batch.out_done);
	ring_delete(fd, RING "-32");
	close(fd);
}

/* One wrong field each. */
TEST_F(lookup, batch_refused)
{
	static const struct {
		struct chring_lookup_batch arg;
		int ret;
	} wrong[] = {
		{ { .count = 65537, .keys_size = 1 << 20 }, -ERANGE },
		{ { .count = 1, .keys_size = (16 << 20) + 1 }, -ERANGE },
		{ { .count = 1, .keys_size = ~0U }, -ERANGE },
		{ { .count = 1, .flags = 8 }, -EINVAL },
		{ { .count = 1, .flags = CHRING_LOOKUP_ZONES }, -EINVAL },
		{ { .count = 1, .flags = CHRING_LOOKUP_POSITION }, -EINVAL },
		{ { .count = 1, .keys_size = 99, .epoch = 99 }, -ESTALE },
	};
	__u64 nodes[4];
	__u32 lens[1] = { 3 };
	char keys[128] = "key";
	size_t i;

	for (i = 0; i < ARRAY_LEN(wrong); i++) {
		struct chring_lookup_batch arg = wrong[i].arg;

		arg.size = sizeof(arg);
		arg.keys = ptr(keys);
		arg.lens = ptr(lens);
		arg.nodes = ptr(nodes);
		EXPECT_EQ(wrong[i].ret, chr(self->fd, CHRING_IOC_LOOKUP_BATCH,
					    &arg)) {
			TH_LOG("case %zu", i);
		}
		EXPECT_EQ(0, arg.out_done);
		if (wrong[i].ret == -ESTALE)
			EXPECT_EQ(self->before.epoch, arg.out_epoch);
	}
	EXPECT_UNCHANGED(self->before);
}

#define MANY	4096

FIXTURE(batch)
{
	int fd;
	char *keys;
	__u32 *lens;
	__u64 *nodes;
	struct chring_lookup_batch arg;
};

FIXTURE_SETUP(batch)
{
	char name[16];
	int i;

	self->fd = ring_fresh(RING, NULL);
	ASSERT_LE(0, self->fd);
	for (i = 0; i < 8; i++) {
		snprintf(name, sizeof(name), "node-%d", i);
		ASSERT_EQ(0, node_add(self->fd, name, 1, CHRING_STATE_UP,
				      NULL));
	}
	self->keys = malloc(CHRING_BATCH_BYTES_MAX);
	self->lens = calloc(CHRING_BATCH_MAX, sizeof(*self->lens));
	self->nodes = calloc(CHRING_BATCH_MAX, sizeof(*self->nodes));
	for (i = 0; i < CHRING_BATCH_BYTES_MAX; i++)
		self->keys[i] = i * 2654435761U >> 24;
	for (i = 0; i < MANY; i++)
		self->lens[i] = i % 17;
	self->arg = (struct chring_lookup_batch){
		.size = sizeof(self->arg),
		.keys = ptr(self->keys),
		.keys_size = MANY * 8,
		.lens = ptr(self->lens),
		.count = MANY,
		.nodes = ptr(self->nodes),
	};
}

FIXTURE_TEARDOWN(batch)
{
	ring_delete(self->fd, RING);
	close(self->fd);
	free(self->keys);
	free(self->lens);
	free(self->nodes);
}

/* Return: keys whose owner is not what LOOKUP says. */
static int count_wrong(struct _test_data_batch *self)
{
	struct chring_lookup out;
	struct chring_owner owner;
	__u32 off = 0, i;
	int wrong = 0;

	for (i = 0; i < self->arg.out_done; i++) {
		if (lookup_key(self->fd, self->keys + off, self->lens[i], &out,
			       &owner) || owner.node != self->nodes[i])
			wrong++;
		off += self->lens[i];
	}
	return wrong;
}

TEST_F(batch, agrees_with_lookup)
{
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_LOOKUP_BATCH, &self->arg));
	EXPECT_EQ(MANY, self->arg.out_done);
	EXPECT_EQ(9, self->arg.out_epoch);
	EXPECT_EQ(0, count_wrong(self));
}

/* Chunks end at 512 keys and at 64 KiB: lengths that fit no chunk evenly. */
TEST_F(batch, keys_of_all_lengths)
{
	__u32 i, sum = 0;

	for (i = 0; i < 700; i++) {
		self->lens[i] = i % 50 == 49 ? 65536 - i % 3 : i * 37 % 5000;
		sum += self->lens[i];
	}
	ASSERT_GT(CHRING_BATCH_BYTES_MAX, sum);
	self->arg.count = 700;
	self->arg.keys_size = sum;
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_LOOKUP_BATCH, &self->arg));
	EXPECT_EQ(700, self->arg.out_done);
	EXPECT_EQ(0, count_wrong(self));
	/* The last byte of the last key is not there. */
	self->arg.keys_size--;
	EXPECT_EQ(-EINVAL, chr(self->fd, CHRING_IOC_LOOKUP_BATCH, &self->arg));
}

TEST_F(batch, as_many_as_there_may_be)
{
	__u32 i;

	for (i = 0; i < CHRING_BATCH_MAX; i++)
		self->lens[i] = 256;
	self->arg.count = CHRING_BATCH_MAX;
	self->arg.keys_size = CHRING_BATCH_BYTES_MAX;
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_LOOKUP_BATCH, &self->arg));
	EXPECT_EQ(CHRING_BATCH_MAX, self->arg.out_done);
	EXPECT_EQ(0, count_wrong(self));
}

TEST_F(batch, no_keys)
{
	self->arg.count = 0;
	self->arg.keys_size = 0;
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_LOOKUP_BATCH, &self->arg));
	EXPECT_EQ(0, self->arg.out_done);
	EXPECT_EQ(9, self->arg.out_epoch);
	/* Keys without bytes are keys. */
	memset(self->lens, 0, 16);
	self->arg.count = 4;
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_LOOKUP_BATCH, &self->arg));
	EXPECT_EQ(4, self->arg.out_done);
	EXPECT_EQ(0, count_wrong(self));
}

/* A length that runs over: in the middle, far into the batch, by overflow. */
TEST_F(batch, length_runs_over)
{
	const __u32 at[] = { 0, 1, 600, MANY - 1 };
	struct mark before, now;
	size_t i;

	ASSERT_EQ(0, mark_ring(self->fd, &before));
	for (i = 0; i < ARRAY_LEN(at); i++) {
		__u32 was = self->lens[at[i]];

		self->lens[at[i]] = 65536;
		EXPECT_EQ(-EINVAL, chr(self->fd, CHRING_IOC_LOOKUP_BATCH,
				       &self->arg));
		EXPECT_EQ(0, self->arg.out_done);
		self->lens[at[i]] = 65537;
		EXPECT_EQ(-ERANGE, chr(self->fd, CHRING_IOC_LOOKUP_BATCH,
				       &self->arg));
		self->lens[at[i]] = ~0U;
		EXPECT_EQ(-ERANGE, chr(self->fd, CHRING_IOC_LOOKUP_BATCH,
				       &self->arg));
		self->lens[at[i]] = was;
	}
	ASSERT_EQ(0, mark_ring(self->fd, &before));
	ASSERT_EQ(0, mark_ring(self->fd, &now));
	EXPECT_TRUE(mark_same(&before, &now));
	EXPECT_EQ(0, chr(self->fd, CHRING_IOC_LOOKUP_BATCH, &self->arg));
}

/* Arrays that end in the middle of a batch. */
TEST_F(batch, array_ends_early)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(0, munmap(page + 4096, 4096));
	self->arg.lens = ptr(page);
	EXPECT_EQ(-EFAULT, chr(self->fd, CHRING_IOC_LOOKUP_BATCH, &self->arg));
	self->arg.lens = ptr(self->lens);
	self->arg.nodes = ptr(page);
	EXPECT_EQ(-EFAULT, chr(self->fd, CHRING_IOC_LOOKUP_BATCH, &self->arg));
	self->arg.nodes = ptr(self->nodes);
	self->arg.keys = ptr(page);
	EXPECT_EQ(-EFAULT, chr(self->fd, CHRING_IOC_LOOKUP_BATCH, &self->arg));
	munmap(page, 4096);
}

TEST_HARNESS_MAIN
