/* SPDX-License-Identifier: GPL-2.0 */
/* Commands made wrong, or unusual. */
#ifndef CHRING_FUZZ_SPOIL_H
#define CHRING_FUZZ_SPOIL_H

#include "call.h"

/* One thing, or a few, of a command that has been made. */
void spoil(struct worker *w);
/* Of another size than this program's, but to be understood all the same. */
void resize(struct worker *w);
/* An address that is of no use, or of little. */
__u64 spoil_pointer(struct worker *w);

#endif /* CHRING_FUZZ_SPOIL_H */
