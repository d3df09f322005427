// SPDX-License-Identifier: GPL-2.0
#include <pthread.h>

#include "libtest.h"
#include "pool.h"

static struct {
	pthread_rwlock_t lock;
	int fd;
	unsigned int mode;
} slots[POOL_SLOTS] = {
	[0 ... POOL_SLOTS - 1] = {
		.lock = PTHREAD_RWLOCK_INITIALIZER,
		.fd = -1,
	},
};

static const char *const ring_names[POOL_RINGS] = {
	"r0", "r1", "r2", "r.3", "r:4", "r-5", "R_6",
	"a-name-that-is-as-long-as-the-name-of-a-ring-may-be-63-bytes--"
};

const char *pool_ring(struct rng *r, bool any)
{
	__u32 n = rng_below(r, POOL_RINGS + (any ? 4 : 0));

	if (n < POOL_RINGS)
		return ring_names[n];
	return n == POOL_RINGS ? LONE : n == POOL_RINGS + 1 ? PRIVATE :
				 CHRING_DEFAULT_RING;
}

/* One name is the beginning of another, two are as long as can be. */
const char *pool_node(int i, __u32 *len)
{
	static char names[POOL_NODES][CHRING_NAME_MAX + 1];
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&lock);
	if (!names[i][0]) {
		if (i >= POOL_NODES - 2)
			memset(names[i], 'x', CHRING_NAME_MAX - 1);
		snprintf(names[i] + strlen(names[i]), 4, "%c",
			 'a' + i % (POOL_NODES - 8));
		if (i >= POOL_NODES - 8 && i < POOL_NODES - 2)
			strcat(names[i], "-2");
	}
	pthread_mutex_unlock(&lock);
	*len = strlen(names[i]);
	return names[i];
}

static int bind_ring(int fd, const char *name)
{
	struct chring_ring_name arg = {
		.size = sizeof(arg),
		.name = ptr(name),
		.name_len = strlen(name),
	};

	return chr(fd, CHRING_IOC_BIND, &arg);
}

/*
 * Most are open for reading and writing. An access mode of 3 is for neither, but
 * for ioctl(). Nobody but its owner may write to the lone ring.
 */
static int open_some(struct rng *r, bool bound, unsigned int *mode)
{
	static const struct {
		int flags;
		unsigned int mode;
	} how[] = {
		{ O_RDWR, OPEN_READ | OPEN_WRITE },
		{ O_RDONLY, OPEN_READ },
		{ O_WRONLY, OPEN_WRITE },
		{ O_ACCMODE, 0 },
		{ O_PATH, OPEN_PATH },
	};
	__u32 n = rng_below(r, 100);
	int i = n < 76 ? 0 : n < 92 ? 1 : n < 96 ? 2 : n < 98 ? 3 : 4;
	int fd = open(CHRING_DEVICE, how[i].flags | O_NONBLOCK | O_CLOEXEC);

	*mode = how[i].mode;
	/* The others are of no ring until a command needs one, or binds them. */
	if (fd >= 0 && bound && rng_percent(r, 85))
		bind_ring(fd, i == 1 ? pool_ring(r, true) :
			  rng_percent(r, 8) ? PRIVATE : pool_ring(r, false));
	return fd;
}

void pool_replace(int slot, struct rng *r, bool bound)
{
	unsigned int mode;
	int fd = open_some(r, bound, &mode), was;

	pthread_rwlock_wrlock(&slots[slot].lock);
	was = slots[slot].fd;
	slots[slot].fd = fd;
	slots[slot].mode = mode;
	pthread_rwlock_unlock(&slots[slot].lock);
	if (was >= 0)
		close(was);
}

int pool_use(int slot, unsigned int *mode)
{
	int fd;

	pthread_rwlock_rdlock(&slots[slot].lock);
	fd = fcntl(slots[slot].fd, F_DUPFD_CLOEXEC, 0);
	*mode = slots[slot].mode;
	pthread_rwlock_unlock(&slots[slot].lock);
	return fd < 0 ? -errno : fd;
}

int pool_pick(struct rng *r, unsigned int want, unsigned int but)
{
	int slot = rng_below(r, POOL_SLOTS), i;

	/* A slot may change meanwhile: a wish, no more. */
	for (i = 0; i < 8 && (slots[slot].mode & (want | but)) != want; i++)
		slot = rng_below(r, POOL_SLOTS);
	return slot;
}

void pool_fill(struct rng *r)
{
	int i;

	for (i = 0; i < POOL_SLOTS; i++)
		pool_replace(i, r, true);
}

void pool_empty(void)
{
	int i;

	for (i = 0; i < POOL_SLOTS; i++) {
		if (slots[i].fd >= 0)
			close(slots[i].fd);
		slots[i].fd = -1;
	}
}
