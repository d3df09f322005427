/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A ring that a test changes again and again while others ask it: what it was at
 * each epoch, and who owned what, by arithmetic: the nearest token clockwise, found
 * by looking at all of them.
 */
#ifndef CHRING_LIBHISTORY_H
#define CHRING_LIBHISTORY_H

#include "libtest.h"

#define HISTORY_NODES	12
#define HISTORY_VNODES	10	/* of the ring's config */
#define HISTORY_EPOCHS	400000

/* A node of the ring at one epoch; id 0: it is not there. */
struct member {
	__u64 id;
	__u16 weight;
	__u16 state;
};

/* Before anybody is asked: the ring is new and empty. False: no memory. */
bool history_begin(void);

/*
 * Some change that the ring takes, and what it is since; now and then all nodes
 * go, so that empty rings are met as well. 0 or -errno.
 */
int history_change(int fd, unsigned int *seed);

/* The last epoch. */
__u64 history_epoch(void);

/*
 * The membership of an epoch, HISTORY_NODES long; who changes the ring may be just
 * about to write it, and is waited for. NULL: there is no such epoch.
 */
const struct member *history_at(__u64 epoch);

/* Id of the owner, or 0 with the errno of who has none. */
__u64 history_owner(const struct member *m, __u64 at, int *error);

#endif /* CHRING_LIBHISTORY_H */
