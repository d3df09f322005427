/* SPDX-License-Identifier: GPL-2.0 */
/* What holds of every answer. */
#ifndef CHRING_FUZZ_CHECK_H
#define CHRING_FUZZ_CHECK_H

#include "call.h"

/* The ring that is the worker's own, before and after a command. */
struct lone_mark {
	__u64 ring, epoch, generation, digest, tokens, checksum, nodes, pinned;
};

bool check_mark(int fd, struct lone_mark *m);
/* Says what is wrong with the last call; counted in @w->broken. */
__attribute__((format(printf, 2, 3)))
void check_broken(struct worker *w, const char *format, ...);
/* The highest epoch seen so far of the ring that the descriptor last was of. */
void check_answer(struct worker *w, __u64 ring, __u64 epoch);
void check_lone(struct worker *w, const struct lone_mark *before);
/* Reads epoch and ring of an answer, 0 if it has none. */
void check_facts(const struct call *c, __u64 *ring, __u64 *epoch);

#endif /* CHRING_FUZZ_CHECK_H */
