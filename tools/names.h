/* SPDX-License-Identifier: GPL-2.0 */
/* Inside libchring: the names of nodes by their ids. */
#ifndef CHRING_NAMES_H
#define CHRING_NAMES_H

#include <stddef.h>

#include <linux/types.h>

/**
 * struct chring_name - a name that is known, or known to be lost
 * @id: of the node
 * @gone: the node was deleted before its name was seen
 * @len: of @bytes
 * @bytes: with a NUL behind
 */
struct chring_name {
	__u64 id;
	int gone;
	size_t len;
	char bytes[];
};

/**
 * struct chring_names - a hash table; all 0: an empty one
 * @slot: NULL where there is none
 * @bits: of the number of slots, a power of two
 * @used: slots taken, at most half of them
 */
struct chring_names {
	struct chring_name **slot;
	unsigned int bits;
	size_t used;
};

/* NULL: not known. */
const struct chring_name *chring_names_find(const struct chring_names *names,
					    __u64 id);

/**
 * chring_names_add() - remember a name
 * @names: table
 * @id: of the node; if it is known already nothing changes
 * @name: bytes; NULL: it is gone
 * @len: how many
 *
 * Return: 0 or -ENOMEM.
 */
int chring_names_add(struct chring_names *names, __u64 id, const char *name,
		     size_t len);

void chring_names_free(struct chring_names *names);

#endif /* CHRING_NAMES_H */
