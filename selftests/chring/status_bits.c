// SPDX-License-Identifier: GPL-2.0
/* The bits of the status pages: whose they are, and for how long. */
#include "kselftest_harness.h"
#include "libcrowd.h"
#include "libstatus.h"

#define RING	"status-test"
#define NAMES	40

FIXTURE(bits)
{
	int fd;
	const volatile struct chring_status *s;
};

FIXTURE_SETUP(bits)
{
	const struct chring_config config = { .vnodes = 1 };

	self->fd = ring_fresh(RING, &config);
	ASSERT_LE(0, self->fd);
	self->s = status_map(self->fd);
	ASSERT_NE(NULL, self->s);
}

FIXTURE_TEARDOWN(bits)
{
	status_unmap((void *)self->s);
	ring_delete(self->fd, RING);
	close(self->fd);
}

/* Bit of each node by its id, and which of these were another node's before. */
struct bits {
	__u64 node[NAMES];
	__u32 changed;	/* of the same node */
	__u32 reused;
};

static void follow_bits(struct bits *b, const struct listing *l)
{
	__u64 now[NAMES] = {};
	__u32 i, k;

	for (i = 0; i < l->list.out_count; i++) {
		__u64 id = l->entry[i].node;
		__u32 bit = l->entry[i].bit;

		if (bit >= NAMES || now[bit]) {
			b->changed++;
			continue;
		}
		now[bit] = id;
		for (k = 0; k < NAMES; k++)
			b->changed += b->node[k] == id && k != bit;
		b->reused += b->node[bit] && b->node[bit] != id;
	}
	/* Of a bit that no node has, the last one that had it is remembered. */
	for (i = 0; i < NAMES; i++)
		if (now[i])
			b->node[i] = now[i];
}

/* Some of the members come, go, or change, by one COMMIT or one by one. */
static int change_some(int fd, const struct crowd *all)
{
	struct crowd c = *all;
	char name[CROWD_NAME + 1];
	__u32 i = random() % NAMES;
	int ret;

	c.member = calloc(NAMES, sizeof(*c.member));
	c.count = 0;

	crowd_name(name, i);
	if (random() % 3) {
		ret = node_set_state(fd, name, random() % 3);
		if (ret == -ENOENT)
			ret = node_add(fd, name, random() % 3, random() % 3,
				       NULL);
		else if (!ret && random() % 3 == 0)
			ret = node_del(fd, name);
	} else {
		for (i = 0; i < NAMES; i++)
			if (random() % 3) {
				c.member[c.count] = all->member[i];
				c.member[c.count].weight = random() % 3;
				c.member[c.count++].state = random() % 3;
			}
		ret = crowd_commit(fd, &c);
	}
	free(c.member);
	return ret;
}

TEST_F(bits, are_kept_for_life)
{
	struct crowd all;
	struct bits bits = {};
	struct listing l;
	int i;

	crowd_make(&all, NAMES, 0);
	srandom(1);
	for (i = 0; i < 300; i++) {
		ASSERT_EQ(0, change_some(self->fd, &all));
		EXPECT_EQ(0, status_wrong(self->fd, self->s));
		ASSERT_EQ(0, node_list(self->fd, &l));
		follow_bits(&bits, &l);
		free(l.entry);
		free(l.strings);
	}
	EXPECT_EQ(0, bits.changed);
	EXPECT_LT(0, bits.reused);
	crowd_free(&all);
}

/* Bits in many words: the last ones too, and those on both sides of an edge. */
TEST_F(bits, of_thousands_of_nodes)
{
	static const __u32 at[] = { 0, 63, 64, 65, 127, 128, 4095, 4096, 4999 };
	struct crowd c;
	char name[CROWD_NAME + 1];
	size_t i;

	crowd_make(&c, 5000, 0);
	for (i = 0; i < c.count; i++)
		c.member[i].state = i % 3;
	ASSERT_EQ(0, crowd_commit(self->fd, &c));
	EXPECT_EQ(0, status_wrong(self->fd, self->s));
	for (i = 0; i < ARRAY_LEN(at); i++) {
		crowd_name(name, at[i]);
		ASSERT_EQ(0, node_set_state(self->fd, name, at[i] % 3 ?
					    CHRING_STATE_UP :
					    CHRING_STATE_DOWN));
		EXPECT_EQ(0, status_wrong(self->fd, self->s));
	}
	for (i = 0; i < c.count; i++)
		c.member[i].state = CHRING_STATE_DRAIN;
	ASSERT_EQ(0, crowd_commit(self->fd, &c));
	EXPECT_EQ(0, status_wrong(self->fd, self->s));
	crowd_free(&c);
}

/*
 * As many nodes as can be, in all words; then every third one goes, and others
 * come, by one COMMIT, that have the bits of these.
 */
TEST_F_TIMEOUT(bits, as_many_as_can_be, 600)
{
	const __u32 nodes = scaled(CHRING_NODES_MAX);
	struct crowd c;
	unsigned long bytes;
	__u32 i;

	ASSERT_EQ(0, param_get("max_total_bytes", &bytes));
	ASSERT_EQ(0, param_set("max_total_bytes", 1UL << 30));
	crowd_make(&c, nodes, 0);
	for (i = 0; i < nodes; i++)
		c.member[i].state = i % 2;
	ASSERT_EQ(0, crowd_commit(self->fd, &c));
	EXPECT_EQ(0, status_wrong(self->fd, self->s));
	for (i = 0; i < nodes; i++) {
		c.member[i].state = !(i % 2);
		if (i % 3 == 0)
			c.strings[CROWD_NAME * (i + 1) - 1]++;
	}
	ASSERT_EQ(0, crowd_commit(self->fd, &c));
	EXPECT_EQ(0, status_wrong(self->fd, self->s));
	EXPECT_EQ(3, self->s->table_epoch);
	ASSERT_EQ(0, param_set("max_total_bytes", bytes));
	crowd_free(&c);
}

TEST_HARNESS_MAIN
