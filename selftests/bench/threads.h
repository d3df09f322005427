/* SPDX-License-Identifier: GPL-2.0 */
/* Two threads: readers of one ring, and a writer beside a reader. */
#ifndef THREADS_H
#define THREADS_H

#include "rival.h"

/* On these two processors; the caller sleeps meanwhile. */
void threads_run(u32 nodes, u32 vnodes, u32 rounds, const u32 cpu[2]);

#endif /* THREADS_H */
