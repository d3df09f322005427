// SPDX-License-Identifier: GPL-2.0
/* RANGES, DIFF and TOKENS: what is on the circle, page by page. */
#include <pthread.h>

#include "libtest.h"
#include "kselftest_harness.h"

#define RING	"arcs-test"
#define NODES	9

/* -- whole lists */

/**
 * struct list - all pages of a list
 * @ring: of all pages
 * @epoch: of all pages
 * @previous: of all pages
 * @entry: one after the other; to be freed
 * @size: of one
 * @n: how many
 */
struct list {
	__u64 ring, epoch, previous;
	char *entry;
	__u32 size, n;
};

static const struct chring_range *range_at(const struct list *l, __u32 i)
{
	return (const void *)(l->entry + i * l->size);
}

static const struct chring_diff_entry *diff_at(const struct list *l, __u32 i)
{
	return (const void *)(l->entry + i * l->size);
}

static const struct chring_token *token_at(const struct list *l, __u32 i)
{
	return (const void *)(l->entry + i * l->size);
}

static __u32 size_of(unsigned long ioc)
{
	switch (ioc) {
	case CHRING_IOC_RANGES:
		return sizeof(struct chring_range);
	case CHRING_IOC_DIFF:
		return sizeof(struct chring_diff_entry);
	default:
		return sizeof(struct chring_token);
	}
}

/* The next page behind those in @l. Return: 1: there is more; 0; -errno. */
static int page_add(int fd, unsigned long ioc, struct chring_circle_list *arg,
		    struct list *l)
{
	int ret;

	l->entry = realloc(l->entry, (l->n + arg->count) * (size_t)l->size);
	arg->size = sizeof(*arg);
	arg->entry_size = l->size;
	arg->entries = ptr(l->entry + l->n * l->size);
	ret = chr(fd, ioc, arg);
	if (ret)
		return ret;
	l->n += arg->out_count;
	l->ring = arg->out_ring;
	l->epoch = arg->out_epoch;
	l->previous = arg->out_former_epoch;
	arg->cursor = arg->out_cursor;
	arg->epoch = arg->out_epoch;
	return arg->out_more;
}

/* All of it, @count at a time; each page but the last is to be full. */
static int list_all(int fd, unsigned long ioc, __u32 flags, __u64 node,
		    __u32 count, struct list *l)
{
	struct chring_circle_list arg = {
		.flags = flags,
		.node = node,
		.count = count,
	};
	int ret;

	*l = (struct list){ .size = size_of(ioc) };
	do {
		ret = page_add(fd, ioc, &arg, l);
		if (ret > 0 && arg.out_count != count)
			return -EPROTO;
		if (ret > 1 || (!ret && arg.out_cursor))
			return -EPROTO;
	} while (ret > 0);
	return ret;
}

static bool list_same(const struct list *a, const struct list *b)
{
	return a->ring == b->ring && a->epoch == b->epoch &&
	       a->previous == b->previous && a->n == b->n &&
	       !memcmp(a->entry, b->entry, a->n * (size_t)a->size);
}

/* -- rings of every kind */

FIXTURE(arcs)
{
	int fd;
	__u64 id[NODES];
	__u64 end;		/* the last position */
};

FIXTURE_VARIANT(arcs)
{
	struct chring_config config;
};

FIXTURE_VARIANT_ADD(arcs, bits_64) { .config = { .vnodes = 200 } };
FIXTURE_VARIANT_ADD(arcs, bits_32) { .config = { .vnodes = 150, .bits = 32 } };
FIXTURE_VARIANT_ADD(arcs, murmur3)
{
	.config = { .hash = CHRING_HASH_MURMUR3 },
};
FIXTURE_VARIANT_ADD(arcs, keyed)
{
	.config = { .hash = CHRING_HASH_SIPHASH, .seed = { 1, 2 } },
};
FIXTURE_VARIANT_ADD(arcs, few_tokens) { .config = { .vnodes = 1 } };

