/* SPDX-License-Identifier: GPL-2.0 */
/* What the module may hold: memory, and tokens per ring. */
#ifndef CHRING_BUDGET_H
#define CHRING_BUDGET_H

#include <linux/types.h>

/* Sets the default of max_total_bytes, unless a parameter has set it. */
void chring_budget_init(void);

/* Bytes held now, and how many there may be. */
unsigned long chring_budget_used(void);
unsigned long chring_budget_max(void);

/**
 * chring_buffer_alloc() - memory, zeroed, for a question or its answer
 * @size: bytes, more than 0
 *
 * For the time of one command that only reads, and not of the budget: whoever
 * may read could use that up, by answers that have nowhere to go, and then nobody
 * could change a ring. Charged to the caller's memory cgroup. May sleep.
 *
 * Return: memory for chring_buffer_free(), or ERR_PTR(-ENOMEM).
 */
void *chring_buffer_alloc(size_t size);
void chring_buffer_free(const void *p);

#endif /* CHRING_BUDGET_H */
