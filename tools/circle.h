/* SPDX-License-Identifier: GPL-2.0 */
/* What is on the circle of a ring, to be shown. */
#ifndef CHRINGCTL_CIRCLE_H
#define CHRINGCTL_CIRCLE_H

#include <stdbool.h>

#include "session.h"
#include "share.h"
#include "table.h"

#define CIRCLE_POSITION	"0x%016llx"

/**
 * struct circle - a list under way
 * @s: session
 * @bits: width of a position
 * @list: what is to be shown
 * @first: no item of JSON was printed yet
 */
struct circle {
	struct session s;
	__u32 bits;
	struct chring_arc_list *list;
	bool first;
};

/**
 * circle_open() - open output, device and ring
 * @c: to be closed by circle_close(), whatever this returns
 * @ring: its name
 *
 * Return: STATUS_OK or STATUS_REFUSED.
 */
int circle_open(struct circle *c, const char *ring);
void circle_close(struct circle *c);

/* Say why there is no list. Return: STATUS_REFUSED. */
int circle_refused(const struct circle *c, int err);

/* A node by its id, 0: none; the name may be lost. Return: 0 or an error. */
int circle_cell_node(struct circle *c, struct table *t, __u64 id);
int circle_json_node(struct circle *c, json_object *to, const char *name_key,
		     const char *id_key, __u64 id);

/* Members for what the whole list has in common. */
void circle_json_facts(const struct circle *c, json_object *to);

/*
 * The end of a table and of a list of JSON: what is not complete because of
 * @err is not printed, or has no end. Return: exit status.
 */
int circle_table(struct circle *c, struct table *t, int err);
int circle_stream(struct circle *c, int err);

#endif /* CHRINGCTL_CIRCLE_H */
