/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of status pages share: mapped and read as the header says. */
#ifndef CHRING_LIBSTATUS_H
#define CHRING_LIBSTATUS_H

#include <sys/mman.h>
#include <sys/types.h>

#include "libtest.h"

#define PAGE		4096
/* Whole pages of the struct. */
#define STATUS_BYTES	((sizeof(struct chring_status) + PAGE - 1) / PAGE * PAGE)

/* The status pages of the ring of @fd, as a whole; NULL: errno says why not. */
const struct chring_status *status_map(int fd);
int status_unmap(const struct chring_status *s);

/* 0 or -errno: may it be mapped? */
int status_may_map(int fd);

/*
 * One try to read words of one epoch, of @out the first @count. Return: are
 * they? Then they are in @to, which may have others in the rest of @out.
 */
bool status_try(const struct chring_status *s, struct chring_status *to,
		unsigned int count);
/* Until they are. Return: tries that were in vain. */
unsigned long status_read(const struct chring_status *s,
			  struct chring_status *to, unsigned int count);

/*
 * All of the pages, while nothing changes, against what commands say of the
 * ring. Return: how much is wrong, and notes say what.
 */
unsigned int status_wrong(int fd, const volatile struct chring_status *s);

/* Id of the ring of a descriptor, 0: it has none; all ones: it does not say. */
__u64 ring_of(int fd);
/* Bytes that STATS says of the ring of a descriptor. */
__u64 ring_bytes(int fd);

/* A COMMIT of @count members, their names and zones in @strings. */
int commit(int fd, const struct chring_member *member, __u32 count,
	   const char *strings, __u32 strings_size, __u64 generation);

/* Memory that parent and children share; NULL. */
void *shared(size_t size);
/* The status of a child that has ended by itself, or -1. */
int ended(pid_t pid);

#endif /* CHRING_LIBSTATUS_H */
