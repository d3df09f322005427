// SPDX-License-Identifier: GPL-2.0
/*
 * The plain layout: a node stands where the hashes of its labels "name#0",
 * "name#1", ... say (Karger et al., "Consistent Hashing and Random Trees",
 * STOC 1997, with the virtual nodes of Dynamo, SOSP 2007).
 */
#include "points.h"
#include "hash.h"

#define INDEX_DIGITS	10	/* of a u32 */
#define PAUSE_EVERY	0x4000

u32 chring_points_count(const struct chring_config *c, u32 weight)
{
	return DIV_ROUND_UP((u64)weight * c->vnodes, c->unit);
}

/* Return: digits written. */
static u32 put_decimal(char *to, u32 v)
{
	char digit[INDEX_DIGITS];
	u32 n = 0, i;

	do {
		digit[n++] = '0' + v % 10;
		v /= 10;
	} while (v);
	for (i = 0; i < n; i++)
		to[i] = digit[n - 1 - i];
	return n;
}

int chring_points_fill(const struct chring_config *c, const char *name,
		       u32 len, u32 first, u32 n, u64 *token)
{
	char label[CHRING_NAME_MAX + CHRING_SEP_MAX + INDEX_DIGITS];
	u32 prefix = len + c->sep_len;
	u32 i;

	memcpy(label, name, len);
	memcpy(label + len, c->sep, c->sep_len);
	for (i = 0; i < n; i++) {
		u32 digits = put_decimal(label + prefix, first + i);

		token[i] = chring_hash_position(c, label, prefix + digits);
		if (i % PAUSE_EVERY == PAUSE_EVERY - 1) {
			int ret = chring_pause();

			if (ret)
				return ret;
		}
	}
	return 0;
}
