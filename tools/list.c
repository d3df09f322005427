// SPDX-License-Identifier: GPL-2.0
/* Functions of libchring that list: rings, nodes and names, shares, arcs, tokens. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "handle.h"

/* Room that the first try of a list has. */
#define RINGS_FIRST	64
#define NODES_FIRST	256
#define STRINGS_FIRST	8192
#define ARCS_FIRST	4096
/* A ring that changes during all of so many lists is too quick. */
#define LIST_TRIES	100

static struct chring_rings *rings_alloc(size_t room)
{
	struct chring_rings *rings;

	rings = calloc(1, sizeof(*rings) + room * sizeof(*rings->ring));
	if (rings)
		rings->ring = (struct chring_ring_entry *)(rings + 1);
	return rings;
}

static int ring_list(struct chring *c, __u32 flags, struct chring_rings **out)
{
	struct chring_ring_list arg;
	struct chring_rings *rings;
	size_t room = RINGS_FIRST;
	int ret;

	for (;;) {
		rings = rings_alloc(room);
		if (!rings)
			return -ENOMEM;
		arg = (struct chring_ring_list){
			.size = sizeof(arg),
			.flags = flags,
			.entries = handle_pointer(rings->ring),
			.entry_size = sizeof(*rings->ring),
			.count = room,
		};
		ret = handle_command(c, CHRING_IOC_RING_LIST, &arg);
		if (!ret)
			break;
		chring_rings_free(rings);
		if (ret != -EMSGSIZE)
			return ret;
		room = handle_reserve(arg.out_count);
	}
	rings->count = arg.out_count;
	*out = rings;
	return 0;
}

int chring_ring_list(struct chring *c, struct chring_rings **out)
{
	return ring_list(c, 0, out);
}

int chring_ring_list_all(struct chring *c, struct chring_rings **out)
{
	return ring_list(c, CHRING_LIST_PRIVATE, out);
}

void chring_rings_free(struct chring_rings *rings)
{
	free(rings);
}

/* An answer of NODE_LIST, as it comes. */
struct listing {
	struct chring_node_list arg;
	struct chring_node_entry *entry;
	char *strings;
};

static void listing_free(struct listing *l)
{
	free(l->entry);
	free(l->strings);
}

static int listing_try(struct chring *c, struct listing *l, size_t room,
		       size_t strings)
{
	l->entry = calloc(room, sizeof(*l->entry));
	l->strings = malloc(strings);
	if (!l->entry || !l->strings)
		return -ENOMEM;
	l->arg = (struct chring_node_list){
		.size = sizeof(l->arg),
		.entries = handle_pointer(l->entry),
		.entry_size = sizeof(*l->entry),
		.count = room,
		.strings = handle_pointer(l->strings),
		.strings_size = strings,
	};
	return handle_command(c, CHRING_IOC_NODE_LIST, &l->arg);
}

static int listing_get(struct chring *c, struct listing *l)
{
	size_t room = NODES_FIRST, strings = STRINGS_FIRST;
	int ret;

	for (;;) {
		ret = listing_try(c, l, room, strings);
		if (!ret)
			return 0;
		listing_free(l);
		if (ret != -EMSGSIZE)
			return ret;
		room = handle_reserve(l->arg.out_count);
		strings = handle_reserve(l->arg.out_strings_size);
	}
}

static const char *put_string(char **to, const char *from, __u32 len)
{
	char *string = *to;

	memcpy(string, from, len);
	string[len] = 0;
	*to += len + 1;
	return string;
}

static struct chring_nodes *nodes_from(const struct listing *l)
{
	size_t i, count = l->arg.out_count;
	struct chring_nodes *nodes;
	char *strings;

	nodes = malloc(sizeof(*nodes) + count * (sizeof(*nodes->node) + 2) +
		       l->arg.out_strings_size);
	if (!nodes)
		return NULL;
	*nodes = (struct chring_nodes){
		.ring = l->arg.out_ring,
		.epoch = l->arg.out_epoch,
		.generation = l->arg.out_generation,
		.digest = l->arg.out_digest,
		.count = count,
		.node = (struct chring_node *)(nodes + 1),
	};
	strings = (char *)(nodes->node + count);
	for (i = 0; i < count; i++) {
		const struct chring_node_entry *e = &l->entry[i];

		nodes->node[i] = (struct chring_node){
			.id = e->node,
			.cookie = e->cookie,
			.weight = e->weight,
			.state = e->state,
			.tokens = e->tokens,
			.name_len = e->name_len,
			.zone_len = e->zone_len,
			.bit = e->bit,
			.name = put_string(&strings, l->strings + e->name_off,
					   e->name_len),
			.zone = put_string(&strings, l->strings + e->zone_off,
					   e->zone_len),
		};
	}
	return nodes;
}

