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

#define KEYS	300

static int owners(int fd, __u32 ring, struct probe_answer *a)
{
	__u32 key;
	int ret = 0;

	for (key = 0; key < KEYS && !ret; key++)
		ret = probe_lookup(fd, ring, &key, sizeof(key), &a[key]);
	return ret;
}

static short events_of(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) < 0 ? -1 : p.revents;
}

static const struct chring_status *map_status(int fd)
{
	return mmap(NULL, sizeof(struct chring_status), PROT_READ, MAP_SHARED,
		    fd, 0);
}

/* Programs lose it, who holds it does not; what has its name is another ring. */
TEST_F(api, held_ring_outlives_its_name)
{
	static struct probe_answer before[KEYS], after[KEYS];
	const struct chring_status *status = map_status(self->fd);
	__u64 id, epoch, now;
	struct chring_info info = { .size = sizeof(info) };
	int unbound = dev_open(O_RDWR, NULL), fresh, waiter;

	ASSERT_NE(MAP_FAILED, status);
	waiter = dev_open(O_RDONLY, RING);
	ASSERT_EQ(0, probe_get(self->probe, 0, RING));
	ASSERT_EQ(0, probe_show(self->probe, 0, &id, &epoch));
	ASSERT_EQ(0, owners(self->probe, 0, before));
	EXPECT_EQ(0, events_of(waiter));

	ASSERT_EQ(0, ring_delete(unbound, RING));
	EXPECT_EQ(-ENODEV, chr(self->fd, CHRING_IOC_INFO, &info));
	EXPECT_EQ(-ENODEV, node_add(self->fd, "c", 1, CHRING_STATE_UP, NULL));
	EXPECT_EQ(POLLERR | POLLHUP, events_of(waiter));
	EXPECT_EQ(CHRING_STATUS_DELETED, status->flags);
	EXPECT_EQ(epoch, status->epoch);
	EXPECT_EQ(MAP_FAILED, map_status(waiter));
	EXPECT_EQ(ENODEV, errno);
	EXPECT_EQ(-ENOENT, ring_delete(unbound, RING));
	EXPECT_EQ(-ENOENT, probe_get(self->probe, 1, RING));
	EXPECT_EQ(-ENOENT, dev_open(O_RDWR, RING));

	fresh = ring_fresh(RING, NULL);
	ASSERT_LE(0, fresh);
	ASSERT_EQ(0, probe_get(self->probe, 1, RING));
	ASSERT_EQ(0, probe_show(self->probe, 1, &now, NULL));
	EXPECT_NE(id, now);
	ASSERT_EQ(0, node_add(fresh, "z", 1, CHRING_STATE_UP, NULL));

	ASSERT_EQ(0, probe_show(self->probe, 0, &now, NULL));
	EXPECT_EQ(id, now);
	ASSERT_EQ(0, owners(self->probe, 0, after));
	EXPECT_EQ(0, memcmp(before, after, sizeof(before)));
	munmap((void *)status, sizeof(*status));
	close(waiter);
	close(fresh);
	close(unbound);
}

/*
 * What a ring held goes when the last holder gives it back, in an interrupt or
 * not, and not before; with the struct, which a descriptor may refer to still.
 */
TEST_F(api, memory_goes_with_the_last_holder)
{
	struct probe_call call = {};
	int unbound = dev_open(O_RDWR, NULL), round, fd;
	__u64 empty, held;

	for (round = 0; round < 4; round++) {
		bool late = round & 1, irq = round & 2;

		empty = bytes_settled(unbound);
		fd = ring_fresh("api-big", NULL);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, node_add(fd, "a", 100, CHRING_STATE_UP, NULL));
		held = bytes_settled(unbound);
		EXPECT_LT(empty + 100 * 160 * 20, held);
		ASSERT_EQ(0, probe_get(self->probe, 0, "api-big"));
		ASSERT_EQ(0, probe_get(self->probe, 1, "api-big"));
		if (!late)
			close(fd);
		ASSERT_EQ(0, ring_delete(unbound, "api-big"));
		ASSERT_EQ(0, probe_put(self->probe, 0));
		EXPECT_LT(empty + 100 * 160 * 20, bytes_settled(unbound));
		call.flags = irq ? PROBE_ATOMIC : 0;
		ASSERT_EQ(0, probe(self->probe, PROBE_PUT, 1, &call));
		if (late) {
			EXPECT_GT(empty + 100 * 160 * 20,
				  bytes_settled(unbound));
			close(fd);
		}
		EXPECT_TRUE(settles_at(unbound, empty));
	}
	close(unbound);
}