/* Some are out of service, one has no tokens. */
FIXTURE_SETUP(arcs)
{
	char name[16];
	int i;

	self->fd = ring_fresh(RING, &variant->config);
	ASSERT_LE(0, self->fd);
	for (i = 0; i < NODES; i++) {
		snprintf(name, sizeof(name), "node-%d", i);
		ASSERT_EQ(0, node_add(self->fd, name, i % 4,
				      i == 3 ? CHRING_STATE_DRAIN :
				      i == 6 ? CHRING_STATE_DOWN :
				      CHRING_STATE_UP, &self->id[i]));
	}
	self->end = variant->config.bits == 32 ||
		    variant->config.hash == CHRING_HASH_MURMUR3 ?
		    0xffffffff : ~0ULL;
}

FIXTURE_TEARDOWN(arcs)
{
	ring_delete(self->fd, RING);
	close(self->fd);
}

static __u64 owner_at(int fd, __u64 position)
{
	struct chring_lookup out;
	struct chring_owner owner;

	return lookup_position(fd, position, &out, &owner) ? 0 : owner.node;
}

TEST_F(arcs, ranges_are_the_circle)
{
	struct list l;
	__u32 i;

	ASSERT_EQ(0, list_all(self->fd, CHRING_IOC_RANGES, 0, 0, 1000, &l));
	EXPECT_EQ(1 + NODES, l.epoch);
	EXPECT_EQ(0, l.previous);
	ASSERT_LT(4, l.n);
	EXPECT_EQ(0, range_at(&l, 0)->first);
	EXPECT_EQ(self->end, range_at(&l, l.n - 1)->last);
	for (i = 0; i < l.n; i++) {
		const struct chring_range *r = range_at(&l, i);

		ASSERT_LE(r->first, r->last);
		if (i) {
			ASSERT_EQ(range_at(&l, i - 1)->last + 1, r->first);
			ASSERT_NE(range_at(&l, i - 1)->node, r->node);
		}
		EXPECT_EQ(r->last - r->first + 1, r->share_lo);
		EXPECT_EQ(0, r->share_hi);
		ASSERT_EQ(r->node, owner_at(self->fd, r->first));
		ASSERT_EQ(r->node, owner_at(self->fd, r->last));
		ASSERT_EQ(r->node, owner_at(self->fd, r->first +
					    (r->last - r->first) / 2));
	}
	free(l.entry);
}

TEST_F(arcs, pages_of_any_size)
{
	static const unsigned long ioc[] = { CHRING_IOC_RANGES,
					     CHRING_IOC_DIFF,
					     CHRING_IOC_TOKENS };
	static const __u32 count[] = { 1, 7, 511, 512, 513, 1000 };
	struct list all, l;
	size_t i, k;

	for (i = 0; i < ARRAY_LEN(ioc); i++) {
		ASSERT_EQ(0, list_all(self->fd, ioc[i], 0, 0, 100000, &all));
		ASSERT_LT(variant->config.vnodes == 1 ? 1 : 100, all.n);
		for (k = 0; k < ARRAY_LEN(count); k++) {
			ASSERT_EQ(0, list_all(self->fd, ioc[i], 0, 0, count[k],
					      &l));
			EXPECT_TRUE(list_same(&all, &l)) {
				TH_LOG("pages of %u", count[k]);
			}
			free(l.entry);
		}
		/* A page that is full to the last entry has no more to come. */
		ASSERT_EQ(0, list_all(self->fd, ioc[i], 0, 0, all.n, &l));
		EXPECT_TRUE(list_same(&all, &l));
		free(l.entry);
		free(all.entry);
	}
}

