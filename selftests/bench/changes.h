/* SPDX-License-Identifier: GPL-2.0 */
/* What changes cost: build, add, delete, flip. */
#ifndef CHANGES_H
#define CHANGES_H

#include "rival.h"

/*
 * A ring of @nodes gains and loses one more, @rounds times, beside what others
 * would do.
 */
void changes_run(u32 nodes, u32 vnodes, u32 rounds);

#endif /* CHANGES_H */
