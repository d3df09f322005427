// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chringctl.h"
#include "errors.h"
#include "keys.h"
#include "lookup.h"
#include "number.h"
#include "output.h"

#define HOLD_MAX	1000000

/**
 * struct request - tickets as they were asked for
 * @ring: name of the ring
 * @flags: of each query
 * @hold: seconds to hold them
 * @literal: "-" is a key like any other
 * @s: session; it holds the tickets
 * @taken: so far
 * @moved: of these, not with the owner of their key
 * @list: of what was taken, for JSON
 */
struct request {
	const char *ring;
	__u32 flags;
	__u64 hold;
	bool literal;
	struct session s;
	__u64 taken;
	__u64 moved;
	json_object *list;
};

static int read_hold(struct args *args, struct request *r)
{
	const char *text = args_next(args);

	if (!text)
		return misused("'hold': expected a number of seconds after it");
	if (!number_read(text, strlen(text), &r->hold) || r->hold > HOLD_MAX)
		return misused("hold %s: expected a number from 0 to %u",
			       quoted_string(text), HOLD_MAX);
	return STATUS_OK;
}

/* Words up to the first that is none of ours: it is a key. */
static int read_words(struct args *args, struct request *r)
{
	int ret;

	for (;;) {
		ret = args_options(args);
		if (ret)
			return ret;
		r->literal = args_take(args, "--");
		if (r->literal)
			return STATUS_OK;
		if (args_take(args, "hold")) {
			ret = read_hold(args, r);
			if (ret)
				return ret;
		} else if (args_take(args, "position")) {
			r->flags |= CHRING_LOOKUP_POSITION;
		} else {
			return STATUS_OK;
		}
	}
}

static bool from_stdin(const struct args *args, const struct request *r)
{
	return !r->literal && args->next[0] && !strcmp(args->next[0], "-");
}

static int check_keys(const struct args *args, const struct request *r)
{
	char **key = args->next;
	__u64 position;

	if (!*key)
		return misused("acquire: expected a %s, or '-' to read them from standard input",
			       r->flags ? "position" : "key");
	if (from_stdin(args, r) && key[1])
		return misused("unexpected word %s after '-', which stands for all keys; '--' before '-' makes it a key",
			       quoted_string(key[1]));
	for (; r->flags && !from_stdin(args, r) && *key; key++)
		if (!number_read(*key, strlen(*key), &position))
			return misused("position %s: expected a number from 0 to 2^64-1",
				       quoted_string(*key));
	return STATUS_OK;
}

static int acquire_refused(const struct request *r,
			   const struct chring_query *query, int err)
{
	struct chring_summary *sum;
	__u32 max = 0;

	if (!chring_stats(r->s.dev, 0, &sum)) {
		max = sum->config.tickets;
		chring_summary_free(sum);
	}
	if (err == -EBADF && !max)
		return refused("ring '%s': only who may write to %s takes tickets of it; 'ring add ... tickets N' makes a ring that gives some to all",
			       r->ring, CHRING_DEVICE);
	if (err == -ENOSPC)
		return refused("ring '%s': it gives %u tickets to who may only read %s, and these are taken",
			       r->ring, max, CHRING_DEVICE);
	return lookup_refused(&r->s, query, err);
}

static int print_taken(struct request *r, const char *key, size_t len,
		       const struct chring_ticket *t)
{
	const char *name;
	size_t name_len;
	int ret = chring_node_name(r->s.dev, t->node, &name, &name_len);
	json_object *to;

	if (ret && ret != -ENOENT)
		return session_refused(&r->s, ret);
	if (!options.json) {
		fwrite_unlocked(key, 1, len, output());
		putc_unlocked('\t', output());
		if (ret)
			fprintf(output(), "id:%llu", t->node);
		else
			fwrite_unlocked(name, 1, name_len, output());
		fprintf(output(), "\t%llu\n", t->load);
		return STATUS_OK;
	}
	to = json_object_needed();
	json_bytes(to, "key", key, len);
	if (ret)
		json_null(to, "node");
	else
		json_bytes(to, "node", name, name_len);
	json_u64(to, "id", t->node);
	json_u64(to, "load", t->load);
	json_u64(to, "tickets", t->tickets);
	json_u64(to, "serial", t->serial);
	json_u64(to, "epoch", t->epoch);
	json_append(r->list, to);
	return STATUS_OK;
}

