/* SPDX-License-Identifier: GPL-2.0 */
/* Inside libchring: the names of nodes by their ids. */
#ifndef CHRING_NAMES_H
#define CHRING_NAMES_H

#include "ids.h"

/**
 * struct chring_name - a name that is known, or known to be lost
 * @id: of the node
 * @gone: the node was not there when its name was looked for
 * @len: of @bytes
 * @bytes: with a NUL behind
 */
struct chring_name {
	__u64 id;
	int gone;
	size_t len;
	char bytes[];
};

/* Of struct chring_name; all 0: none is known. */
struct chring_names {
	struct ids ids;
};

/* NULL: not known. One that is not gone stays. */
const struct chring_name *chring_names_find(const struct chring_names *names,
					    __u64 id);

/**
 * chring_names_add() - remember a name
 * @names: names
 * @id: of the node; if its name is known already nothing changes
 * @name: bytes; NULL: it is gone, unless it is known
 * @len: how many
 *
 * Return: 0 or -ENOMEM.
 */
int chring_names_add(struct chring_names *names, __u64 id, const char *name,
		     size_t len);

void chring_names_free(struct chring_names *names);

#endif /* CHRING_NAMES_H */
