/* SPDX-License-Identifier: GPL-2.0 */
/* A share of the circle: a number of positions, at most 2^64. */
#ifndef CHRINGCTL_SHARE_H
#define CHRINGCTL_SHARE_H

#include <json-c/json.h>
#include <linux/types.h>

#include "table.h"

struct share {
	__u64 lo;
	__u64 hi;
};

/* Add all positions from @first to @last. */
void share_add(struct share *s, __u64 first, __u64 last);

/* Millionths of the circle, which has 2^@bits: exact, rounded to the next. */
__u64 share_millionths(const struct share *s, __u32 bits);

/* The same in percent: a cell of text, and a member of JSON. */
void share_cell(struct table *t, const struct share *s, __u32 bits);
void share_json_percent(json_object *to, const struct share *s, __u32 bits);

/* The number itself. */
void share_json(json_object *to, const struct share *s);
void share_json_as(json_object *to, const char *name, const struct share *s);

#endif /* CHRINGCTL_SHARE_H */
