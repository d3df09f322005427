/* SPDX-License-Identifier: GPL-2.0 */
/* Where the nodes of a table stand, by the table alone. */
#ifndef STANDS_H
#define STANDS_H

#include "core/placement.h"

/*
 * By slot, for free(). @rank is that by which the table was made; NULL: slots
 * are in the order of names.
 */
struct chring_stand *stands_of(const struct chring_table *t, u32 slots,
			       const u16 *rank);

#endif /* STANDS_H */
