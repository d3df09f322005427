// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "chringctl.h"
#include "circle.h"
#include "diff.h"
#include "errors.h"
#include "output.h"

/* -- ranges */

/**
 * struct ranges - ranges as they were asked for
 * @c: circle
 * @ring: name of the ring
 * @node: name of the node, NULL: all
 * @flags: CHRING_RANGES_*
 */
struct ranges {
	struct circle c;
	const char *ring;
	const char *node;
	unsigned int flags;
};

static int read_ranges(struct args *args, struct ranges *r)
{
	int ret;

	*r = (struct ranges){};
	ret = args_ring(args, &r->ring);
	if (!ret && (args_take(args, "--") ||
		     (*args->next && strcmp(*args->next, "previous"))))
		ret = args_node(args, &r->node);
	if (!ret && args_take(args, "previous"))
		r->flags = CHRING_RANGES_PREVIOUS;
	return ret ? ret : args_end(args);
}

static int refused_node(const struct ranges *r)
{
	if (r->flags & CHRING_RANGES_PREVIOUS)
		return refused("node %s: ring '%s' has no such node, or had none before; 'chringctl ranges %s previous' shows those it had",
			       quoted_string(r->node), r->ring, r->ring);
	return refused("node %s: ring '%s' has no such node; 'chringctl node list %s' shows those there are",
		       quoted_string(r->node), r->ring, r->ring);
}

static int find_node(const struct ranges *r, __u64 *id)
{
	struct chring_nodes *nodes;
	size_t len, i;
	int ret;

	if (!r->node)
		return STATUS_OK;
	ret = chring_node_list(r->c.s.dev, &nodes);
	if (ret)
		return session_refused(&r->c.s, ret);
	len = strlen(r->node);
	for (i = 0; i < nodes->count; i++)
		if (nodes->node[i].name_len == len &&
		    !memcmp(nodes->node[i].name, r->node, len))
			*id = nodes->node[i].id;
	chring_nodes_free(nodes);
	return *id ? STATUS_OK : refused_node(r);
}

static struct share range_share(const struct chring_range *range)
{
	return (struct share){ range->share_lo, range->share_hi };
}

static int ranges_text(struct circle *c)
{
	struct table t = { .align = "rrrl" };
	int ret = 0;
	size_t i;

	table_head(&t, "FIRST|LAST|SHARE%|NODE");
	for (i = 0; i < c->list->count && !ret; i++) {
		const struct chring_range *range = &c->list->range[i];
		const struct share share = range_share(range);

		table_printf(&t, CIRCLE_POSITION, range->first);
		table_printf(&t, CIRCLE_POSITION, range->last);
		share_cell(&t, &share, c->bits);
		ret = circle_cell_node(c, &t, range->node);
	}
	return circle_table(c, &t, ret);
}

static int ranges_json(struct circle *c)
{
	json_object *head = json_object_needed();
	int ret = 0;
	size_t i;

	circle_json_facts(c, head);
	json_stream_head(head, "ranges");
	for (i = 0; i < c->list->count && !ret; i++) {
		const struct chring_range *range = &c->list->range[i];
		const struct share share = range_share(range);
		json_object *to = json_object_needed();

		json_hash(to, "first", range->first);
		json_hash(to, "last", range->last);
		share_json(to, &share);
		share_json_percent(to, &share, c->bits);
		ret = circle_json_node(c, to, "node", "id", range->node);
		json_stream_item(to, &c->first);
	}
	return circle_stream(c, ret);
}

static int show_ranges(struct ranges *r)
{
	__u64 id = 0;
	int ret = find_node(r, &id);

	if (ret)
		return ret;
	ret = chring_ranges(r->c.s.dev, r->flags, id, &r->c.list);
	if (ret == -ENOENT)
		return refused_node(r);
	if (ret)
		return circle_refused(&r->c, ret);
	return options.json ? ranges_json(&r->c) : ranges_text(&r->c);
}

static int ranges(struct args *args)
{
	struct ranges r;
	int ret = read_ranges(args, &r);

	if (ret)
		return ret;
	ret = circle_open(&r.c, r.ring);
	if (!ret)
		ret = show_ranges(&r);
	circle_close(&r.c);
	return ret;
}

/* -- tokens */

static int tokens_text(struct circle *c)
{
	struct table t = { .align = "rl" };
	int ret = 0;
	size_t i;

	table_head(&t, "POSITION|NODE");
	for (i = 0; i < c->list->count && !ret; i++) {
		table_printf(&t, CIRCLE_POSITION, c->list->token[i].position);
		ret = circle_cell_node(c, &t, c->list->token[i].node);
	}
	return circle_table(c, &t, ret);
}

static int tokens_json(struct circle *c)
{
	json_object *head = json_object_needed();
	int ret = 0;
	size_t i;

	circle_json_facts(c, head);
	json_stream_head(head, "tokens");
	for (i = 0; i < c->list->count && !ret; i++) {
		json_object *to = json_object_needed();

		json_hash(to, "position", c->list->token[i].position);
		ret = circle_json_node(c, to, "node", "id",
				       c->list->token[i].node);
		json_stream_item(to, &c->first);
	}
	return circle_stream(c, ret);
}

static int show_tokens(struct circle *c)
{
	int ret = chring_tokens(c->s.dev, &c->list);

	if (ret)
		return circle_refused(c, ret);
	return options.json ? tokens_json(c) : tokens_text(c);
}

static int show_diff(struct circle *c)
{
	int ret = chring_diff(c->s.dev, &c->list);

	if (ret)
		return circle_refused(c, ret);
	return options.json ? diff_json(c) : diff_text(c);
}

static int of_ring(struct args *args, int (*show)(struct circle *c))
{
	struct circle c;
	const char *ring;
	int ret = args_ring(args, &ring);

	if (!ret)
		ret = args_end(args);
	if (ret)
		return ret;
	ret = circle_open(&c, ring);
	if (!ret)
		ret = show(&c);
	circle_close(&c);
	return ret;
}

static int tokens(struct args *args)
{
	return of_ring(args, show_tokens);
}

static int diff(struct args *args)
{
	return of_ring(args, show_diff);
}

const struct command ranges_commands[] = {
	{ NULL, ranges },
	{}
};

const struct command diff_commands[] = {
	{ NULL, diff },
	{}
};

const struct command tokens_commands[] = {
	{ NULL, tokens },
	{}
};
