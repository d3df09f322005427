// SPDX-License-Identifier: GPL-2.0
/* The kernel is asked: owners, tickets. */
#include <errno.h>

#include "handle.h"

int handle_lookup(struct chring *c, const struct chring_query *query,
		  struct chring_answer *answer)
{
	struct chring_lookup arg = {
		.size = sizeof(arg),
		.flags = query->flags,
		.key = handle_pointer(query->key),
		.key_len = query->key_len,
		.count = query->count,
		.position = query->position,
		.epoch = query->epoch,
		.owners = handle_pointer(answer->owner),
		.entry_size = sizeof(*answer->owner),
		.formers = query->formers ? handle_pointer(answer->former) : 0,
	};
	int ret = -ERANGE;

	/* A length that the ABI cannot say is over its limit, too. */
	if (query->key_len <= CHRING_KEY_MAX)
		ret = handle_command(c, CHRING_IOC_LOOKUP, &arg);
	answer->position = arg.out_position;
	answer->ring = arg.out_ring;
	answer->epoch = arg.out_epoch;
	answer->count = arg.out_count;
	answer->formers = arg.out_formers;
	answer->former_epoch = arg.out_former_epoch;
	return ret;
}

int handle_lookup_batch(struct chring *c, struct chring_batch *batch)
{
	struct chring_lookup_batch arg = {
		.size = sizeof(arg),
		.flags = batch->flags,
		.keys = handle_pointer(batch->keys),
		.lens = handle_pointer(batch->lens),
		.keys_size = batch->keys_size,
		.count = batch->count,
		.epoch = batch->epoch,
		.nodes = handle_pointer(batch->nodes),
	};
	int ret;

	if (batch->keys_size > CHRING_BATCH_BYTES_MAX)
		return -ERANGE;
	ret = handle_command(c, CHRING_IOC_LOOKUP_BATCH, &arg);
	batch->out_done = ret ? 0 : arg.out_done;
	batch->out_ring = arg.out_ring;
	batch->out_epoch = arg.out_epoch;
	return ret;
}

int chring_acquire(struct chring *c, const struct chring_query *query,
		   struct chring_ticket *out)
{
	struct chring_acquire arg = {
		.size = sizeof(arg),
		.flags = query->flags,
		.key = handle_pointer(query->key),
		.key_len = query->key_len,
		.position = query->position,
		.epoch = query->epoch,
	};
	int ret;

	if (query->key_len > CHRING_KEY_MAX)
		return -ERANGE;
	ret = handle_command(c, CHRING_IOC_ACQUIRE, &arg);
	*out = (struct chring_ticket){
		.node = arg.out_node,
		.cookie = arg.out_cookie,
		.load = arg.out_load,
		.tickets = arg.out_tickets,
		.serial = arg.out_serial,
		.position = arg.out_position,
		.ring = arg.out_ring,
		.epoch = arg.out_epoch,
	};
	return ret;
}

int chring_release(struct chring *c, __u64 node, __u32 count,
		   struct chring_ticket *out)
{
	struct chring_release arg = {
		.size = sizeof(arg),
		.node = node,
		.count = count,
	};
	int ret = handle_command(c, CHRING_IOC_RELEASE, &arg);

	if (out)
		*out = (struct chring_ticket){
			.node = node,
			.load = arg.out_load,
			.tickets = arg.out_tickets,
			.serial = arg.out_serial,
			.left = arg.out_left,
			.ring = arg.out_ring,
			.epoch = arg.out_epoch,
		};
	return ret;
}
