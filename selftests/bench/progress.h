/* SPDX-License-Identifier: GPL-2.0 */
/* What the benchmark is at, on standard error. */
#ifndef PROGRESS_H
#define PROGRESS_H

/* A stage begins: a line of its own where lines cannot be written over. */
void progress_stage(const char *what);

/* A step of it: seen on a terminal only. */
void progress_step(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

void progress_end(void);

#endif /* PROGRESS_H */
