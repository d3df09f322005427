// SPDX-License-Identifier: GPL-2.0
#include <errno.h>

#include "circle.h"
#include "errors.h"
#include "output.h"

int circle_open(struct circle *c, const char *ring)
{
	struct chring_summary *sum;
	int ret;

	*c = (struct circle){ .first = true };
	/* What is on the circle of a keyed ring is for who may change it. */
	ret = session_open(&c->s, ring, SESSION_SEE);
	if (ret)
		return ret;
	ret = chring_stats(c->s.dev, 0, &sum);
	if (ret)
		return session_refused(&c->s, ret);
	c->bits = sum->config.bits;
	chring_summary_free(sum);
	return STATUS_OK;
}

void circle_close(struct circle *c)
{
	chring_arc_list_free(c->list);
	session_close(&c->s);
}

int circle_refused(const struct circle *c, int err)
{
	switch (-err) {
	case EBADF:
		return refused("ring '%s': it is keyed: only who may write to %s sees where its tokens are",
			       c->s.ring, CHRING_DEVICE);
	case ENODATA:
		return refused("ring '%s': it has no former owners yet: its tokens never changed",
			       c->s.ring);
	case ESTALE:
		return refused("ring '%s': it changes faster than it can be shown; try again",
			       c->s.ring);
	default:
		return session_refused(&c->s, err);
	}
}

/* Return: 0, 1: its name is not known any more; or an error. */
static int name_of(struct circle *c, __u64 id, const char **name, size_t *len)
{
	int ret = chring_node_name(c->s.dev, id, name, len);

	return ret == -ENOENT ? 1 : ret;
}

int circle_cell_node(struct circle *c, struct table *t, __u64 id)
{
	const char *name;
	size_t len;
	int ret;

	if (!id) {
		table_printf(t, "-");
		return 0;
	}
	ret = name_of(c, id, &name, &len);
	if (!ret)
		table_bytes(t, name, len);
	else if (ret > 0)
		table_printf(t, "id:%llu", id);
	return ret < 0 ? ret : 0;
}

int circle_json_node(struct circle *c, json_object *to, const char *name_key,
		     const char *id_key, __u64 id)
{
	const char *name;
	size_t len;
	int ret = id ? name_of(c, id, &name, &len) : 1;

	if (ret < 0)
		return ret;
	if (ret)
		json_null(to, name_key);
	else
		json_bytes(to, name_key, name, len);
	if (id)
		json_u64(to, id_key, id);
	else
		json_null(to, id_key);
	return 0;
}

void circle_json_facts(const struct circle *c, json_object *to)
{
	json_u64(to, "ring", c->list->ring);
	json_u64(to, "epoch", c->list->epoch);
	if (c->list->former_epoch)
		json_u64(to, "former_epoch", c->list->former_epoch);
	json_u32(to, "bits", c->bits);
}

int circle_table(struct circle *c, struct table *t, int err)
{
	if (!err)
		table_print(t, output());
	table_free(t);
	return err ? circle_refused(c, err) : STATUS_OK;
}

int circle_stream(struct circle *c, int err)
{
	if (err)
		return circle_refused(c, err);
	json_stream_tail(c->first);
	return STATUS_OK;
}
