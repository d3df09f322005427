// SPDX-License-Identifier: GPL-2.0
/* Functions of libchring that change: rings, nodes, whole memberships, pins. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "handle.h"

/* Room that the first try of a dry run has. */
#define TRANSFERS_FIRST	256

int chring_ring_create(struct chring *c, const char *name,
		       const struct chring_config *config, __u64 *id)
{
	struct chring_ring_create arg = {
		.size = sizeof(arg),
		.name = handle_pointer(name),
		.name_len = strlen(name),
		.config_size = config ? sizeof(*config) : 0,
		.config = handle_pointer(config),
	};
	int ret = handle_command(c, CHRING_IOC_RING_CREATE, &arg);

	if (!ret && id)
		*id = arg.out_ring;
	return ret;
}

int chring_ring_delete(struct chring *c, const char *name, __u64 *id)
{
	struct chring_ring_name arg = {
		.size = sizeof(arg),
		.name = handle_pointer(name),
		.name_len = strlen(name),
	};
	int ret = handle_command(c, CHRING_IOC_RING_DELETE, &arg);

	if (!ret && id)
		*id = arg.out_ring;
	return ret;
}

/* Of a change of any kind: their arguments answer by the same names. */
#define OUTCOME(arg)							\
	((struct chring_outcome){					\
		.ring = (arg).out_ring,					\
		.epoch = (arg).out_epoch,				\
		.generation = (arg).out_generation,			\
		.digest = (arg).out_digest,				\
	})

void chring_plan_free(struct chring_plan *plan)
{
	free(plan);
}

static struct chring_plan *plan_alloc(struct chring_dry_run *dry, size_t room)
{
	struct chring_plan *p = calloc(1, sizeof(*p) +
					  room * sizeof(*p->transfer));

	if (p)
		p->transfer = (struct chring_transfer *)(p + 1);
	*dry = (struct chring_dry_run){
		.transfers = handle_pointer(p ? p->transfer : NULL),
		.entry_size = sizeof(*p->transfer),
		.count = room,
	};
	return p;
}

/*
 * A change, or its dry run, which tells as many transfers as there are. @flags
 * and @dry are fields of @arg.
 */
static int change(struct chring *c, unsigned long ioc, void *arg, __u32 *flags,
		  struct chring_dry_run *dry, struct chring_plan **plan)
{
	size_t room = TRANSFERS_FIRST;
	int ret;

	if (!plan)
		return handle_command(c, ioc, arg);
	*flags |= CHRING_DRY_RUN;
	for (;;) {
		struct chring_plan *p = plan_alloc(dry, room);

		if (!p)
			return -ENOMEM;
		ret = handle_command(c, ioc, arg);
		if (!ret) {
			p->moved_lo = dry->out_moved_lo;
			p->moved_hi = dry->out_moved_hi;
			p->count = dry->out_count;
			*plan = p;
			return 0;
		}
		chring_plan_free(p);
		if (ret != -EMSGSIZE)
			return ret;
		room = handle_reserve(dry->out_count);
	}
}

static int node_change(struct chring *c, unsigned long ioc,
		       struct chring_node_change *arg,
		       const struct chring_edit *edit,
		       struct chring_outcome *out)
{
	int ret;

	arg->size = sizeof(*arg);
	arg->name = handle_pointer(edit->name);
	arg->name_len = edit->name_len;
	arg->epoch = edit->epoch;
	arg->generation = edit->generation;
	ret = change(c, ioc, arg, &arg->flags, &arg->dry, edit->plan);
	if (out) {
		*out = OUTCOME(*arg);
		out->node = arg->out_node;
	}
	return ret;
}

/* What is not to be set has to be 0. */
static void fill_change(struct chring_node_change *arg,
			const struct chring_edit *edit, __u32 set)
{
	if (set & CHRING_NODE_WEIGHT)
		arg->weight = edit->weight;
	if (set & CHRING_NODE_STATE)
		arg->state = edit->state;
	if (set & CHRING_NODE_COOKIE)
		arg->cookie = edit->cookie;
	if (set & CHRING_NODE_ZONE && edit->zone_len) {
		arg->zone = handle_pointer(edit->zone);
		arg->zone_len = edit->zone_len;
	}
}

int chring_node_add(struct chring *c, const struct chring_edit *edit,
		    struct chring_outcome *out)
{
	struct chring_node_change arg = {};