/* A node's arcs are those of all that are its own, whatever the page. */
TEST_F(arcs, of_one_node)
{
	static const __u32 count[] = { 1, 7, 1000 };
	struct list all, l;
	size_t i, k;
	__u32 at, n;

	ASSERT_EQ(0, list_all(self->fd, CHRING_IOC_RANGES, 0, 0, 1000, &all));
	for (i = 0; i < NODES; i++)
		for (k = 0; k < ARRAY_LEN(count); k++) {
			ASSERT_EQ(0, list_all(self->fd, CHRING_IOC_RANGES, 0,
					      self->id[i], count[k], &l));
			for (at = n = 0; at < all.n; at++) {
				if (range_at(&all, at)->node != self->id[i])
					continue;
				ASSERT_LT(n, l.n);
				EXPECT_EQ(0, memcmp(range_at(&all, at),
						    range_at(&l, n++),
						    l.size));
			}
			EXPECT_EQ(n, l.n);
			EXPECT_EQ(!n, i % 4 == 0 || i == 3 || i == 6);
			free(l.entry);
		}
	free(all.entry);
}

static int stats_shares(int fd, struct chring_node_share *share,
			struct chring_stats *stats)
{
	*stats = (struct chring_stats){
		.size = sizeof(*stats),
		.entries = ptr(share),
		.entry_size = sizeof(*share),
		.count = NODES,
	};
	return chr(fd, CHRING_IOC_STATS, stats);
}

TEST_F(arcs, shares_are_sums_of_ranges)
{
	struct chring_node_share share[NODES];
	struct chring_stats stats;
	struct list l, tokens;
	__u32 i, k, n;

	ASSERT_EQ(0, stats_shares(self->fd, share, &stats));
	ASSERT_EQ(0, list_all(self->fd, CHRING_IOC_RANGES, 0, 0, 7, &l));
	ASSERT_EQ(0, list_all(self->fd, CHRING_IOC_TOKENS, 0, 0, 7, &tokens));
	EXPECT_EQ(stats.out_tokens, tokens.n);
	ASSERT_EQ(NODES, stats.out_nodes);
	for (i = 0; i < NODES; i++) {
		__u64 lo = 0, hi = 0;

		for (k = 0; k < l.n; k++) {
			if (range_at(&l, k)->node != share[i].node)
				continue;
			lo += range_at(&l, k)->share_lo;
			hi += range_at(&l, k)->share_hi +
			      (lo < range_at(&l, k)->share_lo);
		}
		EXPECT_EQ(share[i].share_lo, lo);
		EXPECT_EQ(share[i].share_hi, hi);
		for (n = k = 0; k < tokens.n; k++)
			n += token_at(&tokens, k)->node == share[i].node;
		EXPECT_EQ(share[i].tokens, n);
	}
	free(l.entry);
	free(tokens.entry);
}

/* From the tokens and the states the ranges follow. */
TEST_F(arcs, tokens_make_ranges)
{
	struct list l, tokens;
	__u64 from = 0, last = 0, first_owner = 0;
	__u32 i, at = 0;

	ASSERT_EQ(0, list_all(self->fd, CHRING_IOC_RANGES, 0, 0, 1000, &l));
	ASSERT_EQ(0, list_all(self->fd, CHRING_IOC_TOKENS, 0, 0, 1000,
			      &tokens));
	for (i = 0; i < tokens.n; i++) {
		const struct chring_token *t = token_at(&tokens, i);

		ASSERT_LE(last, t->position);
		ASSERT_GE(self->end, t->position);
		last = t->position;
		if (t->node == self->id[3] || t->node == self->id[6])
			continue;
		if (!first_owner)
			first_owner = t->node;
		if (t->position < from)
			continue;
		while (range_at(&l, at)->last < t->position)
			ASSERT_GT(l.n, ++at);
		ASSERT_LE(range_at(&l, at)->first, from);
		ASSERT_EQ(t->node, range_at(&l, at)->node);
		from = t->position + 1;
	}
	EXPECT_EQ(first_owner, range_at(&l, 0)->node);
	EXPECT_EQ(first_owner, range_at(&l, l.n - 1)->node);
	free(l.entry);
	free(tokens.entry);
}

