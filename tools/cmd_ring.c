// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "chringctl.h"
#include "choices.h"
#include "errors.h"
#include "number.h"
#include "output.h"
#include "session.h"
#include "table.h"

/**
 * struct plan - a ring as it was asked for
 * @name: of the ring
 * @config: of the ring
 * @random: its seed is to be made up
 * @vnodes: as the command line has it
 * @unit: likewise
 * @bits: likewise
 * @balance: likewise
 * @tickets: likewise
 */
struct plan {
	const char *name;
	struct chring_config config;
	bool random;
	__u64 vnodes;
	__u64 unit;
	__u64 bits;
	__u64 balance;
	__u64 tickets;
};

static int word_bits(const struct word *word, const char *text)
{
	__u64 *bits = word->to;

	if (!number_read(text, strlen(text), bits) ||
	    (*bits != 32 && *bits != 64))
		return misused("bits %s: expected 64 or 32",
			       quoted_string(text));
	return STATUS_OK;
}

static int word_seed(const struct word *word, const char *text)
{
	struct plan *plan = word->to;

	plan->random = !strcmp(text, "random");
	if (plan->random ||
	    number_read_wide(text, strlen(text), plan->config.seed))
		return STATUS_OK;
	return misused("seed %s: expected a number of at most 128 bits, or random",
		       quoted_string(text));
}

static int word_sep(const struct word *word, const char *text)
{
	struct chring_config *config = word->to;
	size_t len = strlen(text), i;

	if (!len || len > CHRING_SEP_MAX)
		return misused("sep %s: it has %zu bytes; expected 1 to %u",
			       quoted(text, len), len, CHRING_SEP_MAX);
	for (i = 0; i < len; i++) {
		unsigned char c = text[i];

		if (c <= 0x20 || c == 0x7f || (c >= '0' && c <= '9'))
			return misused("sep %s: byte 0x%02x; expected no digit, none up to 0x20 and no 0x7f",
				       quoted(text, len), c);
	}
	memcpy(config->sep, text, len);
	config->sep_len = len;
	return STATUS_OK;
}

/* Bits that a hash takes of a seed. What is not known takes all of them. */
static unsigned int seed_bits(__u32 hash)
{
	switch (hash) {
	case CHRING_HASH_DEFAULT:
	case CHRING_HASH_XXH64:
	case CHRING_HASH_MURMUR64:
		return 64;
	case CHRING_HASH_MURMUR3:
		return 32;
	default:
		return 128;
	}
}

static int random_seed(struct chring_config *config)
{
	size_t bytes = seed_bits(config->hash) / 8;

	if (getrandom(config->seed, bytes, 0) != (ssize_t)bytes)
		return refused("seed random: %s", strerror(errno));
	return STATUS_OK;
}

static int read_plan(struct args *args, struct plan *p)
{
	const struct word words[] = {
		WORD_CHOICE("hash", &p->config.hash, &hashes),
		WORD("bits", word_bits, &p->bits),
		WORD_NUMBER("vnodes", &p->vnodes, 1, CHRING_VNODES_MAX),
		WORD_NUMBER("unit", &p->unit, 1, CHRING_UNIT_MAX),
		WORD("seed", word_seed, p),
		WORD("sep", word_sep, &p->config),
		WORD_CHOICE("layout", &p->config.layout, &layouts),
		WORD_NUMBER("balance", &p->balance, CHRING_BALANCE_MIN,
			    CHRING_BALANCE_MAX),
		WORD_NUMBER("tickets", &p->tickets, 1, CHRING_TICKETS_MAX),
	};
	__u32 given;
	int ret;

	*p = (struct plan){};
	ret = args_new_ring(args, &p->name);
	if (!ret)
		ret = words_read(args, words, ARRAY_SIZE(words), &given);
	if (ret)
		return ret;
	p->config.bits = p->bits;
	p->config.vnodes = p->vnodes;
	p->config.unit = p->unit;
	p->config.balance = p->balance;
	p->config.tickets = p->tickets;
	return p->random ? random_seed(&p->config) : STATUS_OK;
}

static int refused_choice(const struct plan *p, const char *what,
			  const struct choices *choices, __u32 number,
			  __u64 offered)
{
	return refused("ring '%s': %s '%s' is known, but the loaded chring.ko does not offer it yet; offered: %s",
		       p->name, what, choice_word(choices, number),
		       choice_list(choices, offered));
}

static int refused_option(const struct session *s, const struct plan *p)
{
	struct chring_info info;
	const char *what = "this";

	if (!chring_info(s->dev, &info)) {
		__u32 hash = p->config.hash, layout = p->config.layout;

		if (hash && !(info.out_hashes >> hash & 1))
			return refused_choice(p, "hash", &hashes, hash,
					      info.out_hashes);
		if (layout && !(info.out_layouts >> layout & 1))
			return refused_choice(p, "layout", &layouts, layout,
					      info.out_layouts);
	}
	if (p->config.balance)
		what = "balance";
	else if (p->config.tickets)
		what = "tickets";
	return refused("ring '%s': '%s' is known, but the loaded chring.ko does not offer it yet; add the ring without it",
		       p->name, what);
}

