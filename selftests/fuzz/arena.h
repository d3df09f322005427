/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that commands point to: what they read and what they write. Both end
 * at a page that is not there, so that a byte too many is EFAULT or found.
 */
#ifndef CHRING_FUZZ_ARENA_H
#define CHRING_FUZZ_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#define ARENA_BYTES	(2UL << 20)
#define ARENA_GAPS	8

/**
 * struct arena - of one thread
 * @in: what commands read; used from @in_top to its end
 * @out: what they write; likewise
 * @page: a page that can be written, ahead of one that is not there
 * @fixed: the same page, and cannot be written there
 * @gap: bytes before each array of @out that must stay as they are
 * @gaps: how many
 */
struct arena {
	unsigned char *in, *in_top;
	unsigned char *out, *out_top;
	unsigned char *page, *fixed;
	unsigned char *gap[ARENA_GAPS];
	int gaps;
};

int arena_make(struct arena *a);
void arena_free(struct arena *a);
void arena_empty(struct arena *a);
/* A copy of @bytes; NULL: none, just the room. */
void *arena_put(struct arena *a, const void *bytes, size_t n);
void *arena_room(struct arena *a, size_t n);
/* Has nothing been written but what was room? */
bool arena_whole(const struct arena *a);
size_t arena_used(const struct arena *a);

#endif /* CHRING_FUZZ_ARENA_H */
