// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "errors.h"
#include "output.h"
#include "session.h"
#include "words.h"

#define SYSFS_MODULE	"/sys/module/chring"
#define SYSFS_NUMBERS	"/sys/class/misc/chring/dev"

/* The module is there, but nobody has made the device for it. */
static int refused_node(void)
{
	FILE *numbers = fopen(SYSFS_NUMBERS, "re");
	unsigned int major = 0, minor = 0;
	int known = 0;

	if (numbers) {
		known = fscanf(numbers, "%u:%u", &major, &minor);
		fclose(numbers);
	}
	if (known != 2)
		return refused("%s: no such device, though the module is loaded; mount devtmpfs or start udev",
			       CHRING_DEVICE);
	return refused("%s: no such device, though the module is loaded; make it: 'mknod -m 644 %s c %u %u'",
		       CHRING_DEVICE, CHRING_DEVICE, major, minor);
}

static int refused_open(int err)
{
	switch (-err) {
	case ENXIO:
		if (!access(SYSFS_MODULE, F_OK))
			return refused_node();
		return refused("%s: no such device; load the module: 'modprobe chring' or 'insmod chring.ko'",
			       CHRING_DEVICE);
	case EACCES:
	case EPERM:
		return refused("%s: permission denied; only root changes rings, or who may write to the device",
			       CHRING_DEVICE);
	default:
		return refused("%s: %s", CHRING_DEVICE, strerror(-err));
	}
}

static int open_for(struct session *s, enum session_mode mode)
{
	int ret;

	if (mode == SESSION_READ)
		return chring_open(NULL, CHRING_OPEN_READ, &s->dev);
	/* For reading too: who is refused gets to know the numbers. */
	ret = chring_open(NULL, CHRING_OPEN_READ | CHRING_OPEN_WRITE, &s->dev);
	if (mode == SESSION_SEE &&
	    (ret == -EACCES || ret == -EPERM || ret == -EROFS))
		ret = chring_open(NULL, CHRING_OPEN_READ, &s->dev);
	return ret;
}

int session_open(struct session *s, const char *ring, enum session_mode mode)
{
	int ret;

	*s = (struct session){ .ring = ring };
	if (mode == SESSION_READ && ring && is_private_ring(ring))
		mode = SESSION_SEE;
	ret = output_open();
	if (ret)
		return ret;
	ret = open_for(s, mode);
	if (ret)
		return refused_open(ret);
	ret = ring ? chring_bind(s->dev, ring) : 0;
	if (ret == -ENOENT && is_private_ring(ring))
		return refused("ring '%s': no such ring, or not to be seen: private rings are shown to who may write to %s; 'chringctl ring list' shows those there are",
			       ring, CHRING_DEVICE);
	if (ret == -ENOENT)
		return refused("ring '%s': no such ring; 'chringctl ring list' shows those there are",
			       ring);
	return ret ? session_refused(s, ret) : STATUS_OK;
}

int session_rings(const struct session *s, struct chring_rings **out)
{
	int ret = chring_ring_list_all(s->dev, out);

	/* They are kept from us, or the module knows of no such thing. */
	if (ret == -EBADF || ret == -EINVAL)
		ret = chring_ring_list(s->dev, out);
	return ret;
}

int session_keys(const struct session *s, __u32 *keys)
{
	struct chring_rings *rings;
	int ret = session_rings(s, &rings);
	size_t i;

	if (ret)
		return ret;
	*keys = CHRING_KEYS_BYTES;
	for (i = 0; i < rings->count; i++)
		if (!strcmp(rings->ring[i].name, s->ring))
			*keys = rings->ring[i].keys;
	chring_rings_free(rings);
	return 0;
}

void session_close(struct session *s)
{
	chring_close(s->dev);
}

static int refused_budget(const struct session *s, const char *what)
{
	struct chring_info info;

	if (chring_info(s->dev, &info))
		return refused("%s: no room in the module's memory budget; raise its parameter max_total_bytes",
			       what);
	return refused("%s: no room in the module's memory budget: it holds %llu bytes and may hold %llu; raise its parameter max_total_bytes",
		       what, info.out_total_bytes, info.out_max_total_bytes);
}

int session_refused(const struct session *s, int err)
{
	char what[CHRING_RING_NAME_MAX + sizeof("ring ''")];

	if (s->ring)
		snprintf(what, sizeof(what), "ring '%s'", s->ring);
	else
		strcpy(what, CHRING_DEVICE);
	switch (-err) {
	case ENODEV:
		return refused("%s: it was deleted meanwhile; 'chringctl ring list' shows those there are",
			       what);
	case EPERM:
		return refused("%s: it is private: the kernel code that made it changes it, and nobody else",
			       what);
	case ENOTTY:
	case E2BIG:
		return refused("%s: the loaded chring.ko does not know this request; load one as new as this chringctl",
			       what);
	case EDQUOT:
		return refused_budget(s, what);
	case ENOMEM:
		return refused("%s: no memory for it, in the system or in this memory cgroup",
			       what);
	default:
		return refused("%s: %s", what, strerror(-err));
	}
}
