// SPDX-License-Identifier: GPL-2.0
/* Rings: names, configs, and what belongs to a descriptor. */
#include <pthread.h>
#include <sys/wait.h>

#include "libtest.h"
#include "kselftest_harness.h"

#define RING	"ring-test"

FIXTURE(ring)
{
	int fd;		/* to read and write, without a ring */
};

FIXTURE_SETUP(ring)
{
	self->fd = dev_open(O_RDWR, NULL);
	ASSERT_LE(0, self->fd);
	ring_delete(self->fd, RING);
}

FIXTURE_TEARDOWN(ring)
{
	ring_delete(self->fd, RING);
	close(self->fd);
}

static int create_len(int fd, const void *name, __u32 len)
{
	struct chring_ring_create arg = {
		.size = sizeof(arg),
		.name = ptr(name),
		.name_len = len,
	};

	return chr(fd, CHRING_IOC_RING_CREATE, &arg);
}

static int name_command(int fd, unsigned long ioc, const void *name, __u32 len)
{
	struct chring_ring_name arg = {
		.size = sizeof(arg),
		.name = ptr(name),
		.name_len = len,
	};

	return chr(fd, ioc, &arg);
}

static __u32 count_rings(int fd)
{
	struct chring_info info = { .size = sizeof(info) };

	return chr(fd, CHRING_IOC_INFO, &info) ? ~0U : info.out_rings;
}

TEST_F(ring, names)
{
	static const char good[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123._:-";
	__u32 rings = count_rings(self->fd);
	char name[80];
	int c, ret;

	memset(name, 'r', sizeof(name));
	EXPECT_EQ(-EINVAL, create_len(self->fd, name, 0));
	EXPECT_EQ(-ENAMETOOLONG, create_len(self->fd, name, 64));
	EXPECT_EQ(-ENAMETOOLONG, create_len(self->fd, name, ~0U));
	EXPECT_EQ(-EINVAL, create_len(self->fd, ".hidden", 7));
	for (c = 0; c < 256; c++) {
		if (c && strchr(good, c))
			continue;
		if (c >= '4' && c <= '9')
			continue;
		/* With a slash it may be that of a private ring. */
		ret = c == '/' ? -ENOENT : -EINVAL;
		name[3] = c;
		EXPECT_EQ(-EINVAL, create_len(self->fd, name, 10));
		EXPECT_EQ(ret, name_command(self->fd, CHRING_IOC_BIND, name,
					    10));
		EXPECT_EQ(ret, name_command(self->fd, CHRING_IOC_RING_DELETE,
					    name, 10));
	}
	EXPECT_EQ(rings, count_rings(self->fd));
	EXPECT_EQ(0, create_len(self->fd, good, 63 - 3));
	EXPECT_EQ(-EEXIST, create_len(self->fd, good, 63 - 3));
	EXPECT_EQ(0, name_command(self->fd, CHRING_IOC_RING_DELETE, good,
				  63 - 3));
	memset(name, 'r', sizeof(name));
	EXPECT_EQ(0, create_len(self->fd, name, 63));
	EXPECT_EQ(0, name_command(self->fd, CHRING_IOC_RING_DELETE, name, 63));
	EXPECT_EQ(rings, count_rings(self->fd));
}

TEST_F(ring, create_delete)
{
	__u32 rings = count_rings(self->fd);

	EXPECT_EQ(-ENOENT, ring_delete(self->fd, RING));
	EXPECT_EQ(-ENOENT, dev_open(O_RDWR, RING));
	EXPECT_EQ(0, ring_create(self->fd, RING, NULL));
	EXPECT_EQ(-EEXIST, ring_create(self->fd, RING, NULL));
	EXPECT_EQ(rings + 1, count_rings(self->fd));
	EXPECT_EQ(0, ring_delete(self->fd, RING));
	EXPECT_EQ(-ENOENT, ring_delete(self->fd, RING));
	EXPECT_EQ(rings, count_rings(self->fd));
}

TEST_F(ring, default_stays)
{
	struct mark m;
	int fd;

	EXPECT_EQ(-EPERM, ring_delete(self->fd, CHRING_DEFAULT_RING));
	EXPECT_EQ(-EEXIST, ring_create(self->fd, CHRING_DEFAULT_RING, NULL));
	fd = dev_open(O_RDWR, CHRING_DEFAULT_RING);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, mark_ring(fd, &m));
	close(fd);
}

