/* SPDX-License-Identifier: GPL-2.0 */
/* The config of a ring and the names in it: what is allowed, what is meant. */
#ifndef CHRING_CONFIG_H
#define CHRING_CONFIG_H

#include "platform.h"

#define CHRING_VNODES_DEFAULT	160
#define CHRING_UNIT_DEFAULT	1

#define CHRING_HASHES_OFFERED	(BIT(CHRING_HASH_XXH64) | \
				 BIT(CHRING_HASH_SIPHASH) | \
				 BIT(CHRING_HASH_MURMUR64) | \
				 BIT(CHRING_HASH_MURMUR3))
#define CHRING_LAYOUTS_OFFERED	BIT(CHRING_LAYOUT_PLAIN)

/**
 * chring_config_resolve() - check a config and fill in its defaults
 * @c: as it came from the caller; unchanged on failure
 *
 * Return: 0, -EINVAL, -ERANGE or -EOPNOTSUPP as CHRING_IOC_RING_CREATE says.
 */
int chring_config_resolve(struct chring_config *c);

/**
 * chring_config_keyed() - are the tokens of such a ring a secret?
 * @c: resolved config
 */
static inline bool chring_config_keyed(const struct chring_config *c)
{
	return c->hash == CHRING_HASH_SIPHASH;
}

/**
 * chring_name_check() - may a node or a zone be called this?
 * @name: bytes
 * @len: how many
 *
 * Return: 0, -EINVAL (empty, a byte <= 0x20 or 0x7f) or -ENAMETOOLONG.
 */
int chring_name_check(const char *name, size_t len);

/**
 * chring_ring_name_check() - may a ring be called this?
 * @name: bytes
 * @len: how many
 *
 * Return: 0, -EINVAL (empty, not of [A-Za-z0-9._:-], a dot first) or
 * -ENAMETOOLONG.
 */
int chring_ring_name_check(const char *name, size_t len);

/**
 * chring_private_name_check() - may a private ring be called this?
 * @name: bytes
 * @len: how many
 *
 * Never what chring_ring_name_check() takes.
 *
 * Return: 0, -EINVAL (empty, not of [A-Za-z0-9._:/-] and of [ and ], without a
 * slash or with one first) or -ENAMETOOLONG.
 */
int chring_private_name_check(const char *name, size_t len);

#endif /* CHRING_CONFIG_H */
