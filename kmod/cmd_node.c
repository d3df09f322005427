// SPDX-License-Identifier: GPL-2.0
/* Commands on nodes. */
#include <linux/uaccess.h>

#include "budget.h"
#include "chardev.h"
#include "listing.h"

/**
 * struct node_call - a change of one node, with the call that it answers
 * @rq: frame
 * @call: call
 * @edit: the change
 * @name: bytes of the node's name
 * @zone: bytes of the zone's name
 */
struct node_call {
	struct chring_request rq;
	struct chring_call *call;
	struct chring_edit edit;
	char name[CHRING_NAME_MAX];
	char zone[CHRING_NAME_MAX];
};

static void put_facts(struct chring_node_change *arg,
		      const struct chring_facts *facts)
{
	arg->out_ring = facts->ring;
	arg->out_epoch = facts->epoch;
	arg->out_generation = facts->generation;
	arg->out_digest = facts->digest;
}

static int answer_node(struct chring_request *rq)
{
	struct node_call *c = container_of(rq, struct node_call, rq);
	struct chring_node_change *arg = &c->call->arg->node_change;
	int ret = 0;

	put_facts(arg, &rq->facts);
	arg->out_node = rq->node;
	if (rq->dry_run)
		ret = chring_dry_run_answer(&arg->dry, &rq->moves);
	return ret ? ret : chring_call_answer(c->call);
}

static int get_name(struct node_call *c, const struct chring_node_change *arg)
{
	int ret;

	if (arg->node)
		return arg->name || arg->name_len ? -EINVAL : 0;
	ret = chring_get_name(c->name, arg->name, arg->name_len,
			      CHRING_NAME_MAX);
	return ret ? ret : chring_name_check(c->name, arg->name_len);
}

static int get_zone(struct node_call *c, const struct chring_node_change *arg)
{
	int ret;

	if (!arg->zone_len)
		return arg->zone ? -EINVAL : 0;
	ret = chring_get_name(c->zone, arg->zone, arg->zone_len,
			      CHRING_NAME_MAX);
	return ret ? ret : chring_name_check(c->zone, arg->zone_len);
}

/* What is not to be set must not be there. */
static int check_unset(const struct chring_node_change *arg, u32 set)
{
	if ((!(set & CHRING_NODE_WEIGHT) && arg->weight) ||
	    (!(set & CHRING_NODE_STATE) && arg->state) ||
	    (!(set & CHRING_NODE_ZONE) && (arg->zone || arg->zone_len)) ||
	    (!(set & CHRING_NODE_COOKIE) && arg->cookie))
		return -EINVAL;
	return 0;
}

static int check_values(const struct chring_node_change *arg)
{
	if (arg->weight > CHRING_WEIGHT_MAX)
		return -ERANGE;
	if (arg->state > CHRING_STATE_DOWN)
		return -EINVAL;
	return 0;
}

static int get_edit(struct node_call *c, const struct chring_node_change *arg,
		    u32 set)
{
	int ret;

	ret = check_unset(arg, set);
	if (!ret)
		ret = check_values(arg);
	if (!ret)
		ret = get_name(c, arg);
	if (!ret)
		ret = get_zone(c, arg);
	c->edit = (struct chring_edit){
		.flags = set,
		.node = arg->node,
		.name = c->name,
		.name_len = arg->name_len,
		.zone = c->zone,
		.zone_len = arg->zone_len,
		.weight = arg->weight,
		.state = arg->state,
		.cookie = arg->cookie,
	};
	return ret;
}

typedef int change_fn(struct chring_ring *ring, const struct chring_edit *edit,
		      struct chring_request *rq);

