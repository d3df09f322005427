/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only door of core/ to the world: types, memory, hash libraries.
 *
 * User space has a twin of this file with the same guard; who compiles core/
 * there includes the twin first (-include), and this one falls away.
 */
#ifndef CHRING_PLATFORM_H
#define CHRING_PLATFORM_H

#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/prefetch.h>
#include <linux/siphash.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/xxhash.h>

#include <linux/chring.h>

/**
 * chring_alloc() - memory, zeroed, within the module's budget
 * @size: bytes, more than 0
 *
 * May sleep. Charged to the caller's memory cgroup.
 *
 * Return: memory to be given back with chring_free(), or ERR_PTR(): -EDQUOT if
 * the budget is used up, -ENOMEM if the system has none.
 */
void *chring_alloc(size_t size);

/* As chring_alloc(), but not zeroed: for those who write all of it. */
void *chring_alloc_unset(size_t size);

/* As chring_alloc(), but whole pages, which programs may be shown. */
void *chring_alloc_pages(size_t size);

/**
 * chring_free() - give back what chring_alloc() gave
 * @p: from chring_alloc(), or NULL
 * @size: the same as then
 *
 * Any context in which vfree() may be called.
 */
void chring_free(const void *p, size_t size);

/**
 * chring_pause() - called now and then by long work
 *
 * May sleep.
 *
 * Return: 0 to go on, -EINTR if the caller is being killed.
 */
int chring_pause(void);

#endif /* CHRING_PLATFORM_H */
