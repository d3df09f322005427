/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of the API for kernel modules share: chring_probe.ko, which
 * calls its functions for them, and wrappers of what that is asked.
 */
#ifndef CHRING_LIBPROBE_H
#define CHRING_LIBPROBE_H

#include "libtest.h"
#include "probe.h"

#define PROBE_MODULE	"/kmod/chring_probe.ko"

/* The probe, loaded afresh: its descriptor, or -errno. */
int probe_open(void);
/* It gives back whatever it holds. */
void probe_close(int probe);

/* What is asked of the probe for its ring of a number; what that returns. */
int probe(int fd, unsigned long ioc, __u32 ring, struct probe_call *call);

int probe_get(int fd, __u32 ring, const char *name);
int probe_put(int fd, __u32 ring);
/* @config may be NULL: all defaults. */
int probe_create(int fd, __u32 ring, const char *name,
		 const struct chring_config *config, __u32 keys);
/* Id and epoch; either may be NULL. */
int probe_show(int fd, __u32 ring, __u64 *id, __u64 *epoch);

/* A node in the words of a test. */
struct probe_server server_of(const char *name, __u32 weight, __u64 cookie,
			      __u32 tag);
int probe_add(int fd, __u32 ring, struct probe_server s, __u64 *id);
int probe_set(int fd, __u32 ring, struct probe_server s);
int probe_del(int fd, __u32 ring, const char *name);
int probe_replace(int fd, __u32 ring, const struct probe_server *s, __u32 n);

int probe_lookup(int fd, __u32 ring, const void *key, __u32 len,
		 struct probe_answer *a);
int probe_lookup_at(int fd, __u32 ring, __u64 position, struct probe_answer *a);
/* @tags: bit t: nodes with tag t fit. */
int probe_fit(int fd, __u32 ring, __u64 position, __u64 tags,
	      struct probe_answer *a);
int probe_replicas(int fd, __u32 ring, __u64 position, __u32 flags,
		   struct probe_answer *a, __u32 n);

int probe_listen(int fd, __u32 ring, __u32 delay);
/* How many there were; the first @n of them. */
int probe_notices(int fd, __u32 ring, struct probe_notice *notice, __u32 n);

#endif /* CHRING_LIBPROBE_H */
