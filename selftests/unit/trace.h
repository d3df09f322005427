/* SPDX-License-Identifier: GPL-2.0 */
/* The twin of kmod/trace.h: nobody traces here. */
#ifndef CHRING_TRACE_H
#define CHRING_TRACE_H

#define trace_chring_commit(v, change)	do { } while (0)

#endif /* CHRING_TRACE_H */
