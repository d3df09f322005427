// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "chringctl.h"
#include "choices.h"
#include "errors.h"
#include "output.h"
#include "plan.h"
#include "session.h"
#include "table.h"

/**
 * struct change - a change of a node, as it was asked for
 * @ring: name of the ring
 * @edit: the change
 * @weight: of the node
 * @adds: the node is a new one
 * @plan: of a dry run
 */
struct change {
	const char *ring;
	struct chring_edit edit;
	__u64 weight;
	bool adds;
	struct chring_plan *plan;
};

static int read_names(struct args *args, struct change *c)
{
	int ret;

	*c = (struct change){ .weight = 1 };
	ret = args_ring(args, &c->ring);
	if (!ret)
		ret = args_node(args, &c->edit.name);
	if (!ret)
		c->edit.name_len = strlen(c->edit.name);
	return ret;
}

static int read_conditions(struct args *args, struct change *c)
{
	const struct word words[] = {
		WORD_NUMBER("generation", &c->edit.generation, 1, ~0ULL),
		WORD_NUMBER("epoch", &c->edit.epoch, 1, ~0ULL),
		WORD_ALONE("dry-run"),
	};
	__u32 given;
	int ret = words_read(args, words, ARRAY_SIZE(words), &given);

	if (given & 1U << 2)
		c->edit.plan = &c->plan;
	return ret;
}

/* The first four words stand for the bits of CHRING_NODE_*. */
static int read_change(struct args *args, struct change *c)
{
	const struct word words[] = {
		WORD_NUMBER("weight", &c->weight, 0, CHRING_WEIGHT_MAX),
		WORD_CHOICE("state", &c->edit.state, &states),
		WORD("zone", word_zone, &c->edit.zone),
		WORD_NUMBER("cookie", &c->edit.cookie, 0, ~0ULL),
		WORD_NUMBER("generation", &c->edit.generation, 1, ~0ULL),
		WORD_NUMBER("epoch", &c->edit.epoch, 1, ~0ULL),
		WORD_ALONE("dry-run"),
	};
	__u32 given;
	int ret = words_read(args, words, ARRAY_SIZE(words), &given);

	if (ret)
		return ret;
	if (given & 1U << 6)
		c->edit.plan = &c->plan;
	if (given & 1U << 0)
		c->edit.set |= CHRING_NODE_WEIGHT;
	if (given & 1U << 1)
		c->edit.set |= CHRING_NODE_STATE;
	if (given & 1U << 2)
		c->edit.set |= CHRING_NODE_ZONE;
	if (given & 1U << 3)
		c->edit.set |= CHRING_NODE_COOKIE;
	c->edit.weight = c->weight;
	if (c->edit.zone)
		c->edit.zone_len = strlen(c->edit.zone);
	return STATUS_OK;
}

static int refused_tokens(const struct change *c,
			  const struct chring_summary *sum, __u32 limit)
{
	const struct chring_config *config = &sum->config;
	__u64 tokens = (__u64)c->edit.weight * config->vnodes;

	tokens = tokens / config->unit + !!(tokens % config->unit);
	return refused("node %s: weight %u x vnodes %u / unit %u = %llu tokens, and ring '%s' has %llu of at most %u now; use less weight, or raise the module's parameter max_tokens",
		       quoted_string(c->edit.name), c->edit.weight,
		       config->vnodes, config->unit, tokens, c->ring,
		       sum->tokens, limit);
}

/* A limit of nodes or of tokens: the kernel asks for nodes first. */
static int refused_space(const struct session *s, const struct change *c)
{
	struct chring_summary *sum;
	struct chring_info info;
	int status;

	if (chring_info(s->dev, &info) || chring_stats(s->dev, 0, &sum))
		return refused("node %s: ring '%s' has no room for it",
			       quoted_string(c->edit.name), c->ring);
	if (!c->edit.set && sum->nodes >= CHRING_NODES_MAX)
		status = refused("node %s: ring '%s' has %u nodes, and more there cannot be; delete some, or use another ring",
				 quoted_string(c->edit.name), c->ring,
				 sum->nodes);
	else
		status = refused_tokens(c, sum, info.out_max_tokens);
	chring_summary_free(sum);
	return status;
}

static int refused_change(const struct session *s, const struct change *c,
			  const struct chring_outcome *out, int err)
{
	const char *node = quoted_string(c->edit.name);

	switch (-err) {
	case EEXIST:
		return refused("node %s: ring '%s' has it already; 'chringctl node set' changes it",
			       node, c->ring);
	case ENOENT:
		return refused("node %s: ring '%s' has no such node; 'chringctl node list %s' shows those there are",
			       node, c->ring, c->ring);
	case ENOSPC:
		return refused_space(s, c);
	case ESTALE:
		return refused("node %s: ring '%s' is at epoch %llu, not %llu; nothing was changed",
			       node, c->ring, out->epoch, c->edit.epoch);
	case ERANGE:
		return refused("node %s: ring '%s' is at generation %llu, and it never falls; expected that or more, not %llu",
			       node, c->ring, out->generation,
			       c->edit.generation);
	default:
		return session_refused(s, err);
	}
}

