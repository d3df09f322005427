// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "choices.h"
#include "chringctl.h"
#include "errors.h"
#include "flow.h"
#include "lookup.h"
#include "number.h"
#include "output.h"
#include "stream.h"

/**
 * struct request - lookups as they were asked for
 * @ring: name of the ring
 * @how: flags and owners wanted
 * @literal: "-" is a key like any other
 * @flows: keys are the sources of flows, as text
 * @keys: what those of the ring are, if @flows
 * @s: session
 * @sighted: positions of keys are not hidden from us
 * @first: nothing was printed yet
 */
struct request {
	const char *ring;
	struct chring_query how;
	bool literal;
	bool flows;
	__u32 keys;
	struct session s;
	bool sighted;
	bool first;
};

static int read_replicas(struct args *args, struct request *r)
{
	const char *text = args_next(args);
	__u64 n;

	if (!text)
		return misused("'replicas': expected a number after it");
	if (!number_read(text, strlen(text), &n) || !n ||
	    n > CHRING_REPLICAS_MAX)
		return misused("replicas %s: expected a number from 1 to %u",
			       quoted_string(text), CHRING_REPLICAS_MAX);
	r->how.count = n;
	return STATUS_OK;
}

/* Words up to the first that is none of ours: it is a key. */
static int read_words(struct args *args, struct request *r)
{
	int ret;

	for (;;) {
		if (args_take(args, "--flow")) {
			r->flows = true;
			continue;
		}
		ret = args_options(args);
		if (ret)
			return ret;
		r->literal = args_take(args, "--");
		if (r->literal)
			return STATUS_OK;
		if (args_take(args, "replicas")) {
			ret = read_replicas(args, r);
			if (ret)
				return ret;
		} else if (args_take(args, "zones")) {
			r->how.flags |= CHRING_LOOKUP_ZONES;
		} else if (args_take(args, "previous")) {
			r->how.flags |= CHRING_LOOKUP_PREVIOUS;
		} else if (args_take(args, "former")) {
			r->how.formers = 1;
		} else if (args_take(args, "position")) {
			r->how.flags |= CHRING_LOOKUP_POSITION;
		} else {
			return STATUS_OK;
		}
	}
}

static int check_flows(char **text)
{
	struct flow flow;

	if (!*text)
		return misused("'--flow': expected an address after it, or an address and a port");
	for (; *text; text++)
		if (!flow_read(*text, &flow))
			return misused("flow %s: expected ADDRESS or ADDRESS:PORT, an address of IPv6 in [ ] before a port",
				       quoted_string(*text));
	return STATUS_OK;
}

static int check_keys(char **key, const struct request *r)
{
	__u64 position;

	if (r->flows)
		return check_flows(key);
	if (*key && !r->literal && !strcmp(*key, "-"))
		return misused("unexpected word %s after '-', which stands for all keys; '--' before '-' makes it a key",
			       quoted_string(key[1]));
	if (!*key)
		return misused("lookup: expected a %s, or '-' to read them from standard input",
			       r->how.flags & CHRING_LOOKUP_POSITION ?
			       "position" : "key");
	for (; *key && r->how.flags & CHRING_LOOKUP_POSITION; key++)
		if (!number_read(*key, strlen(*key), &position))
			return misused("position %s: expected a number from 0 to 2^64-1",
				       quoted_string(*key));
	return STATUS_OK;
}

static bool from_stdin(const struct args *args, const struct request *r)
{
	return !r->literal && !r->flows && args->next[0] && !args->next[1] &&
	       !strcmp(args->next[0], "-");
}

static int read_request(struct args *args, struct request *r)
{
	int ret;

	*r = (struct request){ .how.count = 1, .first = true };
	ret = args_ring(args, &r->ring);
	if (!ret)
		ret = read_words(args, r);
	if (!ret && r->how.formers && r->how.flags & CHRING_LOOKUP_PREVIOUS)
		ret = misused("'previous' shows former owners alone, 'former' beside the owners; expected one of them");
	if (!ret && r->flows && r->how.flags & CHRING_LOOKUP_POSITION)
		ret = misused("'--flow' and 'position': a key is the one or the other");
	if (!ret && !from_stdin(args, r))
		ret = check_keys(args->next, r);
	return ret;
}

static int owner_json(const struct request *r, const struct answered *a,
		      const struct chring_owner *owner, json_object *list)
{
	json_object *to = json_object_needed();
	const char *name;
	size_t len;
	int ret = chring_node_name(r->s.dev, owner->node, &name, &len);

	if (!ret)
		json_bytes(to, "node", name, len);
	else
		json_null(to, "node");
	json_u64(to, "id", owner->node);
	if (a->whole)
		json_u64(to, "cookie", owner->cookie);
	json_append(list, to);
	return ret == -ENOENT ? 0 : ret;
}

static bool position_known(const struct request *r, const struct answered *a)
{
	return r->how.flags & CHRING_LOOKUP_POSITION ||
	       (a->whole && r->sighted);
}

static int owners_json(const struct request *r, const struct answered *a,
		       const struct chring_owner *owner, __u32 count,
		       json_object *to, const char *name)
{
	json_object *list = json_array_needed();
	int ret = 0;
	__u32 i;

	for (i = 0; i < count && !ret; i++)
		ret = owner_json(r, a, &owner[i], list);
	json_member(to, name, list);
	return ret;
}

