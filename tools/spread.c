// SPDX-License-Identifier: GPL-2.0
#include <math.h>

#include "choices.h"
#include "output.h"
#include "spread.h"

static double weight_in_service(const struct part *p)
{
	return !p->gone && p->node.state == CHRING_STATE_UP ?
	       p->node.weight : 0;
}

static double sum_weights(const struct spread *s)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < s->count; i++)
		sum += weight_in_service(&s->part[i]);
	return sum;
}

void spread_measure(struct spread *s, double total)
{
	double weights = sum_weights(s), squares = 0;
	size_t live = 0, i;

	s->max = NAN;
	for (i = 0; i < s->count; i++) {
		struct part *p = &s->part[i];
		double weight = weight_in_service(p);

		p->percent = total ? 100 * p->amount / total : 0;
		p->fair = weight ? 100 * weight / weights : 0;
		p->ratio = weight && total ? p->percent / p->fair : NAN;
		if (!weight)
			continue;
		s->max = fmax(s->max, p->ratio);
		squares += (p->ratio - 1) * (p->ratio - 1);
		live++;
	}
	s->stddev = live ? sqrt(squares / live) : NAN;
}

static void row_ratio(struct table *t, double ratio)
{
	if (isfinite(ratio))
		table_printf(t, "%.4f", ratio);
	else
		table_printf(t, "-");
}

void spread_row_node(struct table *t, const struct part *p)
{
	if (p->node.name)
		table_bytes(t, p->node.name, p->node.name_len);
	else
		table_printf(t, "id:%llu", p->node.id);
	table_printf(t, "%s", p->gone ? "deleted" :
				       choice_word(&states, p->node.state));
	if (p->gone)
		table_printf(t, "-");
	else
		table_printf(t, "%u", p->node.weight);
}

void spread_row_measures(struct table *t, const struct part *p)
{
	table_printf(t, "%.4f", p->fair);
	row_ratio(t, p->ratio);
}

static void line_ratio(const char *name, double ratio)
{
	if (isfinite(ratio))
		line(name, "%.4f", ratio);
	else
		line(name, "-");
}

void spread_lines(const struct spread *s)
{
	line_ratio("max/mean", s->max);
	line_ratio("stddev", s->stddev);
}

void spread_json_node(json_object *to, const struct part *p)
{
	if (p->node.name)
		json_bytes(to, "name", p->node.name, p->node.name_len);
	else
		json_null(to, "name");
	json_u64(to, "id", p->node.id);
	if (p->gone) {
		json_string(to, "state", "deleted");
		return;
	}
	json_string(to, "state", choice_word(&states, p->node.state));
	json_u32(to, "weight", p->node.weight);
}

void spread_json_measures(json_object *to, const struct part *p)
{
	json_ratio(to, "fair_percent", p->fair);
	json_ratio(to, "ratio", p->ratio);
}

void spread_json(json_object *to, const struct spread *s)
{
	json_ratio(to, "max_to_mean", s->max);
	json_ratio(to, "stddev", s->stddev);
}
