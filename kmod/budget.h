/* SPDX-License-Identifier: GPL-2.0 */
/* What the module may hold: memory, and tokens per ring. */
#ifndef CHRING_BUDGET_H
#define CHRING_BUDGET_H

/* Sets the default of max_total_bytes, unless a parameter has set it. */
void chring_budget_init(void);

/* Bytes held now, and how many there may be. */
unsigned long chring_budget_used(void);
unsigned long chring_budget_max(void);

#endif /* CHRING_BUDGET_H */
