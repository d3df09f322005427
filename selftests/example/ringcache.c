// SPDX-License-Identifier: GPL-2.0
/*
 * ringcache: a memcached client that asks a ring which server has a key. It is
 * an example of libchring, and a test of it in selftests/chring.
 *
 *	ringcache RING fill COUNT
 *	ringcache RING read COUNT [former]
 *
 * The nodes of the ring are servers and named HOST:PORT. "fill" stores a value
 * under each of the keys user:0, user:1, ..., "read" asks for them again and
 * prints those that are missed. With "former" it is the reader that moves values
 * after a change of the ring: what the owner of a key has not got, its former
 * owner may have still.
 */
#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libchring.h>
#include <libmemcached/memcached.h>

/* The text of a key, and of the value stored under it. */
#define TEXT_MAX	40

/**
 * struct server - a server that has been met
 * @node: id of its node, which is never used again: what an id is found to be, it
 *	is for ever, whatever becomes of the ring
 * @mc: connection to it
 */
struct server {
	__u64 node;
	memcached_st *mc;
};

/**
 * struct cache - servers, and the ring that says which one has a key
 * @ring: its handle
 * @server: in the order in which they were met
 * @servers: how many
 * @former: ask former owners too
 * @hits: keys that were found, or stored
 * @misses: keys that were not found
 * @moved: of @hits, those found with the former owner
 * @errors: servers that did not answer, and values that are not the key's
 * @asked: lookups that went to the kernel
 */
struct cache {
	struct chring *ring;
	struct server *server;
	size_t servers;
	bool former;
	unsigned long hits, misses, moved, errors, asked;
};

/**
 * struct value - what a server has for a key
 * @data: bytes, to be freed
 * @len: how many
 * @flags: the number that memcached keeps beside them
 */
struct value {
	char *data;
	size_t len;
	uint32_t flags;
};

/* -- servers */

static memcached_st *connection(const char *name)
{
	const char *colon = strrchr(name, ':');
	memcached_st *mc = memcached_create(NULL);
	char *host;

	if (!colon)
		errx(1, "node '%s': expected HOST:PORT", name);
	host = strndup(name, colon - name);
	/* One server in each: which one is chring's business. */
	if (!host || !mc ||
	    memcached_server_add(mc, host, atoi(colon + 1)) != MEMCACHED_SUCCESS)
		errx(1, "node '%s': no memory", name);
	free(host);
	memcached_behavior_set(mc, MEMCACHED_BEHAVIOR_TCP_NODELAY, 1);
	return mc;
}

/* Nodes may come at any time: they are met when a lookup gives one. */
static struct server *server_meet(struct cache *c, __u64 node)
{
	struct server *server;
	const char *name;
	int ret = chring_node_name(c->ring, node, &name, NULL);

	/* Deleted before anybody here has seen its name. */
	if (ret == -ENOENT)
		return NULL;
	if (ret)
		errx(1, "name of node 0x%llx: %s", node, strerror(-ret));
	server = realloc(c->server, (c->servers + 1) * sizeof(*server));
	if (!server)
		err(1, "servers");
	c->server = server;
	server += c->servers++;
	server->node = node;
	server->mc = connection(name);
	return server;
}

/* A handful; with hundreds this would be a hash table. */
static struct server *server_of(struct cache *c, __u64 node)
{
	size_t i;

	for (i = 0; i < c->servers; i++)
		if (c->server[i].node == node)
			return &c->server[i];
	return server_meet(c, node);
}

/* A server that cannot be asked has nothing: that is what a cache is. */
static bool get(struct cache *c, __u64 node, const char *key, struct value *v)
{
	const struct server *server = server_of(c, node);
	memcached_return_t rc;

	if (!server)
		return false;
	v->data = memcached_get(server->mc, key, strlen(key), &v->len,
				&v->flags, &rc);
	if (rc != MEMCACHED_SUCCESS && rc != MEMCACHED_NOTFOUND)
		c->errors++;
	return rc == MEMCACHED_SUCCESS;
}

/* -- the ring */

/*
 * Found in the handle's copy of the ring, without a system call, for as long as
 * the ring does not change. Just after a change the kernel is asked; there is
 * nothing that the caller would have to notice.
 */
static bool find_owner(struct cache *c, const char *key, __u64 *node)
{
	struct chring_found found;
	int ret = chring_find(c->ring, key, strlen(key), &found);

	/* Nobody is in service: a miss like any other, and it may pass. */
	if (ret == -ENODATA || ret == -EHOSTUNREACH)
		return false;
	if (ret)
		errx(1, "owner of '%s': %s", key, strerror(-ret));
	c->asked += found.asked;
	*node = found.node;
	return true;
}

/*
 * Owner and former owner in one question, so that both are of one epoch. Only
 * the kernel knows former owners: this is for misses, not for every key.
 */
