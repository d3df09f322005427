// SPDX-License-Identifier: GPL-2.0
#include "libprobe.h"

int probe_open(void)
{
	int ret, fd;

	module_unload("chring_probe");
	ret = module_load(PROBE_MODULE, "");
	if (ret)
		return ret;
	fd = open(PROBE_DEVICE, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

void probe_close(int probe)
{
	close(probe);
	module_unload("chring_probe");
}

int probe(int fd, unsigned long ioc, __u32 ring, struct probe_call *call)
{
	int ret;

	call->ring = ring;
	ret = ioctl(fd, ioc, call);
	return ret < 0 ? -errno : ret;
}

int probe_get(int fd, __u32 ring, const char *name)
{
	struct probe_call call = { .name = ptr(name) };

	return probe(fd, PROBE_GET, ring, &call);
}

int probe_put(int fd, __u32 ring)
{
	struct probe_call call = {};

	return probe(fd, PROBE_PUT, ring, &call);
}

int probe_create(int fd, __u32 ring, const char *name,
		 const struct chring_config *config, __u32 keys)
{
	struct probe_call call = {
		.name = ptr(name),
		.config = ptr(config),
		.keys = keys,
	};

	return probe(fd, PROBE_CREATE, ring, &call);
}

int probe_show(int fd, __u32 ring, __u64 *id, __u64 *epoch)
{
	char name[CHRING_RING_NAME_MAX + 1];
	struct probe_call call = { .out = ptr(name) };
	int ret = probe(fd, PROBE_SHOW, ring, &call);

	if (id)
		*id = call.id;
	if (epoch)
		*epoch = call.epoch;
	return ret;
}

struct probe_server server_of(const char *name, __u32 weight, __u64 cookie,
			      __u32 tag)
{
	return (struct probe_server){
		.name = ptr(name),
		.name_len = strlen(name),
		.weight = weight,
		.cookie = cookie,
		.tag = tag,
	};
}

int probe_add(int fd, __u32 ring, struct probe_server s, __u64 *id)
{
	struct probe_call call = { .in = ptr(&s) };
	int ret = probe(fd, PROBE_ADD, ring, &call);

	if (id)
		*id = call.id;
	return ret;
}

int probe_set(int fd, __u32 ring, struct probe_server s)
{
	struct probe_call call = { .in = ptr(&s) };

	return probe(fd, PROBE_SET, ring, &call);
}

int probe_del(int fd, __u32 ring, const char *name)
{
	struct probe_server s = server_of(name, 0, 0, 0);
	struct probe_call call = { .in = ptr(&s) };

	return probe(fd, PROBE_DEL, ring, &call);
}

int probe_replace(int fd, __u32 ring, const struct probe_server *s, __u32 n)
{
	struct probe_call call = { .in = ptr(s), .n = n };

	return probe(fd, PROBE_REPLACE, ring, &call);
}

int probe_lookup(int fd, __u32 ring, const void *key, __u32 len,
		 struct probe_answer *a)
{
	struct probe_call call = {
		.in = ptr(key),
		.in_len = len,
		.out = ptr(a),
	};

	return probe(fd, PROBE_LOOKUP, ring, &call);
}

int probe_lookup_at(int fd, __u32 ring, __u64 position, struct probe_answer *a)
{
	struct probe_call call = { .position = position, .out = ptr(a) };

	return probe(fd, PROBE_LOOKUP_AT, ring, &call);
}

int probe_fit(int fd, __u32 ring, __u64 position, __u64 tags,
	      struct probe_answer *a)
{
	struct probe_call call = {
		.position = position,
		.tags = tags,
		.out = ptr(a),
	};

	return probe(fd, PROBE_FIT, ring, &call);
}

int probe_replicas(int fd, __u32 ring, __u64 position, __u32 flags,
		   struct probe_answer *a, __u32 n)
{
	struct probe_call call = {
		.position = position,
		.flags = flags,
		.n = n,
		.out = ptr(a),
	};

	return probe(fd, PROBE_REPLICAS, ring, &call);
}

int probe_listen(int fd, __u32 ring, __u32 delay)
{
	struct probe_call call = { .delay = delay };

	return probe(fd, PROBE_LISTEN, ring, &call);
}

int probe_notices(int fd, __u32 ring, struct probe_notice *notice, __u32 n)
{
	struct probe_call call = { .out = ptr(notice), .n = n };

	return probe(fd, PROBE_NOTICES, ring, &call);
}
