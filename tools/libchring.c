// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "handle.h"

/* Room that the first try of a list has. */
#define RINGS_FIRST	64
#define NODES_FIRST	256
#define STRINGS_FIRST	8192
#define TRANSFERS_FIRST	256
#define ARCS_FIRST	4096
/* A ring that changes during all of so many lists is too quick. */
#define LIST_TRIES	100

static int command(const struct chring *c, unsigned long ioc, void *arg)
{
	return ioctl(c->fd, ioc, arg) ? -errno : 0;
}

static __u64 pointer(const void *p)
{
	return (uintptr_t)p;
}

/* Some more than is needed now: by the next try there may be more. */
static size_t with_reserve(size_t need)
{
	return need + need / 8 + 1;
}

/* Size of the first version of an event: no module has smaller ones. */
#define EVENT_FIRST	104

static int open_device(unsigned int flags)
{
	int wait = flags & CHRING_OPEN_NONBLOCK ? O_NONBLOCK : 0;
	int mode, fd;

	switch (flags & ~CHRING_OPEN_NONBLOCK) {
	case CHRING_OPEN_READ:
		mode = O_RDONLY;
		break;
	case CHRING_OPEN_WRITE:
		mode = O_WRONLY;
		break;
	case CHRING_OPEN_READ | CHRING_OPEN_WRITE:
		mode = O_RDWR;
		break;
	default:
		return -EINVAL;
	}
	fd = open(CHRING_DEVICE, mode | wait | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	/* ENOENT is to mean a ring; ENODEV means that one is deleted. */
	return errno == ENOENT || errno == ENODEV ? -ENXIO : -errno;
}

int chring_open(const char *ring, unsigned int flags, struct chring **out)
{
	struct chring *c;
	int ret;

	ret = open_device(flags);
	if (ret < 0)
		return ret;
	c = calloc(1, sizeof(*c));
	if (!c) {
		close(ret);
		return -ENOMEM;
	}
	c->fd = ret;
	c->flags = flags;
	pthread_mutex_init(&c->names_lock, NULL);
	mirror_init(&c->mirror);
	ret = ring ? chring_bind(c, ring) : 0;
	if (ret) {
		chring_close(c);
		return ret;
	}
	*out = c;
	return 0;
}

int chring_bind(struct chring *c, const char *ring)
{
	struct chring_ring_name arg = {
		.size = sizeof(arg),
		.name = pointer(ring),
		.name_len = strlen(ring),
	};

	return command(c, CHRING_IOC_BIND, &arg);
}

void chring_close(struct chring *c)
{
	if (!c)
		return;
	mirror_end(&c->mirror);
	chring_names_free(&c->names);
	pthread_mutex_destroy(&c->names_lock);
	close(c->fd);
	free(c);
}

int chring_info(struct chring *c, struct chring_info *info)
{
	*info = (struct chring_info){ .size = sizeof(*info) };
	return command(c, CHRING_IOC_INFO, info);
}

int chring_ring_create(struct chring *c, const char *name,
		       const struct chring_config *config, __u64 *id)
{
	struct chring_ring_create arg = {
		.size = sizeof(arg),
		.name = pointer(name),
		.name_len = strlen(name),
		.config_size = config ? sizeof(*config) : 0,
		.config = pointer(config),
	};
	int ret = command(c, CHRING_IOC_RING_CREATE, &arg);

	if (!ret && id)
		*id = arg.out_ring;
	return ret;
}

int chring_ring_delete(struct chring *c, const char *name, __u64 *id)
{
	struct chring_ring_name arg = {
		.size = sizeof(arg),
		.name = pointer(name),
		.name_len = strlen(name),
	};
	int ret = command(c, CHRING_IOC_RING_DELETE, &arg);

	if (!ret && id)
		*id = arg.out_ring;
	return ret;
}

static struct chring_rings *rings_alloc(size_t room)
{
	struct chring_rings *rings;

	rings = calloc(1, sizeof(*rings) + room * sizeof(*rings->ring));
	if (rings)
		rings->ring = (struct chring_ring_entry *)(rings + 1);
	return rings;
}

int chring_ring_list(struct chring *c, struct chring_rings **out)
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
			.entries = pointer(rings->ring),
			.entry_size = sizeof(*rings->ring),
			.count = room,
		};
		ret = command(c, CHRING_IOC_RING_LIST, &arg);
		if (!ret)
			break;
		chring_rings_free(rings);
		if (ret != -EMSGSIZE)
			return ret;
		room = with_reserve(arg.out_count);
	}
	rings->count = arg.out_count;
	*out = rings;
	return 0;
}

