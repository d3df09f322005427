// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <sys/syscall.h>

#include "libtest.h"

#define PARAMETERS	"/sys/module/chring/parameters/"

int chr(int fd, unsigned long ioc, void *arg)
{
	return ioctl(fd, ioc, arg) ? -errno : 0;
}

int dev_open(int flags, const char *ring)
{
	struct chring_ring_name bind = {
		.size = sizeof(bind),
		.name = ptr(ring),
	};
	int fd = open(CHRING_DEVICE, flags | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	if (!ring)
		return fd;
	bind.name_len = strlen(ring);
	ret = chr(fd, CHRING_IOC_BIND, &bind);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

int ring_create(int fd, const char *name, const struct chring_config *config)
{
	struct chring_ring_create arg = {
		.size = sizeof(arg),
		.name = ptr(name),
		.name_len = strlen(name),
		.config = ptr(config),
		.config_size = config ? sizeof(*config) : 0,
	};

	return chr(fd, CHRING_IOC_RING_CREATE, &arg);
}

int ring_delete(int fd, const char *name)
{
	struct chring_ring_name arg = {
		.size = sizeof(arg),
		.name = ptr(name),
		.name_len = strlen(name),
	};

	return chr(fd, CHRING_IOC_RING_DELETE, &arg);
}

int ring_fresh(const char *name, const struct chring_config *config)
{
	int fd = dev_open(O_RDWR, NULL);
	int ret;

	if (fd < 0)
		return fd;
	ring_delete(fd, name);
	ret = ring_create(fd, name, config);
	close(fd);
	return ret ? ret : dev_open(O_RDWR, name);
}

int node_add(int fd, const char *name, __u32 weight, __u32 state, __u64 *id)
{
	struct chring_node_change arg = {
		.size = sizeof(arg),
		.name = ptr(name),
		.name_len = strlen(name),
		.weight = weight,
		.state = state,
	};
	int ret = chr(fd, CHRING_IOC_NODE_ADD, &arg);

	if (id)
		*id = arg.out_node;
	return ret;
}

static int node_set(int fd, const char *name, __u32 flags, __u32 weight,
		    __u32 state)
{
	struct chring_node_change arg = {
		.size = sizeof(arg),
		.flags = flags,
		.name = ptr(name),
		.name_len = strlen(name),
		.weight = weight,
		.state = state,
	};

	return chr(fd, CHRING_IOC_NODE_SET, &arg);
}

int node_set_weight(int fd, const char *name, __u32 weight)
{
	return node_set(fd, name, CHRING_NODE_WEIGHT, weight, 0);
}

int node_set_state(int fd, const char *name, __u32 state)
{
	return node_set(fd, name, CHRING_NODE_STATE, 0, state);
}

int node_del(int fd, const char *name)
{
	struct chring_node_change arg = {
		.size = sizeof(arg),
		.name = ptr(name),
		.name_len = strlen(name),
	};

	return chr(fd, CHRING_IOC_NODE_DEL, &arg);
}

int change_often(int fd, const char *name, int changes)
{
	int i, ret = 0;

	for (i = 0; i < changes && !ret; i += 2) {
		ret = node_set_state(fd, name, CHRING_STATE_DRAIN);
		if (!ret)
			ret = node_set_state(fd, name, CHRING_STATE_UP);
	}
	return ret;
}

static int lookup(int fd, struct chring_lookup *out, __u32 count,
		  struct chring_owner *owner)
{
	out->size = sizeof(*out);
	out->count = count;
	out->owners = ptr(owner);
	out->entry_size = sizeof(*owner);
	return chr(fd, CHRING_IOC_LOOKUP, out);
}

int lookup_key(int fd, const void *key, __u32 len, struct chring_lookup *out,
	       struct chring_owner *owner)
{
	*out = (struct chring_lookup){ .key = ptr(key), .key_len = len };
	return lookup(fd, out, 1, owner);
}

int lookup_position(int fd, __u64 position, struct chring_lookup *out,
		    struct chring_owner *owner)
{
	*out = (struct chring_lookup){
		.flags = CHRING_LOOKUP_POSITION,
		.position = position,
	};
	return lookup(fd, out, 1, owner);
}

int lookup_owners(int fd, __u32 flags, __u64 position, __u32 count,
		  struct chring_owner *owner, __u32 *found)
{
	struct chring_lookup arg = {
		.flags = flags | CHRING_LOOKUP_POSITION,
		.position = position,
	};
	int ret = lookup(fd, &arg, count, owner);

	*found = arg.out_count;
	return ret;
}

int ticket_take(int fd, const char *key, struct chring_acquire *out)
{
	*out = (struct chring_acquire){
		.size = sizeof(*out),
		.key = ptr(key),
		.key_len = strlen(key),
	};
	return chr(fd, CHRING_IOC_ACQUIRE, out);
}

int ticket_take_at(int fd, __u64 position, struct chring_acquire *out)
{
	*out = (struct chring_acquire){
		.size = sizeof(*out),
		.flags = CHRING_LOOKUP_POSITION,
		.position = position,
	};
	return chr(fd, CHRING_IOC_ACQUIRE, out);
}

int ticket_give(int fd, __u64 node, __u32 count, struct chring_release *out)
{
	struct chring_release arg = {
		.size = sizeof(arg),
		.node = node,
		.count = count,
	};
	int ret = chr(fd, CHRING_IOC_RELEASE, &arg);

	if (out)
		*out = arg;
	return ret;
}

int node_list(int fd, struct listing *l)
{
	int ret;

	*l = (struct listing){};
	do {
		l->list.size = sizeof(l->list);
		l->list.count = l->list.out_count;
		l->list.strings_size = l->list.out_strings_size;
		l->list.entry_size = sizeof(*l->entry);
		free(l->entry);
		free(l->strings);
		l->entry = calloc(l->list.count + 1, sizeof(*l->entry));
		l->strings = calloc(l->list.strings_size + 1, 1);
		l->list.entries = ptr(l->entry);
		l->list.strings = ptr(l->strings);
		ret = chr(fd, CHRING_IOC_NODE_LIST, &l->list);
	} while (ret == -EMSGSIZE);
	return ret;
}

static int count_rings(int fd, __u32 *rings)
{
	struct chring_info info = { .size = sizeof(info) };
	int ret = chr(fd, CHRING_IOC_INFO, &info);

	*rings = info.out_rings;
	return ret;
}

static struct chring_node_share share[CHRING_NODES_MAX];

static int get_shares(int fd, struct chring_stats *stats)
{
	*stats = (struct chring_stats){
		.size = sizeof(*stats),
		.entries = ptr(share),
		.entry_size = sizeof(share[0]),
		.count = ARRAY_LEN(share),
	};
	return chr(fd, CHRING_IOC_STATS, stats);
}

int node_load(int fd, __u64 node, __u64 *load, __u64 *cap)
{
	struct chring_stats stats;
	int ret = get_shares(fd, &stats);
	__u32 i;

	for (i = 0; !ret && i < stats.out_nodes; i++) {
		if (share[i].node != node)
			continue;
		*load = share[i].load;
		*cap = share[i].cap;
		return 0;
	}
	return ret ? ret : -ENOENT;
}

int mark_ring(int fd, struct mark *m)
{
	struct chring_stats stats;
	int ret = get_shares(fd, &stats);
	__u32 i;

	*m = (struct mark){
		.ring = stats.out_ring,
		.epoch = stats.out_epoch,
		.generation = stats.out_generation,
		.digest = stats.out_digest,
		.checksum = stats.out_checksum,
		.tokens = stats.out_tokens,
		.nodes = stats.out_nodes,
		.live = stats.out_live,
	};
	for (i = 0; !ret && i < stats.out_nodes; i++)
		m->tickets += share[i].load;
	return ret ? ret : count_rings(fd, &m->rings);
}

bool mark_same(const struct mark *a, const struct mark *b)
{
	return a->ring == b->ring && a->epoch == b->epoch &&
	       a->generation == b->generation && a->digest == b->digest &&
	       a->checksum == b->checksum && a->tokens == b->tokens &&
	       a->nodes == b->nodes && a->live == b->live &&
	       a->rings == b->rings && a->tickets == b->tickets;
}

unsigned long scaled(unsigned long count)
{
	const char *scale = getenv("CHRING_SCALE");

	return count / (scale ? strtoul(scale, NULL, 10) : 1);
}

__u64 bytes_held(int fd)
{
	struct chring_info info = { .size = sizeof(info) };

	return chr(fd, CHRING_IOC_INFO, &info) ? ~0ULL : info.out_total_bytes;
}

__u64 bytes_settled(int fd)
{
	__u64 was, now = bytes_held(fd);

	do {
		was = now;
		usleep(500000);
		now = bytes_held(fd);
	} while (now != was);
	return now;
}

bool settles_at(int fd, __u64 bytes)
{
	int i;

	for (i = 0; i < 500 && bytes_held(fd) != bytes; i++)
		usleep(10000);
	return bytes_held(fd) == bytes;
}

void note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("# ", stdout);
	vprintf(format, args);
	putchar('\n');
	fflush(stdout);
	va_end(args);
}

int module_load(const char *path, const char *params)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = syscall(SYS_finit_module, fd, params, 0) ? -errno : 0;
	close(fd);
	return ret;
}

int module_unload(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? -errno : 0;
}

int param_get(const char *name, unsigned long *value)
{
	char path[128];
	FILE *f;
	int n;

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	f = fopen(path, "r");
	if (!f)
		return -errno;
	n = fscanf(f, "%lu", value);
	fclose(f);
	return n == 1 ? 0 : -EINVAL;
}

int param_set(const char *name, unsigned long value)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	f = fopen(path, "w");
	if (!f)
		return -errno;
	fprintf(f, "%lu\n", value);
	return fclose(f) ? -errno : 0;
}
