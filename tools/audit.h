/* SPDX-License-Identifier: GPL-2.0 */
/* How real keys are shared. */
#ifndef CHRINGCTL_AUDIT_H
#define CHRINGCTL_AUDIT_H

#include "session.h"

/**
 * audit_run() - count the keys on standard input by their owners
 * @s: session with a ring
 *
 * Return: STATUS_OK or STATUS_REFUSED.
 */
int audit_run(const struct session *s);

#endif /* CHRINGCTL_AUDIT_H */
