/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Key hashes and position widths.
 *
 * Inside the module a position is always a u64 on a circle of 2^64: that of a
 * 32-bit ring stands in the upper half, the lower half being 0. Order and
 * distance stay what they were, and tables need to know one width only.
 */
#ifndef CHRING_HASH_H
#define CHRING_HASH_H

#include "platform.h"

/**
 * chring_hash_bits() - how wide the positions of a hash can be
 * @hash: enum chring_hash, one that is offered
 */
u32 chring_hash_bits(u32 hash);

/* chring_hash_position() for rings of any hash. */
u64 chring_hash_any(const struct chring_config *c, const void *data,
		    size_t len);

/**
 * chring_hash_position() - where bytes stand on the circle
 * @c: resolved config
 * @data: bytes, of any alignment
 * @len: how many, 0 included
 *
 * Any context. Return: the position as the inside of the module sees it.
 */
static inline u64 chring_hash_position(const struct chring_config *c,
				       const void *data, size_t len)
{
	/* What most rings are, first. */
	if (likely(c->hash == CHRING_HASH_XXH64 && c->bits == 64))
		return xxh64(data, len, c->seed[0]);
	return chring_hash_any(c, data, len);
}

/**
 * chring_position_import() - take a position from outside
 * @c: resolved config
 * @outside: a number of the ring's width
 * @inside: the position as the inside of the module sees it
 *
 * Return: 0, or -ERANGE if @outside is wider than the ring.
 */
static inline int chring_position_import(const struct chring_config *c,
					 u64 outside, u64 *inside)
{
	if (c->bits == 32 && outside >> 32)
		return -ERANGE;
	*inside = c->bits == 32 ? outside << 32 : outside;
	return 0;
}

/**
 * chring_position_export() - give a position to the outside
 * @c: resolved config
 * @inside: the position as the inside of the module sees it
 *
 * Return: a number of the ring's width.
 */
static inline u64 chring_position_export(const struct chring_config *c,
					 u64 inside)
{
	return c->bits == 32 ? inside >> 32 : inside;
}

/**
 * chring_fmix64() - the 64-bit finalizer of MurmurHash3
 * @h: any number
 */
u64 chring_fmix64(u64 h);

#endif /* CHRING_HASH_H */
