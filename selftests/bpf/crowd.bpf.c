// SPDX-License-Identifier: GPL-2.0
/*
 * A run asks for the owners of many positions, on whichever processor it is, and
 * leaves them in a line of a map for whoever started it to judge.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include <chring/chring.bpf.h>

#include "crowd.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, CROWD_READERS);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct crowd_run);
} runs SEC(".maps");

SEC("xdp")
int crowd(struct xdp_md *ctx)
{
	__u32 *reader = (void *)(long)ctx->data;
	struct crowd_run *r;
	__u32 i;

	if ((void *)(reader + 1) > (void *)(long)ctx->data_end)
		return XDP_ABORTED;
	r = bpf_map_lookup_elem(&runs, reader);
	if (!r)
		return XDP_ABORTED;
	for (i = 0; i < CROWD_ASKED; i++) {
		struct crowd_said *said = &r->said[i & (CROWD_ASKED - 1)];

		said->ret = chring_bpf_lookup_position(r->ring, said->position,
						       &said->answer,
						       sizeof(said->answer));
	}
	return XDP_PASS;
}

char _license[] SEC("license") = "GPL";
