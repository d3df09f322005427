// SPDX-License-Identifier: GPL-2.0
#include "platform.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <sodium/crypto_shorthash_siphash24.h>

struct chring_platform_hooks chring_platform_hooks;

static atomic_size_t held_bytes;

size_t chring_platform_bytes(void)
{
	return atomic_load(&held_bytes);
}

void *chring_alloc(size_t size)
{
	int ret = 0;
	void *p;

	assert(size);
	if (chring_platform_hooks.alloc)
		ret = chring_platform_hooks.alloc(size);
	if (ret)
		return ERR_PTR(ret);
	p = calloc(1, size);
	if (!p)
		return ERR_PTR(-ENOMEM);
	atomic_fetch_add(&held_bytes, size);
	return p;
}

void chring_free(const void *p, size_t size)
{
	if (!p)
		return;
	free((void *)p);
	atomic_fetch_sub(&held_bytes, size);
}

int chring_pause(void)
{
	return chring_platform_hooks.pause ? chring_platform_hooks.pause() : 0;
}

u64 siphash(const void *data, size_t len, const siphash_key_t *key)
{
	u8 bytes[crypto_shorthash_siphash24_KEYBYTES];
	__le64 hash;
	int i;

	for (i = 0; i < 2; i++) {
		__le64 half = cpu_to_le64(key->key[i]);

		memcpy(bytes + i * sizeof(half), &half, sizeof(half));
	}
	crypto_shorthash_siphash24((u8 *)&hash, data, len, bytes);
	return le64_to_cpu(hash);
}