/* @key is what is printed, a position as it was written. */
static int take(struct request *r, const char *key, size_t len, __u64 position)
{
	struct chring_query query = { .flags = r->flags, .count = 1 };
	struct chring_answer owner;
	struct chring_ticket t;
	int ret;

	if (r->flags) {
		query.position = position;
	} else {
		query.key = key;
		query.key_len = len;
	}
	ret = chring_acquire(r->s.dev, &query, &t);
	if (ret)
		return acquire_refused(r, &query, ret);
	ret = chring_lookup(r->s.dev, &query, &owner);
	if (ret)
		return lookup_refused(&r->s, &query, ret);
	r->taken++;
	r->moved += owner.owner[0].node != t.node;
	return print_taken(r, key, len, &t);
}

static int take_words(struct request *r, char **word)
{
	int ret = STATUS_OK;

	for (; *word && !ret; word++) {
		__u64 position = 0;

		if (r->flags)
			number_read(*word, strlen(*word), &position);
		ret = take(r, *word, strlen(*word), position);
	}
	return ret;
}

static int take_batch(struct request *r, const struct keys *k)
{
	size_t off = 0;
	int ret = STATUS_OK;
	__u32 i;

	for (i = 0; i < k->count && !ret; i++) {
		ret = take(r, k->bytes + off, k->len[i],
			   r->flags ? k->position[i] : 0);
		off += k->len[i];
	}
	return ret;
}

static int take_stream(struct request *r)
{
	struct keys k;
	int ret;

	keys_init(&k, options.delimiter, r->flags);
	do {
		ret = keys_next(&k);
		if (!ret)
			ret = take_batch(r, &k);
	} while (!ret && k.count);
	keys_free(&k);
	return ret;
}

/* The node that is nearest to its cap or, if there are none, bears most. */
static const struct chring_node_share *
fullest(const struct chring_summary *sum)
{
	const struct chring_node_share *full = NULL;
	double most = -1;
	__u32 i;

	for (i = 0; i < sum->nodes; i++) {
		const struct chring_node_share *s = &sum->share[i];
		double is = s->cap ? (double)s->load / s->cap : s->load;

		if (sum->config.balance && !s->cap)
			continue;
		if (is > most) {
			most = is;
			full = s;
		}
	}
	return full;
}

static void end_json(const struct request *r,
		     const struct chring_node_share *full)
{
	json_object *to = json_object_needed();

	json_member(to, "keys", r->list);
	json_u64(to, "taken", r->taken);
	json_u64(to, "moved", r->moved);
	json_u64(to, "max_load", full ? full->load : 0);
	json_u64(to, "cap", full ? full->cap : 0);
	json_print(to);
}

static void end_text(const struct request *r,
		     const struct chring_node_share *full)
{
	fputc('\n', output());
	line("keys", "%llu", r->taken);
	line("moved", "%llu", r->moved);
	if (full && full->cap)
		line("max load", "%llu of %llu", full->load, full->cap);
	else
		line("max load", "%llu", full ? full->load : 0);
}

static int end(struct request *r)
{
	struct chring_summary *sum;
	int ret = chring_stats(r->s.dev, CHRING_STATS_SHARES, &sum);

	if (ret)
		return session_refused(&r->s, ret);
	if (options.json)
		end_json(r, fullest(sum));
	else
		end_text(r, fullest(sum));
	chring_summary_free(sum);
	ret = output_flush();
	if (!ret)
		sleep(r->hold);
	return ret;
}

static int acquire(struct args *args)
{
	struct request r = {};
	int ret = args_ring(args, &r.ring);

	if (!ret)
		ret = read_words(args, &r);
	if (!ret)
		ret = check_keys(args, &r);
	if (ret)
		return ret;
	if (options.json)
		r.list = json_array_needed();
	/* A ring may give tickets to those who only read. */
	ret = session_open(&r.s, r.ring, SESSION_SEE);
	if (!ret)
		ret = from_stdin(args, &r) ? take_stream(&r) :
					     take_words(&r, args->next);
	if (!ret)
		ret = end(&r);
	/* Gives back all that was taken. */
	session_close(&r.s);
	return ret;
}

const struct command acquire_commands[] = {
	{ NULL, acquire },
	{}
};
