// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arena.h"

#define PAGE		4096UL
#define GAP		64
#define GAP_BYTE	0xa5

/* @n bytes and a page behind them that is not there; NULL: no memory. */
static unsigned char *guarded(size_t n, int fd, int prot)
{
	unsigned char *p = mmap(NULL, n + PAGE, PROT_NONE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	if (mmap(p, n, prot, MAP_FIXED | (fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS :
						   MAP_SHARED), fd, 0) == p)
		return p;
	return NULL;
}

int arena_make(struct arena *a)
{
	int fd = memfd_create("page", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, PAGE))
		return -errno;
	a->in = guarded(ARENA_BYTES, -1, PROT_READ | PROT_WRITE);
	a->out = guarded(ARENA_BYTES, -1, PROT_READ | PROT_WRITE);
	a->page = guarded(PAGE, fd, PROT_READ | PROT_WRITE);
	a->fixed = guarded(PAGE, fd, PROT_READ);
	close(fd);
	if (!a->in || !a->out || !a->page || !a->fixed)
		return -ENOMEM;
	arena_empty(a);
	return 0;
}

void arena_free(struct arena *a)
{
	munmap(a->in, ARENA_BYTES + PAGE);
	munmap(a->out, ARENA_BYTES + PAGE);
	munmap(a->page, 2 * PAGE);
	munmap(a->fixed, 2 * PAGE);
}

void arena_empty(struct arena *a)
{
	a->in_top = a->in + ARENA_BYTES;
	a->out_top = a->out + ARENA_BYTES;
	a->gaps = 0;
}

void *arena_put(struct arena *a, const void *bytes, size_t n)
{
	a->in_top -= n;
	if (bytes)
		memcpy(a->in_top, bytes, n);
	return a->in_top;
}

void *arena_room(struct arena *a, size_t n)
{
	void *p;

	a->out_top -= n;
	p = a->out_top;
	a->out_top -= GAP;
	memset(a->out_top, GAP_BYTE, GAP);
	if (a->gaps < ARENA_GAPS)
		a->gap[a->gaps++] = a->out_top;
	return p;
}

bool arena_whole(const struct arena *a)
{
	int i, j;

	for (i = 0; i < a->gaps; i++)
		for (j = 0; j < GAP; j++)
			if (a->gap[i][j] != GAP_BYTE)
				return false;
	return true;
}

size_t arena_used(const struct arena *a)
{
	return a->in + ARENA_BYTES - a->in_top;
}
