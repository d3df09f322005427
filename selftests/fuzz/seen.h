/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The highest epoch of each ring that any thread has had an answer of. An answer
 * to a command that began after that one was there cannot be of an earlier one.
 */
#ifndef CHRING_FUZZ_SEEN_H
#define CHRING_FUZZ_SEEN_H

#include <linux/types.h>

/* 0: none, as far as is known. */
__u64 seen_epoch(__u64 ring);
void seen_note(__u64 ring, __u64 epoch);
/* Ids begin anew. */
void seen_forget(void);

#endif /* CHRING_FUZZ_SEEN_H */
