// SPDX-License-Identifier: GPL-2.0
#include "device.h"

#include <fcntl.h>
#include <stdarg.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/config.h"
#include "core/hash.h"
#include "listing.h"
#include "ring.h"
#include "status.h"

#define DESCRIPTORS	16

static struct chring_ring *shown;
static unsigned long asked;

/* Descriptors are those of events, which poll() can wait for. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int descriptor[DESCRIPTORS];
static int descriptors;
/* Status pages that are mapped, those of rings that were shown before too. */
static const void *mapped[DESCRIPTORS];

/* Threads of the library, and readers', are not known to this liburcu. */
static __thread bool is_known;

void device_known(void)
{
	is_known = true;
}

void device_begin(void)
{
	device_known();
	chring_sync_init();
}

void device_end(void)
{
	chring_sync_exit();
}

void device_show(struct chring_ring *ring)
{
	shown = ring;
}

unsigned long device_asked(void)
{
	return __atomic_load_n(&asked, __ATOMIC_RELAXED);
}

void device_tell(void)
{
	int i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < descriptors; i++)
		eventfd_write(descriptor[i], 1);
	pthread_mutex_unlock(&lock);
}

static int place_of(int fd)
{
	int i;

	for (i = 0; i < descriptors; i++)
		if (descriptor[i] == fd)
			return i;
	return -1;
}

static bool is_descriptor(int fd)
{
	bool is;

	pthread_mutex_lock(&lock);
	is = place_of(fd) >= 0;
	pthread_mutex_unlock(&lock);
	return is;
}

int __wrap_open(const char *path, int flags, ...)
{
	va_list args;
	int fd, mode;

	if (strcmp(path, CHRING_DEVICE)) {
		va_start(args, flags);
		mode = va_arg(args, int);
		va_end(args);
		return __real_open(path, flags, mode);
	}
	fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	pthread_mutex_lock(&lock);
	sync_assert(descriptors < DESCRIPTORS);
	descriptor[descriptors++] = fd;
	pthread_mutex_unlock(&lock);
	return fd;
}

int __wrap_close(int fd)
{
	int at;

	pthread_mutex_lock(&lock);
	at = place_of(fd);
	if (at >= 0)
		descriptor[at] = descriptor[--descriptors];
	pthread_mutex_unlock(&lock);
	return __real_close(fd);
}

/* Where a mapping is noted, or may be. */
static int mapped_at(const void *at)
{
	int i;

	for (i = 0; i < DESCRIPTORS; i++)
		if (mapped[i] == at)
			return i;
	return -1;
}

static void *map_status(void)
{
	int at, ret = chring_status_open(shown);

	if (ret) {
		errno = -ret;
		return MAP_FAILED;
	}
	pthread_mutex_lock(&lock);
	at = mapped_at(NULL);
	sync_assert(at >= 0);
	mapped[at] = shown->status;
	pthread_mutex_unlock(&lock);
	return shown->status;
}

void *__wrap_mmap(void *at, size_t size, int prot, int flags, int fd,
		  off_t offset)
{
	if (fd < 0 || !is_descriptor(fd))
		return __real_mmap(at, size, prot, flags, fd, offset);
	return map_status();
}

int __wrap_munmap(void *at, size_t size)
{
	int place;

	pthread_mutex_lock(&lock);
	place = at ? mapped_at(at) : -1;
	if (place >= 0)
		mapped[place] = NULL;
	pthread_mutex_unlock(&lock);
	return place >= 0 ? 0 : __real_munmap(at, size);
}

static void *pointer(u64 p)
{
	return (void *)(uintptr_t)p;
}

static int bind_ring(struct chring_ring_name *arg)
{
	arg->out_ring = shown->id;
	return 0;
}

static int stats(const struct chring_view *v, struct chring_stats *arg)
{
	if (arg->config)
		memcpy(pointer(arg->config), &shown->config,
		       sizeof(shown->config));
	memcpy(arg->out_name, shown->name, sizeof(shown->name));
	arg->out_ring = shown->id;
	arg->out_epoch = v->epoch;
	return 0;
}

