// SPDX-License-Identifier: GPL-2.0
/*
 * chring_flows.ko, a module like those that the API is for: a hook of netfilter
 * that sends every flow's key through a ring, and counts.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "libtest.h"
#include "kselftest_harness.h"

#define FLOWS_MODULE	"/kmod/chring_flows.ko"
#define FLOWS_NODES	"/sys/kernel/debug/chring_flows/nodes"
#define RING		"api-flows"
#define NODES		5
#define FLOWS		200

FIXTURE(flows)
{
	int fd;		/* of RING, to read and write */
	__u64 id[NODES];
};

FIXTURE_SETUP(flows)
{
	int i;

	module_unload("chring_flows");
	self->fd = ring_fresh(RING, NULL);
	ASSERT_LE(0, self->fd);
	for (i = 0; i < NODES; i++) {
		char name[8];

		snprintf(name, sizeof(name), "n%d", i);
		ASSERT_EQ(0, node_add(self->fd, name, 1 + i, CHRING_STATE_UP,
				      &self->id[i]));
	}
}

FIXTURE_TEARDOWN(flows)
{
	module_unload("chring_flows");
	ring_delete(self->fd, RING);
	close(self->fd);
}

/* What the module has counted. */
struct tally {
	__u64 packets[NODES];
	__u64 nowhere;
	__u64 others;
};

static int read_tally(const __u64 *id, struct tally *t)
{
	FILE *f = fopen(FLOWS_NODES, "r");
	unsigned long long node, cookie, packets;
	char line[128];
	int i;

	*t = (struct tally){};
	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "nowhere %llu", &packets) == 1) {
			t->nowhere = packets;
			continue;
		}
		if (sscanf(line, "uncounted %llu", &packets) == 1) {
			t->others += packets;
			continue;
		}
		if (sscanf(line, "%llu %llu %llu", &node, &cookie,
			   &packets) != 3)
			return -EINVAL;
		for (i = 0; i < NODES && id[i] != node; i++)
			;
		if (i < NODES)
			t->packets[i] = packets;
		else
			t->others += packets;
	}
	fclose(f);
	return 0;
}

/* A packet from this address and port, to nobody: it passes the hook. */
static int send_from(const struct sockaddr *from, socklen_t from_len,
		     const struct sockaddr *to, socklen_t to_len)
{
	int s = socket(from->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int ret = s < 0 ? -errno : 0;

	if (!ret && bind(s, from, from_len))
		ret = -errno;
	if (!ret && sendto(s, "x", 1, 0, to, to_len) != 1)
		ret = -errno;
	if (s >= 0)
		close(s);
	return ret;
}

static int send_ipv4(__u32 address, __u16 port)
{
	struct sockaddr_in from = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(address),
		.sin_port = htons(port),
	};
	struct sockaddr_in to = from;

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	to.sin_port = htons(9);
	return send_from((void *)&from, sizeof(from), (void *)&to, sizeof(to));
}

static int send_ipv6(__u16 port)
{
	struct sockaddr_in6 from = {
		.sin6_family = AF_INET6,
		.sin6_addr = IN6ADDR_LOOPBACK_INIT,
		.sin6_port = htons(port),
	};
	struct sockaddr_in6 to = from;

	to.sin6_port = htons(9);
	return send_from((void *)&from, sizeof(from), (void *)&to, sizeof(to));
}

/* What a program is told of a key, and a node is to get. */
static int expect(int fd, const __u64 *id, const void *key, __u32 len,
		  struct tally *t)
{
	struct chring_lookup out;
	struct chring_owner owner;
	int ret = lookup_key(fd, key, len, &out, &owner), i;

	for (i = 0; !ret && i < NODES; i++)
		t->packets[i] += id[i] == owner.node;
	return ret;
}

static __u32 address_of(int flow)
{
	return 0x7f010000 + flow * 257;
}

static __u16 port_of(int flow)
{
	return 20000 + flow;
}

static int expect_flows(int fd, const __u64 *id, bool port, struct tally *t)
{
	__u8 key[6];
	int i, ret = 0;

	for (i = 0; i < FLOWS && !ret; i++) {
		__u32 address = htonl(address_of(i));
		__u16 number = htons(port_of(i));

		memcpy(key, &address, 4);
		memcpy(key + 4, &number, 2);
		ret = expect(fd, id, key, port ? 6 : 4, t);
	}
	return ret;
}

static __u64 passed(const __u64 *id)
{
	struct tally t;
	__u64 sum;
	int i;

	if (read_tally(id, &t))
		return 0;
	sum = t.nowhere + t.others;
	for (i = 0; i < NODES; i++)
		sum += t.packets[i];
	return sum;
}

