/* SPDX-License-Identifier: GPL-2.0 */
/* A thread of the fuzzer: one thing after the other, as its stream says. */
#ifndef CHRING_FUZZ_WORKER_H
#define CHRING_FUZZ_WORKER_H

#include "call.h"

/* For pthread_create(); of a struct worker, in memory that children share. */
void *worker_run(void *worker);

#endif /* CHRING_FUZZ_WORKER_H */
