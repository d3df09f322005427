// SPDX-License-Identifier: GPL-2.0
/* Keys as long as they may be, and a byte longer: in a map's value. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include <chring/chring.bpf.h>

#include "long.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct long_ask);
} asks SEC(".maps");

SEC("xdp")
int ask_long(struct xdp_md *ctx)
{
	__u32 zero = 0;
	struct long_ask *a = bpf_map_lookup_elem(&asks, &zero);
	struct chring_bpf_answer other = {};

	if (!a)
		return XDP_ABORTED;
	a->longest = chring_bpf_lookup(a->ring, a->key, CHRING_BPF_KEY_MAX,
				       &a->answer, sizeof(a->answer));
	a->too_long = chring_bpf_lookup(a->ring, a->key, CHRING_BPF_KEY_MAX + 1,
					&other, sizeof(other));
	return XDP_PASS;
}

char _license[] SEC("license") = "GPL";
