/* SPDX-License-Identifier: GPL-2.0 */
/* Changes of the std::map of stdmap.cc. */
#ifndef STDMAP_H
#define STDMAP_H

void stdmap_add(void *built, const u64 *token, u32 n, const void *node);
void stdmap_delete(void *built, const u64 *token, u32 n);

#endif /* STDMAP_H */
