// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "diff.h"
#include "errors.h"
#include "output.h"

/**
 * struct move - what one node gives to another
 * @from: id of who gives; 0: nobody
 * @to: id of who gets; 0: nobody
 * @share: how much
 */
struct move {
	__u64 from;
	__u64 to;
	struct share share;
};

/**
 * struct moves - all moves
 * @move: in the order of ids
 * @count: how many
 * @all: their sum
 */
struct moves {
	struct move *move;
	size_t count;
	struct share all;
};

static int compare(const void *a, const void *b)
{
	const struct move *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return 0;
}

static void merge(struct moves *m, const struct move *move)
{
	struct move *last = m->move + m->count - 1;

	if (!m->count || compare(last, move)) {
		m->move[m->count++] = *move;
		return;
	}
	last->share.lo += move->share.lo;
	last->share.hi += move->share.hi + (last->share.lo < move->share.lo);
}

static struct moves sum_up(const struct chring_arc_list *l)
{
	struct moves m = {
		.move = needed(calloc(l->count + 1, sizeof(*m.move))),
	};
	size_t i;

	for (i = 0; i < l->count; i++) {
		const struct chring_diff_entry *e = &l->diff[i];

		m.move[i].from = e->from;
		m.move[i].to = e->to;
		share_add(&m.move[i].share, e->first, e->last);
		share_add(&m.all, e->first, e->last);
	}
	qsort(m.move, l->count, sizeof(*m.move), compare);
	for (i = 0; i < l->count; i++)
		merge(&m, &m.move[i]);
	return m;
}

static int moves_table(struct circle *c, const struct moves *m,
		       struct table *t)
{
	int ret = 0;
	size_t i;

	table_head(t, "FROM|TO|SHARE%");
	for (i = 0; i < m->count && !ret; i++) {
		ret = circle_cell_node(c, t, m->move[i].from);
		if (!ret)
			ret = circle_cell_node(c, t, m->move[i].to);
		share_cell(t, &m->move[i].share, c->bits);
	}
	return ret;
}

static int arcs_table(struct circle *c, struct table *t)
{
	int ret = 0;
	size_t i;

	table_head(t, "FIRST|LAST|SHARE%|FROM|TO");
	for (i = 0; i < c->list->count && !ret; i++) {
		const struct chring_diff_entry *e = &c->list->diff[i];
		struct share share = {};

		share_add(&share, e->first, e->last);
		table_printf(t, CIRCLE_POSITION, e->first);
		table_printf(t, CIRCLE_POSITION, e->last);
		share_cell(t, &share, c->bits);
		ret = circle_cell_node(c, t, e->from);
		if (!ret)
			ret = circle_cell_node(c, t, e->to);
	}
	return ret;
}

static void print_text(const struct circle *c, const struct moves *m,
		       struct table *moves, struct table *arcs)
{
	__u64 millionths = share_millionths(&m->all, c->bits);

	line("epoch", "%llu", c->list->epoch);
	line("former", "%llu", c->list->former_epoch);
	line("arcs", "%zu", c->list->count);
	line("moved", "%llu.%04llu%%", millionths / 10000, millionths % 10000);
	if (!m->count)
		return;
	fputc('\n', output());
	table_print(moves, output());
	fputc('\n', output());
	table_print(arcs, output());
}

int diff_text(struct circle *c)
{
	struct table moves = { .align = "llr" }, arcs = { .align = "rrrll" };
	struct moves m = sum_up(c->list);
	int ret = moves_table(c, &m, &moves);

	/* Nothing is printed before all is known. */
	if (!ret)
		ret = arcs_table(c, &arcs);
	if (!ret)
		print_text(c, &m, &moves, &arcs);
	table_free(&moves);
	table_free(&arcs);
	free(m.move);
	return ret ? circle_refused(c, ret) : STATUS_OK;
}

static int nodes_json(struct circle *c, json_object *to, __u64 from,
		      __u64 to_id)
{
	int ret = circle_json_node(c, to, "from", "from_id", from);

	return ret ? ret : circle_json_node(c, to, "to", "to_id", to_id);
}

static int moves_json(struct circle *c, const struct moves *m,
		      json_object *list)
{
	int ret = 0;
	size_t i;

	for (i = 0; i < m->count && !ret; i++) {
		json_object *to = json_object_needed();

		ret = nodes_json(c, to, m->move[i].from, m->move[i].to);
		share_json(to, &m->move[i].share);
		share_json_percent(to, &m->move[i].share, c->bits);
		json_append(list, to);
	}
	return ret;
}

static int arcs_json(struct circle *c)
{
	int ret = 0;
	size_t i;

	for (i = 0; i < c->list->count && !ret; i++) {
		const struct chring_diff_entry *e = &c->list->diff[i];
		json_object *to = json_object_needed();
		struct share share = {};

		share_add(&share, e->first, e->last);
		json_hash(to, "first", e->first);
		json_hash(to, "last", e->last);
		ret = nodes_json(c, to, e->from, e->to);
		share_json(to, &share);
		json_stream_item(to, &c->first);
	}
	return ret;
}

int diff_json(struct circle *c)
{
	json_object *head = json_object_needed(), *list = json_array_needed();
	struct moves m = sum_up(c->list);
	int ret = moves_json(c, &m, list);

	circle_json_facts(c, head);
	share_json(head, &m.all);
	share_json_percent(head, &m.all, c->bits);
	json_member(head, "moves", list);
	free(m.move);
	if (ret) {
		json_object_put(head);
		return circle_refused(c, ret);
	}
	json_stream_head(head, "arcs");
	return circle_stream(c, arcs_json(c));
}
