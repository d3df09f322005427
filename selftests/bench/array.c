// SPDX-License-Identifier: GPL-2.0
#include "array.h"

#include <sys/mman.h>

#include "need.h"

#define LINE		64
#define HUGE_PAGE	((size_t)2 << 20)

static size_t asked;

size_t array_bytes(void)
{
	return asked;
}

void *array_alloc(size_t n, size_t size)
{
	size_t bytes = n * size, align = bytes < HUGE_PAGE ? LINE : HUGE_PAGE;
	void *p = need(aligned_alloc(align, bytes + -bytes % align));

	if (align == HUGE_PAGE)
		madvise(p, bytes, MADV_HUGEPAGE);
	memset(p, 0, bytes);
	asked += bytes;
	return p;
}