TEST_F(ring, bind_once)
{
	int fd = dev_open(O_RDWR, NULL);

	ASSERT_EQ(0, ring_create(self->fd, RING, NULL));
	EXPECT_EQ(-ENOENT, name_command(fd, CHRING_IOC_BIND, "no-such", 7));
	EXPECT_EQ(0, name_command(fd, CHRING_IOC_BIND, RING, strlen(RING)));
	EXPECT_EQ(-EBUSY, name_command(fd, CHRING_IOC_BIND, RING,
				       strlen(RING)));
	EXPECT_EQ(-EBUSY, name_command(fd, CHRING_IOC_BIND, "no-such", 7));
	close(fd);
}

/* The first command that asks for a ring takes the default one for good. */
TEST_F(ring, default_binds)
{
	int fd = dev_open(O_RDWR, NULL);
	struct chring_info info = { .size = sizeof(info) };
	struct listing l;

	ASSERT_EQ(0, chr(fd, CHRING_IOC_INFO, &info));
	EXPECT_EQ(0, info.out_ring);
	ASSERT_EQ(0, ring_create(self->fd, RING, NULL));
	EXPECT_EQ(0, node_list(fd, &l));
	ASSERT_EQ(0, chr(fd, CHRING_IOC_INFO, &info));
	EXPECT_NE(0, info.out_ring);
	EXPECT_EQ(l.list.out_ring, info.out_ring);
	EXPECT_EQ(-EBUSY, name_command(fd, CHRING_IOC_BIND, RING,
				       strlen(RING)));
	close(fd);
}

/* dup() and fork() share the bond, since it is the open file's. */
TEST_F(ring, bond_is_shared)
{
	int fd = dev_open(O_RDWR, NULL), other, status;

	ASSERT_EQ(0, ring_create(self->fd, RING, NULL));
	other = dup(fd);
	if (!fork())
		_exit(-name_command(fd, CHRING_IOC_BIND, RING, strlen(RING)));
	ASSERT_LT(0, wait(&status));
	ASSERT_EQ(0, status);
	EXPECT_EQ(-EBUSY, name_command(other, CHRING_IOC_BIND, RING,
				       strlen(RING)));
	close(fd);
	EXPECT_EQ(0, node_add(other, "a", 1, CHRING_STATE_UP, NULL));
	close(other);
}

struct binder {
	pthread_barrier_t *start;
	int fd;
	int ret;
};

static void *bind_thread(void *p)
{
	struct binder *b = p;

	pthread_barrier_wait(b->start);
	b->ret = name_command(b->fd, CHRING_IOC_BIND, RING, strlen(RING));
	return NULL;
}

/* Of many who bind one descriptor at once, one does. */
TEST_F(ring, bind_race)
{
	int round, i;

	ASSERT_EQ(0, ring_create(self->fd, RING, NULL));
	for (round = 0; round < 100; round++) {
		pthread_barrier_t start;
		struct binder b[4];
		pthread_t t[4];
		int won = 0;

		pthread_barrier_init(&start, NULL, 4);
		b[0].fd = dev_open(O_RDWR, NULL);
		for (i = 0; i < 4; i++) {
			b[i] = (struct binder){ &start, b[0].fd, 0 };
			ASSERT_EQ(0, pthread_create(&t[i], NULL, bind_thread,
						    &b[i]));
		}
		for (i = 0; i < 4; i++) {
			pthread_join(t[i], NULL);
			won += !b[i].ret;
			EXPECT_TRUE(!b[i].ret || b[i].ret == -EBUSY);
		}
		EXPECT_EQ(1, won);
		pthread_barrier_destroy(&start);
		close(b[0].fd);
	}
}

static int get_config(int fd, struct chring_config *config)
{
	struct chring_stats stats = {
		.size = sizeof(stats),
		.config = ptr(config),
		.config_size = sizeof(*config),
	};

	return chr(fd, CHRING_IOC_STATS, &stats);
}

