/* SPDX-License-Identifier: GPL-2.0 */
/* Structures of one exact ring name the same owners. */
#ifndef AGREE_H
#define AGREE_H

#include "lap.h"

/* Ends the program, with the position, if one of @n does not as the first. */
void agree(const struct cell *const *cell, u32 n);

#endif /* AGREE_H */
