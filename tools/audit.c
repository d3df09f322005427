// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>

#include "audit.h"
#include "chringctl.h"
#include "errors.h"
#include "output.h"
#include "spread.h"
#include "stream.h"

/* Keys of one node. */
struct tally {
	__u64 node;
	__u64 keys;
};

/**
 * struct audit - keys by their owners
 * @s: session
 * @tally: in the order of ids; ids of nodes only grow, so a new one mostly
 *	goes to the end
 * @count: how many
 * @room: for how many there is room
 * @keys: all of them
 * @first_epoch: of the first answer
 * @last_epoch: of the last one
 */
struct audit {
	const struct session *s;
	struct tally *tally;
	size_t count;
	size_t room;
	__u64 keys;
	__u64 first_epoch;
	__u64 last_epoch;
};

/* Where the node is, or would go. */
static size_t place(const struct audit *a, __u64 node)
{
	size_t low = 0, high = a->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (a->tally[middle].node < node)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct tally *find(const struct audit *a, __u64 node)
{
	size_t at = place(a, node);

	return at < a->count && a->tally[at].node == node ? &a->tally[at] :
							    NULL;
}

static struct tally *insert(struct audit *a, __u64 node)
{
	size_t at = place(a, node), i;

	if (a->count == a->room) {
		a->room = a->room ? 2 * a->room : 64;
		a->tally = needed(realloc(a->tally,
					  a->room * sizeof(*a->tally)));
	}
	for (i = a->count++; i > at; i--)
		a->tally[i] = a->tally[i - 1];
	a->tally[at] = (struct tally){ .node = node };
	return &a->tally[at];
}

static int count_key(void *context, const struct answered *answered)
{
	const struct chring_answer *answer = &answered->answer;
	struct audit *a = context;
	struct tally *t = find(a, answer->owner[0].node);

	if (!t)
		t = insert(a, answer->owner[0].node);
	t->keys++;
	if (!a->keys++)
		a->first_epoch = answer->epoch;
	a->last_epoch = answer->epoch;
	return STATUS_OK;
}

static __u64 keys_of(const struct audit *a, __u64 node)
{
	const struct tally *t = find(a, node);

	return t ? t->keys : 0;
}

/* Nodes that own keys of this audit and are gone by now come last. */
static int add_gone(const struct audit *a, const struct chring_nodes *nodes,
		    struct spread *spread)
{
	char *known = needed(calloc(a->count + 1, 1));
	size_t i;

	for (i = 0; i < nodes->count; i++) {
		const struct tally *t = find(a, nodes->node[i].id);

		if (t)
			known[t - a->tally] = 1;
	}
	for (i = 0; i < a->count; i++) {
		struct part *p = &spread->part[spread->count];
		size_t len = 0;
		int ret;

		if (known[i])
			continue;
		p->gone = 1;
		p->node.id = a->tally[i].node;
		p->amount = a->tally[i].keys;
		ret = chring_node_name(a->s->dev, p->node.id, &p->node.name,
				       &len);
		p->node.name_len = len;
		if (ret && ret != -ENOENT) {
			free(known);
			return session_refused(a->s, ret);
		}
		spread->count++;
	}
	free(known);
	return STATUS_OK;
}

static int measure(const struct audit *a, const struct chring_nodes *nodes,
		   struct spread *spread)
{
	size_t i;
	int ret;

	*spread = (struct spread){
		.part = needed(calloc(nodes->count + a->count + 1,
				      sizeof(*spread->part))),
		.count = nodes->count,
	};
	for (i = 0; i < nodes->count; i++) {
		spread->part[i].node = nodes->node[i];
		spread->part[i].amount = keys_of(a, nodes->node[i].id);
	}
	ret = add_gone(a, nodes, spread);
	spread_measure(spread, a->keys);
	return ret;
}

static void print_text(const struct audit *a, const struct spread *s)
{
	struct table t = { .align = "llrrrrr" };
	size_t i;

	line("ring", "%s", a->s->ring);
	if (a->first_epoch == a->last_epoch)
		line("epoch", "%llu", a->last_epoch);
	else
		line("epoch", "%llu to %llu: the ring changed meanwhile",
		     a->first_epoch, a->last_epoch);
	line("keys", "%llu", a->keys);
	spread_lines(s);
	fputc('\n', output());
	table_head(&t, "NODE|STATE|WEIGHT|KEYS|SHARE%|FAIR%|RATIO");
	for (i = 0; i < s->count; i++) {
		const struct part *p = &s->part[i];

		spread_row_node(&t, p);
		table_printf(&t, "%llu", keys_of(a, p->node.id));
		table_printf(&t, "%.4f", p->percent);
		spread_row_measures(&t, p);
	}
	table_print(&t, output());
}

static void print_json(const struct audit *a, const struct chring_nodes *nodes,
		       const struct spread *s)
{
	json_object *to = json_object_needed(), *list = json_array_needed();
	size_t i;

	json_string(to, "name", a->s->ring);
	json_u64(to, "id", nodes->ring);
	json_u64(to, "first_epoch", a->first_epoch);
	json_u64(to, "epoch", a->last_epoch);
	json_u64(to, "keys", a->keys);
	spread_json(to, s);
	for (i = 0; i < s->count; i++) {
		const struct part *p = &s->part[i];
		json_object *row = json_object_needed();

		spread_json_node(row, p);
		json_u64(row, "keys", keys_of(a, p->node.id));
		json_ratio(row, "percent", p->percent);
		spread_json_measures(row, p);
		json_append(list, row);
	}
	json_member(to, "nodes", list);
	json_print(to);
}

static int report(struct audit *a)
{
	struct chring_nodes *nodes;
	struct spread spread;
	int ret = chring_node_list(a->s->dev, &nodes);

	if (ret)
		return session_refused(a->s, ret);
	/* Without keys no answer has told an epoch. */
	if (!a->keys) {
		a->first_epoch = nodes->epoch;
		a->last_epoch = nodes->epoch;
	}
	ret = measure(a, nodes, &spread);
	if (!ret && options.json)
		print_json(a, nodes, &spread);
	else if (!ret)
		print_text(a, &spread);
	free(spread.part);
	chring_nodes_free(nodes);
	return ret;
}

int audit_run(const struct session *s)
{
	const struct chring_query how = { .count = 1 };
	struct audit a = { .s = s };
	int ret = stream_run(s, &how, count_key, &a);

	if (!ret)
		ret = report(&a);
	free(a.tally);
	return ret;
}