TEST_F(api, held_in_an_interrupt)
{
	struct probe_call call = { .flags = PROBE_ATOMIC, .name = ptr(RING) };
	struct probe_answer a;

	ASSERT_EQ(0, probe(self->probe, PROBE_GET, 0, &call));
	EXPECT_EQ(0, probe_lookup(self->probe, 0, "key", 3, &a));
	EXPECT_EQ(0, probe(self->probe, PROBE_PUT, 0, &call));
	/* The ring is there: its name is a user, too. */
	EXPECT_EQ(0, node_add(self->fd, "c", 1, CHRING_STATE_UP, NULL));
	EXPECT_EQ(0, probe_get(self->probe, 0, RING));
}

TEST_F(api, public_rings_are_changed_by_programs_alone)
{
	struct probe_server s = server_of("a", 7, 7, 7);
	struct mark before = MARK();

	EXPECT_EQ(-ENOENT, probe_get(self->probe, 0, "no-such"));
	EXPECT_EQ(-ENOENT, probe_get(self->probe, 0, ""));
	ASSERT_EQ(0, probe_get(self->probe, 0, RING));
	EXPECT_EQ(-EPERM, probe_add(self->probe, 0, server_of("c", 1, 0, 0),
				    NULL));
	EXPECT_EQ(-EPERM, probe_set(self->probe, 0, s));
	EXPECT_EQ(-EPERM, probe_del(self->probe, 0, "a"));
	EXPECT_EQ(-EPERM, probe_replace(self->probe, 0, &s, 1));
	EXPECT_EQ(-EPERM, probe_replace(self->probe, 0, NULL, 0));
	EXPECT_UNCHANGED(before);
}

/* -- private rings */

static __u32 public_rings(int fd)
{
	struct chring_info info = { .size = sizeof(info) };

	return chr(fd, CHRING_IOC_INFO, &info) ? ~0U : info.out_rings;
}

TEST_F(api, private_names_and_configs)
{
	static const char * const wrong[] = {
		"", "noslash", "/first", "/", "a b/", "a/\x7f", "a/(b)", "a/\n",
		/* 64 bytes */
		"a/23456789012345678901234567890123456789012345678901234567890123",
	};
	static const char * const right[] = {
		"a/", "ipvs/4026531840/TCP/[2001:db8::1]:80", ".a/.b", "a//b/-_",
		/* 63 bytes */
		"a/2345678901234567890123456789012345678901234567890123456789012",
	};
	struct chring_config config = { .vnodes = 65536 };
	__u32 rings = public_rings(self->fd);
	size_t i;

	for (i = 0; i < ARRAY_LEN(wrong); i++) {
		EXPECT_EQ(-EINVAL, probe_create(self->probe, 0, wrong[i], NULL,
						0)) {
			TH_LOG("'%s'", wrong[i]);
		}
	}
	for (i = 0; i < ARRAY_LEN(right); i++) {
		EXPECT_EQ(0, probe_create(self->probe, i, right[i], NULL, 0)) {
			TH_LOG("'%s'", right[i]);
		}
		EXPECT_EQ(-EEXIST, probe_create(self->probe, 10, right[i],
						NULL, 0));
	}
	EXPECT_EQ(-ERANGE, probe_create(self->probe, 10, PRIVATE, &config, 0));
	config = (struct chring_config){ .hash = CHRING_HASH_MD5 };
	EXPECT_EQ(-EOPNOTSUPP, probe_create(self->probe, 10, PRIVATE, &config,
					    0));
	config = (struct chring_config){ .hash = CHRING_HASH_SIPHASH };
	EXPECT_EQ(-EINVAL, probe_create(self->probe, 10, PRIVATE, &config, 0));
	EXPECT_EQ(-EINVAL, probe_create(self->probe, 10, PRIVATE, NULL, 3));
	EXPECT_EQ(-EINVAL, probe_create(self->probe, 10, PRIVATE, NULL, ~0U));
	EXPECT_EQ(0, probe_create(self->probe, 10, PRIVATE, NULL,
				  CHRING_KEYS_FLOW_PORT));
	/* It is not among those that anyone gets by a name. */
	EXPECT_EQ(-ENOENT, probe_get(self->probe, 11, PRIVATE));
	EXPECT_EQ(rings, public_rings(self->fd));
}

