// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "audit.h"
#include "chringctl.h"
#include "errors.h"
#include "output.h"
#include "share.h"
#include "spread.h"

/* A ring that changes between all of so many pairs of questions is odd. */
#define TRIES		1000

/**
 * struct picture - a ring and its nodes at one epoch
 * @sum: with shares
 * @nodes: in the same order
 */
struct picture {
	struct chring_summary *sum;
	struct chring_nodes *nodes;
};

static void picture_free(struct picture *p)
{
	chring_summary_free(p->sum);
	chring_nodes_free(p->nodes);
	*p = (struct picture){};
}

static int picture_try(const struct session *s, struct picture *p)
{
	int ret = chring_node_list(s->dev, &p->nodes);

	if (!ret)
		ret = chring_stats(s->dev, CHRING_STATS_SHARES, &p->sum);
	if (!ret && p->nodes->epoch != p->sum->epoch)
		ret = -EAGAIN;
	if (ret)
		picture_free(p);
	return ret;
}

static int picture_get(const struct session *s, struct picture *p)
{
	int tries, ret = -EAGAIN;

	*p = (struct picture){};
	for (tries = 0; tries < TRIES && ret == -EAGAIN; tries++)
		ret = picture_try(s, p);
	if (ret == -EAGAIN)
		return refused("ring '%s': it changes faster than it can be shown; try again",
			       s->ring);
	return ret ? session_refused(s, ret) : STATUS_OK;
}

static struct share share_of(const struct chring_node_share *share)
{
	return (struct share){ share->share_lo, share->share_hi };
}

static void measure(const struct picture *p, struct spread *s)
{
	size_t i;

	*s = (struct spread){
		.part = needed(calloc(p->nodes->count + 1, sizeof(*s->part))),
		.count = p->nodes->count,
	};
	for (i = 0; i < s->count; i++) {
		const struct chring_node_share *share = &p->sum->share[i];

		s->part[i].node = p->nodes->node[i];
		s->part[i].amount = ldexp(share->share_hi, 64) +
				    share->share_lo;
	}
	spread_measure(s, p->sum->live ? ldexp(1, p->sum->config.bits) : 0);
}

/* Without a cap a node may bear any load, or gets none. */
static void print_load(struct table *t, const struct chring_node_share *share)
{
	table_printf(t, "%llu", share->load);
	if (share->cap)
		table_printf(t, "%llu", share->cap);
	else
		table_printf(t, "-");
}

/* In percent of the mean: what a token of even ones would have. */
static void arc_line(const char *name, const struct chring_summary *sum,
		     __u64 lo, __u64 hi)
{
	double arc = ldexp(hi, 64) + lo;

	if (arc > 0)
		line(name, "%.6f of the mean", arc * sum->tokens /
		     ldexp(1, sum->config.bits));
	else
		line(name, "-");
}

static void print_text(const struct picture *p, const struct spread *s)
{
	const struct chring_summary *sum = p->sum;
	struct table t = { .align = "llrrrrrrr" };
	size_t i;

	line("ring", "%s", sum->name);
	line("epoch", "%llu", sum->epoch);
	line("digest", "0x%016llx", sum->digest);
	line("nodes", "%u", sum->nodes);
	line("live", "%u", sum->live);
	line("tokens", "%llu", sum->tokens);
	line("collisions", "%u", sum->collisions);
	line("memory", "%llu bytes", sum->bytes);
	line("zones", "%u", sum->zones);
	if (sum->former_epoch)
		line("former", "%llu%s", sum->former_epoch,
		     sum->pinned ? ", pinned" : "");
	line("worst walk", "%u", sum->worst_walk);
	arc_line("least arc", sum, sum->least_lo, sum->least_hi);
	arc_line("most arc", sum, sum->most_lo, sum->most_hi);
	spread_lines(s);
	fputc('\n', output());
	table_head(&t, "NODE|STATE|WEIGHT|TOKENS|SHARE%|FAIR%|RATIO|LOAD|CAP");
	for (i = 0; i < s->count; i++) {
		const struct share share = share_of(&sum->share[i]);

		spread_row_node(&t, &s->part[i]);
		table_printf(&t, "%u", sum->share[i].tokens);
		share_cell(&t, &share, sum->config.bits);
		spread_row_measures(&t, &s->part[i]);
		print_load(&t, &sum->share[i]);
	}
	table_print(&t, output());
}

static json_object *nodes_json(const struct picture *p, const struct spread *s)
{
	json_object *list = json_array_needed();
	size_t i;

	for (i = 0; i < s->count; i++) {
		const struct share share = share_of(&p->sum->share[i]);
		const struct part *part = &s->part[i];
		json_object *to = json_object_needed();

		spread_json_node(to, part);
		json_u32(to, "tokens", p->sum->share[i].tokens);
		share_json(to, &share);
		json_ratio(to, "percent", part->percent);
		spread_json_measures(to, part);
		json_u64(to, "load", p->sum->share[i].load);
		json_u64(to, "cap", p->sum->share[i].cap);
		json_append(list, to);
	}
	return list;
}

static void print_json(const struct picture *p, const struct spread *s)
{
	const struct chring_summary *sum = p->sum;
	const struct share least = { sum->least_lo, sum->least_hi };
	const struct share most = { sum->most_lo, sum->most_hi };
	json_object *to = json_object_needed();

	json_string(to, "name", sum->name);
	json_u64(to, "id", sum->ring);
	json_u64(to, "epoch", sum->epoch);
	json_u64(to, "generation", sum->generation);
	json_hash(to, "digest", sum->digest);
	json_hash(to, "checksum", sum->checksum);
	json_u32(to, "bits", sum->config.bits);
	json_u32(to, "live", sum->live);
	json_u64(to, "tokens", sum->tokens);
	json_u32(to, "collisions", sum->collisions);
	json_u64(to, "bytes", sum->bytes);
	json_u32(to, "zones", sum->zones);
	json_u64(to, "former_epoch", sum->former_epoch);
	json_member(to, "pinned", json_object_new_boolean(sum->pinned));
	json_u32(to, "worst_walk", sum->worst_walk);
	share_json_as(to, "least_arc", &least);
	share_json_as(to, "most_arc", &most);
	spread_json(to, s);
	json_member(to, "nodes", nodes_json(p, s));
	json_print(to);
}

static int show_stats(const struct session *s)
{
	struct picture p;
	struct spread spread;
	int ret = picture_get(s, &p);

	if (ret)
		return ret;
	measure(&p, &spread);
	if (options.json)
		print_json(&p, &spread);
	else
		print_text(&p, &spread);
	free(spread.part);
	picture_free(&p);
	return STATUS_OK;
}

static int stats(struct args *args)
{
	struct session s;
	const char *ring;
	bool audit = false;
	int ret = args_ring(args, &ring);

	if (!ret)
		ret = args_options(args);
	if (ret)
		return ret;
	audit = args_take(args, "-");
	ret = args_end(args);
	if (ret)
		return ret;
	/* The checksum of a keyed ring is for those who may change it. */
	ret = session_open(&s, ring, audit ? SESSION_READ : SESSION_SEE);
	if (!ret)
		ret = audit ? audit_run(&s) : show_stats(&s);
	session_close(&s);
	return ret;
}

const struct command stats_commands[] = {
	{ NULL, stats },
	{}
};
