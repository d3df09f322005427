// SPDX-License-Identifier: GPL-2.0
/*
 * The ketama ring of libmemcached, Debian's own package, asked as a client asks
 * it: a key becomes a server, with its own hash (MD5). It has 160 tokens a
 * server (weighted) or 100: as many servers are taken as give the ring's
 * number of tokens, near enough, if it takes so many.
 */
#include <libmemcached/memcached.h>

#include "need.h"
#include "rival.h"

#define WEIGHTED_EACH	160
#define PLAIN_EACH	100
/* More of them end the program. */
#define SERVERS_MAX	100

/* Of tokens wanted, 1 in so many may be missing or too many. */
#define NEAR		40

static memcached_server_list_st list_servers(u32 n)
{
	memcached_server_list_st list = NULL;
	memcached_return_t ret;
	char name[32];
	u32 i;

	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "node-%05u", i);
		list = memcached_server_list_append_with_weight(list, name,
								11211, 1, &ret);
		NEED(ret == MEMCACHED_SUCCESS);
	}
	return list;
}

static memcached_st *make(u32 servers, bool weighted)
{
	memcached_server_list_st list = list_servers(servers);
	memcached_st *mc = need(memcached_create(NULL));

	memcached_behavior_set(mc, weighted ? MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED :
					      MEMCACHED_BEHAVIOR_KETAMA, 1);
	NEED(memcached_server_push(mc, list) == MEMCACHED_SUCCESS);
	memcached_server_list_free(list);
	return mc;
}

static bool is_near(u32 tokens, u32 wanted)
{
	return tokens >= wanted - wanted / NEAR &&
	       tokens <= wanted + wanted / NEAR;
}

static void *build(const struct members *m)
{
	bool weighted = m->tokens % WEIGHTED_EACH == 0 ||
			m->tokens % PLAIN_EACH != 0;
	u32 each = weighted ? WEIGHTED_EACH : PLAIN_EACH;
	u32 servers = (m->tokens + each / 2) / each;
	memcached_st *mc;

	if (servers > SERVERS_MAX || !is_near(servers * each, m->tokens))
		return NULL;
	mc = make(servers, weighted);
	NEED(is_near(mc->ketama.continuum_points_counter, m->tokens));
	return mc;
}

static void drop(void *built)
{
	memcached_free(built);
}

static const void *find_key(const void *built, const char *key)
{
	const memcached_st *mc = built;

	return memcached_server_instance_by_position(mc,
			memcached_generate_hash(mc, key, KEY_LEN));
}

const struct rival libmemcached_rival = {
	.name = "libmemcached",
	.modes = ONLY(MODE_KEY),
	.build = build,
	.free = drop,
	.find_key = find_key,
};