static int node_change(struct chring_call *call, u32 set, change_fn *change)
{
	struct chring_node_change *arg = &call->arg->node_change;
	struct node_call c;
	int ret;

	c.call = call;
	c.rq = (struct chring_request){
		.epoch = arg->epoch,
		.generation = arg->generation,
		.dry_run = arg->flags & CHRING_DRY_RUN,
		.answer = answer_node,
	};
	ret = get_edit(&c, arg, set);
	if (ret)
		return ret;
	ret = change(call->ring, &c.edit, &c.rq);
	if (ret) {
		put_facts(arg, &c.rq.facts);
		arg->out_node = 0;
	}
	return ret;
}

static int check_dry_run(struct chring_node_change *arg)
{
	return chring_dry_run_check(&arg->dry, arg->flags & CHRING_DRY_RUN);
}

int chring_cmd_node_add(struct chring_call *call)
{
	struct chring_node_change *arg = &call->arg->node_change;
	int ret = check_dry_run(arg);

	if (ret)
		return ret;
	if (arg->flags & ~CHRING_DRY_RUN || arg->node)
		return -EINVAL;
	return node_change(call, CHRING_NODE_ALL, chring_ring_node_add);
}

int chring_cmd_node_set(struct chring_call *call)
{
	const struct chring_node_change *arg = &call->arg->node_change;

	u32 set = arg->flags & ~CHRING_DRY_RUN;

	if (!set || set & ~CHRING_NODE_ALL)
		return -EINVAL;
	return node_change(call, set, chring_ring_node_set);
}

int chring_cmd_node_del(struct chring_call *call)
{
	struct chring_node_change *arg = &call->arg->node_change;
	int ret = check_dry_run(arg);

	if (ret)
		return ret;
	if (arg->flags & ~CHRING_DRY_RUN)
		return -EINVAL;
	return node_change(call, 0, chring_ring_node_del);
}

/* An answer of NODE_LIST on its way out. */
struct listing {
	struct chring_node_entry *entry;
	char *strings;
	size_t entry_bytes;
	u32 count;
	u32 strings_size;
};

static size_t listing_bytes(const struct listing *l)
{
	return l->entry_bytes + l->strings_size;
}

/* With the view held: user memory is not touched. */
static int make_listing(struct listing *l, struct chring_node_list *arg,
			const struct chring_view *v)
{
	struct chring_facts facts = chring_view_facts(v);
	void *p;

	arg->out_ring = facts.ring;
	arg->out_epoch = facts.epoch;
	arg->out_generation = facts.generation;
	arg->out_digest = facts.digest;
	l->count = arg->out_count = v->roster->count;
	l->strings_size = arg->out_strings_size = chring_list_strings(v);
	l->entry_bytes = l->count * sizeof(*l->entry);
	if (arg->count < l->count || arg->strings_size < l->strings_size)
		return -EMSGSIZE;
	if (!l->count)
		return 0;
	p = chring_buffer_alloc(listing_bytes(l));
	if (IS_ERR(p))
		return PTR_ERR(p);
	l->entry = p;
	l->strings = p + l->entry_bytes;
	chring_list_nodes(v, l->entry, l->strings);
	return 0;
}

static int put_listing(const struct listing *l,
		       const struct chring_node_list *arg)
{
	if (copy_to_user(u64_to_user_ptr(arg->strings), l->strings,
			 l->strings_size))
		return -EFAULT;
	return chring_put_entries(arg->entries, arg->entry_size, l->entry,
				  sizeof(*l->entry), l->count);
}

int chring_cmd_node_list(struct chring_call *call)
{
	struct chring_node_list *arg = &call->arg->node_list;
	struct listing l = {};
	struct chring_view *v;
	int ret;

	if (arg->flags)
		return -EINVAL;
	ret = chring_check_entry(arg->entry_size,
				 offsetofend(struct chring_node_entry, bit));
	if (ret)
		return ret;
	v = chring_ring_view_get(call->ring);
	if (!v)
		return -ENODEV;
	ret = make_listing(&l, arg, v);
	chring_view_put(v);
	if (!ret && l.count)
		ret = put_listing(&l, arg);
	chring_buffer_free(l.entry);
	return ret;
}
