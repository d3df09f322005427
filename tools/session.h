/* SPDX-License-Identifier: GPL-2.0 */
/* The device, opened for one command, and what it may refuse. */
#ifndef CHRINGCTL_SESSION_H
#define CHRINGCTL_SESSION_H

#include "libchring.h"

enum session_mode {
	SESSION_READ,
	SESSION_CHANGE,
	/* For reading, and to see what only those see who may change. */
	SESSION_SEE,
};

/**
 * struct session - the device and a ring
 * @dev: handle
 * @ring: name of its ring, NULL: none
 */
struct session {
	struct chring *dev;
	const char *ring;
};

/**
 * session_open() - open output and device
 * @s: to be closed by session_close(), whatever this returns
 * @ring: that the command is about; NULL: none
 * @mode: what for; to look at a private ring is as SESSION_SEE
 *
 * Return: STATUS_OK or STATUS_REFUSED.
 */
int session_open(struct session *s, const char *ring, enum session_mode mode);

void session_close(struct session *s);

/**
 * session_rings() - list all rings that can be seen
 * @s: session
 * @out: the list, private rings among them if the device is open for writing
 *
 * Return: 0, or a negative errno.
 */
int session_rings(const struct session *s, struct chring_rings **out);

/**
 * session_keys() - what the keys of a ring are
 * @s: session with a ring
 * @keys: enum chring_keys, or a number that this program does not know
 *
 * Return: 0, or a negative errno.
 */
int session_keys(const struct session *s, __u32 *keys);

/**
 * session_refused() - say what any request may fail with
 * @s: session
 * @err: negative errno
 *
 * Return: STATUS_REFUSED.
 */
int session_refused(const struct session *s, int err);

#endif /* CHRINGCTL_SESSION_H */
