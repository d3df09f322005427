/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every allocation and every copy of a command made to fail, one after the
 * other: ring, epoch and digest stay as they were. Needs a kernel with fault
 * injection.
 */
#ifndef CHRING_LIBFAULT_H
#define CHRING_LIBFAULT_H

#include "libtest.h"

/**
 * struct fault - what commands are tried on
 * @fd: of the ring that they are to leave as it was
 * @unbound: of no ring
 * @probe: of the probe, see libprobe.h
 * @node: that a ticket is of
 * @map: status pages, if that went well
 * @before: the ring before a try
 */
struct fault {
	int fd;
	int unbound;
	int probe;
	__u64 node;
	void *map;
	struct mark before;
};

/* Failures that commands were made to meet; absorbed: and succeeded. */
struct counts {
	unsigned int slab, pages, vmalloc, copies, absorbed;
};

/**
 * struct tried - a command that is tried
 * @name: for the report
 * @run: gives it once
 * @undo: makes a success undone; NULL: it changes nothing
 * @prepare: before each try; may be NULL
 */
struct tried {
	const char *name;
	int (*run)(struct fault *f);
	void (*undo)(struct fault *f);
	void (*prepare)(struct fault *f);
};

/*
 * Tries @n commands with each failure in turn, and adds those up. Return: 0; -1: a
 * command did what it must not, as the report says.
 */
int faults_try_all(struct fault *f, const struct tried *t, size_t n,
		   struct counts *total);

#endif /* CHRING_LIBFAULT_H */