/* What two lists of ranges, walked side by side, make of a difference. */
static int diff_by_ranges(const struct list *before, const struct list *after,
			  __u64 end, struct list *out)
{
	__u32 i = 0, k = 0;
	__u64 first = 0, last;

	*out = (struct list){
		.ring = after->ring,
		.epoch = after->epoch,
		.previous = before->previous,
		.entry = calloc(before->n + after->n + 1,
				sizeof(struct chring_diff_entry)),
		.size = sizeof(struct chring_diff_entry),
	};
	do {
		struct chring_diff_entry *e = (void *)(out->entry +
						       out->n * out->size);
		__u64 from = 0, to = 0;

		last = end;
		if (before->n) {
			from = range_at(before, i)->node;
			last = range_at(before, i)->last;
		}
		if (after->n) {
			to = range_at(after, k)->node;
			if (range_at(after, k)->last < last)
				last = range_at(after, k)->last;
		}
		if (from != to) {
			*e = (struct chring_diff_entry){ first, last, from, to };
			out->n++;
		}
		if (before->n && range_at(before, i)->last == last)
			i++;
		if (after->n && range_at(after, k)->last == last)
			k++;
		first = last + 1;
	} while (last != end);
	return i == before->n && k == after->n ? 0 : -EPROTO;
}

static int check_diff(int fd, __u64 end, __u32 *arcs)
{
	static const __u32 count[] = { 1, 7, 1000 };
	struct list before = {}, after = {}, want = {}, l;
	int ret;
	size_t i;

	ret = list_all(fd, CHRING_IOC_RANGES, CHRING_RANGES_PREVIOUS, 0, 1000,
		       &before);
	if (!ret)
		ret = list_all(fd, CHRING_IOC_RANGES, 0, 0, 1000, &after);
	if (!ret)
		ret = diff_by_ranges(&before, &after, end, &want);
	*arcs = want.n;
	for (i = 0; i < ARRAY_LEN(count) && !ret; i++) {
		ret = list_all(fd, CHRING_IOC_DIFF, 0, 0, count[i], &l);
		if (!ret && (!list_same(&want, &l) || after.previous))
			ret = -EPROTO;
		free(l.entry);
	}
	free(before.entry);
	free(after.entry);
	free(want.entry);
	return ret;
}

