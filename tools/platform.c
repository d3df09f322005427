// SPDX-License-Identifier: GPL-2.0
#include "platform.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <sodium/crypto_shorthash_siphash24.h>

#define HUGE_PAGE	((size_t)2 << 20)

struct chring_platform_hooks chring_platform_hooks;

static atomic_size_t held_bytes;

size_t chring_platform_bytes(void)
{
	return atomic_load(&held_bytes);
}

/* Large memory is mapped as in the kernel: lookups then miss one cache less. */
static void *get_memory(size_t size)
{
	char *p = malloc(size);

	if (p && size >= 2 * HUGE_PAGE) {
		size_t before = -(uintptr_t)p % HUGE_PAGE;

		madvise(p + before, size - before, MADV_HUGEPAGE);
	}
	return p;
}

void *chring_alloc_unset(size_t size)
{
	int ret = 0;
	void *p;

	assert(size);
	if (chring_platform_hooks.alloc)
		ret = chring_platform_hooks.alloc(size);
	if (ret)
		return ERR_PTR(ret);
	p = get_memory(size);
	if (!p)
		return ERR_PTR(-ENOMEM);
	atomic_fetch_add(&held_bytes, size);
#ifdef __SANITIZE_ADDRESS__
	/* Who relies on zeroes is to notice. */
	memset(p, 0xa5, size);
#endif
	return p;
}

void *chring_alloc(size_t size)
{
	void *p = chring_alloc_unset(size);

	if (!IS_ERR(p))
		memset(p, 0, size);
	return p;
}

void *chring_alloc_pages(size_t size)
{
	return chring_alloc(size);
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
