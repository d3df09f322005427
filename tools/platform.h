/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The twin of kmod/core/platform.h: what core/ needs, in user space. Whoever
 * compiles core/ here includes this file first (-include), so that the guard
 * makes the kernel's one fall away.
 */
#ifndef CHRING_PLATFORM_H
#define CHRING_PLATFORM_H

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A state that its user holds by value. */
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include <linux/chring.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;

#define U32_MAX			UINT32_MAX
#define BITS_PER_LONG		(8 * (int)sizeof(long))
#define BIT(n)			(1UL << (n))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))

#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define prefetch(p)		__builtin_prefetch(p)
#define __must_check		__attribute__((warn_unused_result))
#undef __always_inline
#define __always_inline		inline __attribute__((always_inline))

#define READ_ONCE(x)		(*(const volatile typeof(x) *)&(x))

#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

#define swap(a, b) do {			\
	typeof(a) swap_a = (a);		\
					\
	(a) = (b);			\
	(b) = swap_a;			\
} while (0)

/* As the kernel's: two types that differ do not compile. */
#define min(a, b) ({					\
	typeof(a) min_a = (a);				\
	typeof(b) min_b = (b);				\
							\
	(void)(&min_a == &min_b);			\
	min_a < min_b ? min_a : min_b;			\
})
#define max(a, b) ({					\
	typeof(a) max_a = (a);				\
	typeof(b) max_b = (b);				\
							\
	(void)(&max_a == &max_b);			\
	max_a > max_b ? max_a : max_b;			\
})
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b)	max((type)(a), (type)(b))

#define MAX_ERRNO		4095

static inline void *ERR_PTR(long error)
{
	return (void *)error;
}

static inline long PTR_ERR(const void *p)
{
	return (long)p;
}

static inline bool IS_ERR(const void *p)
{
	return (unsigned long)p >= (unsigned long)-MAX_ERRNO;
}

static inline void *ERR_CAST(const void *p)
{
	return (void *)p;
}

/* Place of the highest bit set, counted from 1; 0 if there is none. */
static inline int fls(unsigned int x)
{
	return x ? 32 - __builtin_clz(x) : 0;
}

static inline u32 rol32(u32 x, unsigned int n)
{
	return x << (n & 31) | x >> (-n & 31);
}

#define cpu_to_le32(x)		htole32(x)
#define cpu_to_le64(x)		htole64(x)
#define le32_to_cpu(x)		le32toh(x)
#define le64_to_cpu(x)		le64toh(x)

/* XXH64, of libxxhash. */
struct xxh64_state {
	XXH64_state_t state;
};

static inline u64 xxh64(const void *data, size_t len, u64 seed)
{
	return XXH64(data, len, seed);
}

static inline void xxh64_reset(struct xxh64_state *s, u64 seed)
{
	XXH64_reset(&s->state, seed);
}

static inline int xxh64_update(struct xxh64_state *s, const void *data,
			       size_t len)
{
	return XXH64_update(&s->state, data, len) == XXH_OK ? 0 : -EINVAL;
}

static inline u64 xxh64_digest(const struct xxh64_state *s)
{
	return XXH64_digest(&s->state);
}

/* SipHash-2-4, of libsodium. */
typedef struct {
	u64 key[2];
} siphash_key_t;

u64 siphash(const void *data, size_t len, const siphash_key_t *key);

/* The services of the kernel's platform.h; see there. */
void *chring_alloc(size_t size);
void *chring_alloc_unset(size_t size);
void *chring_alloc_pages(size_t size);
void chring_free(const void *p, size_t size);
int chring_pause(void);

/* Bytes that were allocated and not freed yet. */
size_t chring_platform_bytes(void);

/**
 * struct chring_platform_hooks - what stands in the way of the services
 * @alloc: asked before memory is given; other than 0 is the error instead
 * @pause: what chring_pause() returns
 *
 * Either may be NULL: nothing stands in the way.
 */
struct chring_platform_hooks {
	int (*alloc)(size_t size);
	int (*pause)(void);
};

extern struct chring_platform_hooks chring_platform_hooks;

#endif /* CHRING_PLATFORM_H */
