/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Allocations and copies of one thread that fail. As in libinject, which
 * belongs to one thread of a program; here all have files of their own.
 */
#ifndef CHRING_FUZZ_INJECT_H
#define CHRING_FUZZ_INJECT_H

#include <stdbool.h>

/**
 * struct inject - files of a thread
 * @nth: says which is to fail
 * @all: says that all are to, but of single pages
 */
struct inject {
	int nth;
	int all;
};

/* Can this kernel do that? */
bool inject_possible(void);
void inject_open(struct inject *in);
void inject_close(struct inject *in);
/*
 * The n-th allocation or copy from here on fails, up to inject_end(); 0: all
 * allocations, for where there is one to fall back on. SIGUSR1 has to wait.
 */
void inject_begin(struct inject *in, unsigned int n);
void inject_end(struct inject *in);

#endif /* CHRING_FUZZ_INJECT_H */
