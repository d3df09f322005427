/* SPDX-License-Identifier: GPL-2.0 */
/* Commands as they are meant to be, out of what the thread knows of the pool. */
#ifndef CHRING_FUZZ_MAKE_H
#define CHRING_FUZZ_MAKE_H

#include "call.h"

/* Fills @w->call: argument and slot. */
void make_call(struct worker *w, enum command cmd);

#endif /* CHRING_FUZZ_MAKE_H */
