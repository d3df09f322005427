// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

#define BITS_FIRST	6

static size_t slots(const struct chring_names *names)
{
	return names->slot ? (size_t)1 << names->bits : 0;
}

/* Where @id is, or where it would go. There always is a free slot. */
static size_t place(const struct chring_names *names, __u64 id)
{
	size_t mask = slots(names) - 1;
	size_t at = (id * 0x9e3779b97f4a7c15ULL) >> (64 - names->bits);

	while (names->slot[at] && names->slot[at]->id != id)
		at = (at + 1) & mask;
	return at;
}

const struct chring_name *chring_names_find(const struct chring_names *names,
					    __u64 id)
{
	return names->slot ? names->slot[place(names, id)] : NULL;
}

static int grow(struct chring_names *names)
{
	struct chring_names bigger = {
		.bits = names->slot ? names->bits + 1 : BITS_FIRST,
		.used = names->used,
	};
	size_t i;

	bigger.slot = calloc((size_t)1 << bigger.bits, sizeof(*bigger.slot));
	if (!bigger.slot)
		return -ENOMEM;
	for (i = 0; i < slots(names); i++) {
		struct chring_name *name = names->slot[i];

		if (name)
			bigger.slot[place(&bigger, name->id)] = name;
	}
	free(names->slot);
	*names = bigger;
	return 0;
}

int chring_names_add(struct chring_names *names, __u64 id, const char *bytes,
		     size_t len)
{
	struct chring_name *name;

	if (chring_names_find(names, id))
		return 0;
	if (names->used >= slots(names) / 2 && grow(names))
		return -ENOMEM;
	name = malloc(sizeof(*name) + len + 1);
	if (!name)
		return -ENOMEM;
	name->id = id;
	name->gone = !bytes;
	name->len = len;
	if (bytes)
		memcpy(name->bytes, bytes, len);
	name->bytes[len] = 0;
	names->slot[place(names, id)] = name;
	names->used++;
	return 0;
}

void chring_names_free(struct chring_names *names)
{
	size_t i;

	for (i = 0; i < slots(names); i++)
		free(names->slot[i]);
	free(names->slot);
}