TEST_F(ring, config_defaults)
{
	struct chring_config config;
	int fd = ring_fresh(RING, NULL);

	ASSERT_LE(0, fd);
	memset(&config, 0xa5, sizeof(config));
	ASSERT_EQ(0, get_config(fd, &config));
	EXPECT_EQ(CHRING_HASH_XXH64, config.hash);
	EXPECT_EQ(64, config.bits);
	EXPECT_EQ(CHRING_LAYOUT_PLAIN, config.layout);
	EXPECT_EQ(160, config.vnodes);
	EXPECT_EQ(1, config.unit);
	EXPECT_EQ(1, config.sep_len);
	EXPECT_EQ('#', config.sep[0]);
	EXPECT_EQ(0, config.seed[0]);
	EXPECT_EQ(0, config.seed[1]);
	EXPECT_EQ(0, config.balance);
	EXPECT_EQ(0, config.tickets);
	close(fd);
}

TEST_F(ring, config_murmur3_is_32_bits)
{
	struct chring_config config = { .hash = CHRING_HASH_MURMUR3 };
	int fd = ring_fresh(RING, &config);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, get_config(fd, &config));
	EXPECT_EQ(32, config.bits);
	close(fd);
}

/* One wrong field each. */
TEST_F(ring, config_refused)
{
	static const struct {
		struct chring_config config;
		int ret;
	} wrong[] = {
		{ { .hash = 8 }, -EINVAL },
		{ { .hash = ~0U }, -EINVAL },
		{ { .hash = CHRING_HASH_MD5 }, -EOPNOTSUPP },
		{ { .hash = CHRING_HASH_SHA1 }, -EOPNOTSUPP },
		{ { .hash = CHRING_HASH_CRC32 }, -EOPNOTSUPP },
		{ { .bits = 1 }, -EINVAL },
		{ { .bits = 63 }, -EINVAL },
		{ { .bits = 128 }, -EINVAL },
		{ { .hash = CHRING_HASH_MURMUR3, .bits = 64 }, -EINVAL },
		{ { .layout = 5 }, -EINVAL },
		{ { .layout = CHRING_LAYOUT_KETAMA }, -EOPNOTSUPP },
		{ { .layout = CHRING_LAYOUT_NGINX }, -EOPNOTSUPP },
		{ { .layout = CHRING_LAYOUT_HAPROXY }, -EOPNOTSUPP },
		{ { .vnodes = 65536 }, -ERANGE },
		{ { .unit = 65536 }, -ERANGE },
		{ { .sep_len = 17 }, -ERANGE },
		{ { .sep_len = 1 }, -EINVAL },
		{ { .sep_len = 1, .sep = "5" }, -EINVAL },
		{ { .sep_len = 1, .sep = " " }, -EINVAL },
		{ { .sep_len = 1, .sep = "\x7f" }, -EINVAL },
		{ { .sep_len = 1, .sep = "-x" }, -EINVAL },
		{ { .sep = "-" }, -EINVAL },
		{ { .seed = { 0, 1 } }, -ERANGE },
		{ { .hash = CHRING_HASH_MURMUR64, .seed = { 0, 1 } }, -ERANGE },
		{ { .hash = CHRING_HASH_MURMUR3, .seed = { 1ULL << 32 } },
		  -ERANGE },
		{ { .hash = CHRING_HASH_SIPHASH }, -EINVAL },
		{ { .balance = 1 }, -ERANGE },
		{ { .balance = 99 }, -ERANGE },
		{ { .balance = 65536 }, -ERANGE },
		{ { .tickets = (1 << 20) + 1 }, -ERANGE },
	};
	__u32 rings = count_rings(self->fd);
	size_t i;

	for (i = 0; i < ARRAY_LEN(wrong); i++) {
		EXPECT_EQ(wrong[i].ret,
			  ring_create(self->fd, RING, &wrong[i].config)) {
			TH_LOG("config %zu", i);
		}
	}
	EXPECT_EQ(rings, count_rings(self->fd));
	EXPECT_EQ(-ENOENT, ring_delete(self->fd, RING));
}

