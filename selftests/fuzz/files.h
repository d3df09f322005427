/* SPDX-License-Identifier: GPL-2.0 */
/* What else can be done with a descriptor: read(), poll(), mmap(), fork(). */
#ifndef CHRING_FUZZ_FILES_H
#define CHRING_FUZZ_FILES_H

#include "call.h"

void files_read(struct worker *w);
void files_poll(struct worker *w);
void files_map(struct worker *w);
void files_unmap(struct worker *w);
/* A child that gives a few commands, and may be killed in the middle of one. */
void files_fork(struct worker *w);

#endif /* CHRING_FUZZ_FILES_H */
