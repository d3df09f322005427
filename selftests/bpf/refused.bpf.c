// SPDX-License-Identifier: GPL-2.0
/*
 * Programs in pairs, one at a time to be loaded: good_NAME, which the verifier has
 * to take, and bad_NAME, which differs by the mistake of that name.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include <chring/chring.bpf.h>

#define PROGRAM(name)	SEC("?xdp") int name(struct xdp_md *ctx)

struct value {
	char key[16];
	struct chring_bpf_answer answer;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct value);
} values SEC(".maps");

/* A key of so many bytes, an answer of so many, at the end of what there is. */
static __always_inline int of_map(int key, int answer)
{
	struct value *v;
	__u32 zero = 0;

	v = bpf_map_lookup_elem(&values, &zero);
	if (!v)
		return XDP_ABORTED;
	return chring_bpf_lookup(1, v->key, key, &v->answer, answer) & 1;
}

PROGRAM(good_size)
{
	return of_map(16, 24);
}

PROGRAM(bad_size)
{
	return of_map(sizeof(struct value) + 1, 24);
}

PROGRAM(good_answer)
{
	return of_map(1, 24);
}

PROGRAM(bad_answer)
{
	return of_map(1, 25);
}

static __always_inline int of_stack(__u32 len)
{
	struct chring_bpf_answer answer = {};
	char key[16] = "hello";

	return chring_bpf_lookup(1, key, len, &answer, sizeof(answer)) & 1;
}

PROGRAM(good_stack)
{
	return of_stack(16);
}

PROGRAM(bad_stack)
{
	return of_stack(513);
}

static __always_inline int of_packet(struct xdp_md *ctx, int looked_at)
{
	void *data = (void *)(long)ctx->data;
	struct chring_bpf_answer answer = {};

	if (data + looked_at > (void *)(long)ctx->data_end)
		return XDP_ABORTED;
	return chring_bpf_lookup(1, data, 12, &answer, sizeof(answer)) & 1;
}

PROGRAM(good_bounds)
{
	return of_packet(ctx, 12);
}

PROGRAM(bad_bounds)
{
	return of_packet(ctx, 11);
}

/* A length that is not known before it runs. */
static __always_inline int of_length(struct xdp_md *ctx, __u32 mask)
{
	__u32 len = ctx->rx_queue_index;
	struct chring_bpf_answer answer = {};
	char key[16] = "hello";

	asm volatile("" : "+r"(len));
	len &= mask;
	asm volatile("" : "+r"(len));
	return chring_bpf_lookup(1, key, len, &answer, sizeof(answer)) & 1;
}

PROGRAM(good_length)
{
	return of_length(ctx, 15);
}

PROGRAM(bad_length)
{
	return of_length(ctx, 0xffffffff);
}


/* The context is no key: what is in it is the kernel's. */
PROGRAM(good_context)
{
	return of_packet(ctx, 14);
}

PROGRAM(bad_context)
{
	struct chring_bpf_answer answer = {};

	return chring_bpf_lookup(1, ctx, 8, &answer, sizeof(answer)) & 1;
}

/* Nor is a number a pointer. */
PROGRAM(bad_pointer)
{
	struct chring_bpf_answer answer = {};
	__u64 number = bpf_ktime_get_ns();

	return chring_bpf_lookup(1, (void *)number, 8, &answer,
				 sizeof(answer)) & 1;
}

char _license[] SEC("license") = "GPL";