int chring_node_list(struct chring *c, struct chring_nodes **out)
{
	struct chring_nodes *nodes;
	struct listing l;
	int ret;

	ret = listing_get(c, &l);
	if (ret)
		return ret;
	nodes = nodes_from(&l);
	listing_free(&l);
	if (!nodes)
		return -ENOMEM;
	*out = nodes;
	return 0;
}

void chring_nodes_free(struct chring_nodes *nodes)
{
	free(nodes);
}

int handle_learn(struct chring *c, const struct chring_nodes *nodes)
{
	int ret = 0;
	size_t i;

	pthread_mutex_lock(&c->names_lock);
	for (i = 0; i < nodes->count && !ret; i++)
		ret = chring_names_add(&c->names, nodes->node[i].id,
				       nodes->node[i].name,
				       nodes->node[i].name_len);
	pthread_mutex_unlock(&c->names_lock);
	return ret;
}

int handle_name(struct chring *c, __u64 id, const struct chring_name **name)
{
	int ret = -EAGAIN;

	/* One that is gone may be replaced when the lock is given up. */
	pthread_mutex_lock(&c->names_lock);
	*name = chring_names_find(&c->names, id);
	if (*name)
		ret = (*name)->gone ? -ENOENT : 0;
	pthread_mutex_unlock(&c->names_lock);
	return ret;
}

/* Everything that is there now, and @id even if it is not. */
static int learn_names(struct chring *c, __u64 id)
{
	struct chring_nodes *nodes;
	int ret = chring_node_list(c, &nodes);

	if (ret)
		return ret;
	ret = handle_learn(c, nodes);
	chring_nodes_free(nodes);
	if (!ret) {
		pthread_mutex_lock(&c->names_lock);
		ret = chring_names_add(&c->names, id, NULL, 0);
		pthread_mutex_unlock(&c->names_lock);
	}
	return ret;
}

int chring_node_name(struct chring *c, __u64 id, const char **name,
		     size_t *len)
{
	const struct chring_name *known;
	int ret = handle_name(c, id, &known);

	if (ret == -EAGAIN) {
		ret = learn_names(c, id);
		if (!ret)
			ret = handle_name(c, id, &known);
	}
	if (ret)
		return ret;
	*name = known->bytes;
	if (len)
		*len = known->len;
	return 0;
}

static struct chring_summary *summary_alloc(size_t shares)
{
	struct chring_summary *s;

	s = calloc(1, sizeof(*s) + shares * sizeof(*s->share));
	if (s && shares)
		s->share = (struct chring_node_share *)(s + 1);
	return s;
}

static int summary_try(struct chring *c, struct chring_summary *s,
		       size_t shares, struct chring_stats *arg)
{
	*arg = (struct chring_stats){
		.size = sizeof(*arg),
		.config = handle_pointer(&s->config),
		.config_size = sizeof(s->config),
		.entries = handle_pointer(s->share),
		.entry_size = s->share ? sizeof(*s->share) : 0,
		.count = shares,
	};
	return handle_command(c, CHRING_IOC_STATS, arg);
}

static void summary_fill(struct chring_summary *s,
			 const struct chring_stats *arg)
{
	memcpy(s->name, arg->out_name, sizeof(s->name));
	s->ring = arg->out_ring;
	s->epoch = arg->out_epoch;
	s->generation = arg->out_generation;
	s->digest = arg->out_digest;
	s->checksum = arg->out_checksum;
	s->tokens = arg->out_tokens;
	s->bytes = arg->out_bytes;
	s->nodes = arg->out_nodes;
	s->live = arg->out_live;
	s->collisions = arg->out_collisions;
	s->former_epoch = arg->out_former_epoch;
	s->worst_walk = arg->out_worst_walk;
	s->zones = arg->out_zones;
	s->pinned = arg->out_pinned;
	s->least_lo = arg->out_least_lo;
	s->least_hi = arg->out_least_hi;
	s->most_lo = arg->out_most_lo;
	s->most_hi = arg->out_most_hi;
}