/* As soon as a ring is given back its name is another one's, every time. */
TEST_F(api, private_name_is_free_at_once)
{
	__u64 last = 0, id;
	int i, fd = dev_open(O_RDWR, NULL);
	__u64 held = bytes_settled(fd);

	for (i = 0; i < 200; i++) {
		struct probe_call call = { .flags = i & 1 ? PROBE_ATOMIC : 0 };

		ASSERT_EQ(0, probe_create(self->probe, 0, PRIVATE, NULL, 0));
		ASSERT_EQ(0, probe_show(self->probe, 0, &id, NULL));
		ASSERT_LT(last, id);
		last = id;
		ASSERT_EQ(0, probe_add(self->probe, 0,
				       server_of("a", 1, 0, 0), NULL));
		ASSERT_EQ(0, probe(self->probe, PROBE_PUT, 0, &call));
		EXPECT_EQ(-ENOENT, dev_open(O_RDWR, PRIVATE));
	}
	EXPECT_TRUE(settles_at(fd, held));
	close(fd);
}

static int list(int fd, __u32 flags, struct chring_ring_entry *entry,
		__u32 room, __u32 *count)
{
	struct chring_ring_list arg = {
		.size = sizeof(arg),
		.flags = flags,
		.entries = ptr(entry),
		.entry_size = sizeof(*entry),
		.count = room,
	};
	int ret = chr(fd, CHRING_IOC_RING_LIST, &arg);

	*count = arg.out_count;
	return ret;
}

static const struct chring_ring_entry *
entry_of(const struct chring_ring_entry *entry, __u32 n, const char *name)
{
	__u32 i;

	for (i = 0; i < n; i++)
		if (!strcmp(entry[i].name, name))
			return &entry[i];
	return NULL;
}

TEST_F(api, private_rings_are_listed_to_who_asks)
{
	static struct chring_ring_entry entry[64];
	int reader = dev_open(O_RDONLY, NULL), writer = dev_open(O_WRONLY, NULL);
	const struct chring_ring_entry *e;
	__u64 id, epoch;
	__u32 rings, n;

	ASSERT_EQ(0, list(self->fd, 0, entry, 64, &rings));
	ASSERT_EQ(0, probe_create(self->probe, 0, PRIVATE, NULL,
				  CHRING_KEYS_FLOW));
	ASSERT_EQ(0, probe_add(self->probe, 0, server_of("a", 3, 0, 0), NULL));
	ASSERT_EQ(0, probe_show(self->probe, 0, &id, &epoch));

	EXPECT_EQ(0, list(self->fd, 0, entry, 64, &n));
	EXPECT_EQ(rings, n);
	EXPECT_EQ(NULL, entry_of(entry, n, PRIVATE));
	EXPECT_EQ(0, list(reader, 0, entry, 64, &n));
	EXPECT_EQ(NULL, entry_of(entry, n, PRIVATE));
	EXPECT_EQ(-EBADF, list(reader, CHRING_LIST_PRIVATE, entry, 64, &n));
	EXPECT_EQ(-EBADF, list(writer, CHRING_LIST_PRIVATE, entry, 64, &n));
	EXPECT_EQ(-EINVAL, list(self->fd, 2, entry, 64, &n));

	memset(entry, 0xa5, sizeof(entry));
	ASSERT_EQ(0, list(self->fd, CHRING_LIST_PRIVATE, entry, 64, &n));
	EXPECT_EQ(rings + 1, n);
	e = entry_of(entry, n, PRIVATE);
	ASSERT_NE(NULL, e);
	EXPECT_EQ(id, e->ring);
	EXPECT_EQ(epoch, e->epoch);
	EXPECT_EQ(1, e->nodes);
	EXPECT_EQ(3 * 160, e->tokens);
	EXPECT_EQ(CHRING_RING_PRIVATE, e->flags);
	EXPECT_EQ(CHRING_KEYS_FLOW, e->keys);
	e = entry_of(entry, n, RING);
	ASSERT_NE(NULL, e);
	EXPECT_EQ(0, e->flags);
	EXPECT_EQ(-EMSGSIZE, list(self->fd, CHRING_LIST_PRIVATE, entry, rings,
				  &n));
	EXPECT_EQ(rings + 1, n);
	close(reader);
	close(writer);
}