void chring_rings_free(struct chring_rings *rings)
{
	free(rings);
}

/* Of a change of any kind: their arguments answer by the same names. */
#define OUTCOME(arg)							\
	((struct chring_outcome){					\
		.ring = (arg).out_ring,					\
		.epoch = (arg).out_epoch,				\
		.generation = (arg).out_generation,			\
		.digest = (arg).out_digest,				\
	})

void chring_plan_free(struct chring_plan *plan)
{
	free(plan);
}

static struct chring_plan *plan_alloc(struct chring_dry_run *dry, size_t room)
{
	struct chring_plan *p = calloc(1, sizeof(*p) +
					  room * sizeof(*p->transfer));

	if (p)
		p->transfer = (struct chring_transfer *)(p + 1);
	*dry = (struct chring_dry_run){
		.transfers = pointer(p ? p->transfer : NULL),
		.entry_size = sizeof(*p->transfer),
		.count = room,
	};
	return p;
}

/*
 * A change, or its dry run, which tells as many transfers as there are. @flags
 * and @dry are fields of @arg.
 */
static int change(struct chring *c, unsigned long ioc, void *arg, __u32 *flags,
		  struct chring_dry_run *dry, struct chring_plan **plan)
{
	size_t room = TRANSFERS_FIRST;
	int ret;

	if (!plan)
		return command(c, ioc, arg);
	*flags |= CHRING_DRY_RUN;
	for (;;) {
		struct chring_plan *p = plan_alloc(dry, room);

		if (!p)
			return -ENOMEM;
		ret = command(c, ioc, arg);
		if (!ret) {
			p->moved_lo = dry->out_moved_lo;
			p->moved_hi = dry->out_moved_hi;
			p->count = dry->out_count;
			*plan = p;
			return 0;
		}
		chring_plan_free(p);
		if (ret != -EMSGSIZE)
			return ret;
		room = with_reserve(dry->out_count);
	}
}

static int node_change(struct chring *c, unsigned long ioc,
		       struct chring_node_change *arg,
		       const struct chring_edit *edit,
		       struct chring_outcome *out)
{
	int ret;

	arg->size = sizeof(*arg);
	arg->name = pointer(edit->name);
	arg->name_len = edit->name_len;
	arg->epoch = edit->epoch;
	arg->generation = edit->generation;
	ret = change(c, ioc, arg, &arg->flags, &arg->dry, edit->plan);
	if (out) {
		*out = OUTCOME(*arg);
		out->node = arg->out_node;
	}
	return ret;
}

/* What is not to be set has to be 0. */
static void fill_change(struct chring_node_change *arg,
			const struct chring_edit *edit, __u32 set)
{
	if (set & CHRING_NODE_WEIGHT)
		arg->weight = edit->weight;
	if (set & CHRING_NODE_STATE)
		arg->state = edit->state;
	if (set & CHRING_NODE_COOKIE)
		arg->cookie = edit->cookie;
	if (set & CHRING_NODE_ZONE && edit->zone_len) {
		arg->zone = pointer(edit->zone);
		arg->zone_len = edit->zone_len;
	}
}

int chring_node_add(struct chring *c, const struct chring_edit *edit,
		    struct chring_outcome *out)
{
	struct chring_node_change arg = {};

	fill_change(&arg, edit, CHRING_NODE_WEIGHT | CHRING_NODE_STATE |
				CHRING_NODE_ZONE | CHRING_NODE_COOKIE);
	return node_change(c, CHRING_IOC_NODE_ADD, &arg, edit, out);
}

int chring_node_set(struct chring *c, const struct chring_edit *edit,
		    struct chring_outcome *out)
{
	struct chring_node_change arg = { .flags = edit->set };

	fill_change(&arg, edit, edit->set);
	return node_change(c, CHRING_IOC_NODE_SET, &arg, edit, out);
}

int chring_node_del(struct chring *c, const struct chring_edit *edit,
		    struct chring_outcome *out)
{
	struct chring_node_change arg = {};

	return node_change(c, CHRING_IOC_NODE_DEL, &arg, edit, out);
}

static int edit_cmp(const void *a, const void *b)
{
	const struct chring_edit *x = a, *y = b;
	size_t len = x->name_len < y->name_len ? x->name_len : y->name_len;
	int cmp = memcmp(x->name, y->name, len);

	return cmp ? cmp : (x->name_len > y->name_len) -
			   (x->name_len < y->name_len);
}

/* A membership, as it goes. */
struct roll {
	struct chring_member *member;
	char *strings;
	size_t size;
};