	fill_change(&arg, edit, CHRING_NODE_WEIGHT | CHRING_NODE_STATE |
				CHRING_NODE_ZONE | CHRING_NODE_COOKIE);
	return node_change(c, CHRING_IOC_NODE_ADD, &arg, edit, out);
}

int chring_node_set(struct chring *c, const struct chring_edit *edit,
		    struct chring_outcome *out)
{
	struct chring_node_change arg = { .flags = edit->set };

	fill_change(&arg, edit, edit->set);
	return node_change(c, CHRING_IOC_NODE_SET, &arg, edit, out);
}

int chring_node_del(struct chring *c, const struct chring_edit *edit,
		    struct chring_outcome *out)
{
	struct chring_node_change arg = {};

	return node_change(c, CHRING_IOC_NODE_DEL, &arg, edit, out);
}

static int edit_cmp(const void *a, const void *b)
{
	const struct chring_edit *x = a, *y = b;
	size_t len = x->name_len < y->name_len ? x->name_len : y->name_len;
	int cmp = memcmp(x->name, y->name, len);

	return cmp ? cmp : (x->name_len > y->name_len) -
			   (x->name_len < y->name_len);
}

/* A membership, as it goes. */
struct roll {
	struct chring_member *member;
	char *strings;
	size_t size;
};

static __u32 put_bytes(struct roll *r, const char *bytes, size_t len)
{
	__u32 off = r->size;

	memcpy(r->strings + off, bytes, len);
	r->size += len;
	return off;
}

static int roll_make(struct roll *r, const struct chring_members *m)
{
	size_t size = 1, i;

	for (i = 0; i < m->count; i++) {
		if (m->node[i].name_len > CHRING_NAME_MAX ||
		    m->node[i].zone_len > CHRING_NAME_MAX)
			return -ENAMETOOLONG;
		size += m->node[i].name_len + m->node[i].zone_len;
	}
	r->member = calloc(m->count + 1, sizeof(*r->member));
	r->strings = malloc(size);
	if (!r->member || !r->strings)
		return -ENOMEM;
	for (i = 0; i < m->count; i++) {
		const struct chring_edit *e = &m->node[i];
		struct chring_member *to = &r->member[i];

		to->cookie = e->cookie;
		to->weight = e->weight;
		to->state = e->state;
		to->name_len = e->name_len;
		to->name_off = put_bytes(r, e->name, e->name_len);
		to->zone_len = e->zone_len;
		if (e->zone_len)
			to->zone_off = put_bytes(r, e->zone, e->zone_len);
	}
	return 0;
}

static int roll_send(struct chring *c, const struct roll *r,
		     const struct chring_members *m, struct chring_outcome *out)
{
	struct chring_commit arg = {
		.size = sizeof(arg),
		.members = handle_pointer(r->member),
		.member_size = sizeof(*r->member),
		.count = m->count,
		.strings = handle_pointer(r->strings),
		.strings_size = r->size,
		.epoch = m->epoch,
		.generation = m->generation,
		.nodes = handle_pointer(m->id),
	};
	int ret = change(c, CHRING_IOC_COMMIT, &arg, &arg.flags, &arg.dry,
			 m->plan);

	if (out)
		*out = OUTCOME(arg);
	return ret;
}

int chring_commit(struct chring *c, struct chring_members *members,
		  struct chring_outcome *out)
{
	struct roll r = {};
	int ret;

	/* A count that the ABI cannot say is over its limit, too. */
	if (members->count > CHRING_NODES_MAX)
		return -ERANGE;
	if (members->count)
		qsort(members->node, members->count, sizeof(*members->node),
		      edit_cmp);
	ret = roll_make(&r, members);
	if (!ret)
		ret = roll_send(c, &r, members, out);
	free(r.member);
	free(r.strings);
	return ret;
}

static int pin_change(struct chring *c, unsigned long ioc, __u64 epoch,
		      __u64 generation, struct chring_outcome *out)
{
	struct chring_pin arg = {
		.size = sizeof(arg),
		.epoch = epoch,
		.generation = generation,
	};
	int ret = handle_command(c, ioc, &arg);

	if (out)
		*out = OUTCOME(arg);
	return ret;
}

int chring_pin(struct chring *c, __u64 epoch, __u64 generation,
	       struct chring_outcome *out)
{
	return pin_change(c, CHRING_IOC_PIN, epoch, generation, out);
}

int chring_unpin(struct chring *c, __u64 epoch, __u64 generation,
		 struct chring_outcome *out)
{
	return pin_change(c, CHRING_IOC_UNPIN, epoch, generation, out);
}
