/* SPDX-License-Identifier: GPL-2.0 */
/* What count.bpf.c is asked: in its packet. */
#ifndef CHRING_BPF_COUNT_H
#define CHRING_BPF_COUNT_H

#define COUNT_ASKED	32	/* in one run of a program */
#define COUNT_KEY	20	/* bytes of a key */
#define COUNT_ENTRIES	65537	/* of the table beside it */

struct count_ask {
	__u64 ring;
	__u64 position[COUNT_ASKED];
};

#endif /* CHRING_BPF_COUNT_H */
