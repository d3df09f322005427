// SPDX-License-Identifier: GPL-2.0
/* Commands that hold former owners through a migration. */
#include "chardev.h"

/* A change, with the call that it answers. */
struct pin_call {
	struct chring_request rq;
	struct chring_call *call;
};

static void put_facts(struct chring_pin *arg, const struct chring_facts *facts)
{
	arg->out_ring = facts->ring;
	arg->out_epoch = facts->epoch;
	arg->out_generation = facts->generation;
	arg->out_digest = facts->digest;
}

static int answer_pin(struct chring_request *rq)
{
	struct pin_call *c = container_of(rq, struct pin_call, rq);

	put_facts(&c->call->arg->pin, &rq->facts);
	return chring_call_answer(c->call);
}

typedef int pin_fn(struct chring_ring *ring, struct chring_request *rq);

static int pin_change(struct chring_call *call, pin_fn *fn)
{
	struct chring_pin *arg = &call->arg->pin;
	struct pin_call c = {
		.rq.epoch = arg->epoch,
		.rq.generation = arg->generation,
		.rq.answer = answer_pin,
		.call = call,
	};
	int ret;

	if (arg->flags)
		return -EINVAL;
	ret = fn(call->ring, &c.rq);
	if (ret)
		put_facts(arg, &c.rq.facts);
	return ret;
}

int chring_cmd_pin(struct chring_call *call)
{
	return pin_change(call, chring_ring_pin);
}

int chring_cmd_unpin(struct chring_call *call)
{
	return pin_change(call, chring_ring_unpin);
}
