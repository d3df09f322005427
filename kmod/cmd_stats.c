// SPDX-License-Identifier: GPL-2.0
/* The command that tells of a ring as a whole. */
#include <linux/uaccess.h>
#include <linux/xxhash.h>

#include "budget.h"
#include "chardev.h"
#include "core/balance.h"
#include "core/digest.h"

/**
 * struct shares - the shares of a view's nodes, on their way out
 * @entry: in the order of names
 * @share: by slot
 * @load: by slot
 * @name_hash: by slot
 *
 * One allocation.
 */
struct shares {
	struct chring_node_share *entry;
	struct chring_share *share;
	struct chring_load *load;
	u64 *name_hash;
};

static int shares_alloc(struct shares *s, const struct chring_roster *r)
{
	s->entry = chring_buffer_alloc(r->count * sizeof(*s->entry) +
				       r->slots * (sizeof(*s->share) +
						   sizeof(*s->load) +
						   sizeof(*s->name_hash)));
	if (IS_ERR(s->entry))
		return PTR_ERR(s->entry);
	s->share = (struct chring_share *)(s->entry + r->count);
	s->load = (struct chring_load *)(s->share + r->slots);
	s->name_hash = (u64 *)(s->load + r->slots);
	return 0;
}

static void shares_free(struct shares *s)
{
	if (!IS_ERR(s->entry))
		chring_buffer_free(s->entry);
}

/* Loads of one time, and what caps they make with the nodes of the view. */
static struct chring_bound bound_of(const struct shares *s,
				    const struct chring_view *v)
{
	struct chring_bound b = {
		.balance = v->ring->config.balance,
		.weight_sum = v->weight,
	};
	u32 slot;

	for (slot = 0; slot < v->roster->slots; slot++)
		if (chring_view_serves(v, slot))
			b.tickets += s->load[slot].load;
	return b;
}

static void fill_entries(struct shares *s, const struct chring_view *v)
{
	struct chring_bound b = bound_of(s, v);
	const struct chring_roster *r = v->roster;
	u32 i;

	for (i = 0; i < r->count; i++) {
		const struct chring_node *node = r->node[r->order[i]];

		s->entry[i] = (struct chring_node_share){
			.node = node->id,
			.share_lo = s->share[r->order[i]].lo,
			.share_hi = s->share[r->order[i]].hi,
			.tokens = node->tokens,
			.load = s->load[r->order[i]].load,
		};
		if (chring_view_serves(v, r->order[i]))
			s->entry[i].cap = chring_bound_cap(&b, node->weight);
	}
}

/* What tells of tokens, for who may know. */
static int look_at_tokens(struct shares *s, const struct chring_view *v,
			  struct chring_stats *arg)
{
	const struct chring_config *config = &v->ring->config;
	const struct chring_roster *r = v->roster;
	struct chring_share least, most;
	u64 checksum;
	u32 i;
	int ret;

	for (i = 0; i < r->count; i++) {
		const struct chring_node *node = r->node[r->order[i]];

		s->name_hash[r->order[i]] = xxh64(node->name, node->name_len, 0);
	}
	ret = chring_checksum(v->table, config, s->name_hash, &checksum);
	if (!ret)
		ret = chring_balance_extremes(v->table, config->bits, &least,
					      &most);
	if (ret)
		return ret;
	arg->out_checksum = checksum;
	arg->out_least_lo = least.lo;
	arg->out_least_hi = least.hi;
	arg->out_most_lo = most.lo;
	arg->out_most_hi = most.hi;
	return 0;
}

/* With the view held: user memory is not touched. */
static int make_shares(const struct chring_call *call, struct shares *s,
		       const struct chring_view *v)
{
	const struct chring_config *config = &call->ring->config;
	struct chring_stats *arg = &call->arg->stats;
	const struct chring_roster *r = v->roster;
	int ret;

	if (!arg->entries)
		return 0;
	if (arg->count < r->count)
		return -EMSGSIZE;
	if (!r->count)
		return 0;
	ret = shares_alloc(s, r);
	if (!ret)
		ret = chring_balance_shares(v->table, v->out, config->bits,
					    s->share);
	if (!ret && chring_call_sees_tokens(call))
		ret = look_at_tokens(s, v, arg);
	if (ret)
		return ret;
	chring_loads_copy(&call->ring->loads, r, s->load);
	fill_entries(s, v);
	return 0;
}

static void put_facts(struct chring_stats *arg, const struct chring_view *v)
{
	struct chring_facts facts = chring_view_facts(v);

	arg->out_nodes = v->nodes;
	arg->out_live = v->live;
	arg->out_collisions = v->table->collisions;
	arg->out_tokens = v->table->count;
	arg->out_bytes = chring_view_total_bytes(v);
	arg->out_ring = facts.ring;
	arg->out_epoch = facts.epoch;
	arg->out_generation = facts.generation;
	arg->out_digest = facts.digest;
	arg->out_former_epoch = v->former.epoch;
	arg->out_worst_walk = READ_ONCE(v->ring->worst_walk);
	arg->out_zones = v->zones;
	arg->out_pinned = v->pinned;
	memcpy(arg->out_name, v->ring->name, sizeof(arg->out_name));
}

static int put_config(const struct chring_call *call)
{
	const struct chring_stats *arg = &call->arg->stats;
	struct chring_config config = call->ring->config;

	if (!arg->config)
		return 0;
	if (!chring_call_sees_tokens(call))
		memset(config.seed, 0, sizeof(config.seed));
	return chring_put_entries(arg->config, arg->config_size, &config,
				  sizeof(config), 1);
}

static int check_stats(const struct chring_stats *arg)
{
	int ret = 0;

	if (arg->flags || !arg->config != !arg->config_size ||
	    !arg->entries != !arg->entry_size ||
	    (!arg->entries && arg->count))
		return -EINVAL;
	if (arg->config)
		ret = chring_check_entry(arg->config_size,
					 offsetofend(struct chring_config,
						     tickets));
	if (!ret && arg->entries)
		ret = chring_check_entry(arg->entry_size,
					 offsetofend(struct chring_node_share,
						     reserved));
	return ret;
}

int chring_cmd_stats(struct chring_call *call)
{
	struct chring_stats *arg = &call->arg->stats;
	struct shares s = {};
	struct chring_view *v;
	int ret;

	ret = check_stats(arg);
	if (ret)
		return ret;
	v = chring_ring_view_get(call->ring);
	if (!v)
		return -ENODEV;
	put_facts(arg, v);
	ret = make_shares(call, &s, v);
	chring_view_put(v);
	if (!ret)
		ret = put_config(call);
	if (!ret && s.entry)
		ret = chring_put_entries(arg->entries, arg->entry_size,
					 s.entry, sizeof(*s.entry),
					 arg->out_nodes);
	shares_free(&s);
	return ret;
}
