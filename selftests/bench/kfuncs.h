/* SPDX-License-Identifier: GPL-2.0 */
/* How many instructions kfuncs take. */
#ifndef CHRING_BENCH_KFUNCS_H
#define CHRING_BENCH_KFUNCS_H

/* Prints a line for each, as calls.c does; @fd: descriptor of the ring. */
void kfuncs_count(const char *ring, int fd);

#endif /* CHRING_BENCH_KFUNCS_H */
