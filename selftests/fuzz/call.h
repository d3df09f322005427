/* SPDX-License-Identifier: GPL-2.0 */
/* A command on its way: what is asked, how it was spoilt, what was answered. */
#ifndef CHRING_FUZZ_CALL_H
#define CHRING_FUZZ_CALL_H

#include <linux/chring.h>

#include "arena.h"
#include "inject.h"
#include "pool.h"
#include "rng.h"
#include "spec.h"
#include "tally.h"

#define ARG_BYTES	4096
#define NOT_SAID	0xa5	/* in outputs before a command */

union arg {
	__u32 size;
	struct chring_info info;
	struct chring_ring_create create;
	struct chring_ring_name name;
	struct chring_ring_list ring_list;
	struct chring_node_change node;
	struct chring_node_list node_list;
	struct chring_commit commit;
	struct chring_lookup lookup;
	struct chring_lookup_batch batch;
	struct chring_acquire acquire;
	struct chring_release release;
	struct chring_stats stats;
	struct chring_circle_list circle;
	struct chring_pin pin;
	unsigned char bytes[ARG_BYTES];
};

/**
 * struct call - a command
 * @cmd: which
 * @slot: of the pool; -1: the lone ring's
 * @fd: descriptor
 * @mode: what that is open for
 * @at: where the argument is, for the kernel
 * @bytes: of it
 * @spoilt: it is not meant to succeed
 * @ret: 0 or -errno
 * @before: argument as it was given
 * @arg: argument; after the call, what the kernel has left of it
 */
struct call {
	enum command cmd;
	int slot;
	int fd;
	unsigned int mode;
	void *at;
	size_t bytes;
	bool spoilt;
	bool injected;
	long ret;
	union arg before;
	union arg arg;
};

#define RECENT	16

/* Tickets that a slot may still hold. */
struct held {
	int slot;
	__u64 node;
};

/**
 * struct worker - a thread
 * @number: of it; 0 has the lone ring
 * @lone: descriptor of that, or -1
 * @inject: its faults
 * @faults: some commands are to meet one
 * @alone: a child of fork(): it may take no lock, which may be held for ever
 * @limit: commands that it may give
 * @map: status pages, of @map_bytes, of some ring; NULL: none
 * @child_fd: what a child of fork() has instead of the pool
 * @child_slot: where that is from
 * @slot_ring: of which ring each slot was, as last seen; the last for the lone
 *	ring
 *
 * The rest is out of the last answers, and next commands are made by it.
 */
struct worker {
	int number;
	struct rng rng;
	struct arena arena;
	struct tally tally;
	int lone;
	struct inject inject;
	bool faults;
	bool alone;
	unsigned long limit;
	unsigned long step;
	unsigned int broken;
	void *map;
	size_t map_bytes;
	int child_fd;
	int child_slot;
	__u64 slot_ring[POOL_SLOTS + 1];
	struct call call;
	__u64 node[RECENT];
	struct held held[RECENT];
	__u64 epoch;
	__u64 generation;
	__u64 cursor;
	__u64 cursor_epoch;
	int cursor_slot;
	enum command cursor_cmd;
	char ring[CHRING_RING_NAME_MAX + 1];
};

#endif /* CHRING_FUZZ_CALL_H */
