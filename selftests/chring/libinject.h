/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Allocations and copies of this thread that fail, in a kernel with fault
 * injection.
 *
 * Slab allocations and user copies fail by fail-nth: the n-th one of the call.
 * Pages fail from the n-th on (the space of fail_page_alloc), since vmalloc()
 * falls back from its bulk allocation to single pages, and one failure alone
 * would never be seen.
 */
#ifndef CHRING_LIBINJECT_H
#define CHRING_LIBINJECT_H

#include <stdbool.h>

/* Return: 0; -ENOENT: this kernel has no fault injection. */
int inject_set_up(void);

/* Which kinds of allocation may fail at all. */
void inject_allow(bool slab, bool pages, bool vmalloc);

/* From here on the n-th fails, until inject_nth_end(): did it come to that? */
void inject_nth_begin(unsigned int n);
bool inject_nth_end(void);

/*
 * From here on there is space for n pages, until inject_pages_end(): may that
 * have been too little? If a call failed meanwhile, it was.
 */
void inject_pages_begin(unsigned int n);
bool inject_pages_end(void);

#endif /* CHRING_LIBINJECT_H */