static int list_nodes(const struct chring_view *v, struct chring_node_list *arg)
{
	arg->out_ring = shown->id;
	arg->out_epoch = v->epoch;
	arg->out_count = v->roster->count;
	arg->out_strings_size = chring_list_strings(v);
	if (arg->count < arg->out_count ||
	    arg->strings_size < arg->out_strings_size)
		return -EMSGSIZE;
	chring_list_nodes(v, pointer(arg->entries), pointer(arg->strings));
	return 0;
}

static int list_tokens(const struct chring_view *v,
		       struct chring_circle_list *arg)
{
	if (arg->epoch && arg->epoch != v->epoch)
		return -ESTALE;
	arg->out_count = chring_list_tokens(v, arg->cursor,
					    pointer(arg->entries), arg->count);
	arg->out_cursor = arg->cursor + arg->out_count;
	arg->out_more = arg->out_cursor < v->table->count;
	arg->out_epoch = v->epoch;
	return 0;
}

static int lookup(const struct chring_view *v, struct chring_lookup *arg)
{
	struct chring_owner *owner = pointer(arg->owners);
	const struct chring_node *node[CHRING_REPLICAS_MAX];
	const struct chring_ask ask = {
		.position = arg->flags & CHRING_LOOKUP_POSITION ?
			    arg->position :
			    chring_hash_position(&shown->config,
						 pointer(arg->key),
						 arg->key_len),
		.n = arg->count,
		.zones = arg->flags & CHRING_LOOKUP_ZONES,
	};
	u32 visits;
	int n = chring_view_owners(v, &ask, node, &visits), i;

	arg->out_ring = shown->id;
	arg->out_epoch = v->epoch;
	if (n < 0)
		return n;
	arg->out_count = n;
	for (i = 0; i < n; i++)
		owner[i] = (struct chring_owner){
			.node = node[i]->id,
			.cookie = node[i]->cookie,
		};
	return 0;
}

static int command(const struct chring_view *v, unsigned long ioc, void *arg)
{
	switch (ioc) {
	case CHRING_IOC_BIND:
		return bind_ring(arg);
	case CHRING_IOC_STATS:
		return stats(v, arg);
	case CHRING_IOC_NODE_LIST:
		return list_nodes(v, arg);
	case CHRING_IOC_TOKENS:
		return list_tokens(v, arg);
	case CHRING_IOC_LOOKUP:
		return lookup(v, arg);
	default:
		return -ENOTTY;
	}
}

int __wrap_ioctl(int fd, unsigned long ioc, void *arg)
{
	const struct chring_view *v;
	int ret = -ENODEV;

	if (!is_descriptor(fd))
		return __real_ioctl(fd, ioc, arg);
	__atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED);
	if (!is_known)
		rcu_register_thread();
	rcu_read_lock();
	v = chring_ring_view(shown);
	if (v)
		ret = command(v, ioc, arg);
	rcu_read_unlock();
	if (!is_known)
		rcu_unregister_thread();
	errno = -ret;
	return ret ? -1 : 0;
}

struct chring_ring *device_ring(__u32 vnodes)
{
	struct chring_config config = { .vnodes = vnodes };
	struct chring_ring *ring;

	sync_assert(!chring_config_resolve(&config));
	ring = chring_ring_create("ring", 4, &config);
	sync_assert(!IS_ERR(ring));
	device_show(ring);
	return ring;
}

void device_ring_delete(struct chring_ring *ring)
{
	chring_ring_abandon(ring);
	device_show(NULL);
}

__u64 device_node(struct chring_ring *ring, const char *name, __u32 weight,
		  __u32 state)
{
	const struct chring_edit edit = {
		.flags = CHRING_NODE_WEIGHT | CHRING_NODE_STATE,
		.name = name,
		.name_len = strlen(name),
		.weight = weight,
		.state = state,
	};
	struct chring_request rq = {};
	int ret = chring_ring_node_set(ring, &edit, &rq);

	if (ret == -ENOENT)
		ret = chring_ring_node_add(ring, &edit, &rq);
	sync_assert(!ret);
	return rq.facts.epoch;
}
