// SPDX-License-Identifier: GPL-2.0
/* Commands on the module and on rings as a whole. */
#include <linux/uaccess.h>

#include "bpf.h"
#include "budget.h"
#include "chardev.h"
#include "registry.h"
#include "version.h"

/* Rings listed at once. */
#define CHUNK_RINGS	256U

int chring_cmd_info(struct chring_call *call)
{
	struct chring_info *arg = &call->arg->info;

	if (arg->flags)
		return -EINVAL;
	arg->out_version = CHRING_VERSION;
	arg->out_rings = chring_registry_count();
	arg->out_hashes = CHRING_HASHES_OFFERED;
	arg->out_layouts = CHRING_LAYOUTS_OFFERED;
	arg->out_ring = call->ring ? call->ring->id : 0;
	arg->out_total_bytes = chring_budget_used();
	arg->out_max_total_bytes = chring_budget_max();
	arg->out_max_tokens = chring_max_tokens();
	arg->out_kfuncs = chring_bpf_revision();
	return 0;
}

static int get_ring_name(char *name, u64 user, u32 len)
{
	int ret = chring_get_name(name, user, len, CHRING_RING_NAME_MAX);

	return ret ? ret : chring_ring_name_check(name, len);
}

/* Of one that there may be: public, or private. */
static int get_any_ring_name(char *name, u64 user, u32 len)
{
	int ret = chring_get_name(name, user, len, CHRING_RING_NAME_MAX);

	if (ret)
		return ret;
	return memchr(name, '/', len) ? chring_private_name_check(name, len) :
					chring_ring_name_check(name, len);
}

static int get_config(struct chring_config *config, u64 user, u32 size)
{
	int ret;

	*config = (struct chring_config){};
	if (!user != !size)
		return -EINVAL;
	if (size) {
		if (size < offsetofend(struct chring_config, tickets))
			return -EINVAL;
		if (size > PAGE_SIZE)
			return -E2BIG;
		ret = copy_struct_from_user(config, sizeof(*config),
					    u64_to_user_ptr(user), size);
		if (ret)
			return ret;
	}
	return chring_config_resolve(config);
}

/* A change of the registry, with the call that it answers. */
struct ring_change {
	struct chring_request rq;
	struct chring_call *call;
	u64 *out_ring;
};

static int answer_ring(struct chring_request *rq)
{
	struct ring_change *c = container_of(rq, struct ring_change, rq);

	*c->out_ring = rq->facts.ring;
	return chring_call_answer(c->call);
}

int chring_cmd_ring_create(struct chring_call *call)
{
	struct chring_ring_create *arg = &call->arg->ring_create;
	struct ring_change c = {
		.rq.answer = answer_ring,
		.call = call,
		.out_ring = &arg->out_ring,
	};
	char name[CHRING_RING_NAME_MAX];
	struct chring_config config;
	int ret;

	if (arg->flags)
		return -EINVAL;
	ret = get_ring_name(name, arg->name, arg->name_len);
	if (!ret)
		ret = get_config(&config, arg->config, arg->config_size);
	if (ret)
		return ret;
	return chring_registry_create(name, arg->name_len, &config, &c.rq);
}

int chring_cmd_ring_delete(struct chring_call *call)
{
	struct chring_ring_name *arg = &call->arg->ring_name;
	struct ring_change c = {
		.rq.answer = answer_ring,
		.call = call,
		.out_ring = &arg->out_ring,
	};
	char name[CHRING_RING_NAME_MAX];
	int ret;

	if (arg->flags)
		return -EINVAL;
	ret = get_any_ring_name(name, arg->name, arg->name_len);
	if (ret)
		return ret;
	return chring_registry_delete(name, arg->name_len, &c.rq);
}

int chring_cmd_bind(struct chring_call *call)
{
	struct chring_ring_name *arg = &call->arg->ring_name;
	char name[CHRING_RING_NAME_MAX];
	struct chring_ring *ring;
	int ret;

	if (arg->flags)
		return -EINVAL;
	ret = get_any_ring_name(name, arg->name, arg->name_len);
	if (ret)
		return ret;
	if (chring_file_ring(call->file))
		return -EBUSY;
	ring = chring_registry_find(name, arg->name_len,
				    call->file->f_mode & FMODE_WRITE);
	if (!ring)
		return -ENOENT;
	/* The answer first: a descriptor that is bound stays bound. */
	arg->out_ring = ring->id;
	ret = chring_call_answer(call);
	if (!ret)
		ret = chring_file_bind(call->file, ring);
	if (ret)
		chring_ring_put(ring);
	return ret;
}

/* Chunk by chunk: of private rings there may be any number. */
static int put_rings(const struct chring_ring_list *arg,
		     struct chring_ring_entry *entry, u32 *done)
{
	bool private = arg->flags & CHRING_LIST_PRIVATE;
	u64 after = 0;
	u32 n;
	int ret;

	do {
		n = chring_registry_list(&after, private, entry, CHUNK_RINGS);
		/* More than there were a moment ago. */
		if (n > arg->count - *done)
			return -EMSGSIZE;
		ret = chring_put_entries(arg->entries +
					 (u64)*done * arg->entry_size,
					 arg->entry_size, entry,
					 sizeof(*entry), n);
		if (!ret)
			ret = chring_pause();
		if (ret)
			return ret;
		*done += n;
	} while (n == CHUNK_RINGS);
	return 0;
}

static u32 count_rings(const struct chring_ring_list *arg)
{
	u64 after = 0;

	return chring_registry_list(&after, arg->flags & CHRING_LIST_PRIVATE,
				    NULL, 0);
}

static int list_rings(struct chring_ring_list *arg)
{
	struct chring_ring_entry *entry;
	u32 done = 0;
	int ret;

	arg->out_count = count_rings(arg);
	if (arg->out_count > arg->count)
		return -EMSGSIZE;
	if (!arg->out_count)
		return 0;
	entry = chring_buffer_alloc(CHUNK_RINGS * sizeof(*entry));
	if (IS_ERR(entry))
		return PTR_ERR(entry);
	ret = put_rings(arg, entry, &done);
	chring_buffer_free(entry);
	arg->out_count = ret == -EMSGSIZE ?
			 max(count_rings(arg), arg->count + 1) : done;
	return ret;
}

int chring_cmd_ring_list(struct chring_call *call)
{
	struct chring_ring_list *arg = &call->arg->ring_list;
	int ret;

	if (arg->flags & ~CHRING_LIST_PRIVATE)
		return -EINVAL;
	if (arg->flags && !(call->file->f_mode & FMODE_WRITE))
		return -EBADF;
	ret = chring_check_entry(arg->entry_size,
				 offsetofend(struct chring_ring_entry, name));
	return ret ? ret : list_rings(arg);
}