/* As many as there are public ones at most, and then more. */
TEST_F(api, more_private_rings_than_public_ones)
{
	enum { MANY = CHRING_RINGS_MAX + 100 };
	static struct chring_ring_entry entry[MANY + 64];
	__u32 rings, n, i, seen = 0;
	char name[32];

	ASSERT_EQ(0, list(self->fd, 0, entry, 64, &rings));
	for (i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "probe/%u", i);
		ASSERT_EQ(0, probe_create(self->probe, i, name, NULL, 0));
	}
	EXPECT_EQ(0, list(self->fd, 0, entry, 64, &n));
	EXPECT_EQ(rings, n);
	EXPECT_EQ(-EMSGSIZE, list(self->fd, CHRING_LIST_PRIVATE, entry,
				  rings + MANY - 1, &n));
	EXPECT_EQ(rings + MANY, n);
	ASSERT_EQ(0, list(self->fd, CHRING_LIST_PRIVATE, entry,
			  ARRAY_LEN(entry), &n));
	ASSERT_EQ(rings + MANY, n);
	for (i = 1; i < n; i++)
		EXPECT_LT(entry[i - 1].ring, entry[i].ring);
	for (i = 0; i < n; i++) {
		if (!(entry[i].flags & CHRING_RING_PRIVATE))
			continue;
		snprintf(name, sizeof(name), "probe/%u", seen++);
		EXPECT_STREQ(name, entry[i].name);
	}
	EXPECT_EQ(MANY, seen);
	/* None of them takes the place of a public one. */
	EXPECT_EQ(rings, public_rings(self->fd));
	EXPECT_EQ(0, ring_create(self->fd, "api-other", NULL));
	EXPECT_EQ(0, ring_delete(self->fd, "api-other"));
}

/* -- what programs can do with a private ring */

FIXTURE(private)
{
	int probe;
	int fd;		/* of the private ring, to read and write */
};

FIXTURE_SETUP(private)
{
	self->probe = probe_open();
	ASSERT_LE(0, self->probe);
	ASSERT_EQ(0, probe_create(self->probe, 0, PRIVATE, NULL,
				  CHRING_KEYS_FLOW_PORT));
	ASSERT_EQ(0, probe_add(self->probe, 0, server_of("a", 1, 11, 1), NULL));
	ASSERT_EQ(0, probe_add(self->probe, 0, server_of("b", 2, 22, 2), NULL));
	self->fd = dev_open(O_RDWR, PRIVATE);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(private)
{
	close(self->fd);
	probe_close(self->probe);
}

TEST_F(private, bound_by_writers)
{
	struct chring_lookup out;
	struct chring_owner owner;
	int fd;

	EXPECT_EQ(-ENOENT, dev_open(O_RDONLY, PRIVATE));
	EXPECT_EQ(-ENOENT, dev_open(O_RDONLY, "probe/no-such"));
	EXPECT_EQ(-ENOENT, dev_open(O_RDWR, "probe/no-such"));
	EXPECT_EQ(-EINVAL, dev_open(O_RDWR, "/" PRIVATE));
	fd = dev_open(O_WRONLY, PRIVATE);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EBADF, lookup_key(fd, "key", 3, &out, &owner));
	close(fd);
}

static int read_list(int fd, unsigned long ioc, __u32 size)
{
	static char entries[1024 * 40];
	struct chring_circle_list arg = {
		.size = sizeof(arg),
		.entries = ptr(entries),
		.entry_size = size,
		.count = 1024,
	};

	return chr(fd, ioc, &arg);
}

/* All that read, read() and mmap() included. */
TEST_F(private, can_be_looked_at)
{
	static const char keys[] = "12";
	static const __u32 lens[] = { 1, 1 };
	const struct chring_status *status = map_status(self->fd);
	__u64 nodes[2], epoch;
	struct chring_lookup_batch batch = {
		.size = sizeof(batch),
		.keys = ptr(keys),
		.lens = ptr(lens),
		.keys_size = 2,
		.count = 2,
		.nodes = ptr(nodes),
	};
	struct chring_event event;
	struct chring_owner owner;
	struct chring_lookup out;
	struct probe_answer a;
	struct listing l;
	struct mark m;

	ASSERT_NE(MAP_FAILED, status);
	ASSERT_EQ(0, probe_show(self->probe, 0, NULL, &epoch));
	EXPECT_EQ(epoch, status->epoch);
	EXPECT_EQ(0, mark_ring(self->fd, &m));
	EXPECT_EQ(epoch, m.epoch);
	ASSERT_EQ(0, node_list(self->fd, &l));
	ASSERT_EQ(2, l.list.out_count);
	EXPECT_EQ(11, l.entry[0].cookie);
	ASSERT_EQ(0, lookup_key(self->fd, "key", 3, &out, &owner));
	ASSERT_EQ(0, probe_lookup(self->probe, 0, "key", 3, &a));
	EXPECT_EQ(a.node, owner.node);
	EXPECT_EQ(a.cookie, owner.cookie);
	EXPECT_EQ(0, chr(self->fd, CHRING_IOC_LOOKUP_BATCH, &batch));
	EXPECT_EQ(0, read_list(self->fd, CHRING_IOC_RANGES, 40));
	EXPECT_EQ(0, read_list(self->fd, CHRING_IOC_DIFF, 32));
	EXPECT_EQ(0, read_list(self->fd, CHRING_IOC_TOKENS, 16));
	EXPECT_EQ(0, events_of(self->fd));
	ASSERT_EQ(0, probe_del(self->probe, 0, "b"));
	EXPECT_EQ(POLLIN, events_of(self->fd));
	ASSERT_EQ(sizeof(event), read(self->fd, &event, sizeof(event)));
	EXPECT_EQ(epoch + 1, event.epoch);
	EXPECT_EQ(1, event.removed);
	EXPECT_EQ(epoch + 1, status->epoch);
	munmap((void *)status, sizeof(*status));
}

