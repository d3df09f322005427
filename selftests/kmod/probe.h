/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What test programs have chring_probe.ko do with the API for kernel modules:
 * one ioctl() for each of its functions, and some for what only kernel code can
 * do. They return what the function did, 0 or more, or its error.
 */
#ifndef CHRING_PROBE_H
#define CHRING_PROBE_H

#include <linux/ioctl.h>
#include <linux/types.h>

#include <linux/chring.h>

#define PROBE_DEVICE	"/dev/chring-probe"

/* Rings that the probe can hold at a time; they are numbered. */
#define PROBE_RINGS	1200
/* The first of them can be listened to. */
#define PROBE_EARS	4
/* Tags stand for what @priv of a node points to; 0 for NULL. */
#define PROBE_TAGS	64

/**
 * struct probe_server - a node as it is to be
 * @name: pointer to the bytes of its name
 * @zone: pointer to the bytes of its zone
 * @cookie: cookie
 * @name_len: bytes
 * @zone_len: bytes
 * @weight: weight
 * @state: enum chring_state
 * @tag: its priv
 * @reserved: of no matter
 */
struct probe_server {
	__aligned_u64 name;
	__aligned_u64 zone;
	__aligned_u64 cookie;
	__u32 name_len;
	__u32 zone_len;
	__u32 weight;
	__u32 state;
	__u32 tag;
	__u32 reserved;
};

/**
 * struct probe_answer - struct chring_answer
 * @ring: id
 * @epoch: epoch
 * @node: id
 * @cookie: cookie
 * @tag: what priv pointed to, read in the section of the lookup
 */
struct probe_answer {
	__aligned_u64 ring;
	__aligned_u64 epoch;
	__aligned_u64 node;
	__aligned_u64 cookie;
	__aligned_u64 tag;
};

/**
 * struct probe_notice - what a notifier was called with
 * @action: enum chring_happening
 * @ring: id
 * @epoch: epoch
 * @generation: generation
 * @digest: digest
 * @seen: epoch of a lookup, made when it was called
 * @added: nodes
 * @removed: nodes
 * @changed: nodes
 * @flipped: nodes
 */
struct probe_notice {
	__aligned_u64 action;
	__aligned_u64 ring;
	__aligned_u64 epoch;
	__aligned_u64 generation;
	__aligned_u64 digest;
	__aligned_u64 seen;
	__u32 added;
	__u32 removed;
	__u32 changed;
	__u32 flipped;
};

/**
 * struct probe_crowd - what interrupts have looked up
 * @lookups: how many
 * @wrong: of them: the answer cannot be
 * @backwards: of them: of an earlier epoch than one before on that processor
 * @epochs: others than the one before on that processor
 * @processors: that have looked up
 * @soft: looked up in softirqs
 * @hard: looked up in hard interrupts
 */
struct probe_crowd {
	__aligned_u64 lookups;
	__aligned_u64 wrong;
	__aligned_u64 backwards;
	__aligned_u64 epochs;
	__aligned_u64 processors;
	__aligned_u64 soft;
	__aligned_u64 hard;
};

/* PROBE_PUT, PROBE_GET: with interrupts off, as a handler of one would. */
#define PROBE_ATOMIC	(1U << 0)

/**
 * struct probe_call - the argument of all
 * @ring: number of the ring, as the probe holds it
 * @flags: PROBE_ATOMIC, or those of chring_replicas()
 * @name: pointer to a NUL-terminated name of a ring; LISTEN: priority
 * @config: pointer to struct chring_config, or 0
 * @keys: enum chring_keys
 * @n: entries of @in or @out
 * @in: pointer to servers, or to a key
 * @in_len: bytes of the key
 * @delay: LISTEN: milliseconds that the notifier sleeps
 * @position: of a key; FIT: of it
 * @out: pointer to answers, to notices, to struct probe_crowd
 * @id: out: of a ring or of a node
 * @epoch: out: of a ring
 * @tags: FIT: bit t is set: nodes with tag t fit
 */
struct probe_call {
	__u32 ring;
	__u32 flags;
	__aligned_u64 name;
	__aligned_u64 config;
	__u32 keys;
	__u32 n;
	__aligned_u64 in;
	__u32 in_len;
	__u32 delay;
	__aligned_u64 position;
	__aligned_u64 out;
	__aligned_u64 id;
	__aligned_u64 epoch;
	__aligned_u64 tags;
};

#define PROBE_IOC(nr)	_IO('R', nr)

#define PROBE_GET	PROBE_IOC(0)	/* -ENOENT: NULL */
#define PROBE_PUT	PROBE_IOC(1)
#define PROBE_CREATE	PROBE_IOC(2)
#define PROBE_SHOW	PROBE_IOC(3)	/* @id, @epoch; @out: name, 64 bytes */
#define PROBE_ADD	PROBE_IOC(4)
#define PROBE_SET	PROBE_IOC(5)
#define PROBE_DEL	PROBE_IOC(6)
#define PROBE_REPLACE	PROBE_IOC(7)
#define PROBE_LOOKUP	PROBE_IOC(8)
#define PROBE_HASH	PROBE_IOC(9)	/* chring_position(), to @position */
#define PROBE_LOOKUP_AT	PROBE_IOC(10)
#define PROBE_FIT	PROBE_IOC(11)
#define PROBE_REPLICAS	PROBE_IOC(12)
#define PROBE_LISTEN	PROBE_IOC(13)	/* one notifier a ring */
#define PROBE_UNLISTEN	PROBE_IOC(14)	/* -EBUSY: it runs when it must not */
#define PROBE_LISTENING	PROBE_IOC(15)	/* 1: the notifier is running now */
#define PROBE_NOTICES	PROBE_IOC(16)	/* how many; at most @n are copied */
/* Lookups in interrupts on all processors, until they are stopped. */
#define PROBE_CROWD	PROBE_IOC(17)
#define PROBE_DISPERSE	PROBE_IOC(18)
/*
 * @n replacements of @in_len nodes each: their cookies and what their priv points
 * to are the number of the replacement, and so the epoch, less that of before.
 */
#define PROBE_ROUNDS	PROBE_IOC(19)
#define PROBE_SEEN	PROBE_IOC(20)	/* @n: epochs that the crowd has seen */

#endif /* CHRING_PROBE_H */
