/* SPDX-License-Identifier: GPL-2.0 */
/* The status pages of a ring: words that programs read without asking. */
#ifndef CHRING_STATUS_H
#define CHRING_STATUS_H

#include "core/platform.h"

/* Memory of status pages: whole pages, of any machine that the module is for. */
#define CHRING_STATUS_BYTES \
	(DIV_ROUND_UP(sizeof(struct chring_status), 4096) * 4096)

struct chring_ring;
struct chring_view;

/**
 * chring_status_open() - let a ring have status pages
 * @ring: ring
 *
 * If it has them already, there is nothing to do. They stay until the ring is
 * freed. May sleep; needs nothing that is above mmap_lock.
 *
 * Return: 0; -ENODEV: the ring has been deleted; -ENOMEM or -EDQUOT.
 */
int chring_status_open(struct chring_ring *ring);

/* With the ring itself. */
void chring_status_free(struct chring_ring *ring);

/* Memory of a ring's status pages, if it has any. */
size_t chring_status_bytes(const struct chring_ring *ring);

/**
 * chring_status_begin() - a view is about to be replaced
 * @s: status of the ring, or NULL; the lock of its loads held
 */
void chring_status_begin(struct chring_status *s);

/**
 * chring_status_end() - a view has been replaced
 * @s: as chring_status_begin(), before the ring's view was stored
 * @v: the view of now; NULL: the ring has been deleted
 */
void chring_status_end(struct chring_status *s, const struct chring_view *v);

#endif /* CHRING_STATUS_H */
