/* SPDX-License-Identifier: GPL-2.0 */
/* What a benchmark cannot go on without. */
#ifndef NEED_H
#define NEED_H

#include <stdio.h>
#include <stdlib.h>

#define NEED(cond) do {							\
	if (!(cond)) {							\
		fprintf(stderr, "\nbench: %s:%d: not so: %s\n",		\
			__FILE__, __LINE__, #cond);			\
		exit(1);						\
	}								\
} while (0)

/* Memory that there is. */
static inline void *need(void *p)
{
	NEED(p);
	return p;
}

#endif /* NEED_H */