/* A packet that was sent may still wait for its softirq: until all have passed. */
static int await(const __u64 *id, __u64 packets)
{
	int tries = 1000;

	while (passed(id) < packets) {
		if (!tries--)
			return -ETIMEDOUT;
		usleep(10000);
	}
	return 0;
}

static int send_flows(const __u64 *id)
{
	__u64 before = passed(id);
	int i, ret = 0;

	for (i = 0; i < FLOWS && !ret; i++)
		ret = send_ipv4(address_of(i), port_of(i));
	return ret ? ret : await(id, before + FLOWS);
}

#define EXPECT_TALLY(want) ({						\
	struct tally _is;						\
	int _i;								\
									\
	ASSERT_EQ(0, read_tally(self->id, &_is));			\
	for (_i = 0; _i < NODES; _i++)					\
		EXPECT_EQ((want).packets[_i], _is.packets[_i]);		\
	EXPECT_EQ((want).nowhere, _is.nowhere);				\
	EXPECT_EQ(0, _is.others);					\
})

TEST_F(flows, without_a_ring)
{
	EXPECT_EQ(-ENOENT, module_load(FLOWS_MODULE, "ring=no-such"));
	EXPECT_EQ(-ENOENT, module_load(FLOWS_MODULE, "ring=a/private"));
}

TEST_F(flows, by_address)
{
	struct tally want = {};

	ASSERT_EQ(0, module_load(FLOWS_MODULE, "ring=" RING));
	ASSERT_EQ(0, expect_flows(self->fd, self->id, false, &want));
	ASSERT_EQ(0, send_flows(self->id));
	EXPECT_TALLY(want);
}

TEST_F(flows, by_address_and_port)
{
	struct in6_addr loopback = IN6ADDR_LOOPBACK_INIT;
	struct tally want = {};
	__u8 key[18];
	int i;

	ASSERT_EQ(0, module_load(FLOWS_MODULE, "ring=" RING " port=1"));
	ASSERT_EQ(0, expect_flows(self->fd, self->id, true, &want));
	ASSERT_EQ(0, send_flows(self->id));
	EXPECT_TALLY(want);
	for (i = 0; i < FLOWS; i++) {
		__u16 number = htons(port_of(i));

		memcpy(key, &loopback, 16);
		memcpy(key + 16, &number, 2);
		ASSERT_EQ(0, expect(self->fd, self->id, key, 18, &want));
		ASSERT_EQ(0, send_ipv6(port_of(i)));
	}
	ASSERT_EQ(0, await(self->id, 2 * FLOWS));
	EXPECT_TALLY(want);
}

/* It follows the ring, to the end of its name and beyond. */
TEST_F(flows, through_changes_and_the_end)
{
	int unbound = dev_open(O_RDWR, NULL), i;
	struct tally want = {}, last = {};

	ASSERT_EQ(0, module_load(FLOWS_MODULE, "ring=" RING));
	ASSERT_EQ(0, expect_flows(self->fd, self->id, false, &want));
	ASSERT_EQ(0, send_flows(self->id));
	ASSERT_EQ(0, node_set_state(self->fd, "n4", CHRING_STATE_DOWN));
	ASSERT_EQ(0, node_set_weight(self->fd, "n0", 9));
	ASSERT_EQ(0, expect_flows(self->fd, self->id, false, &last));
	EXPECT_EQ(0, last.packets[4]);
	ASSERT_EQ(0, send_flows(self->id));
	for (i = 0; i < NODES; i++)
		want.packets[i] += last.packets[i];
	EXPECT_TALLY(want);

	ASSERT_EQ(0, ring_delete(unbound, RING));
	ASSERT_EQ(0, send_flows(self->id));
	for (i = 0; i < NODES; i++)
		want.packets[i] += last.packets[i];
	EXPECT_TALLY(want);
	/* One of the same name is not asked. */
	close(self->fd);
	self->fd = ring_fresh(RING, NULL);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, send_flows(self->id));
	for (i = 0; i < NODES; i++)
		want.packets[i] += last.packets[i];
	EXPECT_TALLY(want);
	close(unbound);
}

TEST_F(flows, nobody_in_service)
{
	struct tally want = { .nowhere = FLOWS };
	int i;

	ASSERT_EQ(0, module_load(FLOWS_MODULE, "ring=" RING));
	for (i = 0; i < NODES; i++) {
		char name[8];

		snprintf(name, sizeof(name), "n%d", i);
		ASSERT_EQ(0, node_set_state(self->fd, name,
					    CHRING_STATE_DOWN));
	}
	ASSERT_EQ(0, send_flows(self->id));
	EXPECT_TALLY(want);
}

TEST_HARNESS_MAIN
