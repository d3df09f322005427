// SPDX-License-Identifier: GPL-2.0
/*
 * Programs whose instructions the benchmark counts: the owners of COUNT_ASKED
 * positions or keys by kfuncs, and by a table of Maglev's size in an array map,
 * as programs have it that keep one; and what it costs to go over them for
 * nothing. For TC: a test run of an XDP program waits for a grace period, and
 * where a clock counts instructions, waiting looks like work.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include <chring/chring.bpf.h>

#include "count.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, COUNT_ENTRIES);
	__type(key, __u32);
	__type(value, __u64);
} entries SEC(".maps");

typedef __u64 find_fn(const struct count_ask *ask, __u64 position);

static __always_inline int count(struct __sk_buff *ctx, find_fn *find)
{
	struct count_ask *ask = (void *)(long)ctx->data;
	__u64 sum = 0;
	int i;

	if ((void *)(ask + 1) > (void *)(long)ctx->data_end)
		return 0;
	for (i = 0; i < COUNT_ASKED; i++)
		sum += find(ask, ask->position[i]);
	/* So that no compiler does without; 0 is a packet too short. */
	return sum % 255 + 1;
}

static __always_inline __u64 find_nothing(const struct count_ask *ask,
					  __u64 position)
{
	return position;
}

SEC("tc")
int count_nothing(struct __sk_buff *ctx)
{
	return count(ctx, find_nothing);
}

static __always_inline __u64 find_position(const struct count_ask *ask,
					   __u64 position)
{
	struct chring_bpf_answer answer;

	answer.node = answer.cookie = answer.epoch = 0;
	chring_bpf_lookup_position(ask->ring, position, &answer,
				   sizeof(answer));
	return answer.node;
}

SEC("tc")
int count_position(struct __sk_buff *ctx)
{
	return count(ctx, find_position);
}

static __always_inline __u64 find_key(const struct count_ask *ask,
				      __u64 position)
{
	struct chring_bpf_answer answer;
	char key[COUNT_KEY] = "user:session";

	answer.node = answer.cookie = answer.epoch = 0;
	__builtin_memcpy(key + 12, &position, 8);
	chring_bpf_lookup(ask->ring, key, sizeof(key), &answer,
			  sizeof(answer));
	return answer.node;
}

SEC("tc")
int count_key(struct __sk_buff *ctx)
{
	return count(ctx, find_key);
}

static __always_inline __u64 find_entry(const struct count_ask *ask,
					__u64 position)
{
	__u32 at = position % COUNT_ENTRIES;
	__u64 *entry = bpf_map_lookup_elem(&entries, &at);

	return entry ? *entry : 0;
}

SEC("tc")
int count_entry(struct __sk_buff *ctx)
{
	return count(ctx, find_entry);
}

char _license[] SEC("license") = "GPL";