/* Words that are right, each for itself, and do not go together. */
static int refused_config(const struct plan *p)
{
	const char *hash = choice_word(&hashes, p->config.hash ? :
						CHRING_HASH_XXH64);

	if (p->config.bits == 64 && p->config.hash == CHRING_HASH_MURMUR3)
		return refused("ring '%s': hash '%s' has 32 bits, not 64; use 'bits 32'",
			       p->name, hash);
	if (p->config.hash == CHRING_HASH_SIPHASH)
		return refused("ring '%s': hash '%s' is keyed and needs a seed other than 0; use 'seed random'",
			       p->name, hash);
	return refused("ring '%s': the kernel does not take this config",
		       p->name);
}

static int refused_add(const struct session *s, const struct plan *p, int err)
{
	switch (-err) {
	case EEXIST:
		return refused("ring '%s': there is one already; 'chringctl ring show %s' shows it",
			       p->name, p->name);
	case EOPNOTSUPP:
		return refused_option(s, p);
	case EINVAL:
		return refused_config(p);
	case ERANGE:
		return refused("ring '%s': hash '%s' takes a seed of %u bits, and this one is wider",
			       p->name,
			       choice_word(&hashes, p->config.hash ? :
						    CHRING_HASH_XXH64),
			       seed_bits(p->config.hash));
	case ENOSPC:
		return refused("ring '%s': there are %u rings, and more there cannot be; delete one",
			       p->name, CHRING_RINGS_MAX);
	default:
		return session_refused(s, err);
	}
}

static void print_ring(const char *name, __u64 id)
{
	json_object *to;

	if (!options.json)
		return;
	to = json_object_needed();
	json_string(to, "name", name);
	json_u64(to, "id", id);
	json_print(to);
}

static int ring_add(struct args *args)
{
	struct session s;
	struct plan p;
	__u64 id;
	int ret = read_plan(args, &p);

	if (ret)
		return ret;
	ret = session_open(&s, NULL, SESSION_CHANGE);
	if (!ret) {
		ret = chring_ring_create(s.dev, p.name, &p.config, &id);
		if (ret)
			ret = refused_add(&s, &p, ret);
		else
			print_ring(p.name, id);
	}
	session_close(&s);
	return ret;
}

static int refused_del(const struct session *s, const char *name, int err)
{
	switch (-err) {
	case ENOENT:
		return refused("ring '%s': no such ring; 'chringctl ring list' shows those there are",
			       name);
	case EPERM:
		if (is_private_ring(name))
			return refused("ring '%s': it is private: it goes with the kernel code that made it",
				       name);
		return refused("ring '%s': it cannot be deleted, only its nodes can; it goes with the module",
			       name);
	default:
		return session_refused(s, err);
	}
}

static int ring_del(struct args *args)
{
	struct session s;
	const char *name;
	__u64 id;
	int ret = args_ring(args, &name);

	if (!ret)
		ret = args_end(args);
	if (ret)
		return ret;
	ret = session_open(&s, NULL, SESSION_CHANGE);
	if (!ret) {
		ret = chring_ring_delete(s.dev, name, &id);
		if (ret)
			ret = refused_del(&s, name, ret);
		else
			print_ring(name, id);
	}
	session_close(&s);
	return ret;
}

static void list_json(const struct chring_rings *rings)
{
	json_object *list = json_array_needed();
	size_t i;

	for (i = 0; i < rings->count; i++) {
		const struct chring_ring_entry *r = &rings->ring[i];
		json_object *to = json_object_needed();

		json_string(to, "name", r->name);
		json_u64(to, "id", r->ring);
		json_u32(to, "nodes", r->nodes);
		json_u32(to, "live", r->live);
		json_u64(to, "tokens", r->tokens);
		json_u64(to, "bytes", r->bytes);
		json_u64(to, "epoch", r->epoch);
		json_u64(to, "generation", r->generation);
		json_hash(to, "digest", r->digest);
		json_boolean(to, "private", r->flags & CHRING_RING_PRIVATE);
		json_string(to, "keys", choice_word(&keys_kinds, r->keys));
		json_append(list, to);
	}
	json_print(list);
}

static void list_text(const struct chring_rings *rings)
{
	struct table t = { .align = "lrrrrrrrrll" };
	size_t i;

	table_head(&t, "RING|NODES|LIVE|TOKENS|BYTES|EPOCH|GENERATION|DIGEST|ID|PRIVATE|KEYS");
	for (i = 0; i < rings->count; i++) {
		const struct chring_ring_entry *r = &rings->ring[i];

		table_printf(&t, "%s", r->name);
		table_printf(&t, "%u", r->nodes);
		table_printf(&t, "%u", r->live);
		table_printf(&t, "%llu", r->tokens);
		table_printf(&t, "%llu", r->bytes);
		table_printf(&t, "%llu", r->epoch);
		table_printf(&t, "%llu", r->generation);
		table_printf(&t, "0x%016llx", r->digest);
		table_printf(&t, "%llu", r->ring);
		table_printf(&t, "%s", r->flags & CHRING_RING_PRIVATE ? "yes" :
									"no");
		table_printf(&t, "%s", choice_word(&keys_kinds, r->keys));
	}
	table_print(&t, output());
}

