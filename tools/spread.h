/* SPDX-License-Identifier: GPL-2.0 */
/* How evenly something is spread over nodes, by their weights. */
#ifndef CHRINGCTL_SPREAD_H
#define CHRINGCTL_SPREAD_H

#include <json-c/json.h>

#include "libchring.h"
#include "table.h"

/**
 * struct part - what a node got
 * @node: the node; of one that is gone only @id and, if known, @name
 * @gone: the node was deleted meanwhile
 * @amount: it got
 * @percent: it got, of all
 * @fair: percent that it should have got by its weight; 0: out of service
 * @ratio: @percent to @fair; not a number if that is 0
 */
struct part {
	struct chring_node node;
	int gone;
	double amount;
	double percent;
	double fair;
	double ratio;
};

/**
 * struct spread - what all nodes got
 * @part: of each node
 * @count: how many
 * @max: the largest ratio
 * @stddev: standard deviation of the ratios, whose mean by weight is 1
 *
 * Of nodes in service with weight; not a number if there are none.
 */
struct spread {
	struct part *part;
	size_t count;
	double max;
	double stddev;
};

/* Fills in all but @node, @gone and @amount of the parts. */
void spread_measure(struct spread *s, double total);

/* The beginning and the end of a row of text. */
void spread_row_node(struct table *t, const struct part *p);
void spread_row_measures(struct table *t, const struct part *p);

/* The lines of text on all of them. */
void spread_lines(const struct spread *s);

/* The same in JSON. */
void spread_json_node(json_object *to, const struct part *p);
void spread_json_measures(json_object *to, const struct part *p);
void spread_json(json_object *to, const struct spread *s);

#endif /* CHRINGCTL_SPREAD_H */
