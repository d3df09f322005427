/* SPDX-License-Identifier: GPL-2.0 */
/* Gives commands, counts and checks what is answered, and learns from it. */
#ifndef CHRING_FUZZ_GIVE_H
#define CHRING_FUZZ_GIVE_H

#include "call.h"

/* Makes a command, spoils it or not, and gives it. */
void give(struct worker *w, enum command cmd);
/* A number that is of no command. */
void give_unknown(struct worker *w);

#endif /* CHRING_FUZZ_GIVE_H */
