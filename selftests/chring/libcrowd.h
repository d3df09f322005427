/* SPDX-License-Identifier: GPL-2.0 */
/* Many nodes, for COMMIT. */
#ifndef CHRING_LIBCROWD_H
#define CHRING_LIBCROWD_H

#include "libtest.h"

/* Bytes of a name, and of a zone's. */
#define CROWD_NAME	7

/**
 * struct crowd - members on their way to COMMIT
 * @member: of nodes; their names are in order, and stay so if the last byte of
 *	one is another letter
 * @nodes: their ids, after crowd_commit()
 * @strings: names, zones behind
 * @size: bytes of @strings
 * @count: members
 */
struct crowd {
	struct chring_member *member;
	__u64 *nodes;
	char *strings;
	__u32 size;
	__u32 count;
};

/* Of weight 1, each with its number as the cookie; @zones: in so many, or none. */
void crowd_make(struct crowd *c, __u32 count, __u32 zones);
void crowd_free(struct crowd *c);

/* The name of member @i, with a NUL. */
void crowd_name(char name[CROWD_NAME + 1], __u32 i);

struct chring_commit crowd_arg(const struct crowd *c);
/* 0 or -errno. */
int crowd_commit(int fd, const struct crowd *c);

#endif /* CHRING_LIBCROWD_H */