static bool find_former(struct cache *c, const char *key, __u64 *node,
			__u64 *former)
{
	const struct chring_query query = {
		.key = key,
		.key_len = strlen(key),
		.count = 1,
		.formers = 1,
	};
	struct chring_answer answer;
	int ret = chring_lookup(c->ring, &query, &answer);

	if (ret == -ENODATA || ret == -EHOSTUNREACH)
		return false;
	if (ret)
		errx(1, "former owner of '%s': %s", key, strerror(-ret));
	c->asked += answer.asked;
	*node = answer.owner[0].node;
	/* None: the ring has not changed yet, or who it was is down. */
	*former = answer.formers ? answer.former[0].node : *node;
	return true;
}

/* -- the cache */

/*
 * The value goes to the owner, unless that has got one meanwhile, which then is
 * newer. What stayed with the former owner would be found there again, and be
 * old, once the ring changes back.
 */
static bool move(struct cache *c, const char *key, __u64 from, __u64 to,
		 struct value *v)
{
	const size_t len = strlen(key);
	const struct server *server = server_of(c, to);
	memcached_return_t rc;

	if (!server)
		return true;
	/* How long it was to be kept memcached does not tell: here, for ever. */
	rc = memcached_add(server->mc, key, len, v->data, v->len, 0, v->flags);
	if (rc != MEMCACHED_SUCCESS && rc != MEMCACHED_NOTSTORED) {
		c->errors++;
		return true;
	}
	/* It may not be in the array where it was: one more was met. */
	memcached_delete(server_of(c, from)->mc, key, len, 0);
	if (rc == MEMCACHED_SUCCESS)
		return true;
	free(v->data);
	return get(c, to, key, v);
}

/* What owner @asked has not got. */
static bool get_former(struct cache *c, const char *key, __u64 asked,
		       struct value *v)
{
	__u64 owner, former;

	if (!find_former(c, key, &owner, &former))
		return false;
	/* The ring has changed since the owner was asked: this one was not. */
	if (owner != asked && get(c, owner, key, v))
		return true;
	if (former == owner || !get(c, former, key, v))
		return false;
	c->moved++;
	return move(c, key, former, owner, v);
}

static bool cache_get(struct cache *c, const char *key, struct value *v)
{
	__u64 owner;

	if (!find_owner(c, key, &owner))
		return false;
	return get(c, owner, key, v) ||
	       (c->former && get_former(c, key, owner, v));
}

/*
 * A former owner is not told: its value grows old. Programs that overwrite
 * values give them a time to live, shorter than that between two changes of the
 * ring that undo each other.
 */
static bool cache_set(struct cache *c, const char *key, const char *value)
{
	const struct server *server;
	__u64 owner;

	if (!find_owner(c, key, &owner))
		return false;
	server = server_of(c, owner);
	return server && memcached_set(server->mc, key, strlen(key), value,
				       strlen(value), 0, 0) == MEMCACHED_SUCCESS;
}

/* -- what the command line asks for */

static void fill(struct cache *c, const char *key, const char *value)
{
	if (cache_set(c, key, value))
		c->hits++;
	else
		c->errors++;
}

static void check(struct cache *c, const char *key, const char *value)
{
	struct value v;

	if (!cache_get(c, key, &v)) {
		c->misses++;
		printf("miss %s\n", key);
		return;
	}
	c->hits++;
	if (v.len != strlen(value) || memcmp(v.data, value, v.len))
		c->errors++;
	free(v.data);
}

static void cache_open(struct cache *c, const char *ring)
{
	int ret = chring_open(ring, CHRING_OPEN_READ, &c->ring);

	if (ret)
		errx(1, "ring '%s': %s", ring, strerror(-ret));
	/*
	 * A lookup now and then makes the new copy after a change. Where none
	 * may be held up, CHRING_FOLLOW_THREAD has that done by a thread.
	 */
	ret = chring_follow(c->ring, 0);
	if (ret)
		warnx("ring '%s': every lookup asks the kernel: %s", ring,
		      strerror(-ret));
}

static void cache_close(struct cache *c)
{
	while (c->servers)
		memcached_free(c->server[--c->servers].mc);
	free(c->server);
	chring_close(c->ring);
}

static int usage(void)
{
	fputs("Usage: ringcache RING fill COUNT\n"
	      "       ringcache RING read COUNT [former]\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	void (*each)(struct cache *c, const char *key, const char *value);
	char key[TEXT_MAX], value[TEXT_MAX];
	struct cache c = {};
	unsigned long i, count;

	if (argc == 4 && !strcmp(argv[2], "fill"))
		each = fill;
	else if (argc >= 4 && !strcmp(argv[2], "read"))
		each = check;
	else
		return usage();
	c.former = argc == 5 && !strcmp(argv[4], "former");
	if (argc != 4 + c.former)
		return usage();
	count = strtoul(argv[3], NULL, 10);
	cache_open(&c, argv[1]);
	for (i = 0; i < count; i++) {
		snprintf(key, sizeof(key), "user:%lu", i);
		snprintf(value, sizeof(value), "value of user:%lu", i);
		each(&c, key, value);
	}
	printf("hits %lu misses %lu former %lu errors %lu asked %lu\n",
	       c.hits, c.misses, c.moved, c.errors, c.asked);
	cache_close(&c);
	return c.errors ? 1 : 0;
}