int chring_stats(struct chring *c, unsigned int flags,
		 struct chring_summary **out)
{
	size_t shares = flags & CHRING_STATS_SHARES ? NODES_FIRST : 0;
	struct chring_summary *s;
	struct chring_stats arg;
	int ret;

	if (flags & ~CHRING_STATS_SHARES)
		return -EINVAL;
	for (;;) {
		s = summary_alloc(shares);
		if (!s)
			return -ENOMEM;
		ret = summary_try(c, s, shares, &arg);
		if (!ret)
			break;
		chring_summary_free(s);
		if (ret != -EMSGSIZE)
			return ret;
		shares = handle_reserve(arg.out_nodes);
	}
	summary_fill(s, &arg);
	*out = s;
	return 0;
}

void chring_summary_free(struct chring_summary *summary)
{
	free(summary);
}

void chring_arc_list_free(struct chring_arc_list *list)
{
	if (list)
		free(list->range);
	free(list);
}

static int arc_list_grow(struct chring_arc_list *l, size_t *room, size_t entry)
{
	size_t more = *room ? 2 * *room : ARCS_FIRST;
	void *p = realloc(l->range, more * entry);

	if (!p)
		return -ENOMEM;
	l->range = p;
	*room = more;
	return 0;
}

/* A list from its beginning; @arg is what the pages have in common. */
static int arc_list_try(struct chring *c, unsigned long ioc,
			struct chring_circle_list arg,
			struct chring_arc_list *l)
{
	size_t room = 0;
	int ret = 0;

	do {
		if (l->count == room)
			ret = arc_list_grow(l, &room, arg.entry_size);
		if (ret)
			return ret;
		arg.entries = handle_pointer((char *)l->range +
				      l->count * arg.entry_size);
		arg.count = room - l->count > ~0U ? ~0U : room - l->count;
		ret = handle_command(c, ioc, &arg);
		if (ret)
			return ret;
		l->count += arg.out_count;
		l->ring = arg.out_ring;
		l->epoch = arg.out_epoch;
		l->former_epoch = arg.out_former_epoch;
		arg.cursor = arg.out_cursor;
		arg.epoch = arg.out_epoch;
	} while (arg.out_more);
	return 0;
}

static int arc_list(struct chring *c, unsigned long ioc,
		    const struct chring_circle_list *arg,
		    struct chring_arc_list **out)
{
	int tries, ret = -ESTALE;

	for (tries = 0; tries < LIST_TRIES && ret == -ESTALE; tries++) {
		struct chring_arc_list *l = calloc(1, sizeof(*l));

		if (!l)
			return -ENOMEM;
		ret = arc_list_try(c, ioc, *arg, l);
		if (ret)
			chring_arc_list_free(l);
		else
			*out = l;
	}
	return ret;
}

int chring_ranges(struct chring *c, unsigned int flags, __u64 node,
		  struct chring_arc_list **out)
{
	const struct chring_circle_list arg = {
		.size = sizeof(arg),
		.flags = flags,
		.node = node,
		.entry_size = sizeof(struct chring_range),
	};

	return arc_list(c, CHRING_IOC_RANGES, &arg, out);
}

int chring_diff(struct chring *c, struct chring_arc_list **out)
{
	const struct chring_circle_list arg = {
		.size = sizeof(arg),
		.entry_size = sizeof(struct chring_diff_entry),
	};

	return arc_list(c, CHRING_IOC_DIFF, &arg, out);
}

int chring_tokens(struct chring *c, struct chring_arc_list **out)
{
	const struct chring_circle_list arg = {
		.size = sizeof(arg),
		.entry_size = sizeof(struct chring_token),
	};

	return arc_list(c, CHRING_IOC_TOKENS, &arg, out);
}

int handle_tokens(struct chring *c, struct chring_circle_list *arg)
{
	arg->size = sizeof(*arg);
	arg->entry_size = sizeof(struct chring_token);
	return handle_command(c, CHRING_IOC_TOKENS, arg);
}