TEST_F(ring, config_size)
{
	struct {
		struct chring_config config;
		__u64 tail;
	} newer = { .config.vnodes = 3 };
	struct chring_ring_create arg = {
		.size = sizeof(arg),
		.name = ptr(RING),
		.name_len = strlen(RING),
		.config = ptr(&newer),
	};
	__u32 size;

	EXPECT_EQ(-EINVAL, chr(self->fd, CHRING_IOC_RING_CREATE, &arg));
	for (size = 1; size < sizeof(newer.config); size++) {
		arg.config_size = size;
		EXPECT_EQ(-EINVAL, chr(self->fd, CHRING_IOC_RING_CREATE, &arg));
	}
	arg.config_size = sizeof(newer);
	newer.tail = 1;
	EXPECT_EQ(-E2BIG, chr(self->fd, CHRING_IOC_RING_CREATE, &arg));
	newer.tail = 0;
	EXPECT_EQ(0, chr(self->fd, CHRING_IOC_RING_CREATE, &arg));
}

/* Its seed is a secret between those who may change the ring. */
TEST_F(ring, keyed_ring_keeps_its_secret)
{
	struct chring_config config = {
		.hash = CHRING_HASH_SIPHASH,
		.seed = { 0x0706050403020100ULL, 0x0f0e0d0c0b0a0908ULL },
	};
	struct chring_lookup out;
	struct chring_owner owner;
	struct mark writers, readers;
	int fd = ring_fresh(RING, &config);
	__u64 positions[1] = { 0 }, nodes[1];
	struct chring_lookup_batch batch = {
		.size = sizeof(batch),
		.flags = CHRING_LOOKUP_POSITION,
		.keys = ptr(positions),
		.keys_size = sizeof(positions),
		.count = 1,
		.nodes = ptr(nodes),
	};
	int reader = dev_open(O_RDONLY, RING);

	ASSERT_LE(0, fd);
	ASSERT_LE(0, reader);
	ASSERT_EQ(0, node_add(fd, "a", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, get_config(fd, &config));
	EXPECT_EQ(0x0706050403020100ULL, config.seed[0]);
	EXPECT_EQ(0x0f0e0d0c0b0a0908ULL, config.seed[1]);
	ASSERT_EQ(0, get_config(reader, &config));
	EXPECT_EQ(0, config.seed[0]);
	EXPECT_EQ(0, config.seed[1]);

	/* The test vector of SipHash-2-4: 15 bytes 0..14 under this key. */
	ASSERT_EQ(0, lookup_key(fd, "\0\1\2\3\4\5\6\7\10\11\12\13\14\15\16", 15,
				&out, &owner));
	EXPECT_EQ(0xa129ca6149be45e5ULL, out.out_position);
	ASSERT_EQ(0, lookup_key(reader, "key", 3, &out, &owner));
	EXPECT_EQ(0, out.out_position);
	EXPECT_EQ(-EBADF, lookup_position(reader, 0, &out, &owner));
	EXPECT_EQ(-EBADF, chr(reader, CHRING_IOC_LOOKUP_BATCH, &batch));
	EXPECT_EQ(0, lookup_position(fd, 0, &out, &owner));
	EXPECT_EQ(0, chr(fd, CHRING_IOC_LOOKUP_BATCH, &batch));

	ASSERT_EQ(0, mark_ring(fd, &writers));
	ASSERT_EQ(0, mark_ring(reader, &readers));
	EXPECT_NE(0, writers.checksum);
	EXPECT_EQ(0, readers.checksum);
	close(fd);
	close(reader);
}

TEST_F(ring, list)
{
	struct chring_ring_entry entry[64], *e = NULL;
	struct chring_ring_list arg = {
		.size = sizeof(arg),
		.entries = ptr(entry),
		.entry_size = sizeof(entry[0]),
		.count = ARRAY_LEN(entry),
	};
	struct mark m;
	int fd = ring_fresh(RING, NULL);
	__u32 i;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, node_add(fd, "a", 2, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, node_add(fd, "b", 3, CHRING_STATE_DOWN, NULL));
	ASSERT_EQ(0, mark_ring(fd, &m));
	memset(entry, 0xa5, sizeof(entry));
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_RING_LIST, &arg));
	EXPECT_EQ(m.rings, arg.out_count);
	for (i = 0; i < arg.out_count; i++)
		if (!strcmp(entry[i].name, RING))
			e = &entry[i];
	ASSERT_NE(NULL, e);
	EXPECT_EQ(m.ring, e->ring);
	EXPECT_EQ(m.epoch, e->epoch);
	EXPECT_EQ(m.digest, e->digest);
	EXPECT_EQ(5 * 160, e->tokens);
	EXPECT_EQ(2, e->nodes);
	EXPECT_EQ(1, e->live);
	EXPECT_EQ(0, e->flags);
	EXPECT_EQ(CHRING_KEYS_BYTES, e->keys);
	EXPECT_LT(5 * 160 * 8, e->bytes);

	arg.count = arg.out_count - 1;
	EXPECT_EQ(-EMSGSIZE, chr(self->fd, CHRING_IOC_RING_LIST, &arg));
	EXPECT_EQ(m.rings, arg.out_count);
	arg.count = 0;
	EXPECT_EQ(-EMSGSIZE, chr(self->fd, CHRING_IOC_RING_LIST, &arg));
	EXPECT_EQ(m.rings, arg.out_count);
	close(fd);
}