static int list_rings(const struct session *s)
{
	struct chring_rings *rings;
	int ret = session_rings(s, &rings);

	if (ret)
		return session_refused(s, ret);
	if (options.json)
		list_json(rings);
	else
		list_text(rings);
	chring_rings_free(rings);
	return STATUS_OK;
}

static int ring_list(struct args *args)
{
	struct session s;
	int ret = args_end(args);

	if (ret)
		return ret;
	ret = session_open(&s, NULL, SESSION_SEE);
	if (!ret)
		ret = list_rings(&s);
	session_close(&s);
	return ret;
}

#define SEED_MAX	(sizeof("0x") + 32)

/* Return: false if it is kept from us. */
static bool seed_text(const struct chring_config *c, char *to)
{
	if (c->hash != CHRING_HASH_SIPHASH)
		snprintf(to, SEED_MAX, "0x%016llx", c->seed[0]);
	else
		snprintf(to, SEED_MAX, "0x%016llx%016llx", c->seed[1],
			 c->seed[0]);
	/* That of a keyed ring never is 0. */
	return c->hash != CHRING_HASH_SIPHASH || c->seed[0] || c->seed[1];
}

static json_object *config_json(const struct chring_config *c)
{
	json_object *to = json_object_needed();
	char seed[SEED_MAX];

	json_string(to, "hash", choice_word(&hashes, c->hash));
	json_u32(to, "bits", c->bits);
	json_string(to, "layout", choice_word(&layouts, c->layout));
	json_u32(to, "vnodes", c->vnodes);
	json_u32(to, "unit", c->unit);
	json_bytes(to, "sep", c->sep, c->sep_len);
	if (seed_text(c, seed))
		json_string(to, "seed", seed);
	else
		json_null(to, "seed");
	json_u32(to, "balance", c->balance);
	json_u32(to, "tickets", c->tickets);
	return to;
}

static void show_json(const struct chring_summary *sum)
{
	json_object *to = json_object_needed();

	json_string(to, "name", sum->name);
	json_u64(to, "id", sum->ring);
	json_member(to, "config", config_json(&sum->config));
	json_u32(to, "nodes", sum->nodes);
	json_u32(to, "live", sum->live);
	json_u64(to, "tokens", sum->tokens);
	json_u32(to, "collisions", sum->collisions);
	json_u64(to, "epoch", sum->epoch);
	json_u64(to, "generation", sum->generation);
	json_hash(to, "digest", sum->digest);
	json_u64(to, "bytes", sum->bytes);
	json_print(to);
}

static void show_config(const struct chring_config *c)
{
	char seed[SEED_MAX];

	line("hash", "%s", choice_word(&hashes, c->hash));
	line("bits", "%u", c->bits);
	line("layout", "%s", choice_word(&layouts, c->layout));
	line("vnodes", "%u", c->vnodes);
	line("unit", "%u", c->unit);
	line("sep", "%.*s", (int)c->sep_len, (const char *)c->sep);
	line("seed", "%s", seed_text(c, seed) ? seed : "hidden");
	if (c->balance)
		line("balance", "%u", c->balance);
	if (c->tickets)
		line("tickets", "%u", c->tickets);
}

static void show_text(const struct chring_summary *sum)
{
	line("ring", "%s", sum->name);
	line("id", "%llu", sum->ring);
	show_config(&sum->config);
	line("nodes", "%u", sum->nodes);
	line("live", "%u", sum->live);
	line("tokens", "%llu", sum->tokens);
	line("collisions", "%u", sum->collisions);
	line("epoch", "%llu", sum->epoch);
	line("generation", "%llu", sum->generation);
	line("digest", "0x%016llx", sum->digest);
	line("bytes", "%llu", sum->bytes);
}

static int show_ring(const struct session *s)
{
	struct chring_summary *sum;
	int ret = chring_stats(s->dev, 0, &sum);

	if (ret)
		return session_refused(s, ret);
	if (options.json)
		show_json(sum);
	else
		show_text(sum);
	chring_summary_free(sum);
	return STATUS_OK;
}

static int ring_show(struct args *args)
{
	struct session s;
	const char *ring;
	int ret = args_ring(args, &ring);

	if (!ret)
		ret = args_end(args);
	if (ret)
		return ret;
	ret = session_open(&s, ring, SESSION_SEE);
	if (!ret)
		ret = show_ring(&s);
	session_close(&s);
	return ret;
}

const struct command ring_commands[] = {
	{ "add", ring_add },
	{ "del", ring_del },
	{ "list", ring_list },
	{ "show", ring_show },
	{}
};
