// SPDX-License-Identifier: GPL-2.0
/*
 * XXH64 (Yann Collet) and SipHash-2-4 (Aumasson, Bernstein) come from the
 * library. The two Murmur hashes, which no library of the kernel has, follow
 * Austin Appleby's description (SMHasher, public domain). Both read their
 * input as little-endian words wherever they run.
 */
#include "hash.h"

static u64 load_le64(const u8 *p)
{
	__le64 w;

	memcpy(&w, p, sizeof(w));
	return le64_to_cpu(w);
}

static u32 load_le32(const u8 *p)
{
	__le32 w;

	memcpy(&w, p, sizeof(w));
	return le32_to_cpu(w);
}

/* The last bytes, fewer than a word, as the low bytes of a word. */
static u64 load_tail(const u8 *p, size_t n)
{
	u64 w = 0;

	while (n--)
		w = w << 8 | p[n];
	return w;
}

static u64 murmur64a(const void *data, size_t len, u64 seed)
{
	const u64 m = 0xc6a4a7935bd1e995ULL;
	const u8 *p = data;
	u64 h = seed ^ (len * m);
	size_t n;

	for (n = len / 8; n; n--, p += 8) {
		u64 k = load_le64(p) * m;

		k ^= k >> 47;
		h = (h ^ k * m) * m;
	}
	if (len & 7)
		h = (h ^ load_tail(p, len & 7)) * m;
	h = (h ^ h >> 47) * m;
	return h ^ h >> 47;
}

static u32 murmur3_scramble(u32 k)
{
	k *= 0xcc9e2d51;
	k = rol32(k, 15);
	return k * 0x1b873593;
}

static u32 murmur3_32(const void *data, size_t len, u32 seed)
{
	const u8 *p = data;
	u32 h = seed;
	size_t n;

	for (n = len / 4; n; n--, p += 4)
		h = rol32(h ^ murmur3_scramble(load_le32(p)), 13) * 5 +
		    0xe6546b64;
	h ^= murmur3_scramble(load_tail(p, len & 3));
	h ^= len;
	h = (h ^ h >> 16) * 0x85ebca6b;
	h = (h ^ h >> 13) * 0xc2b2ae35;
	return h ^ h >> 16;
}

u64 chring_fmix64(u64 h)
{
	h = (h ^ h >> 33) * 0xff51afd7ed558ccdULL;
	h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53ULL;
	return h ^ h >> 33;
}

static u64 siphash_keyed(const void *data, size_t len, const __u64 *seed)
{
	const siphash_key_t key = { .key = { seed[0], seed[1] } };

	return siphash(data, len, &key);
}

u32 chring_hash_bits(u32 hash)
{
	return hash == CHRING_HASH_MURMUR3 ? 32 : 64;
}

static u64 hash64(const struct chring_config *c, const void *data, size_t len)
{
	switch (c->hash) {
	case CHRING_HASH_SIPHASH:
		return siphash_keyed(data, len, c->seed);
	case CHRING_HASH_MURMUR64:
		return murmur64a(data, len, c->seed[0]);
	case CHRING_HASH_MURMUR3:
		return (u64)murmur3_32(data, len, c->seed[0]) << 32;
	default:
		return xxh64(data, len, c->seed[0]);
	}
}

u64 chring_hash_any(const struct chring_config *c, const void *data, size_t len)
{
	u64 h = hash64(c, data, len);

	return c->bits == 32 ? h & ~(u64)U32_MAX : h;
}
