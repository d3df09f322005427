// SPDX-License-Identifier: GPL-2.0
/* The command that replaces a whole membership. */
#include <linux/uaccess.h>

#include "chardev.h"

#define STRINGS_MAX	(CHRING_NODES_MAX * 2U * CHRING_NAME_MAX)
#define PAUSE_EVERY	0x400

/**
 * struct commit_call - a membership, with the call that brings it
 * @rq: frame
 * @call: call
 * @edit: the members
 * @id: their ids
 * @strings: names and zones
 * @bytes: size of @edit, @id and @strings, one allocation
 */
struct commit_call {
	struct chring_request rq;
	struct chring_call *call;
	struct chring_edit *edit;
	u64 *id;
	char *strings;
	size_t bytes;
};

static void put_facts(struct chring_commit *arg,
		      const struct chring_facts *facts)
{
	arg->out_ring = facts->ring;
	arg->out_epoch = facts->epoch;
	arg->out_generation = facts->generation;
	arg->out_digest = facts->digest;
}

static int answer_commit(struct chring_request *rq)
{
	struct commit_call *c = container_of(rq, struct commit_call, rq);
	struct chring_commit *arg = &c->call->arg->commit;
	int ret = 0;

	put_facts(arg, &rq->facts);
	if (rq->dry_run)
		ret = chring_dry_run_answer(&arg->dry, &rq->moves);
	if (!ret && arg->nodes &&
	    copy_to_user(u64_to_user_ptr(arg->nodes), c->id,
			 arg->count * sizeof(*c->id)))
		ret = -EFAULT;
	return ret ? ret : chring_call_answer(c->call);
}

static int check_commit(struct chring_commit *arg)
{
	int ret = chring_dry_run_check(&arg->dry, arg->flags & CHRING_DRY_RUN);

	if (ret)
		return ret;
	if (arg->flags & ~CHRING_DRY_RUN)
		return -EINVAL;
	if (arg->count > CHRING_NODES_MAX || arg->strings_size > STRINGS_MAX)
		return -ERANGE;
	/* An input, and still of a size that can be. */
	return chring_check_entry(arg->member_size,
				  offsetofend(struct chring_member, zone_len));
}

static int get_strings(struct commit_call *c, const struct chring_commit *arg)
{
	size_t ids = arg->count * (sizeof(*c->edit) + sizeof(*c->id));
	void *p;

	/* One byte more: an allocation is never of nothing. */
	c->bytes = ids + arg->strings_size + 1;
	p = chring_alloc(c->bytes);
	if (IS_ERR(p))
		return PTR_ERR(p);
	c->edit = p;
	c->id = (u64 *)(c->edit + arg->count);
	c->strings = p + ids;
	return copy_from_user(c->strings, u64_to_user_ptr(arg->strings),
			      arg->strings_size) ? -EFAULT : 0;
}

static int check_string(const struct commit_call *c, u32 off, u32 len)
{
	u32 size = c->call->arg->commit.strings_size;

	if (len > CHRING_NAME_MAX)
		return -ENAMETOOLONG;
	if (off > size || len > size - off)
		return -EINVAL;
	return chring_name_check(c->strings + off, len);
}

static int check_member(const struct commit_call *c,
			const struct chring_member *m)
{
	int ret;

	if (m->weight > CHRING_WEIGHT_MAX)
		return -ERANGE;
	if (m->state > CHRING_STATE_DOWN)
		return -EINVAL;
	ret = check_string(c, m->name_off, m->name_len);
	if (ret)
		return ret;
	if (!m->zone_len)
		return m->zone_off ? -EINVAL : 0;
	return check_string(c, m->zone_off, m->zone_len);
}

/* Does the name stand after that of the member before? */
static bool in_order(const struct chring_edit *before,
		     const struct chring_edit *edit)
{
	int cmp = memcmp(before->name, edit->name,
			 min(before->name_len, edit->name_len));

	return cmp ? cmp < 0 : before->name_len < edit->name_len;
}

static int get_member(struct commit_call *c, u32 i)
{
	const struct chring_commit *arg = &c->call->arg->commit;
	const void __user *from = u64_to_user_ptr(arg->members);
	struct chring_edit *edit = &c->edit[i];
	struct chring_member m;
	int ret;

	ret = copy_struct_from_user(&m, sizeof(m),
				    from + (size_t)i * arg->member_size,
				    arg->member_size);
	if (!ret)
		ret = check_member(c, &m);
	if (ret)
		return ret;
	*edit = (struct chring_edit){
		.flags = CHRING_NODE_ALL,
		.name = c->strings + m.name_off,
		.name_len = m.name_len,
		.zone = c->strings + m.zone_off,
		.zone_len = m.zone_len,
		.weight = m.weight,
		.state = m.state,
		.cookie = m.cookie,
	};
	return i && !in_order(edit - 1, edit) ? -EINVAL : 0;
}

static int get_members(struct commit_call *c, u32 count)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < count && !ret; i++) {
		ret = get_member(c, i);
		if (!ret && i % PAUSE_EVERY == PAUSE_EVERY - 1)
			ret = chring_pause();
	}
	return ret;
}

static int commit(struct commit_call *c, struct chring_commit *arg)
{
	int ret = get_members(c, arg->count);

	if (ret)
		return ret;
	ret = chring_ring_commit(c->call->ring, c->edit, arg->count, c->id,
				 &c->rq);
	if (ret)
		put_facts(arg, &c->rq.facts);
	return ret;
}

int chring_cmd_commit(struct chring_call *call)
{
	struct chring_commit *arg = &call->arg->commit;
	struct commit_call c = {
		.rq.epoch = arg->epoch,
		.rq.generation = arg->generation,
		.rq.dry_run = arg->flags & CHRING_DRY_RUN,
		.rq.answer = answer_commit,
		.call = call,
	};
	int ret;

	ret = check_commit(arg);
	if (!ret)
		ret = get_strings(&c, arg);
	if (!ret)
		ret = commit(&c, arg);
	chring_free(c.edit, c.bytes);
	return ret;
}