static int commit_none(int fd, __u32 flags)
{
	struct chring_commit arg = {
		.size = sizeof(arg),
		.flags = flags,
		.member_size = sizeof(struct chring_member),
	};

	return chr(fd, CHRING_IOC_COMMIT, &arg);
}

TEST_F(private, cannot_be_changed)
{
	struct chring_node_change dry = {
		.size = sizeof(dry),
		.flags = CHRING_DRY_RUN,
		.name = ptr("a"),
		.name_len = 1,
	};
	struct chring_pin pin = { .size = sizeof(pin) };
	struct mark before = MARK();
	struct chring_acquire out;

	EXPECT_EQ(-EPERM, node_add(self->fd, "c", 1, CHRING_STATE_UP, NULL));
	EXPECT_EQ(-EPERM, node_set_weight(self->fd, "a", 3));
	EXPECT_EQ(-EPERM, node_set_state(self->fd, "a", CHRING_STATE_DOWN));
	EXPECT_EQ(-EPERM, node_set_state(self->fd, "a", CHRING_STATE_UP));
	EXPECT_EQ(-EPERM, node_del(self->fd, "a"));
	EXPECT_EQ(-EPERM, chr(self->fd, CHRING_IOC_NODE_DEL, &dry));
	EXPECT_EQ(-EPERM, commit_none(self->fd, 0));
	EXPECT_EQ(-EPERM, commit_none(self->fd, CHRING_DRY_RUN));
	EXPECT_EQ(-EPERM, chr(self->fd, CHRING_IOC_PIN, &pin));
	EXPECT_EQ(-EPERM, chr(self->fd, CHRING_IOC_UNPIN, &pin));
	EXPECT_EQ(-EPERM, ticket_take(self->fd, "key", &out));
	EXPECT_EQ(-EPERM, ticket_give(self->fd, 1, 1, NULL));
	EXPECT_EQ(-EPERM, ring_delete(self->fd, PRIVATE));
	EXPECT_EQ(-ENOENT, ring_delete(self->fd, "probe/no-such"));
	EXPECT_EQ(-EINVAL, ring_create(self->fd, PRIVATE, NULL));
	EXPECT_UNCHANGED(before);
	/* Its descriptor may change others. */
	EXPECT_EQ(0, ring_create(self->fd, "api-other", NULL));
	EXPECT_EQ(0, ring_delete(self->fd, "api-other"));
}

TEST_F(private, ends_with_its_owner)
{
	const struct chring_status *status = map_status(self->fd);
	struct chring_info info = { .size = sizeof(info) };
	struct pollfd p = { .fd = self->fd };

	ASSERT_NE(MAP_FAILED, status);
	ASSERT_EQ(0, probe_put(self->probe, 0));
	EXPECT_EQ(-ENODEV, chr(self->fd, CHRING_IOC_INFO, &info));
	EXPECT_EQ(-ENOENT, dev_open(O_RDWR, PRIVATE));
	/* It takes a moment until those who wait are told. */
	EXPECT_EQ(1, poll(&p, 1, 10000));
	EXPECT_EQ(POLLERR | POLLHUP, p.revents);
	EXPECT_EQ(CHRING_STATUS_DELETED, status->flags);
	munmap((void *)status, sizeof(*status));
}

TEST_HARNESS_MAIN
