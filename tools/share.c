// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdio.h>

#include "output.h"
#include "share.h"

void share_add(struct share *s, __u64 first, __u64 last)
{
	__u64 before_last = last - first;

	s->lo += before_last;
	s->hi += s->lo < before_last;
	s->hi += !++s->lo;
}

/* As on a circle of 2^64, the lower 64 bits; @whole: all of it. */
static __u64 share_of_64(const struct share *s, __u32 bits, bool *whole)
{
	if (bits == 32) {
		*whole = s->lo >> 32;
		return s->lo << 32;
	}
	*whole = s->hi;
	return s->lo;
}

__u64 share_millionths(const struct share *s, __u32 bits)
{
	bool whole;
	__u64 n = share_of_64(s, bits, &whole);
	__u64 sum = (n >> 32) * 1000000 + ((n & ~0U) * 1000000 >> 32);

	return whole ? 1000000 : (sum + (1U << 31)) >> 32;
}

void share_cell(struct table *t, const struct share *s, __u32 bits)
{
	__u64 millionths = share_millionths(s, bits);

	table_printf(t, "%llu.%04llu", millionths / 10000, millionths % 10000);
}

void share_json_percent(json_object *to, const struct share *s, __u32 bits)
{
	json_ratio(to, "percent", share_millionths(s, bits) / 1e4);
}

void share_json_as(json_object *to, const char *name, const struct share *s)
{
	char hex[sizeof("0x") + 32];

	if (s->hi)
		snprintf(hex, sizeof(hex), "0x%llx%016llx", s->hi, s->lo);
	else
		snprintf(hex, sizeof(hex), "0x%016llx", s->lo);
	json_string(to, name, hex);
}

void share_json(json_object *to, const struct share *s)
{
	share_json_as(to, "share", s);
}
