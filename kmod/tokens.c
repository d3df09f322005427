// SPDX-License-Identifier: GPL-2.0
#include "tokens.h"
#include "core/points.h"
#include "core/run.h"

size_t chring_node_tokens_bytes(u32 count)
{
	if (!count)
		return 0;
	return sizeof(struct chring_node_tokens) + count * sizeof(u64);
}

static struct chring_node_tokens *tokens_alloc(u32 count)
{
	struct chring_node_tokens *t;

	t = chring_alloc(chring_node_tokens_bytes(count));
	if (IS_ERR(t))
		return t;
	refcount_set(&t->refs, 1);
	t->count = count;
	return t;
}

void chring_node_tokens_put(struct chring_node_tokens *t)
{
	if (t && refcount_dec_and_test(&t->refs))
		chring_free(t, chring_node_tokens_bytes(t->count));
}

struct chring_stand chring_node_tokens_stand(const struct chring_node_tokens *t)
{
	if (!t)
		return (struct chring_stand){};
	return (struct chring_stand){ .token = t->token, .count = t->count };
}

/* Tokens of the indexes from @first to before @end, sorted. */
static int fill_run(const struct chring_config *config, const char *name,
		    u32 len, u32 first, u32 end, struct chring_run *run)
{
	int ret = chring_run_alloc(run, end - first);

	if (!ret)
		ret = chring_points_fill(config, name, len, first, run->count,
					 run->token);
	return ret ? ret : chring_run_sort(run);
}

/* All of @t from @was, and what is between the two. */
static int fill_tokens(struct chring_node_tokens *t,
		       const struct chring_node_tokens *was,
		       const struct chring_run *between)
{
	const struct chring_stand old = chring_node_tokens_stand(was);
	const struct chring_stand more = {
		.token = between->token,
		.count = between->count,
	};
	int ret;

	if (old.count < t->count)
		return chring_stand_merge(&old, &more, t->token);
	ret = chring_stand_except(&old, &more, t->token);
	/* They are not what they were made to be: do not make it worse. */
	return WARN_ON_ONCE(ret == -EUCLEAN) ? -EIO : ret;
}

struct chring_node_tokens *
chring_node_tokens_make(const struct chring_config *config, const char *name,
			u32 len, struct chring_node_tokens *was, u32 count)
{
	u32 had = was ? was->count : 0;
	struct chring_node_tokens *t;
	struct chring_run between;
	int ret;

	if (!count)
		return NULL;
	if (count == had) {
		refcount_inc(&was->refs);
		return was;
	}
	t = tokens_alloc(count);
	if (IS_ERR(t))
		return t;
	ret = fill_run(config, name, len, min(had, count), max(had, count),
		       &between);
	if (!ret)
		ret = fill_tokens(t, was, &between);
	chring_run_free(&between);
	if (!ret)
		return t;
	chring_node_tokens_put(t);
	return ERR_PTR(ret);
}
