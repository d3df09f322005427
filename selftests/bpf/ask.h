/* SPDX-License-Identifier: GPL-2.0 */
/* Questions of tests to the kfuncs, as they travel to ask.bpf.c in a packet. */
#ifndef CHRING_BPF_ASK_H
#define CHRING_BPF_ASK_H

#define ASK_KEY		64
#define ASK_ANSWERS	32
#define ASK_ON_STACK	8

enum ask_what {
	ASK_LOOKUP,		/* of @key */
	ASK_LOOKUP_POSITION,
	ASK_REPLICAS,
	ASK_POSITION,		/* of @key */
};

/**
 * struct ask - a question, and its answer
 * @ring: id
 * @position: asked for, or of the key
 * @flags: of chring_bpf_replicas()
 * @what: enum ask_what
 * @len: bytes of @key
 * @size: bytes of @answer that may be written
 * @ret: what the kfunc returned
 * @key: a key
 * @answer: answers
 */
struct ask {
	__u64 ring;
	__u64 position;
	__u64 flags;
	__u32 what;
	__u32 len;
	__u32 size;
	__s32 ret;
	__u8 key[ASK_KEY];
	struct chring_bpf_answer answer[ASK_ANSWERS];
};

#endif /* CHRING_BPF_ASK_H */
