// SPDX-License-Identifier: GPL-2.0
#include "results.h"

#include <json-c/json.h>

#include "need.h"

static struct json_object *root;

/* All lists are there, empty or not. */
static struct json_object *top(void)
{
	static const char *const list[] = {
		"rows", "rings", "memory", "threads",
	};
	u32 i;

	if (root)
		return root;
	root = need(json_object_new_object());
	for (i = 0; i < sizeof(list) / sizeof(*list); i++)
		json_object_object_add(root, list[i], json_object_new_array());
	return root;
}

static struct json_object *list(const char *name)
{
	struct json_object *o;

	NEED(json_object_object_get_ex(top(), name, &o));
	return o;
}

/* One more object in a list. */
static struct json_object *entry(const char *name)
{
	struct json_object *o = need(json_object_new_object());

	json_object_array_add(list(name), o);
	return o;
}

static void put_string(struct json_object *o, const char *key,
		       const char *value)
{
	json_object_object_add(o, key, json_object_new_string(value));
}

static void put_count(struct json_object *o, const char *key, u64 n)
{
	json_object_object_add(o, key, json_object_new_int64(n));
}

static void put_double(struct json_object *o, const char *key, double x)
{
	struct json_object *d = json_object_new_double(x);

	json_object_set_serializer(d, json_object_double_to_json_string,
				   "%.6g", NULL);
	json_object_object_add(o, key, d);
}

void results_note(const char *key, const char *value)
{
	put_string(top(), key, value);
}

void results_time(const char *ring, const char *structure, const char *what,
		  double ns, double ratio)
{
	struct json_object *o = entry("rows");

	put_string(o, "ring", ring);
	put_string(o, "structure", structure);
	put_string(o, "mode", what);
	put_double(o, "ns", ns);
	if (ratio > 0)
		put_double(o, "ratio", ratio);
}

void results_row(const char *ring, const char *structure, enum bench_mode mode,
		 double ns, double ratio)
{
	static const char *const name[MODES] = { "key", "lat", "tput" };

	results_time(ring, structure, name[mode], ns, ratio);
}

void results_memory(const struct members *m, const char *structure,
		    size_t bytes)
{
	struct json_object *o = entry("memory");

	put_string(o, "ring", m->name);
	put_string(o, "structure", structure);
	put_count(o, "bytes", bytes);
	put_double(o, "per_token", (double)bytes / m->tokens);
}

void results_ring(const struct members *m, double spread, size_t table,
		  size_t nodes)
{
	struct json_object *o = entry("rings");

	put_string(o, "ring", m->name);
	put_count(o, "nodes", m->nodes);
	put_count(o, "vnodes", m->vnodes);
	put_count(o, "tokens", m->tokens);
	put_double(o, "spread", spread);
	put_double(o, "table_per_token", (double)table / m->tokens);
	put_double(o, "nodes_per_token", (double)nodes / m->tokens);
}

void results_threads(const char *ring, const char *structure, u32 readers,
		     bool writer, double per_second, double share)
{
	struct json_object *o = entry("threads");

	put_string(o, "ring", ring);
	put_string(o, "structure", structure);
	put_count(o, "readers", readers);
	json_object_object_add(o, "writer", json_object_new_boolean(writer));
	put_double(o, "per_second", per_second);
	put_double(o, "of_one", share);
}

void results_write(const char *file)
{
	NEED(!json_object_to_file_ext(file, top(), JSON_C_TO_STRING_PRETTY |
						   JSON_C_TO_STRING_SPACED));
	json_object_put(root);
	root = NULL;
}
