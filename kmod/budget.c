// SPDX-License-Identifier: GPL-2.0
#include <linux/atomic.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "budget.h"
#include "core/platform.h"
#include "ring.h"

/* More a table cannot count, whatever the parameter says. */
#define TOKENS_MAX	(1U << 24)

static unsigned int max_tokens = TOKENS_MAX;
module_param(max_tokens, uint, 0644);
MODULE_PARM_DESC(max_tokens,
		 "tokens per ring, at most and by default 16777216");

static unsigned long max_total_bytes;
module_param(max_total_bytes, ulong, 0644);
MODULE_PARM_DESC(max_total_bytes,
		 "bytes that all rings may hold (default 1/16 of memory)");

static atomic_long_t used_bytes = ATOMIC_LONG_INIT(0);

/* Above this, whole pages side by side are too much to ask for. */
#define SLAB_MAX	(PAGE_SIZE << PAGE_ALLOC_COSTLY_ORDER)

/* Rather an error to the caller than a victim of the OOM killer. */
#define GFP_CHRING	(GFP_KERNEL_ACCOUNT | __GFP_NOWARN | \
			 __GFP_RETRY_MAYFAIL)

/* Huge pages may waste this part of what they are for. */
#define WASTE_MAX	8

u32 chring_max_tokens(void)
{
	return min(READ_ONCE(max_tokens), TOKENS_MAX);
}

unsigned long chring_budget_used(void)
{
	return atomic_long_read(&used_bytes);
}

unsigned long chring_budget_max(void)
{
	return READ_ONCE(max_total_bytes);
}

static bool charge(size_t size)
{
	unsigned long used = atomic_long_add_return(size, &used_bytes);

	if (size <= chring_budget_max() && used <= chring_budget_max())
		return true;
	atomic_long_sub(size, &used_bytes);
	return false;
}

/* A lookup in a large table misses one cache less where pages are huge. */
static bool is_huge(size_t size)
{
	return round_up(size, PMD_SIZE) - size <= size / WASTE_MAX;
}

/* What an allocation takes of the budget. */
static size_t footprint(size_t size)
{
	return is_huge(size) ? round_up(size, PMD_SIZE) : size;
}

/* Pages of a slab cannot be mapped. */
static void *get_pages(size_t size, gfp_t gfp)
{
	return __vmalloc(size, gfp);
}

static void *get_memory(size_t size, gfp_t gfp)
{
	if (size <= SLAB_MAX)
		return kvmalloc(size, gfp);
	return is_huge(size) ? vmalloc_huge(size, gfp) : __vmalloc(size, gfp);
}

void *chring_buffer_alloc(size_t size)
{
	void *p = get_memory(size, GFP_CHRING | __GFP_ZERO);

	return p ? p : ERR_PTR(-ENOMEM);
}

void chring_buffer_free(const void *p)
{
	kvfree(p);
}

static void *charged(size_t size, gfp_t gfp, void *(*get)(size_t, gfp_t))
{
	void *p;

	if (!charge(footprint(size)))
		return ERR_PTR(-EDQUOT);
	p = get(size, gfp);
	if (p)
		return p;
	atomic_long_sub(footprint(size), &used_bytes);
	return ERR_PTR(-ENOMEM);
}

void *chring_alloc(size_t size)
{
	return charged(size, GFP_CHRING | __GFP_ZERO, get_memory);
}

void *chring_alloc_unset(size_t size)
{
	return charged(size, GFP_CHRING, get_memory);
}

void *chring_alloc_pages(size_t size)
{
	return charged(size, GFP_CHRING | __GFP_ZERO, get_pages);
}

void chring_free(const void *p, size_t size)
{
	if (!p)
		return;
	kvfree(p);
	atomic_long_sub(footprint(size), &used_bytes);
}

int chring_pause(void)
{
	cond_resched();
	return fatal_signal_pending(current) ? -EINTR : 0;
}

void chring_budget_init(void)
{
	if (!max_total_bytes)
		max_total_bytes = (totalram_pages() << PAGE_SHIFT) / 16;
}