/* Whatever has changed: tokens, or only who is in service. */
TEST_F(arcs, diff_is_what_two_ranges_say)
{
	struct list l;
	__u32 arcs, i;

	ASSERT_EQ(0, check_diff(self->fd, self->end, &arcs));
	ASSERT_LT(0, arcs);
	/* To the last one with tokens, or from the one that drains. */
	ASSERT_EQ(0, list_all(self->fd, CHRING_IOC_DIFF, 0, 0, 1000, &l));
	EXPECT_EQ(1 + NODES, l.epoch);
	EXPECT_EQ(NODES - 1, l.previous);
	for (i = 0; i < l.n; i++)
		EXPECT_TRUE(diff_at(&l, i)->to == self->id[7] ||
			    diff_at(&l, i)->from == self->id[3]);
	free(l.entry);
	ASSERT_EQ(0, node_set_state(self->fd, "node-1", CHRING_STATE_DRAIN));
	ASSERT_EQ(0, check_diff(self->fd, self->end, &arcs));
	ASSERT_EQ(0, node_set_state(self->fd, "node-2", CHRING_STATE_DOWN));
	ASSERT_EQ(0, check_diff(self->fd, self->end, &arcs));
	ASSERT_EQ(0, node_set_weight(self->fd, "node-5", 5));
	ASSERT_EQ(0, check_diff(self->fd, self->end, &arcs));
	ASSERT_LT(0, arcs);
	ASSERT_EQ(0, node_set_weight(self->fd, "node-7", 0));
	ASSERT_EQ(0, check_diff(self->fd, self->end, &arcs));
	ASSERT_LT(0, arcs);
	ASSERT_EQ(0, node_del(self->fd, "node-5"));
	ASSERT_EQ(0, check_diff(self->fd, self->end, &arcs));
	ASSERT_LT(0, arcs);
	/* In the slot of the one that went. */
	ASSERT_EQ(0, node_add(self->fd, "node-9", 2, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, check_diff(self->fd, self->end, &arcs));
	ASSERT_LT(0, arcs);
}

TEST_F(arcs, nobody_and_one)
{
	struct list l;
	char name[16];
	int i;

	for (i = 0; i < NODES; i++) {
		snprintf(name, sizeof(name), "node-%d", i);
		if (i != 7)
			ASSERT_EQ(0, node_set_state(self->fd, name,
						    CHRING_STATE_DOWN));
	}
	ASSERT_EQ(0, list_all(self->fd, CHRING_IOC_RANGES, 0, 0, 1, &l));
	ASSERT_EQ(1, l.n);
	EXPECT_EQ(0, range_at(&l, 0)->first);
	EXPECT_EQ(self->end, range_at(&l, 0)->last);
	EXPECT_EQ(self->id[7], range_at(&l, 0)->node);
	EXPECT_EQ(self->end == ~0ULL, range_at(&l, 0)->share_hi);
	EXPECT_EQ(self->end == ~0ULL ? 0 : 1ULL << 32,
		  range_at(&l, 0)->share_lo);
	free(l.entry);

	ASSERT_EQ(0, node_set_state(self->fd, "node-7", CHRING_STATE_DRAIN));
	ASSERT_EQ(0, list_all(self->fd, CHRING_IOC_RANGES, 0, 0, 10, &l));
	EXPECT_EQ(0, l.n);
	free(l.entry);
	ASSERT_EQ(0, list_all(self->fd, CHRING_IOC_RANGES, 0, self->id[7], 10,
			      &l));
	EXPECT_EQ(0, l.n);
	free(l.entry);
	ASSERT_EQ(0, list_all(self->fd, CHRING_IOC_TOKENS, 0, 0, 10, &l));
	EXPECT_NE(0, l.n);
	free(l.entry);
}

/* -- what is refused */

FIXTURE(arcs_page)
{
	int fd;
	__u64 id;
	struct mark before;
	char entry[64];
	struct chring_circle_list arg;
};

FIXTURE_VARIANT(arcs_page)
{
	unsigned long ioc;
};

FIXTURE_VARIANT_ADD(arcs_page, ranges) { .ioc = CHRING_IOC_RANGES };
FIXTURE_VARIANT_ADD(arcs_page, diff) { .ioc = CHRING_IOC_DIFF };
FIXTURE_VARIANT_ADD(arcs_page, tokens) { .ioc = CHRING_IOC_TOKENS };

FIXTURE_SETUP(arcs_page)
{
	self->fd = ring_fresh(RING, NULL);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, node_add(self->fd, "a", 1, CHRING_STATE_UP, &self->id));
	ASSERT_EQ(0, node_add(self->fd, "b", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, mark_ring(self->fd, &self->before));
	self->arg = (struct chring_circle_list){
		.size = sizeof(self->arg),
		.entries = ptr(self->entry),
		.entry_size = size_of(variant->ioc),
		.count = 1,
	};
}

FIXTURE_TEARDOWN(arcs_page)
{
	ring_delete(self->fd, RING);
	close(self->fd);
}

#define EXPECT_REFUSED(_ret, ...) do {					\
	struct chring_circle_list arg = self->arg;			\
									\
	__VA_ARGS__;							\
	EXPECT_EQ(_ret, chr(self->fd, variant->ioc, &arg));		\
	EXPECT_EQ(0, arg.out_count);					\
	EXPECT_EQ(0, arg.out_more);					\
	EXPECT_EQ(0, arg.out_cursor);					\
} while (0)

/* One wrong field each. */
TEST_F(arcs_page, refused)
{
	const __u32 size = self->arg.entry_size;
	struct mark now;

	EXPECT_REFUSED(-EINVAL, arg.flags = 2);
	if (variant->ioc != CHRING_IOC_RANGES)
		EXPECT_REFUSED(-EINVAL, arg.flags = CHRING_RANGES_PREVIOUS);
	EXPECT_REFUSED(-EINVAL, arg.flags = 1U << 31);
	EXPECT_REFUSED(-EINVAL, arg.cursor = 1);
	EXPECT_REFUSED(-ERANGE, arg.count = 0);
	EXPECT_REFUSED(-EINVAL, arg.entry_size = 0);
	EXPECT_REFUSED(-EINVAL, arg.entry_size = size - 8);
	EXPECT_REFUSED(-EINVAL, arg.entry_size = size + 4);
	EXPECT_REFUSED(-EINVAL, arg.entry_size = 4104);
	EXPECT_REFUSED(-EFAULT, arg.entries = 8);
	EXPECT_REFUSED(variant->ioc == CHRING_IOC_RANGES ? -ENOENT : -EINVAL,
		       arg.node = self->id + 99);
	ASSERT_EQ(0, mark_ring(self->fd, &now));
	EXPECT_TRUE(mark_same(&self->before, &now));
}

