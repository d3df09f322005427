/* SPDX-License-Identifier: GPL-2.0 */
/* What a dry run says would move. */
#ifndef CHRINGCTL_PLAN_H
#define CHRINGCTL_PLAN_H

#include "output.h"
#include "session.h"

/**
 * struct planned - a dry run that has been answered
 * @s: session
 * @plan: the answer
 * @out: the ring as it would be
 * @name: of a node that would be new, the one of @out; or NULL
 * @len: its bytes
 */
struct planned {
	const struct session *s;
	const struct chring_plan *plan;
	const struct chring_outcome *out;
	const char *name;
	size_t len;
};

/* As text. Return: STATUS_OK or STATUS_REFUSED. */
int plan_text(const struct planned *p);

/* Members of an object. Return: likewise. */
int plan_json(const struct planned *p, json_object *to);

#endif /* CHRINGCTL_PLAN_H */
