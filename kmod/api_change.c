// SPDX-License-Identifier: GPL-2.0
/*
 * The door for other kernel modules: rings of their own. What they ask for is
 * checked as what programs ask for is.
 */
#include <linux/export.h>

#include "chring.h"
#include "core/config.h"
#include "order.h"
#include "registry.h"

#define PAUSE_EVERY	0x400

static int check_maker(const struct chring_maker *maker)
{
	if (maker->keys > CHRING_KEYS_FLOW_PORT)
		return -EINVAL;
	/* Too long is no name either. */
	return chring_private_name_check(maker->name, strlen(maker->name)) ?
	       -EINVAL : 0;
}

struct chring_ring *chring_create(const struct chring_maker *maker)
{
	struct chring_config config = maker->config;
	int ret = check_maker(maker);

	if (!ret)
		ret = chring_config_resolve(&config);
	if (ret)
		return ERR_PTR(ret);
	return chring_registry_make(maker->name, strlen(maker->name), &config,
				    maker->keys);
}
EXPORT_SYMBOL_NS_GPL(chring_create, CHRING);

void chring_keys_set(struct chring_ring *ring, enum chring_keys keys)
{
	WRITE_ONCE(ring->keys, keys);
}
EXPORT_SYMBOL_NS_GPL(chring_keys_set, CHRING);

/* Programs change public rings; nobody else, and so nobody's priv, is there. */
static int check_ring(const struct chring_ring *ring)
{
	return ring->flags & CHRING_RING_PRIVATE ? 0 : -EPERM;
}

static int check_server(const struct chring_server *s)
{
	int ret = chring_name_check(s->name, s->name_len);

	if (!ret && s->zone_len)
		ret = chring_name_check(s->zone, s->zone_len);
	if (ret)
		return ret;
	if (s->weight > CHRING_WEIGHT_MAX)
		return -ERANGE;
	return s->state > CHRING_STATE_DOWN ? -EINVAL : 0;
}

static int get_edit(struct chring_edit *edit, const struct chring_server *s)
{
	*edit = (struct chring_edit){
		.flags = CHRING_NODE_ALL,
		.name = s->name,
		.name_len = s->name_len,
		.zone = s->zone,
		.zone_len = s->zone_len,
		.weight = s->weight,
		.state = s->state,
		.cookie = s->cookie,
		.priv = s->priv,
	};
	return check_server(s);
}

int chring_node_add(struct chring_ring *ring,
		    const struct chring_server *server, u64 *id)
{
	struct chring_request rq = {};
	struct chring_edit edit;
	int ret = check_ring(ring);

	if (!ret)
		ret = get_edit(&edit, server);
	if (!ret)
		ret = chring_ring_node_add(ring, &edit, &rq);
	if (!ret && id)
		*id = rq.node;
	return ret;
}
EXPORT_SYMBOL_NS_GPL(chring_node_add, CHRING);

int chring_node_set(struct chring_ring *ring,
		    const struct chring_server *server)
{
	struct chring_request rq = {};
	struct chring_edit edit;
	int ret = check_ring(ring);

	if (!ret)
		ret = get_edit(&edit, server);
	return ret ? ret : chring_ring_node_set(ring, &edit, &rq);
}
EXPORT_SYMBOL_NS_GPL(chring_node_set, CHRING);

int chring_node_del(struct chring_ring *ring, const char *name, u32 name_len)
{
	const struct chring_edit edit = { .name = name, .name_len = name_len };
	struct chring_request rq = {};
	int ret = check_ring(ring);

	if (!ret)
		ret = chring_name_check(name, name_len);
	return ret ? ret : chring_ring_node_del(ring, &edit, &rq);
}
EXPORT_SYMBOL_NS_GPL(chring_node_del, CHRING);

static int get_edits(struct chring_edit *edit, const struct chring_server *s,
		     u32 n)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < n && !ret; i++) {
		ret = get_edit(&edit[i], &s[i]);
		if (!ret && i % PAUSE_EVERY == PAUSE_EVERY - 1)
			ret = chring_pause();
	}
	return ret;
}

static int replace(struct chring_ring *ring, const struct chring_server *server,
		   struct chring_edit *edit, u64 *id, u32 n)
{
	struct chring_request rq = {};
	int ret = get_edits(edit, server, n);

	if (!ret)
		ret = chring_edits_sort(edit, n);
	return ret ? ret : chring_ring_commit(ring, edit, n, id, &rq);
}

int chring_replace(struct chring_ring *ring, const struct chring_server *server,
		   u32 n)
{
	/* One at least: an allocation is never of nothing. */
	size_t bytes = (n + 1UL) * (sizeof(struct chring_edit) + sizeof(u64));
	struct chring_edit *edit;
	int ret = check_ring(ring);

	if (ret)
		return ret;
	if (n > CHRING_NODES_MAX)
		return -ERANGE;
	edit = chring_alloc(bytes);
	if (IS_ERR(edit))
		return PTR_ERR(edit);
	ret = replace(ring, server, edit, (u64 *)(edit + n + 1), n);
	chring_free(edit, bytes);
	return ret;
}
EXPORT_SYMBOL_NS_GPL(chring_replace, CHRING);
