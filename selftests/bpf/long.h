/* SPDX-License-Identifier: GPL-2.0 */
/* What long.bpf.c is asked, and says. */
#ifndef CHRING_BPF_LONG_H
#define CHRING_BPF_LONG_H

struct long_ask {
	__u64 ring;
	__s32 longest;		/* what was said to a key of CHRING_BPF_KEY_MAX */
	__s32 too_long;		/* to one of a byte more */
	struct chring_bpf_answer answer;
	char key[CHRING_BPF_KEY_MAX + 8];
};

#endif /* CHRING_BPF_LONG_H */
