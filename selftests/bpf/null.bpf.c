// SPDX-License-Identifier: GPL-2.0
/*
 * Pointers that may be NULL, one a program: some verifiers let them through, some
 * refuse the program. A map without the entry gives such a pointer.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include <chring/chring.bpf.h>

#define PROGRAM(name)	SEC("?xdp") int name(struct xdp_md *ctx)

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct chring_bpf_answer);
} empty SEC(".maps");

/* What the kfunc said. */
int said = 1;

static __always_inline void *nothing(void)
{
	__u32 key = 1;

	return bpf_map_lookup_elem(&empty, &key);
}

PROGRAM(null_key)
{
	struct chring_bpf_answer answer = {};

	said = chring_bpf_lookup(1, nothing(), 8, &answer, sizeof(answer));
	return XDP_PASS;
}

PROGRAM(null_answer)
{
	char key[8] = "hello";

	said = chring_bpf_lookup(1, key, sizeof(key), nothing(), 24);
	return XDP_PASS;
}

PROGRAM(null_answer_at)
{
	said = chring_bpf_lookup_position(1, 2, nothing(), 24);
	return XDP_PASS;
}

PROGRAM(null_answers)
{
	said = chring_bpf_replicas(1, 2, 0, nothing(), 24);
	return XDP_PASS;
}

PROGRAM(null_position)
{
	char key[8] = "hello";

	said = chring_bpf_position(1, key, sizeof(key), nothing(), 8);
	return XDP_PASS;
}

PROGRAM(null_key_position)
{
	__u64 position = 0;

	said = chring_bpf_position(1, nothing(), 8, &position, 8);
	return XDP_PASS;
}

/* A key of no bytes at an address of none. */
PROGRAM(null_empty_key)
{
	struct chring_bpf_answer answer = {};

	said = chring_bpf_lookup(1, (void *)0, 0, &answer, sizeof(answer));
	return XDP_PASS;
}

char _license[] SEC("license") = "GPL";
