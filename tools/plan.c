// SPDX-License-Identifier: GPL-2.0
#include <errno.h>

#include "errors.h"
#include "plan.h"
#include "share.h"

/* What it is a share of. */
static int ring_bits(const struct planned *p, __u32 *bits)
{
	struct chring_summary *sum;
	int ret = chring_stats(p->s->dev, 0, &sum);

	if (ret)
		return ret;
	*bits = sum->config.bits;
	chring_summary_free(sum);
	return 0;
}

/* The name of a node, NULL if it is not to be had; or an error. */
static int node_name(const struct planned *p, __u64 id, const char **name,
		     size_t *len)
{
	int ret;

	*name = p->name;
	*len = p->len;
	if (p->name && id == p->out->node)
		return 0;
	ret = chring_node_name(p->s->dev, id, name, len);
	if (ret == -ENOENT)
		*name = NULL;
	return ret == -ENOENT ? 0 : ret;
}

static int cell_node(const struct planned *p, struct table *t, __u64 id)
{
	const char *name;
	size_t len;
	int ret;

	if (!id) {
		table_printf(t, "-");
		return 0;
	}
	ret = node_name(p, id, &name, &len);
	if (ret)
		return ret;
	if (name)
		table_bytes(t, name, len);
	else
		table_printf(t, "id:%llu", id);
	return 0;
}

static struct share share_of(const struct chring_transfer *t)
{
	return (struct share){ t->share_lo, t->share_hi };
}

static int transfers_table(const struct planned *p, struct table *t, __u32 bits)
{
	int ret = 0;
	size_t i;

	table_head(t, "FROM|TO|SHARE%");
	for (i = 0; i < p->plan->count && !ret; i++) {
		const struct chring_transfer *move = &p->plan->transfer[i];
		const struct share share = share_of(move);

		ret = cell_node(p, t, move->from);
		if (!ret)
			ret = cell_node(p, t, move->to);
		share_cell(t, &share, bits);
	}
	return ret;
}

static void print_text(const struct planned *p, struct table *t, __u32 bits)
{
	const struct share moved = { p->plan->moved_lo, p->plan->moved_hi };
	__u64 millionths = share_millionths(&moved, bits);

	line("epoch", "%llu", p->out->epoch);
	line("digest", "0x%016llx", p->out->digest);
	line("moved", "%llu.%04llu%%", millionths / 10000, millionths % 10000);
	if (!p->plan->count)
		return;
	fputc('\n', output());
	table_print(t, output());
}

int plan_text(const struct planned *p)
{
	struct table t = { .align = "llr" };
	__u32 bits;
	int ret = ring_bits(p, &bits);

	/* Nothing is printed before all is known. */
	if (!ret)
		ret = transfers_table(p, &t, bits);
	if (!ret)
		print_text(p, &t, bits);
	table_free(&t);
	return ret ? session_refused(p->s, ret) : STATUS_OK;
}

static int json_node(const struct planned *p, json_object *to, const char *key,
		     const char *id_key, __u64 id)
{
	const char *name = NULL;
	size_t len;
	int ret = id ? node_name(p, id, &name, &len) : 0;

	if (ret)
		return ret;
	if (name)
		json_bytes(to, key, name, len);
	else
		json_null(to, key);
	if (id)
		json_u64(to, id_key, id);
	else
		json_null(to, id_key);
	return 0;
}

static int transfers_json(const struct planned *p, json_object *list,
			  __u32 bits)
{
	int ret = 0;
	size_t i;

	for (i = 0; i < p->plan->count && !ret; i++) {
		const struct chring_transfer *move = &p->plan->transfer[i];
		const struct share share = share_of(move);
		json_object *to = json_object_needed();

		ret = json_node(p, to, "from", "from_id", move->from);
		if (!ret)
			ret = json_node(p, to, "to", "to_id", move->to);
		share_json(to, &share);
		share_json_percent(to, &share, bits);
		json_append(list, to);
	}
	return ret;
}

int plan_json(const struct planned *p, json_object *to)
{
	const struct share moved = { p->plan->moved_lo, p->plan->moved_hi };
	json_object *list = json_array_needed();
	__u32 bits;
	int ret = ring_bits(p, &bits);

	if (!ret) {
		share_json(to, &moved);
		share_json_percent(to, &moved, bits);
		ret = transfers_json(p, list, bits);
	}
	json_member(to, "moves", list);
	return ret ? session_refused(p->s, ret) : STATUS_OK;
}