TEST_F(arcs_page, cursor_that_never_was_given)
{
	struct chring_config config = { .bits = 32 };
	struct chring_circle_list arg = self->arg;
	int fd;

	arg.epoch = self->before.epoch;
	arg.cursor = ~0ULL;
	/* On a ring of 64 bits every position is one. */
	EXPECT_EQ(variant->ioc == CHRING_IOC_TOKENS ? -ERANGE : 0,
		  chr(self->fd, variant->ioc, &arg));
	fd = ring_fresh(RING "-32", &config);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, node_add(fd, "a", 1, CHRING_STATE_UP, NULL));
	arg.epoch = 2;
	arg.cursor = 1ULL << 32;
	EXPECT_EQ(-ERANGE, chr(fd, variant->ioc, &arg));
	EXPECT_EQ(0, arg.out_count);
	ring_delete(fd, RING "-32");
	close(fd);
}

/* After a change, a page that goes on is refused, and one that begins is not. */
TEST_F(arcs_page, stale)
{
	struct chring_circle_list arg = self->arg;

	ASSERT_EQ(0, chr(self->fd, variant->ioc, &arg));
	EXPECT_EQ(1, arg.out_count);
	EXPECT_EQ(1, arg.out_more);
	EXPECT_EQ(self->before.epoch, arg.out_epoch);
	EXPECT_EQ(self->before.ring, arg.out_ring);
	arg.cursor = arg.out_cursor;
	arg.epoch = arg.out_epoch;
	EXPECT_EQ(0, chr(self->fd, variant->ioc, &arg));
	ASSERT_EQ(0, node_set_state(self->fd, "b", CHRING_STATE_DRAIN));
	EXPECT_EQ(-ESTALE, chr(self->fd, variant->ioc, &arg));
	EXPECT_EQ(self->before.epoch + 1, arg.out_epoch);
	EXPECT_EQ(self->before.ring, arg.out_ring);
	EXPECT_EQ(0, arg.out_count);
	/* The same for the first page, if it names an epoch. */
	arg.cursor = 0;
	EXPECT_EQ(-ESTALE, chr(self->fd, variant->ioc, &arg));
	arg.epoch++;
	EXPECT_EQ(0, chr(self->fd, variant->ioc, &arg));
	arg.epoch = 0;
	EXPECT_EQ(0, chr(self->fd, variant->ioc, &arg));
}

/* Longer entries of a newer program: the rest is 0. */
TEST_F(arcs_page, entries_that_are_longer)
{
	const __u32 size = self->arg.entry_size, more = size + 24, n = 1100;
	struct chring_circle_list arg = self->arg;
	static const char zero[24];
	char *a, *b;
	__u32 i;

	ASSERT_EQ(0, node_set_weight(self->fd, "a", 20));
	ASSERT_EQ(0, node_set_weight(self->fd, "b", 20));
	a = calloc(n, size);
	b = malloc((size_t)n * more);
	memset(b, 0xa5, (size_t)n * more);
	arg.count = n;
	arg.entries = ptr(a);
	ASSERT_EQ(0, chr(self->fd, variant->ioc, &arg));
	ASSERT_LT(100, arg.out_count);
	arg.entry_size = more;
	arg.entries = ptr(b);
	ASSERT_EQ(0, chr(self->fd, variant->ioc, &arg));
	for (i = 0; i < arg.out_count; i++) {
		EXPECT_EQ(0, memcmp(a + i * size, b + i * more, size));
		EXPECT_EQ(0, memcmp(zero, b + i * more + size, 24));
	}
	free(a);
	free(b);
}