static int print_json(struct request *r, const struct answered *a)
{
	json_object *to = json_object_needed();
	int ret;

	if (!(r->how.flags & CHRING_LOOKUP_POSITION))
		json_bytes(to, "key", a->key, a->len);
	if (position_known(r, a))
		json_hash(to, "position", a->answer.position);
	ret = owners_json(r, a, a->answer.owner, a->answer.count, to, "owners");
	if (!ret && r->how.formers)
		ret = owners_json(r, a, a->answer.former, a->answer.formers, to,
				  "formers");
	if (r->how.formers)
		json_u64(to, "former_epoch", a->answer.former_epoch);
	json_u64(to, "ring", a->answer.ring);
	json_u64(to, "epoch", a->answer.epoch);
	if (ret) {
		json_object_put(to);
		return session_refused(&r->s, ret);
	}
	json_stream_item(to, &r->first);
	return STATUS_OK;
}

/* Between a tab and the next tab or the end, blanks between. */
static int owners_text(const struct request *r,
		       const struct chring_owner *owner, __u32 count)
{
	FILE *to = output();
	__u32 i;

	putc_unlocked('\t', to);
	for (i = 0; i < count; i++) {
		const char *name;
		size_t len;
		int ret = chring_node_name(r->s.dev, owner[i].node, &name,
					   &len);

		if (ret && ret != -ENOENT)
			return session_refused(&r->s, ret);
		if (i)
			putc_unlocked(' ', to);
		if (!ret)
			fwrite_unlocked(name, 1, len, to);
		else
			fprintf(to, "id:%llu", owner[i].node);
	}
	return STATUS_OK;
}

static int print_text(struct request *r, const struct answered *a)
{
	const struct chring_answer *is = &a->answer;
	int ret;

	fwrite_unlocked(a->key, 1, a->len, output());
	ret = owners_text(r, is->owner, is->count);
	if (!ret && r->how.formers)
		ret = owners_text(r, is->former, is->formers);
	putc_unlocked('\n', output());
	return ret;
}

static int print_answer(void *context, const struct answered *a)
{
	return options.json ? print_json(context, a) : print_text(context, a);
}

/* The key of a flow, as those of the ring are. */
static int flow_key(const struct request *r, const char *text,
		    const struct flow *flow, struct chring_query *query)
{
	query->key = flow->bytes;
	query->key_len = flow->address;
	if (r->keys == CHRING_KEYS_FLOW ||
	    (r->keys == CHRING_KEYS_BYTES && !flow->port))
		return STATUS_OK;
	if (!flow->port)
		return refused("flow '%s': keys of ring '%s' have a port; expected one after the address, as in %s",
			       text, r->ring,
			       flow->address == 4 ? "1.2.3.4:80" :
						    "[2001:db8::1]:80");
	query->key_len += sizeof(__u16);
	return STATUS_OK;
}

static int lookup_word(struct request *r, const char *word)
{
	struct chring_query query = r->how;
	struct answered a = { .key = word, .len = strlen(word), .whole = true };
	struct flow flow;
	int ret;

	if (r->flows) {
		flow_read(word, &flow);
		ret = flow_key(r, word, &flow, &query);
		if (ret)
			return ret;
	} else if (query.flags & CHRING_LOOKUP_POSITION) {
		/* It has been read before, so now it can be. */
		number_read(word, a.len, &query.position);
	} else {
		query.key = a.key;
		query.key_len = a.len;
	}
	ret = chring_lookup(r->s.dev, &query, &a.answer);
	return ret ? lookup_refused(&r->s, &query, ret) : print_answer(r, &a);
}

static int lookup_words(struct request *r, char **word)
{
	int ret = STATUS_OK;

	for (; *word && !ret; word++)
		ret = lookup_word(r, *word);
	return ret;
}

/* A hidden position reads 0, and so may one that is not. */
static int learn_sight(struct request *r)
{
	struct chring_summary *sum;
	const struct chring_config *c;
	int ret = chring_stats(r->s.dev, 0, &sum);

	if (ret)
		return session_refused(&r->s, ret);
	c = &sum->config;
	r->sighted = c->hash != CHRING_HASH_SIPHASH || c->seed[0] || c->seed[1];
	chring_summary_free(sum);
	return STATUS_OK;
}

/* Keys of a public ring are what who asks makes of them. */
static bool is_public(const struct request *r)
{
	return !strchr(r->ring, '/');
}

/* Are the keys of the ring flows? */
static int learn_keys(struct request *r)
{
	int ret = session_keys(&r->s, &r->keys);

	if (ret)
		return session_refused(&r->s, ret);
	if (r->keys == CHRING_KEYS_FLOW || r->keys == CHRING_KEYS_FLOW_PORT ||
	    (r->keys == CHRING_KEYS_BYTES && is_public(r)))
		return STATUS_OK;
	return refused("ring '%s': its keys are %s, not flows; look them up without '--flow'",
		       r->ring, r->keys == CHRING_KEYS_BYTES ?
		       choice_word(&keys_kinds, r->keys) : "of another kind");
}

static int run_request(struct args *args, struct request *r)
{
	int ret = r->flows ? learn_keys(r) : STATUS_OK;

	if (!ret && options.json)
		ret = learn_sight(r);
	if (ret)
		return ret;
	if (from_stdin(args, r))
		ret = stream_run(&r->s, &r->how, print_answer, r);
	else
		ret = lookup_words(r, args->next);
	/* An array without its end is not taken for the whole answer. */
	if (!ret && options.json)
		json_stream_end(r->first);
	return ret;
}

static int lookup(struct args *args)
{
	struct request r;
	bool sees_positions;
	int ret = read_request(args, &r);

	if (ret)
		return ret;
	sees_positions = options.json || r.how.flags & CHRING_LOOKUP_POSITION;
	ret = session_open(&r.s, r.ring,
			   sees_positions ? SESSION_SEE : SESSION_READ);
	if (!ret)
		ret = run_request(args, &r);
	session_close(&r.s);
	return ret;
}

const struct command lookup_commands[] = {
	{ NULL, lookup },
	{}
};
