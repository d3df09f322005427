// SPDX-License-Identifier: GPL-2.0
#include "vectors.h"

#include <stdlib.h>

#include "tap.h"

#define WORDS_MAX	10

/* A line, cut into words where it stands. */
struct line {
	char *text;
	char *word[WORDS_MAX];
	u32 words;
};

FILE *vectors_open(const char *name)
{
	const char *dir = getenv("VECTORS");
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir ? dir : ".", name);
	f = fopen(path, "r");
	if (!f)
		tap_note("%s: %s", path, strerror(errno));
	NEED(f);
	return f;
}

/* Comments are passed over. */
static bool line_next(FILE *f, struct line *l)
{
	size_t room = 0;
	char *rest, *word;

	l->words = 0;
	l->text = NULL;
	do {
		if (getline(&l->text, &room, f) < 0) {
			free(l->text);
			return false;
		}
	} while (l->text[0] == '#');
	rest = l->text;
	while ((word = strtok_r(rest, "\n ", &rest))) {
		NEED(l->words < WORDS_MAX);
		l->word[l->words++] = word;
	}
	return true;
}

static bool line_is(const struct line *l, const char *kind)
{
	return l->words && !strcmp(l->word[0], kind);
}

/* The next line must be of this kind and length; for free(). */
static struct line line_expect(FILE *f, const char *kind, u32 words)
{
	struct line l;

	NEED(line_next(f, &l));
	NEED(line_is(&l, kind) && l.words == words);
	return l;
}

static u64 number(const char *word, int base)
{
	char *end;
	u64 v;

	errno = 0;
	v = strtoull(word, &end, base);
	NEED(!errno && end != word && !*end);
	return v;
}

static u64 hex(const char *word)
{
	NEED(strlen(word) == 16);
	return number(word, 16);
}

static u32 dec(const char *word)
{
	return number(word, 10);
}

/* Two digits a byte. Return: how many; @to has room for @max. */
static size_t bytes(const char *word, void *to, size_t max)
{
	size_t n = strlen(word) / 2, i;
	u8 *byte = to;

	if (!strcmp(word, "-"))
		return 0;
	NEED(strlen(word) % 2 == 0 && n <= max);
	for (i = 0; i < n; i++) {
		const char digits[] = { word[2 * i], word[2 * i + 1], 0 };

		byte[i] = number(digits, 16);
	}
	return n;
}

/* For free(); of exactly its size, so that AddressSanitizer guards its end. */
static u8 *key_bytes(const char *word, size_t *len)
{
	size_t room = strlen(word) / 2;
	u8 *key = malloc(room);

	NEED(key || !room);
	*len = bytes(word, key, room);
	return key;
}

static u32 hash_number(const char *word)
{
	static const char *const name[] = {
		[CHRING_HASH_XXH64] = "xxh64",
		[CHRING_HASH_SIPHASH] = "siphash",
		[CHRING_HASH_MURMUR64] = "murmur64",
		[CHRING_HASH_MURMUR3] = "murmur3",
	};
	u32 i;

	for (i = CHRING_HASH_XXH64; i <= CHRING_HASH_MURMUR3; i++)
		if (!strcmp(word, name[i]))
			return i;
	NEED(!"a hash that is known");
	return 0;
}

static u32 state_number(const char *word)
{
	if (!strcmp(word, "up"))
		return CHRING_STATE_UP;
	if (!strcmp(word, "drain"))
		return CHRING_STATE_DRAIN;
	NEED(!strcmp(word, "down"));
	return CHRING_STATE_DOWN;
}

static int error_number(const char *word)
{
	return !strcmp(word, "ENODATA") ? -ENODATA :
	       !strcmp(word, "EHOSTUNREACH") ? -EHOSTUNREACH : 0;
}

/* Numbers with commas between. Return: how many. */
static u32 read_owners(char *word, u32 *owner)
{
	u32 n = 0;
	char *one;

	while (!error_number(word ? : "") && (one = strsep(&word, ","))) {
		NEED(n < CHRING_REPLICAS_MAX);
		owner[n++] = dec(one);
	}
	return n;
}

bool vectors_next_hash(FILE *f, struct vector_hash *h)
{
	struct line l;

	if (!line_next(f, &l))
		return false;
	NEED(line_is(&l, "hash") && l.words == 7);
	*h = (struct vector_hash){
		.config.hash = hash_number(l.word[1]),
		.config.bits = dec(l.word[2]),
		.config.seed = { hex(l.word[3]), hex(l.word[4]) },
		.position = hex(l.word[6]),
	};
	h->key = key_bytes(l.word[5], &h->len);
	free(l.text);
	return true;
}

