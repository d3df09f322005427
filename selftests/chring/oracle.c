// SPDX-License-Identifier: GPL-2.0
/*
 * The answers of the device against those of selftests/unit/oracle.py, which
 * says what its files look like.
 */
#include "libtest.h"
#include "kselftest_harness.h"

#define HASHES	"/data/hashes.txt"
#define RINGS	"/data/rings.txt"
#define RING	"oracle-test"
#define WORDS	16

/* A file of lines of words. */
struct lines {
	FILE *file;
	char *text;
	size_t size;
	char *word[WORDS];
	int words;
	unsigned int nr;
};

static bool next_line(struct lines *l)
{
	do {
		char *save, *w;

		if (getline(&l->text, &l->size, l->file) < 0)
			return false;
		l->nr++;
		l->words = 0;
		for (w = strtok_r(l->text, "\n ", &save); w && l->words < WORDS;
		     w = strtok_r(NULL, "\n ", &save))
			l->word[l->words++] = w;
	} while (!l->words || l->word[0][0] == '#');
	return true;
}

static __u64 hex(const char *word)
{
	return strtoull(word, NULL, 16);
}

static __u32 num(const char *word)
{
	return strtoul(word, NULL, 10);
}

static int digit(char c)
{
	return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* Return: how many. */
static __u32 bytes(const char *word, char *to)
{
	__u32 n = 0;

	if (!strcmp(word, "-"))
		return 0;
	for (; word[0] && word[1]; word += 2)
		to[n++] = digit(word[0]) << 4 | digit(word[1]);
	return n;
}

static __u32 hash_of(const char *word)
{
	static const char *const names[] = { "", "xxh64", "siphash",
					     "murmur64", "murmur3" };
	__u32 i;

	for (i = 1; i < ARRAY_LEN(names); i++)
		if (!strcmp(word, names[i]))
			return i;
	return ~0U;
}

static __u32 state_of(const char *word)
{
	return !strcmp(word, "up") ? CHRING_STATE_UP :
	       !strcmp(word, "drain") ? CHRING_STATE_DRAIN : CHRING_STATE_DOWN;
}

static int error_of(const char *word)
{
	return !strcmp(word, "ENODATA") ? -ENODATA :
	       !strcmp(word, "EHOSTUNREACH") ? -EHOSTUNREACH : 0;
}

TEST(hashes)
{
	struct lines l = { .file = fopen(HASHES, "r") };
	struct chring_config config = {}, was = {};
	static char key[CHRING_KEY_MAX];
	unsigned int checked = 0;
	int fd = -1;

	ASSERT_NE(NULL, l.file);
	while (next_line(&l)) {
		struct chring_lookup out;
		struct chring_owner owner;
		__u32 len;

		ASSERT_EQ(7, l.words);
		config.hash = hash_of(l.word[1]);
		config.bits = num(l.word[2]);
		config.seed[0] = hex(l.word[3]);
		config.seed[1] = hex(l.word[4]);
		if (fd < 0 || memcmp(&config, &was, sizeof(config))) {
			close(fd);
			fd = ring_fresh(RING, &config);
			ASSERT_LE(0, fd) {
				TH_LOG("%s:%u: %d", HASHES, l.nr, fd);
			}
			was = config;
			ASSERT_EQ(0, node_add(fd, "a", 1, CHRING_STATE_UP,
					      NULL));
		}
		len = bytes(l.word[5], key);
		ASSERT_EQ(0, lookup_key(fd, key, len, &out, &owner));
		EXPECT_EQ(hex(l.word[6]), out.out_position) {
			TH_LOG("%s:%u", HASHES, l.nr);
		}
		checked++;
	}
	TH_LOG("%u positions", checked);
	EXPECT_LT(100, checked);
	ring_delete(fd, RING);
	fclose(l.file);
}

#define NODES	512
#define ZONES	CHRING_LOOKUP_ZONES

/* A ring of the file, and the real one beside it. */
struct ring {
	int fd;
	__u32 nodes;
	struct chring_node_change *node;
	struct chring_node_share *share;
	__u64 *id;
	/* Keys collected for a batch, and who owns them. */
	char *keys;
	__u32 keys_size;
	__u32 lens[1024];
	__u64 positions[1024];
	int owner_of_key[1024];
	int owner_of_position[1024];
	__u32 nkeys, npositions;
};

static int make_ring(struct ring *r, struct lines *l)
{
	struct chring_config config = {
		.hash = hash_of(l->word[2]),
		.bits = num(l->word[3]),
		.vnodes = num(l->word[4]),
		.unit = num(l->word[5]),
		.seed = { hex(l->word[7]), hex(l->word[8]) },
	};

	config.sep_len = bytes(l->word[6], (char *)config.sep);
	r->nodes = r->nkeys = r->npositions = r->keys_size = 0;
	r->fd = ring_fresh(RING, strcmp(l->word[1], "defaults") ? &config :
								  NULL);
	return r->fd;
}

static void take_node(struct ring *r, struct lines *l)
{
	struct chring_node_change *n = &r->node[r->nodes];
	char *name = malloc(CHRING_NAME_MAX), *zone = malloc(CHRING_NAME_MAX);

	*n = (struct chring_node_change){
		.size = sizeof(*n),
		.name = ptr(name),
		.name_len = bytes(l->word[1], name),
		.zone_len = bytes(l->word[2], zone),
		.weight = num(l->word[3]),
		.state = state_of(l->word[4]),
		.cookie = r->nodes,
	};
	n->zone = n->zone_len ? ptr(zone) : 0;
	r->share[r->nodes++] = (struct chring_node_share){
		.tokens = num(l->word[5]),
		.share_hi = hex(l->word[6]),
		.share_lo = hex(l->word[7]),
	};
}

/* Not in the order of names: 7 steps at a time, 7 being no divisor. */
static int add_nodes(struct ring *r)
{
	__u32 step = r->nodes % 7 ? 7 : 1, i, n = 0;

	for (i = 0; i < r->nodes; i++) {
		int ret = chr(r->fd, CHRING_IOC_NODE_ADD, &r->node[n]);

		if (ret)
			return ret;
		r->id[n] = r->node[n].out_node;
		n = (n + step) % r->nodes;
	}
	return 0;
}

static bool lookup_is(struct ring *r, int ret, const struct chring_lookup *out,
		      const struct chring_owner *owner, const char *word)
{
	if (error_of(word))
		return ret == error_of(word);
	return !ret && out->out_count == 1 &&
	       owner->node == r->id[num(word)] && owner->cookie == num(word);
}

/* The lookup in @arg once more, for @count owners: as many of @word as that. */
static bool replicas_are(struct ring *r, const struct chring_lookup *arg,
			 __u32 flags, __u32 count, const char *word)
{
	struct chring_owner owner[CHRING_REPLICAS_MAX];
	struct chring_lookup again = *arg;
	__u32 n = 0;
	int ret;

	again.flags |= flags;
	again.count = count;
	again.owners = ptr(owner);
	ret = chr(r->fd, CHRING_IOC_LOOKUP, &again);
	if (ret || error_of(word))
		return ret == error_of(word) && !again.out_count;
	while (n < count && *word) {
		char *end;
		__u32 want = strtoul(word, &end, 10);

		if (n == again.out_count || owner[n++].node != r->id[want])
			return false;
		word = *end ? end + 1 : end;
	}
	return n == again.out_count;
}

/* Return: how many answers, or -1 if one is wrong. */
static int check_batch(struct ring *r, __u32 flags, const int *owner, __u32 n)
{
	__u64 nodes[1024];
	struct chring_lookup_batch arg = {
		.size = sizeof(arg),
		.flags = flags,
		.keys = flags ? ptr(r->positions) : ptr(r->keys),
		.keys_size = flags ? n * 8 : r->keys_size,
		.lens = flags ? 0 : ptr(r->lens),
		.count = n,
		.nodes = ptr(nodes),
	};
	__u32 i;
	int ret = chr(r->fd, CHRING_IOC_LOOKUP_BATCH, &arg);

	if (!n || owner[0] < 0)
		return n && ret != owner[0] ? -1 : 0;
	if (ret || arg.out_done != n)
		return -1;
	for (i = 0; i < n; i++)
		if (nodes[i] != r->id[owner[i]])
			return -1;
	return n;
}

static int owner_of(const char *word)
{
	return error_of(word) ?: (int)num(word);
}

TEST(rings)
{
	struct lines l = { .file = fopen(RINGS, "r") };
	unsigned int rings = 0, answers = 0;
	static struct ring r;
	struct chring_owner owner;
	struct chring_lookup out;
	static char key[CHRING_KEY_MAX];
	__u64 digest = 0, checksum = 0;
	__u32 counts[4] = {};
	int ret;
	__u32 i;

	ASSERT_NE(NULL, l.file);
	r.node = calloc(NODES, sizeof(*r.node));
	r.share = calloc(NODES, sizeof(*r.share));
	r.id = calloc(NODES, sizeof(*r.id));
	r.keys = malloc(CHRING_BATCH_BYTES_MAX);
	while (next_line(&l)) {
		const char *what = l.word[0];
		bool ok = true;

		if (!strcmp(what, "ring")) {
			ASSERT_LE(0, make_ring(&r, &l));
		} else if (!strcmp(what, "counts")) {
			for (i = 0; i < 4; i++)
				counts[i] = num(l.word[1 + i]);
			ASSERT_GE(NODES, counts[0]);
		} else if (!strcmp(what, "digest")) {
			digest = hex(l.word[1]);
		} else if (!strcmp(what, "checksum")) {
			checksum = hex(l.word[1]);
		} else if (!strcmp(what, "node")) {
			take_node(&r, &l);
		} else if (!strcmp(what, "key")) {
			__u32 len = bytes(l.word[1], key);

			if (r.nodes && !r.id[0])
				ASSERT_EQ(0, add_nodes(&r));
			ret = lookup_key(r.fd, key, len, &out, &owner);
			ok = lookup_is(&r, ret, &out, &owner, l.word[3]) &&
			     out.out_position == hex(l.word[2]) &&
			     replicas_are(&r, &out, 0, 32, l.word[3]) &&
			     replicas_are(&r, &out, 0, 3, l.word[3]) &&
			     replicas_are(&r, &out, ZONES, 32, l.word[4]) &&
			     replicas_are(&r, &out, ZONES, 3, l.word[4]);
			memcpy(r.keys + r.keys_size, key, len);
			r.keys_size += len;
			r.lens[r.nkeys] = len;
			r.owner_of_key[r.nkeys++] = owner_of(l.word[3]);
			answers += 5;
		} else if (!strcmp(what, "position")) {
			if (r.nodes && !r.id[0])
				ASSERT_EQ(0, add_nodes(&r));
			ret = lookup_position(r.fd, hex(l.word[1]), &out,
					      &owner);
			ok = lookup_is(&r, ret, &out, &owner, l.word[2]) &&
			     replicas_are(&r, &out, 0, 32, l.word[2]) &&
			     replicas_are(&r, &out, 0, 2, l.word[2]) &&
			     replicas_are(&r, &out, ZONES, 32, l.word[3]) &&
			     replicas_are(&r, &out, ZONES, 2, l.word[3]);
			r.positions[r.npositions] = hex(l.word[1]);
			r.owner_of_position[r.npositions++] =
				owner_of(l.word[2]);
			answers += 5;
		} else if (!strcmp(what, "end")) {
			struct chring_node_share share[NODES];
			struct chring_stats stats = {
				.size = sizeof(stats),
				.entries = ptr(share),
				.entry_size = sizeof(share[0]),
				.count = NODES,
			};

			if (r.nodes && !r.id[0])
				ASSERT_EQ(0, add_nodes(&r));
			ASSERT_EQ(0, chr(r.fd, CHRING_IOC_STATS, &stats));
			EXPECT_EQ(counts[0], stats.out_nodes);
			EXPECT_EQ(counts[1], stats.out_tokens);
			EXPECT_EQ(counts[2], stats.out_live);
			EXPECT_EQ(counts[3], stats.out_collisions);
			EXPECT_EQ(digest, stats.out_digest);
			EXPECT_EQ(checksum, stats.out_checksum);
			for (i = 0; i < r.nodes; i++) {
				EXPECT_EQ(r.id[i], share[i].node);
				EXPECT_EQ(r.share[i].tokens, share[i].tokens);
				EXPECT_EQ(r.share[i].share_hi,
					  share[i].share_hi);
				EXPECT_EQ(r.share[i].share_lo,
					  share[i].share_lo);
			}
			ret = check_batch(&r, 0, r.owner_of_key, r.nkeys);
			ok = ret >= 0;
			answers += ret;
			ret = check_batch(&r, CHRING_LOOKUP_POSITION,
					  r.owner_of_position, r.npositions);
			ok &= ret >= 0;
			answers += ret;
			rings++;
			memset(r.id, 0, NODES * sizeof(*r.id));
			close(r.fd);
		}
		EXPECT_TRUE(ok) {
			TH_LOG("%s:%u: %s", RINGS, l.nr, what);
		}
		ASSERT_GE(1000, r.nkeys);
		ASSERT_GE(1000, r.npositions);
	}
	TH_LOG("%u rings, %u answers", rings, answers);
	EXPECT_LT(20, rings);
	EXPECT_LT(1000, answers);
	r.fd = dev_open(O_RDWR, NULL);
	ring_delete(r.fd, RING);
	fclose(l.file);
}

TEST_HARNESS_MAIN
