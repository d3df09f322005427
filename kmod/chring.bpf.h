/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rings for BPF programs: kfuncs of chring.ko, for XDP and TC (sched_cls).
 *
 * To be included after vmlinux.h, or <linux/bpf.h>, and <bpf/bpf_helpers.h>. The
 * program's licence is GPL; who loads it may load BPF programs, and need not be
 * able to open /dev/chring.
 *
 * kfuncs are no stable ABI: the verifier takes a program if what it declares has
 * the parameters that the loaded module has. CHRING_IOC_INFO tells which revision
 * of this header that is, and whether there is any: a chring.ko that was built
 * without type information (BTF) has none.
 *
 * A ring is named by its id, which is never that of another ring while the module
 * is loaded: the loader asks for it (`chringctl -j ring show NAME`) and hands it to
 * the program. The program answers by the ring as it is at each call; nothing is
 * to be loaded again when nodes change.
 *
 * None of these sleeps, allocates or takes a lock. Memory of keys and answers may
 * be the stack, a map's value, or packet data whose bounds are checked. The
 * verifier of Linux 6.1 asks that all of it can be read and written, keys too.
 * It lets pointers through that may be NULL; these are refused here. Whatever is
 * refused leaves the answer as it was. In TC programs answers do not belong into
 * packet data, which others may share: the verifier does not know of writes that are
 * not the program's own.
 *
 * Errors, of all of them:
 *  - ENOENT: no ring has this id: it was never given, or the ring was deleted
 *  - ENODATA: the ring has no nodes
 *  - EHOSTUNREACH: it has, but none in service with weight
 *  - ERANGE: a key longer than CHRING_BPF_KEY_MAX; a position outside of a circle
 *    of 32 bits
 *  - EINVAL: a pointer is NULL, or the memory for the answer too small
 */
#ifndef CHRING_BPF_H
#define CHRING_BPF_H

/* Revision of this header, struct chring_info.out_kfuncs. */
#define CHRING_BPF_REVISION	1

#define CHRING_BPF_KEY_MAX	65536	/* bytes */
#define CHRING_BPF_REPLICAS_MAX	32

/* Of chring_bpf_replicas(). */
#define CHRING_BPF_ZONES	(1 << 1)	/* nodes of new zones first */
#define CHRING_BPF_PREVIOUS	(1 << 2)	/* who owned before */

/**
 * struct chring_bpf_answer - a node, and when it is the answer
 * @node: id of the node
 * @cookie: of the node, 64 bits that are the user's, e.g. a key of a map
 * @epoch: of the ring
 */
struct chring_bpf_answer {
	__u64 node;
	__u64 cookie;
	__u64 epoch;
};

/**
 * chring_bpf_lookup() - the owner of a key
 * @ring: id of the ring
 * @key: bytes
 * @key__sz: how many; 0 is a key as well
 * @answer: set
 * @answer__sz: sizeof(struct chring_bpf_answer)
 *
 * Return: 0 or an error, see above.
 */
extern int chring_bpf_lookup(__u64 ring, const void *key, __u32 key__sz,
			     struct chring_bpf_answer *answer,
			     __u32 answer__sz) __ksym;

/**
 * chring_bpf_lookup_position() - the owner of a position
 * @ring: id of the ring
 * @position: from chring_bpf_position(), or by the program's own hash
 * @answer: set
 * @answer__sz: sizeof(struct chring_bpf_answer)
 *
 * Return: 0 or an error, see above.
 */
extern int chring_bpf_lookup_position(__u64 ring, __u64 position,
				      struct chring_bpf_answer *answer,
				      __u32 answer__sz) __ksym;

/**
 * chring_bpf_replicas() - the first nodes clockwise, or those of before
 * @ring: id of the ring
 * @position: as for chring_bpf_lookup_position()
 * @flags: CHRING_BPF_ZONES, CHRING_BPF_PREVIOUS
 * @answers: set, as many as are returned
 * @answers__sz: bytes; of 1..CHRING_BPF_REPLICAS_MAX answers, so many are wanted
 *
 * Former owners are those before the last change of tokens, or of the pin; one
 * that is gone has the cookie it had.
 *
 * Return: nodes found; or an error, see above; EINVAL also for other flags, or
 * @answers__sz not that of whole answers; ERANGE also for too many of them; ENODATA
 * also if there was no node before.
 */
extern int chring_bpf_replicas(__u64 ring, __u64 position, __u64 flags,
			       struct chring_bpf_answer *answers,
			       __u32 answers__sz) __ksym;

/**
 * chring_bpf_position() - where a key is
 * @ring: id of the ring
 * @key: bytes
 * @key__sz: how many; 0 is a key as well
 * @position: set, of the ring's width
 * @position__sz: sizeof(__u64)
 *
 * Return: 0 or an error, see above; never ENODATA or EHOSTUNREACH.
 */
extern int chring_bpf_position(__u64 ring, const void *key, __u32 key__sz,
			       __u64 *position, __u32 position__sz) __ksym;

#endif /* CHRING_BPF_H */
