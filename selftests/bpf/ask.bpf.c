// SPDX-License-Identifier: GPL-2.0
/*
 * Asks what a packet asks, and answers in the packet: a struct ask. In one
 * program keys and answers are where they came in, in the other two on the
 * stack.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>

#include <chring/chring.bpf.h>

#include "ask.h"

/*
 * As the verifier wants to see it: a bound on 64 bits, which it does not lose track
 * of, and which no compiler takes away.
 */
#define BOUND(value, limit) ({						\
	__u64 _v = (value);						\
									\
	asm volatile("if %0 <= %1 goto +1\n"				\
		     "%0 = %1" : "+r"(_v) : "i"(limit));		\
	_v;								\
})

static __always_inline int ask(struct ask *a, void *key,
			       struct chring_bpf_answer *answer, __u32 room)
{
	__u32 len = BOUND(a->len, ASK_KEY), size = BOUND(a->size, room);

	switch (a->what) {
	case ASK_LOOKUP:
		return chring_bpf_lookup(a->ring, key, len, answer, size);
	case ASK_LOOKUP_POSITION:
		return chring_bpf_lookup_position(a->ring, a->position, answer,
						  size);
	case ASK_REPLICAS:
		return chring_bpf_replicas(a->ring, a->position, a->flags,
					   answer, size);
	case ASK_POSITION:
		return chring_bpf_position(a->ring, key, len, &a->position,
					   sizeof(a->position));
	}
	return -1000;
}

SEC("xdp")
int ask_packet(struct xdp_md *ctx)
{
	struct ask *a = (void *)(long)ctx->data;

	if ((void *)(a + 1) > (void *)(long)ctx->data_end)
		return XDP_ABORTED;
	a->ret = ask(a, a->key, a->answer, sizeof(a->answer));
	return XDP_PASS;
}

static __always_inline int ask_on_stack(struct ask *a, void *end)
{
	struct chring_bpf_answer answer[ASK_ON_STACK] = {};
	__u8 key[ASK_KEY];

	if ((void *)(a + 1) > end)
		return -1;
	__builtin_memcpy(key, a->key, sizeof(key));
	a->ret = ask(a, key, answer, sizeof(answer));
	__builtin_memcpy(a->answer, answer, sizeof(answer));
	return 0;
}

SEC("xdp")
int ask_stack(struct xdp_md *ctx)
{
	return ask_on_stack((void *)(long)ctx->data,
			    (void *)(long)ctx->data_end) ?
	       XDP_ABORTED : XDP_PASS;
}

SEC("tc")
int ask_tc(struct __sk_buff *skb)
{
	return ask_on_stack((void *)(long)skb->data,
			    (void *)(long)skb->data_end) ?
	       TC_ACT_SHOT : TC_ACT_OK;
}

char _license[] SEC("license") = "GPL";