static __u32 put_bytes(struct roll *r, const char *bytes, size_t len)
{
	__u32 off = r->size;

	memcpy(r->strings + off, bytes, len);
	r->size += len;
	return off;
}

static int roll_make(struct roll *r, const struct chring_members *m)
{
	size_t size = 1, i;

	for (i = 0; i < m->count; i++) {
		if (m->node[i].name_len > CHRING_NAME_MAX ||
		    m->node[i].zone_len > CHRING_NAME_MAX)
			return -ENAMETOOLONG;
		size += m->node[i].name_len + m->node[i].zone_len;
	}
	r->member = calloc(m->count + 1, sizeof(*r->member));
	r->strings = malloc(size);
	if (!r->member || !r->strings)
		return -ENOMEM;
	for (i = 0; i < m->count; i++) {
		const struct chring_edit *e = &m->node[i];
		struct chring_member *to = &r->member[i];

		to->cookie = e->cookie;
		to->weight = e->weight;
		to->state = e->state;
		to->name_len = e->name_len;
		to->name_off = put_bytes(r, e->name, e->name_len);
		to->zone_len = e->zone_len;
		if (e->zone_len)
			to->zone_off = put_bytes(r, e->zone, e->zone_len);
	}
	return 0;
}

static int roll_send(struct chring *c, const struct roll *r,
		     const struct chring_members *m, struct chring_outcome *out)
{
	struct chring_commit arg = {
		.size = sizeof(arg),
		.members = pointer(r->member),
		.member_size = sizeof(*r->member),
		.count = m->count,
		.strings = pointer(r->strings),
		.strings_size = r->size,
		.epoch = m->epoch,
		.generation = m->generation,
		.nodes = pointer(m->id),
	};
	int ret = change(c, CHRING_IOC_COMMIT, &arg, &arg.flags, &arg.dry,
			 m->plan);

	if (out)
		*out = OUTCOME(arg);
	return ret;
}

int chring_commit(struct chring *c, struct chring_members *members,
		  struct chring_outcome *out)
{
	struct roll r = {};
	int ret;

	/* A count that the ABI cannot say is over its limit, too. */
	if (members->count > CHRING_NODES_MAX)
		return -ERANGE;
	if (members->count)
		qsort(members->node, members->count, sizeof(*members->node),
		      edit_cmp);
	ret = roll_make(&r, members);
	if (!ret)
		ret = roll_send(c, &r, members, out);
	free(r.member);
	free(r.strings);
	return ret;
}

static int pin_change(struct chring *c, unsigned long ioc, __u64 epoch,
		      __u64 generation, struct chring_outcome *out)
{
	struct chring_pin arg = {
		.size = sizeof(arg),
		.epoch = epoch,
		.generation = generation,
	};
	int ret = command(c, ioc, &arg);

	if (out)
		*out = OUTCOME(arg);
	return ret;
}

int chring_pin(struct chring *c, __u64 epoch, __u64 generation,
	       struct chring_outcome *out)
{
	return pin_change(c, CHRING_IOC_PIN, epoch, generation, out);
}

int chring_unpin(struct chring *c, __u64 epoch, __u64 generation,
		 struct chring_outcome *out)
{
	return pin_change(c, CHRING_IOC_UNPIN, epoch, generation, out);
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
		.entries = pointer(l->entry),
		.entry_size = sizeof(*l->entry),
		.count = room,
		.strings = pointer(l->strings),
		.strings_size = strings,
	};
	return command(c, CHRING_IOC_NODE_LIST, &l->arg);
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
		room = with_reserve(l->arg.out_count);
		strings = with_reserve(l->arg.out_strings_size);
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

static const struct chring_name *find_name(struct chring *c, __u64 id)
{
	const struct chring_name *name;

	pthread_mutex_lock(&c->names_lock);
	name = chring_names_find(&c->names, id);
	pthread_mutex_unlock(&c->names_lock);
	return name;
}

const struct chring_name *handle_name(struct chring *c, __u64 id)
{
	const struct chring_name *name = find_name(c, id);

	return name && !name->gone ? name : NULL;
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
	const struct chring_name *known = find_name(c, id);

	if (!known) {
		int ret = learn_names(c, id);

		if (ret)
			return ret;
		known = find_name(c, id);
	}
	if (known->gone)
		return -ENOENT;
	*name = known->bytes;
	if (len)
		*len = known->len;
	return 0;
}

