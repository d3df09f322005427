// SPDX-License-Identifier: GPL-2.0
/* Commands that take tickets and give them back. */
#include "chardev.h"
#include "core/hash.h"
#include "tickets.h"

/**
 * struct ticket_call - a grant or release, with the call that it answers
 * @rq: frame
 * @call: call
 */
struct ticket_call {
	struct chring_ticket_request rq;
	struct chring_call *call;
};

/* Who may change a ring may hold any number of its tickets. */
static u64 tickets_max(const struct chring_call *call)
{
	return call->file->f_mode & FMODE_WRITE ?
	       U64_MAX : call->ring->config.tickets;
}

static int check_acquire(const struct chring_call *call)
{
	const struct chring_acquire *arg = &call->arg->acquire;

	if (!tickets_max(call))
		return -EBADF;
	if (arg->flags & ~CHRING_LOOKUP_POSITION)
		return -EINVAL;
	if (arg->flags && !chring_call_sees_tokens(call))
		return -EBADF;
	if (arg->key_len > CHRING_KEY_MAX)
		return -ERANGE;
	if (arg->flags ? arg->key || arg->key_len : !!arg->position)
		return -EINVAL;
	return 0;
}

static int get_position(const struct chring_call *call, u64 *position)
{
	const struct chring_acquire *arg = &call->arg->acquire;
	const struct chring_lookup key = {
		.flags = arg->flags,
		.key = arg->key,
		.key_len = arg->key_len,
		.position = arg->position,
	};

	return chring_key_position(call->ring, &key, position);
}

static void put_grant(struct chring_acquire *arg, const struct chring_grant *g)
{
	arg->out_node = g->node;
	arg->out_cookie = g->cookie;
	arg->out_load = g->load;
	arg->out_tickets = g->tickets;
	arg->out_serial = g->serial;
	arg->out_ring = g->ring;
	arg->out_epoch = g->epoch;
}

static int answer_acquire(struct chring_ticket_request *rq)
{
	struct ticket_call *c = container_of(rq, struct ticket_call, rq);

	put_grant(&c->call->arg->acquire, &rq->grant);
	return chring_call_answer(c->call);
}

/* What is undone is not told of. */
static void forget(struct chring_grant *g)
{
	*g = (struct chring_grant){ .ring = g->ring, .epoch = g->epoch };
}

int chring_cmd_acquire(struct chring_call *call)
{
	struct chring_acquire *arg = &call->arg->acquire;
	struct ticket_call c = {
		.rq.epoch = arg->epoch,
		.rq.max = tickets_max(call),
		.rq.answer = answer_acquire,
		.call = call,
	};
	int ret;

	ret = check_acquire(call);
	if (!ret)
		ret = get_position(call, &c.rq.position);
	if (ret)
		return ret;
	if (chring_call_sees_tokens(call))
		arg->out_position = chring_position_export(&call->ring->config,
							   c.rq.position);
	ret = chring_tickets_acquire(chring_file_tickets(call->file),
				     call->ring, &c.rq);
	if (ret) {
		forget(&c.rq.grant);
		put_grant(arg, &c.rq.grant);
	}
	return ret;
}

static void put_release(struct chring_release *arg,
			const struct chring_grant *g, u64 left)
{
	arg->out_load = g->load;
	arg->out_tickets = g->tickets;
	arg->out_serial = g->serial;
	arg->out_left = left;
	arg->out_ring = g->ring;
	arg->out_epoch = g->epoch;
}

static int answer_release(struct chring_ticket_request *rq)
{
	struct ticket_call *c = container_of(rq, struct ticket_call, rq);

	put_release(&c->call->arg->release, &rq->grant, rq->left);
	return chring_call_answer(c->call);
}

int chring_cmd_release(struct chring_call *call)
{
	struct chring_release *arg = &call->arg->release;
	struct ticket_call c = {
		.rq.node = arg->node,
		.rq.count = arg->count,
		.rq.answer = answer_release,
		.call = call,
	};
	int ret;

	if (!tickets_max(call))
		return -EBADF;
	if (arg->flags)
		return -EINVAL;
	if (!arg->count)
		return -ERANGE;
	ret = chring_tickets_release(chring_file_tickets(call->file),
				     call->ring, &c.rq);
	if (ret) {
		forget(&c.rq.grant);
		put_release(arg, &c.rq.grant, 0);
	}
	return ret;
}
