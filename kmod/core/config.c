// SPDX-License-Identifier: GPL-2.0
#include "config.h"
#include "hash.h"

static bool name_byte_ok(unsigned char c)
{
	return c > 0x20 && c != 0x7f;
}

int chring_name_check(const char *name, size_t len)
{
	size_t i;

	if (!len)
		return -EINVAL;
	if (len > CHRING_NAME_MAX)
		return -ENAMETOOLONG;
	for (i = 0; i < len; i++)
		if (!name_byte_ok(name[i]))
			return -EINVAL;
	return 0;
}

/* Not isalnum(): in the kernel's Latin-1 tables bytes over 0x7f are letters. */
static bool ring_byte_ok(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') ||
	       c == '.' || c == '_' || c == ':' || c == '-';
}

int chring_ring_name_check(const char *name, size_t len)
{
	size_t i;

	if (!len)
		return -EINVAL;
	if (len > CHRING_RING_NAME_MAX)
		return -ENAMETOOLONG;
	if (name[0] == '.')
		return -EINVAL;
	for (i = 0; i < len; i++)
		if (!ring_byte_ok(name[i]))
			return -EINVAL;
	return 0;
}

int chring_private_name_check(const char *name, size_t len)
{
	bool slash = false;
	size_t i;

	if (!len)
		return -EINVAL;
	if (len > CHRING_RING_NAME_MAX)
		return -ENAMETOOLONG;
	for (i = 0; i < len; i++) {
		slash |= name[i] == '/';
		if (!ring_byte_ok(name[i]) && name[i] != '/' &&
		    name[i] != '[' && name[i] != ']')
			return -EINVAL;
	}
	return slash && name[0] != '/' ? 0 : -EINVAL;
}

static int resolve_hash(struct chring_config *c)
{
	u32 widest;

	if (c->hash == CHRING_HASH_DEFAULT)
		c->hash = CHRING_HASH_XXH64;
	if (c->hash > CHRING_HASH_CRC32)
		return -EINVAL;
	if (!(BIT(c->hash) & CHRING_HASHES_OFFERED))
		return -EOPNOTSUPP;

	widest = chring_hash_bits(c->hash);
	if (!c->bits)
		c->bits = widest;
	if ((c->bits != 64 && c->bits != 32) || c->bits > widest)
		return -EINVAL;
	return 0;
}

static int resolve_seed(const struct chring_config *c)
{
	if (chring_config_keyed(c))
		return c->seed[0] || c->seed[1] ? 0 : -EINVAL;
	if (c->seed[1])
		return -ERANGE;
	if (c->hash == CHRING_HASH_MURMUR3 && c->seed[0] >> 32)
		return -ERANGE;
	return 0;
}

static int resolve_layout(struct chring_config *c)
{
	if (c->layout == CHRING_LAYOUT_DEFAULT)
		c->layout = CHRING_LAYOUT_PLAIN;
	if (c->layout > CHRING_LAYOUT_HAPROXY)
		return -EINVAL;
	if (!(BIT(c->layout) & CHRING_LAYOUTS_OFFERED))
		return -EOPNOTSUPP;

	if (!c->vnodes)
		c->vnodes = CHRING_VNODES_DEFAULT;
	if (!c->unit)
		c->unit = CHRING_UNIT_DEFAULT;
	if (c->vnodes > CHRING_VNODES_MAX || c->unit > CHRING_UNIT_MAX)
		return -ERANGE;
	return 0;
}

/*
 * No digit in a separator: "a1" + "2" and "a" + "12" would be one label, and
 * two nodes one set of tokens.
 */
static int resolve_sep(struct chring_config *c)
{
	u32 i;

	if (c->sep_len > CHRING_SEP_MAX)
		return -ERANGE;
	for (i = 0; i < c->sep_len; i++)
		if (!name_byte_ok(c->sep[i]) ||
		    (c->sep[i] >= '0' && c->sep[i] <= '9'))
			return -EINVAL;
	for (; i < CHRING_SEP_MAX; i++)
		if (c->sep[i])
			return -EINVAL;
	if (!c->sep_len) {
		c->sep[0] = '#';
		c->sep_len = 1;
	}
	return 0;
}

/* Below 100 percent not every ticket would have a node. */
static int check_balance(const struct chring_config *c)
{
	if (c->balance && (c->balance < CHRING_BALANCE_MIN ||
			   c->balance > CHRING_BALANCE_MAX))
		return -ERANGE;
	return c->tickets > CHRING_TICKETS_MAX ? -ERANGE : 0;
}

int chring_config_resolve(struct chring_config *c)
{
	struct chring_config r = *c;
	int ret;

	ret = resolve_hash(&r);
	if (!ret)
		ret = resolve_seed(&r);
	if (!ret)
		ret = resolve_layout(&r);
	if (!ret)
		ret = resolve_sep(&r);
	if (!ret)
		ret = check_balance(&r);
	if (!ret)
		*c = r;
	return ret;
}