/* Before there were private rings. */
#define LIST_ENTRY_V1	120

/* Entries of an older or newer program: cut, or filled up with zeroes. */
TEST_F(ring, list_entry_size)
{
	const __u32 wrong[] = { 0, 8, LIST_ENTRY_V1 - 8, LIST_ENTRY_V1 + 4,
				sizeof(struct chring_ring_entry) + 4, 4104,
				~0U };
	char room[4 * 4096];
	struct chring_ring_list arg = {
		.size = sizeof(arg),
		.entries = ptr(room),
		.count = 4,
	};
	__u32 longer = sizeof(struct chring_ring_entry) + 16;
	size_t i;

	for (i = 0; i < ARRAY_LEN(wrong); i++) {
		arg.entry_size = wrong[i];
		EXPECT_EQ(-EINVAL, chr(self->fd, CHRING_IOC_RING_LIST, &arg));
	}
	memset(room, 0xa5, sizeof(room));
	arg.entry_size = longer;
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_RING_LIST, &arg));
	for (i = 0; i < arg.out_count * longer; i++)
		if (i % longer >= sizeof(struct chring_ring_entry))
			EXPECT_EQ(0, room[i]);
	EXPECT_EQ((char)0xa5, room[arg.out_count * longer]);

	memset(room, 0xa5, sizeof(room));
	arg.entry_size = LIST_ENTRY_V1;
	ASSERT_EQ(0, chr(self->fd, CHRING_IOC_RING_LIST, &arg));
	EXPECT_STREQ(CHRING_DEFAULT_RING,
		     room + offsetof(struct chring_ring_entry, name));
	EXPECT_EQ((char)0xa5, room[arg.out_count * LIST_ENTRY_V1]);
}

TEST_F(ring, as_many_as_there_may_be)
{
	__u32 had = count_rings(self->fd), n;
	char name[32];

	for (n = 0; n + had < CHRING_RINGS_MAX; n++) {
		snprintf(name, sizeof(name), "many-%u", n);
		ASSERT_EQ(0, ring_create(self->fd, name, NULL));
	}
	EXPECT_EQ(-ENOSPC, ring_create(self->fd, RING, NULL));
	EXPECT_EQ(CHRING_RINGS_MAX, count_rings(self->fd));
	while (n--) {
		snprintf(name, sizeof(name), "many-%u", n);
		ASSERT_EQ(0, ring_delete(self->fd, name));
	}
	EXPECT_EQ(had, count_rings(self->fd));
}

TEST_F(ring, ids_are_never_used_twice)
{
	__u64 last = 0;
	int i;

	for (i = 0; i < 20; i++) {
		int fd = ring_fresh(RING, NULL);
		__u64 node;
		struct mark m;

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, mark_ring(fd, &m));
		EXPECT_LT(last, m.ring);
		ASSERT_EQ(0, node_add(fd, "a", 1, CHRING_STATE_UP, &node));
		EXPECT_LT(m.ring, node);
		last = node;
		close(fd);
	}
}

TEST_HARNESS_MAIN
