// SPDX-License-Identifier: GPL-2.0
/*
 * Tables come and go, and in the kernel a new one gets pages that an old one
 * gave back, as they are. Here the C library would ask for new ones, and each
 * that is touched for the first time costs a fault and is cleared: as much as a
 * merge, and in a virtual machine many times that. So what is large and given
 * back is kept for the next one who asks for as much. The linker puts this
 * before the services of tools/platform.c (--wrap).
 */
#include "reuse.h"

#include <pthread.h>

#define HUGE_PAGE	((size_t)2 << 20)
/* What is larger is not given back and asked for again. */
#define KEPT_MAX	(16 * HUGE_PAGE)
#define SPARES		16

/**
 * struct spare - memory that was given back
 * @p: it; NULL: none
 * @size: bytes of it
 */
static struct spare {
	void *p;
	size_t size;
} spare[SPARES];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Is a piece large enough, and not much too large? */
static bool fits(size_t piece, size_t size)
{
	return piece >= size && piece - size < HUGE_PAGE;
}

static bool is_kept(size_t size)
{
	return size >= HUGE_PAGE && size <= KEPT_MAX;
}

static void *take(size_t size)
{
	void *p = NULL;
	int i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < SPARES && !p; i++)
		if (spare[i].p && fits(spare[i].size, size))
			swap(p, spare[i].p);
	pthread_mutex_unlock(&lock);
	return p;
}

static bool keep(void *p, size_t size)
{
	int i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < SPARES && spare[i].p; i++)
		;
	if (i < SPARES)
		spare[i] = (struct spare){ p, size };
	pthread_mutex_unlock(&lock);
	return i < SPARES;
}

void *__wrap_chring_alloc_unset(size_t size)
{
	void *p = is_kept(size) ? take(size) : NULL;

	return p ? p : __real_chring_alloc_unset(size);
}

void *__wrap_chring_alloc(size_t size)
{
	void *p = __wrap_chring_alloc_unset(size);

	if (!IS_ERR(p))
		memset(p, 0, size);
	return p;
}

void __wrap_chring_free(const void *p, size_t size)
{
	if (!p || !is_kept(size) || !keep((void *)p, size))
		__real_chring_free(p, size);
}