/* All of this tells where tokens are. */
TEST_F(arcs_page, keyed)
{
	struct chring_config config = {
		.hash = CHRING_HASH_SIPHASH, .seed = { 1, 2 },
	};
	struct chring_circle_list arg = self->arg;
	int fd = ring_fresh(RING "-keyed", &config);
	int reader = dev_open(O_RDONLY, RING "-keyed");
	int other = dev_open(O_RDONLY, RING);

	ASSERT_LE(0, fd);
	ASSERT_LE(0, reader);
	ASSERT_EQ(0, node_add(fd, "a", 1, CHRING_STATE_UP, NULL));
	EXPECT_EQ(0, chr(fd, variant->ioc, &arg));
	EXPECT_EQ(1, arg.out_count);
	EXPECT_NE(0, *(__u64 *)(self->entry + 8));
	memset(self->entry, 0, sizeof(self->entry));
	EXPECT_EQ(-EBADF, chr(reader, variant->ioc, &arg));
	EXPECT_EQ(0, arg.out_count);
	EXPECT_EQ(0, *(__u64 *)(self->entry + 8));
	/* A ring without a key has nothing to hide. */
	EXPECT_EQ(0, chr(other, variant->ioc, &arg));
	ring_delete(fd, RING "-keyed");
	close(fd);
	close(reader);
	close(other);
}

TEST_F(arcs_page, empty_ring)
{
	const struct chring_diff_entry *moved = (void *)self->entry;
	struct chring_circle_list arg = self->arg;

	ASSERT_EQ(0, node_del(self->fd, "b"));
	ASSERT_EQ(0, node_del(self->fd, "a"));
	EXPECT_EQ(0, chr(self->fd, variant->ioc, &arg));
	EXPECT_EQ(variant->ioc == CHRING_IOC_DIFF, arg.out_count);
	if (arg.out_count) {
		EXPECT_EQ(0, moved->first);
		EXPECT_EQ(~0ULL, moved->last);
		EXPECT_EQ(self->id, moved->from);
		EXPECT_EQ(0, moved->to);
	}
	EXPECT_EQ(0, arg.out_more);
	EXPECT_EQ(self->before.epoch + 2, arg.out_epoch);
}

TEST_F(arcs_page, no_former_owners)
{
	struct chring_circle_list arg = self->arg;
	int fd = ring_fresh(RING "-new", NULL);

	ASSERT_LE(0, fd);
	if (variant->ioc == CHRING_IOC_RANGES)
		arg.flags = CHRING_RANGES_PREVIOUS;
	EXPECT_EQ(variant->ioc == CHRING_IOC_TOKENS ? 0 : -ENODATA,
		  chr(fd, variant->ioc, &arg));
	EXPECT_EQ(0, arg.out_count);
	EXPECT_EQ(1, arg.out_epoch);
	EXPECT_EQ(0, arg.out_former_epoch);
	/* Then nobody is the former owner of all. */
	ASSERT_EQ(0, node_add(fd, "a", 1, CHRING_STATE_UP, NULL));
	EXPECT_EQ(0, chr(fd, variant->ioc, &arg));
	EXPECT_EQ(variant->ioc != CHRING_IOC_RANGES, arg.out_count);
	EXPECT_EQ(variant->ioc != CHRING_IOC_TOKENS, arg.out_former_epoch);
	ring_delete(fd, RING "-new");
	close(fd);
}

/* -- in the middle of a change */

static volatile bool stop;
/* Lists that have been asked for, and answered. */
static unsigned int lists;

static unsigned int lists_now(void)
{
	return __atomic_load_n(&lists, __ATOMIC_ACQUIRE);
}

/*
 * With rests, each until two lists have come to their end: the second one was
 * begun in it, however slow the machine is.
 */
