/* SPDX-License-Identifier: GPL-2.0 */
/* What crowd.bpf.c is asked, and says. */
#ifndef CHRING_BPF_CROWD_H
#define CHRING_BPF_CROWD_H

#define CROWD_READERS	16
#define CROWD_ASKED	128

struct crowd_said {
	__u64 position;
	__s64 ret;
	struct chring_bpf_answer answer;
};

struct crowd_run {
	__u64 ring;
	struct crowd_said said[CROWD_ASKED];
};

#endif /* CHRING_BPF_CROWD_H */
