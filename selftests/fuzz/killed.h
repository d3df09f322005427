/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes killed in the middle of a command. What it returned nobody would
 * see any more, but for a tracer that stops them on their way out.
 */
#ifndef CHRING_FUZZ_KILLED_H
#define CHRING_FUZZ_KILLED_H

#include "rng.h"
#include "tally.h"

/* Each command that can be killed, until it has said EINTR; nobody else is there. */
void killed_run(struct tally *t, struct rng *r);

#endif /* CHRING_FUZZ_KILLED_H */
