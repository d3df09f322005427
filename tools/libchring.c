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

int handle_command(const struct chring *c, unsigned long ioc, void *arg)
{
	return ioctl(c->fd, ioc, arg) ? -errno : 0;
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
		.name = handle_pointer(ring),
		.name_len = strlen(ring),
	};

	return handle_command(c, CHRING_IOC_BIND, &arg);
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
	return handle_command(c, CHRING_IOC_INFO, info);
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
	arg.name = handle_pointer(s->name);
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
