/* SPDX-License-Identifier: GPL-2.0 */
/* Names that the linker makes of those in tools/platform.h; see reuse.c. */
#ifndef REUSE_H
#define REUSE_H

void *__real_chring_alloc_unset(size_t size);
void *__wrap_chring_alloc_unset(size_t size);
void *__wrap_chring_alloc(size_t size);
void __real_chring_free(const void *p, size_t size);
void __wrap_chring_free(const void *p, size_t size);

#endif /* REUSE_H */