int handle_lookup(struct chring *c, const struct chring_query *query,
		  struct chring_answer *answer)
{
	struct chring_lookup arg = {
		.size = sizeof(arg),
		.flags = query->flags,
		.key = pointer(query->key),
		.key_len = query->key_len,
		.count = query->count,
		.position = query->position,
		.epoch = query->epoch,
		.owners = pointer(answer->owner),
		.entry_size = sizeof(*answer->owner),
		.formers = query->formers ? pointer(answer->former) : 0,
	};
	int ret;

	/* A length that the ABI cannot say is over its limit, too. */
	if (query->key_len > CHRING_KEY_MAX)
		return -ERANGE;
	ret = command(c, CHRING_IOC_LOOKUP, &arg);
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
		.keys = pointer(batch->keys),
		.lens = pointer(batch->lens),
		.keys_size = batch->keys_size,
		.count = batch->count,
		.epoch = batch->epoch,
		.nodes = pointer(batch->nodes),
	};
	int ret;

	if (batch->keys_size > CHRING_BATCH_BYTES_MAX)
		return -ERANGE;
	ret = command(c, CHRING_IOC_LOOKUP_BATCH, &arg);
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
		.key = pointer(query->key),
		.key_len = query->key_len,
		.position = query->position,
		.epoch = query->epoch,
	};
	int ret;

	if (query->key_len > CHRING_KEY_MAX)
		return -ERANGE;
	ret = command(c, CHRING_IOC_ACQUIRE, &arg);
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
	int ret = command(c, CHRING_IOC_RELEASE, &arg);

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
		.config = pointer(&s->config),
		.config_size = sizeof(s->config),
		.entries = pointer(s->share),
		.entry_size = s->share ? sizeof(*s->share) : 0,
		.count = shares,
	};
	return command(c, CHRING_IOC_STATS, arg);
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
		shares = with_reserve(arg.out_nodes);
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
		arg.entries = pointer((char *)l->range +
				      l->count * arg.entry_size);
		arg.count = room - l->count > ~0U ? ~0U : room - l->count;
		ret = command(c, ioc, &arg);
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
	return command(c, CHRING_IOC_TOKENS, arg);
}

int handle_map(struct chring *c, const struct chring_status **status)
{
	void *p = mmap(NULL, sizeof(**status), PROT_READ, MAP_SHARED, c->fd, 0);

	if (p == MAP_FAILED)
		return -errno;
	*status = p;
	return 0;
}

int handle_events(struct chring *c, __u64 ring)
{
	struct chring_summary *s;
	struct chring_ring_name arg = { .size = sizeof(arg) };
	int fd, ret = chring_stats(c, 0, &s);

	if (ret)
		return ret;
	arg.name = pointer(s->name);
	arg.name_len = strlen(s->name);
	fd = open_device(CHRING_OPEN_READ | CHRING_OPEN_NONBLOCK);
	if (fd >= 0 && ioctl(fd, CHRING_IOC_BIND, &arg))
		ret = errno == ENOENT ? -ENODEV : -errno;
	/* Its name may be that of another ring by now. */
	if (!ret && fd >= 0 && arg.out_ring != ring)
		ret = -ENODEV;
	chring_summary_free(s);
	if (ret && fd >= 0)
		close(fd);
	return ret ? ret : fd;
}

void handle_unmap(const struct chring_status *status)
{
	munmap((void *)status, sizeof(*status));
}

int chring_fd(const struct chring *c)
{
	return c->fd;
}

/* Return: records in @bytes, each cut or filled up with zeroes; or -EIO. */
static ssize_t events_from(const char *bytes, size_t size,
			   struct chring_event *event)
{
	size_t n, step;

	for (n = 0; size >= EVENT_FIRST; n++, bytes += step, size -= step) {
		step = ((const struct chring_event *)bytes)->size;
		if (step < EVENT_FIRST || step > size || step % 8)
			return -EIO;
		event[n] = (struct chring_event){};
		memcpy(&event[n], bytes,
		       step < sizeof(*event) ? step : sizeof(*event));
	}
	return n;
}

int chring_events(struct chring *c, struct chring_event *event, size_t room,
		  size_t *count)
{
	_Alignas(8) char bytes[64 * EVENT_FIRST];
	ssize_t n;

	if (room < CHRING_EVENTS_MIN)
		return -EINVAL;
	/* However small they are: no more than the caller has room for. */
	if (room > sizeof(bytes) / EVENT_FIRST)
		room = sizeof(bytes) / EVENT_FIRST;
	n = read(c->fd, bytes, room * EVENT_FIRST);
	if (n < 0)
		return -errno;
	n = events_from(bytes, n, event);
	if (n < 0)
		return n;
	*count = n;
	return 0;
}
