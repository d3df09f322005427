/* SPDX-License-Identifier: GPL-2.0 */
/* mmap() of a descriptor: the status pages of its ring. */
#ifndef CHRING_MAPPING_H
#define CHRING_MAPPING_H

#include <linux/mm_types.h>

#include "ring.h"

/**
 * chring_mapping_check() - may a mapping be?
 * @vma: as asked for
 *
 * Return: 0, -EPERM or -EINVAL.
 */
int chring_mapping_check(const struct vm_area_struct *vma);

/**
 * chring_mapping_make() - show the status pages of a ring
 * @ring: held by the descriptor, and so by the mapping
 * @vma: checked
 *
 * May sleep; under mmap_lock. Return: 0, or as chring_status_open().
 */
int chring_mapping_make(struct chring_ring *ring, struct vm_area_struct *vma);

#endif /* CHRING_MAPPING_H */
