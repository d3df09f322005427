/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of /dev/chring share: thin wrappers of its commands, which
 * return 0 or a negative errno and hide nothing. The tests do not use
 * libchring, so that neither can hide a fault of the other.
 */
#ifndef CHRING_LIBTEST_H
#define CHRING_LIBTEST_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/chring.h>

#define ARRAY_LEN(a)	(sizeof(a) / sizeof((a)[0]))

static inline __u64 ptr(const void *p)
{
	return (uintptr_t)p;
}

/* A command: 0 or -errno. */
int chr(int fd, unsigned long ioc, void *arg);

/* Descriptor of the device, bound to @ring unless that is NULL; or -errno. */
int dev_open(int flags, const char *ring);

/* @config may be NULL: all defaults. */
int ring_create(int fd, const char *name, const struct chring_config *config);
int ring_delete(int fd, const char *name);

/* A ring of this name, empty, and a descriptor of it to read and write. */
int ring_fresh(const char *name, const struct chring_config *config);

/* @id may be NULL. */
int node_add(int fd, const char *name, __u32 weight, __u32 state, __u64 *id);
int node_set_weight(int fd, const char *name, __u32 weight);
int node_set_state(int fd, const char *name, __u32 state);
int node_del(int fd, const char *name);
/* An even number of changes, of the state of a node, which is up in the end. */
int change_often(int fd, const char *name, int changes);

int lookup_key(int fd, const void *key, __u32 len, struct chring_lookup *out,
	       struct chring_owner *owner);
int lookup_position(int fd, __u64 position, struct chring_lookup *out,
		    struct chring_owner *owner);
/*
 * The first @count owners of a position; @flags: further ones; @found: how many
 * there are.
 */
int lookup_owners(int fd, __u32 flags, __u64 position, __u32 count,
		  struct chring_owner *owner, __u32 *found);

/* A ticket for a key, or for a position; @out: what else it says. */
int ticket_take(int fd, const char *key, struct chring_acquire *out);
int ticket_take_at(int fd, __u64 position, struct chring_acquire *out);
/* @out may be NULL. */
int ticket_give(int fd, __u64 node, __u32 count, struct chring_release *out);
/* What STATS says of a node's tickets; -ENOENT: it says nothing. */
int node_load(int fd, __u64 node, __u64 *load, __u64 *cap);

/* All nodes of a ring; free() both pointers. */
struct listing {
	struct chring_node_list list;
	struct chring_node_entry *entry;
	char *strings;
};

int node_list(int fd, struct listing *l);

/* What may not change when a command fails. */
struct mark {
	__u64 ring, epoch, generation, digest, checksum, tokens, tickets;
	__u32 nodes, live, rings;
};

int mark_ring(int fd, struct mark *m);
bool mark_same(const struct mark *a, const struct mark *b);

/* The same in a test whose fixture has the ring's descriptor as @fd. */
#define MARK() ({							\
	struct mark _m;							\
									\
	ASSERT_EQ(0, mark_ring(self->fd, &_m));				\
	_m;								\
})

#define EXPECT_UNCHANGED(before) ({					\
	struct mark _now = MARK();					\
									\
	EXPECT_TRUE(mark_same(&(before), &_now));			\
})

/* What the module holds, in bytes; all ones: it does not say. */
__u64 bytes_held(int fd);
/* The same, once nothing waits for a grace period any more. */
__u64 bytes_settled(int fd);
/* Does it come to this, when what is retired has gone? */
bool settles_at(int fd, __u64 bytes);

/* A count of a long test, on a kernel that is slow. */
unsigned long scaled(unsigned long count);

/* A line of the report; a test's process ends without flushing. */
__attribute__((format(printf, 1, 2))) void note(const char *format, ...);

/*
 * A module, from its file and with parameters as for insmod, or by its name while
 * nobody uses it: 0 or -errno.
 */
#define MODULE	"/chring.ko"
int module_load(const char *path, const char *params);
int module_unload(const char *name);

/* A parameter of the module; -errno. */
int param_get(const char *name, unsigned long *value);
int param_set(const char *name, unsigned long value);

#endif /* CHRING_LIBTEST_H */