static void read_counts(FILE *f, struct vector_ring *r)
{
	struct line l = line_expect(f, "counts", 5);

	r->nodes = dec(l.word[1]);
	r->tokens = dec(l.word[2]);
	r->live = dec(l.word[3]);
	r->collisions = dec(l.word[4]);
	free(l.text);
}

static u64 read_number(FILE *f, const char *kind)
{
	struct line l = line_expect(f, kind, 2);
	u64 v = hex(l.word[1]);

	free(l.text);
	return v;
}

static void read_node(FILE *f, struct vector_node *n)
{
	struct line l = line_expect(f, "node", 8);
	struct model_node *node = &n->node;

	node->name_len = bytes(l.word[1], node->name, sizeof(node->name));
	node->zone_len = bytes(l.word[2], node->zone, sizeof(node->zone));
	node->weight = dec(l.word[3]);
	node->state = state_number(l.word[4]);
	n->tokens = dec(l.word[5]);
	n->share_hi = hex(l.word[6]);
	n->share_lo = hex(l.word[7]);
	free(l.text);
}

static void read_nodes(FILE *f, struct vector_ring *r)
{
	u32 i;

	r->node = calloc(r->nodes + 1, sizeof(*r->node));
	NEED(r->node);
	for (i = 0; i < r->nodes; i++)
		read_node(f, &r->node[i]);
}

static void add_token(struct vector_ring *r, const struct line *l)
{
	NEED(l->words == 3 && r->listed < r->tokens);
	if (!r->token)
		r->token = calloc(r->tokens, sizeof(*r->token));
	NEED(r->token);
	r->token[r->listed++] = (struct vector_token){
		.position = hex(l->word[1]),
		.node = dec(l->word[2]),
	};
}

static void add_probe(struct vector_ring *r, const struct line *l)
{
	bool key = line_is(l, "key");
	struct vector_probe *p;

	NEED(l->words == 4U + key);
	r->probe = realloc(r->probe, (r->probes + 1) * sizeof(*r->probe));
	NEED(r->probe);
	p = &r->probe[r->probes++];
	*p = (struct vector_probe){
		.position = hex(l->word[1 + key]),
	};
	p->error = error_number(l->word[2 + key]);
	p->owners = read_owners(l->word[2 + key], p->owner);
	NEED(read_owners(l->word[3 + key], p->zoned) == p->owners);
	if (key)
		p->key = key_bytes(l->word[1], &p->len);
}

/* Up to "end". */
static void read_lists(FILE *f, struct vector_ring *r)
{
	struct line l;
	bool end;

	do {
		NEED(line_next(f, &l));
		end = line_is(&l, "end");
		if (line_is(&l, "token")) {
			add_token(r, &l);
		} else if (!end) {
			NEED(line_is(&l, "key") || line_is(&l, "position"));
			add_probe(r, &l);
		}
		free(l.text);
	} while (!end);
	NEED(!r->listed || r->listed == r->tokens);
}

static void read_config(const struct line *l, struct chring_config *c)
{
	*c = (struct chring_config){
		.hash = hash_number(l->word[2]),
		.bits = dec(l->word[3]),
		.layout = CHRING_LAYOUT_PLAIN,
		.vnodes = dec(l->word[4]),
		.unit = dec(l->word[5]),
		.seed = { hex(l->word[7]), hex(l->word[8]) },
	};
	c->sep_len = bytes(l->word[6], c->sep, sizeof(c->sep));
}

bool vectors_next_ring(FILE *f, struct vector_ring *r)
{
	struct line l;

	memset(r, 0, sizeof(*r));
	if (!line_next(f, &l))
		return false;
	NEED(line_is(&l, "ring") && l.words == 9);
	NEED(strlen(l.word[1]) < sizeof(r->name));
	strcpy(r->name, l.word[1]);
	read_config(&l, &r->config);
	free(l.text);

	read_counts(f, r);
	r->digest = read_number(f, "digest");
	r->checksum = read_number(f, "checksum");
	read_nodes(f, r);
	read_lists(f, r);
	return true;
}

void vectors_free_ring(struct vector_ring *r)
{
	u32 i;

	for (i = 0; i < r->probes; i++)
		free(r->probe[i].key);
	free(r->probe);
	free(r->token);
	free(r->node);
}
