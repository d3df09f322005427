/* SPDX-License-Identifier: GPL-2.0 */
/* What came out, as JSON (json-c). */
#ifndef RESULTS_H
#define RESULTS_H

#include "rival.h"

/* One fact of the run itself. */
void results_note(const char *key, const char *value);

/*
 * A row: nanoseconds, and how many times chring's they are. Of lookups by mode,
 * or of whatever else took time.
 */
void results_row(const char *ring, const char *structure, enum bench_mode mode,
		 double ns, double ratio);
void results_time(const char *ring, const char *structure, const char *what,
		  double ns, double ratio);

/* Bytes that a structure takes. */
void results_memory(const struct members *m, const char *structure,
		    size_t bytes);

/* Of a ring: how even it is, and the parts of its memory. */
void results_ring(const struct members *m, double spread, size_t table,
		  size_t nodes);

/* Lookups a second of some threads together, beside a writer or not. */
void results_threads(const char *ring, const char *structure, u32 readers,
		     bool writer, double per_second, double share);

/* Writes it. */
void results_write(const char *file);

#endif /* RESULTS_H */
