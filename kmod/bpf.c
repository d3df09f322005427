// SPDX-License-Identifier: GPL-2.0
/*
 * The door for BPF programs: kfuncs, described in chring.bpf.h.
 *
 * The verifier has seen that memory is as long as a program says; that it is
 * there at all is looked at here. A lookup is in one read section, so that the
 * answer is of one epoch.
 */
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/kernfs.h>
#include <linux/kobject.h>
#include <linux/module.h>

#include "bpf.h"
#include "compat.h"
#include "core/hash.h"
#include "registry.h"
#include "trace.h"

/* A kfunc is to the kernel a function like any other. */
#define __ksym
#include "chring.bpf.h"

static_assert(CHRING_BPF_ZONES == CHRING_LOOKUP_ZONES);
static_assert(CHRING_BPF_PREVIOUS == CHRING_LOOKUP_PREVIOUS);
static_assert(CHRING_BPF_KEY_MAX == CHRING_KEY_MAX);
static_assert(CHRING_BPF_REPLICAS_MAX == CHRING_REPLICAS_MAX);
static_assert(sizeof(struct chring_bpf_answer) == 24);

#define REPLICA_FLAGS	(CHRING_BPF_ZONES | CHRING_BPF_PREVIOUS)

static u32 revision;

static void put_node(struct chring_bpf_answer *answer,
		     const struct chring_view *v,
		     const struct chring_node *node)
{
	*answer = (struct chring_bpf_answer){
		.node = node->id,
		.cookie = node->cookie,
		.epoch = v->epoch,
	};
	trace_chring_lookup(v, node);
}

static int find_owner(const struct chring_ring *ring, u64 position,
		      struct chring_bpf_answer *answer)
{
	const struct chring_view *v = chring_ring_view(ring);
	const struct chring_node *node;

	if (unlikely(!v))
		return -ENOENT;
	node = chring_view_owner(v, position);
	if (IS_ERR(node))
		return PTR_ERR(node);
	put_node(answer, v, node);
	return 0;
}

static int find_replicas(const struct chring_ring *ring, u64 flags,
			 const struct chring_ask *ask,
			 struct chring_bpf_answer *answer)
{
	const struct chring_node *node[CHRING_REPLICAS_MAX];
	const struct chring_view *v = chring_ring_view(ring);
	u32 visits;
	int ret, i;

	if (!v)
		return -ENOENT;
	ret = flags & CHRING_BPF_PREVIOUS ?
	      chring_view_formers(v, ask, node, &visits) :
	      chring_view_owners(v, ask, node, &visits);
	chring_ring_walked(v->ring, visits);
	for (i = 0; i < ret; i++)
		put_node(&answer[i], v, node[i]);
	return ret;
}

__bpf_kfunc int chring_bpf_lookup(u64 id, const void *key, u32 key__sz,
				  struct chring_bpf_answer *answer,
				  u32 answer__sz)
{
	const struct chring_ring *ring;
	int ret = -ENOENT;

	if (!key || !answer || answer__sz < sizeof(*answer))
		return -EINVAL;
	if (key__sz > CHRING_KEY_MAX)
		return -ERANGE;
	rcu_read_lock();
	ring = chring_registry_rcu(id);
	if (likely(ring))
		ret = find_owner(ring,
				 chring_hash_position(&ring->config, key,
						      key__sz), answer);
	rcu_read_unlock();
	return ret;
}

__bpf_kfunc int chring_bpf_lookup_position(u64 id, u64 position,
					   struct chring_bpf_answer *answer,
					   u32 answer__sz)
{
	const struct chring_ring *ring;
	int ret = -ENOENT;

	if (!answer || answer__sz < sizeof(*answer))
		return -EINVAL;
	rcu_read_lock();
	ring = chring_registry_rcu(id);
	if (likely(ring))
		ret = chring_position_import(&ring->config, position,
					     &position) ?:
		      find_owner(ring, position, answer);
	rcu_read_unlock();
	return ret;
}

__bpf_kfunc int chring_bpf_replicas(u64 id, u64 position, u64 flags,
				    struct chring_bpf_answer *answers,
				    u32 answers__sz)
{
	struct chring_ask ask = {
		.n = answers__sz / sizeof(*answers),
		.zones = flags & CHRING_BPF_ZONES,
	};
	const struct chring_ring *ring;
	int ret = -ENOENT;

	if (!answers || !ask.n || answers__sz % sizeof(*answers) ||
	    flags & ~REPLICA_FLAGS)
		return -EINVAL;
	if (ask.n > CHRING_REPLICAS_MAX)
		return -ERANGE;
	rcu_read_lock();
	ring = chring_registry_rcu(id);
	if (ring)
		ret = chring_position_import(&ring->config, position,
					     &ask.position) ?:
		      find_replicas(ring, flags, &ask, answers);
	rcu_read_unlock();
	return ret;
}

__bpf_kfunc int chring_bpf_position(u64 id, const void *key, u32 key__sz,
				    u64 *position, u32 position__sz)
{
	const struct chring_ring *ring;
	int ret = -ENOENT;

	if (!key || !position || position__sz != sizeof(*position))
		return -EINVAL;
	if (key__sz > CHRING_KEY_MAX)
		return -ERANGE;
	rcu_read_lock();
	ring = chring_registry_rcu(id);
	if (ring && !chring_ring_deleted(ring)) {
		const struct chring_config *config = &ring->config;

		*position = chring_position_export(config,
				chring_hash_position(config, key, key__sz));
		ret = 0;
	}
	rcu_read_unlock();
	return ret;
}

BTF_KFUNCS_START(kfunc_ids)
BTF_ID_FLAGS(func, chring_bpf_lookup)
BTF_ID_FLAGS(func, chring_bpf_lookup_position)
BTF_ID_FLAGS(func, chring_bpf_replicas)
BTF_ID_FLAGS(func, chring_bpf_position)
BTF_KFUNCS_END(kfunc_ids)

static const struct btf_kfunc_id_set kfuncs = {
	.owner = THIS_MODULE,
	.set = &kfunc_ids,
};

/*
 * Has the kernel taken our type information? Registering does not tell: it
 * returns 0 either way. What was taken is in /sys/kernel/btf.
 */
static bool types_known(void)
{
	struct kernfs_node *btf, *ours = NULL;
	bool known;

	btf = kernfs_find_and_get(kernel_kobj->sd, "btf");
	if (btf)
		ours = kernfs_find_and_get(btf, THIS_MODULE->name);
	known = ours;
	kernfs_put(ours);
	kernfs_put(btf);
	return known;
}

int chring_bpf_init(void)
{
	int ret;

	/* There are as many ids as the build has filled in. */
	if (!kfunc_ids.cnt || !types_known()) {
		pr_info("chring: kfuncs: no: the type information (BTF) of this module is missing or of another kernel\n");
		return 0;
	}
	ret = register_btf_kfunc_id_set(BPF_PROG_TYPE_XDP, &kfuncs) ?:
	      register_btf_kfunc_id_set(BPF_PROG_TYPE_SCHED_CLS, &kfuncs);
	if (!ret)
		revision = CHRING_BPF_REVISION;
	return ret;
}

u32 chring_bpf_revision(void)
{
	return revision;
}
