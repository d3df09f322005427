// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

const struct chring_name *chring_names_find(const struct chring_names *names,
					    __u64 id)
{
	return ids_find(&names->ids, id);
}

int chring_names_add(struct chring_names *names, __u64 id, const char *bytes,
		     size_t len)
{
	const struct chring_name *known = chring_names_find(names, id);
	struct chring_name *name;

	/* A list that is older than the loss of a name still has it. */
	if (known && (!known->gone || !bytes))
		return 0;
	name = malloc(sizeof(*name) + len + 1);
	if (!name)
		return -ENOMEM;
	name->id = id;
	name->gone = !bytes;
	name->len = len;
	if (bytes)
		memcpy(name->bytes, bytes, len);
	name->bytes[len] = 0;
	if (ids_put(&names->ids, &name->id)) {
		free(name);
		return -ENOMEM;
	}
	free((void *)known);
	return 0;
}

void chring_names_free(struct chring_names *names)
{
	size_t i;

	for (i = 0; i < ids_slots(&names->ids); i++)
		free((void *)names->ids.slot[i]);
	ids_free(&names->ids);
}