static json_object *outcome_json(const struct change *c,
				 const struct chring_outcome *out)
{
	json_object *to = json_object_needed();

	json_bytes(to, "name", c->edit.name, c->edit.name_len);
	/* The id that a new node would have is nothing to go by. */
	if (c->plan && c->adds)
		json_null(to, "id");
	else
		json_u64(to, "id", out->node);
	json_u64(to, "ring", out->ring);
	json_u64(to, "epoch", out->epoch);
	json_u64(to, "generation", out->generation);
	json_hash(to, "digest", out->digest);
	return to;
}

static int print_plan(const struct session *s, const struct change *c,
		      const struct chring_outcome *out)
{
	const struct planned p = {
		.s = s,
		.plan = c->plan,
		.out = out,
		.name = c->adds ? c->edit.name : NULL,
		.len = c->edit.name_len,
	};
	json_object *to;
	int ret;

	if (!options.json)
		return plan_text(&p);
	to = outcome_json(c, out);
	ret = plan_json(&p, to);
	if (ret)
		json_object_put(to);
	else
		json_print(to);
	return ret;
}

static int print_outcome(const struct session *s, const struct change *c,
			 const struct chring_outcome *out)
{
	if (c->plan)
		return print_plan(s, c, out);
	if (options.json)
		json_print(outcome_json(c, out));
	return STATUS_OK;
}

typedef int change_fn(struct chring *dev, const struct chring_edit *edit,
		      struct chring_outcome *out);

static int make_change(const struct change *c, change_fn *fn)
{
	struct chring_outcome out;
	struct session s;
	int ret = session_open(&s, c->ring, SESSION_CHANGE);

	if (!ret) {
		ret = fn(s.dev, &c->edit, &out);
		if (ret)
			ret = refused_change(&s, c, &out, ret);
		else
			ret = print_outcome(&s, c, &out);
		chring_plan_free(c->plan);
	}
	session_close(&s);
	return ret;
}

static int node_add(struct args *args)
{
	struct change c;
	int ret = read_names(args, &c);

	c.adds = true;
	if (!ret)
		ret = read_change(args, &c);
	return ret ? ret : make_change(&c, chring_node_add);
}

static int node_set(struct args *args)
{
	struct change c;
	int ret = read_names(args, &c);

	if (!ret)
		ret = read_change(args, &c);
	if (ret)
		return ret;
	if (!c.edit.set)
		return misused("node %s: nothing to set; expected weight, state, zone or cookie",
			       quoted_string(c.edit.name));
	return make_change(&c, chring_node_set);
}

static int node_del(struct args *args)
{
	struct change c;
	int ret = read_names(args, &c);

	if (!ret)
		ret = read_conditions(args, &c);
	return ret ? ret : make_change(&c, chring_node_del);
}

static json_object *node_json(const struct chring_node *n)
{
	json_object *to = json_object_needed();

	json_bytes(to, "name", n->name, n->name_len);
	json_u64(to, "id", n->id);
	json_string(to, "state", choice_word(&states, n->state));
	json_u32(to, "weight", n->weight);
	json_bytes(to, "zone", n->zone, n->zone_len);
	json_u64(to, "cookie", n->cookie);
	json_u32(to, "tokens", n->tokens);
	return to;
}

static void print_json(const struct chring_nodes *nodes)
{
	json_object *to = json_object_needed(), *list = json_array_needed();
	size_t i;

	json_u64(to, "ring", nodes->ring);
	json_u64(to, "epoch", nodes->epoch);
	json_u64(to, "generation", nodes->generation);
	json_hash(to, "digest", nodes->digest);
	for (i = 0; i < nodes->count; i++)
		json_append(list, node_json(&nodes->node[i]));
	json_member(to, "nodes", list);
	json_print(to);
}

static void print_text(const struct chring_nodes *nodes)
{
	struct table t = { .align = "llrlrrr" };
	size_t i;

	table_head(&t, "NODE|STATE|WEIGHT|ZONE|COOKIE|TOKENS|ID");
	for (i = 0; i < nodes->count; i++) {
		const struct chring_node *n = &nodes->node[i];

		table_bytes(&t, n->name, n->name_len);
		table_printf(&t, "%s", choice_word(&states, n->state));
		table_printf(&t, "%u", n->weight);
		table_bytes(&t, n->zone, n->zone_len);
		table_printf(&t, "0x%llx", n->cookie);
		table_printf(&t, "%u", n->tokens);
		table_printf(&t, "%llu", n->id);
	}
	table_print(&t, output());
}

static int list_nodes(const struct session *s)
{
	struct chring_nodes *nodes;
	int ret = chring_node_list(s->dev, &nodes);

	if (ret)
		return session_refused(s, ret);
	if (options.json)
		print_json(nodes);
	else
		print_text(nodes);
	chring_nodes_free(nodes);
	return STATUS_OK;
}

static int node_list(struct args *args)
{
	const char *ring;
	struct session s;
	int ret = args_ring(args, &ring);

	if (!ret)
		ret = args_end(args);
	if (ret)
		return ret;
	ret = session_open(&s, ring, SESSION_READ);
	if (!ret)
		ret = list_nodes(&s);
	session_close(&s);
	return ret;
}

const struct command node_commands[] = {
	{ "add", node_add },
	{ "set", node_set },
	{ "del", node_del },
	{ "list", node_list },
	{}
};