static void *flip(void *arg)
{
	int fd = *(int *)arg, i;

	while (!stop) {
		unsigned int seen;

		for (i = 0; i < 8; i++) {
			node_set_state(fd, "b", CHRING_STATE_DOWN);
			node_set_state(fd, "b", CHRING_STATE_UP);
		}
		seen = lists_now();
		while (!stop && lists_now() - seen < 2)
			usleep(500);
	}
	return NULL;
}

/*
 * One answer, one epoch: in every other one b is in service, and has arcs; it
 * was made heavier at last, so that they are what has moved, too.
 */
TEST_F(arcs_page, one_call_one_epoch)
{
	struct chring_circle_list arg = self->arg;
	const __u32 n = 60000;
	__u32 tries, cut = 0, whole = 0, all, i;
	pthread_t thread;
	__u64 even, b;
	char *entry;

	ASSERT_EQ(0, node_set_weight(self->fd, "a", 150));
	ASSERT_EQ(0, node_set_weight(self->fd, "b", 150));
	entry = malloc(n * (size_t)arg.entry_size);
	arg.count = n;
	arg.entries = ptr(entry);
	ASSERT_EQ(0, chr(self->fd, variant->ioc, &arg));
	ASSERT_EQ(0, arg.out_more);
	all = arg.out_count;
	even = (self->before.epoch + 2) % 2;
	b = self->id + 1;
	ASSERT_EQ(0, pthread_create(&thread, NULL, flip, &self->fd));
	/* As often as it takes, until the test is out of time, to see both. */
	for (tries = 0; tries < scaled(1000) || !cut || !whole; tries++) {
		__u32 of_b = 0;

		ASSERT_EQ(0, chr(self->fd, variant->ioc, &arg));
		__atomic_add_fetch(&lists, 1, __ATOMIC_RELEASE);
		cut += arg.out_more;
		whole += !arg.out_more;
		if (arg.out_epoch % 2 == even && !arg.out_more)
			ASSERT_EQ(all, arg.out_count);
		if (variant->ioc == CHRING_IOC_TOKENS)
			continue;
		for (i = 0; i < arg.out_count; i++)
			of_b += variant->ioc == CHRING_IOC_DIFF ?
				((struct chring_diff_entry *)entry)[i].to == b :
				((struct chring_range *)entry)[i].node == b;
		ASSERT_EQ(arg.out_epoch % 2 != even, !of_b);
		if (of_b)
			ASSERT_LE(arg.out_count / 2, of_b);
	}
	stop = true;
	pthread_join(thread, NULL);
	note("%u lists cut, %u whole", cut, whole);
	free(entry);
}

/* -- most tokens are out of service */

/* Few arcs, and all the tokens in the world between them. */
TEST(few_arcs_of_many_tokens)
{
	struct chring_config config = { .vnodes = 20000 };
	int fd = ring_fresh(RING, &config);
	struct list l, one;
	__u64 heavy;
	__u32 i;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, node_add(fd, "heavy", 50, CHRING_STATE_DOWN, &heavy));
	ASSERT_EQ(0, list_all(fd, CHRING_IOC_RANGES, 0, 0, 10, &l));
	EXPECT_EQ(0, l.n);
	free(l.entry);
	ASSERT_EQ(0, node_add(fd, "light", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, list_all(fd, CHRING_IOC_RANGES, 0, 0, 10, &l));
	EXPECT_EQ(1, l.n);
	EXPECT_EQ(1, range_at(&l, 0)->share_hi);
	free(l.entry);
	ASSERT_EQ(0, node_add(fd, "other", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, list_all(fd, CHRING_IOC_RANGES, 0, 0, 7, &l));
	ASSERT_EQ(0, list_all(fd, CHRING_IOC_RANGES, 0, 0, 100000, &one));
	EXPECT_TRUE(list_same(&l, &one));
	EXPECT_LT(10000, l.n);
	for (i = 1; i < l.n; i++)
		ASSERT_EQ(range_at(&l, i - 1)->last + 1, range_at(&l, i)->first);
	free(l.entry);
	free(one.entry);
	ring_delete(fd, RING);
	close(fd);
}

TEST_HARNESS_MAIN
