// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>

#include "chringctl.h"
#include "errors.h"
#include "keys.h"
#include "lookup.h"
#include "output.h"
#include "stream.h"

/**
 * struct stream - standard input on its way to the answers
 * @s: session
 * @how: flags and owners wanted
 * @fn: to be called
 * @context: for it
 * @keys: reader
 * @nodes: owner of each key of a batch
 * @done: keys of the batch that were answered
 * @off: bytes that they had
 * @a: the key that is at its turn
 */
struct stream {
	const struct session *s;
	const struct chring_query *how;
	answered_fn *fn;
	void *context;
	struct keys keys;
	__u64 *nodes;
	__u32 done;
	size_t off;
	struct answered a;
};

static int answer_next(struct stream *st)
{
	const struct keys *k = &st->keys;
	int ret;

	st->a.key = k->bytes + st->off;
	st->a.len = k->len[st->done];
	ret = st->fn(st->context, &st->a);
	st->off += k->len[st->done++];
	return ret;
}

/* What a batch cannot be asked for is asked for key by key. */
static int ask_one(struct stream *st)
{
	const struct keys *k = &st->keys;
	struct chring_query query = *st->how;
	int ret;

	if (k->positions) {
		query.position = k->position[st->done];
	} else {
		query.key = k->bytes + st->off;
		query.key_len = k->len[st->done];
	}
	ret = chring_lookup(st->s->dev, &query, &st->a.answer);
	if (ret)
		return lookup_refused(st->s, &query, ret);
	return answer_next(st);
}

static void fill_batch(const struct stream *st, struct chring_batch *b)
{
	const struct keys *k = &st->keys;

	*b = (struct chring_batch){
		.nodes = st->nodes,
		.count = k->count - st->done,
		/* Zones first or not, the first owner is the same. */
		.flags = st->how->flags & ~CHRING_LOOKUP_ZONES,
	};
	if (k->positions) {
		b->keys = k->position + st->done;
		b->keys_size = b->count * sizeof(*k->position);
	} else {
		b->keys = k->bytes + st->off;
		b->keys_size = k->used - st->off;
		b->lens = k->len + st->done;
	}
}

static int ask_batch(struct stream *st)
{
	struct chring_batch b;
	__u32 i;
	int ret;

	fill_batch(st, &b);
	ret = chring_lookup_batch(st->s->dev, &b);
	/* A success without an answer would have us ask for ever. */
	if (!ret && !b.out_done)
		ret = -EIO;
	if (ret)
		return lookup_refused(st->s, st->how, ret);
	st->a.answer.ring = b.out_ring;
	st->a.answer.epoch = b.out_epoch;
	st->a.answer.count = 1;
	for (i = 0; i < b.out_done && !ret; i++) {
		st->a.answer.owner[0].node = st->nodes[i];
		if (st->keys.positions)
			st->a.answer.position = st->keys.position[st->done];
		ret = answer_next(st);
	}
	return ret;
}

static int answer_batch(struct stream *st)
{
	int ret = STATUS_OK;

	st->done = 0;
	st->off = 0;
	while (st->done < st->keys.count && !ret)
		ret = st->a.whole ? ask_one(st) : ask_batch(st);
	if (!ret)
		ret = st->keys.paused ? output_flush() : output_check();
	return ret;
}

static int answer_all(struct stream *st)
{
	int ret;

	do {
		ret = keys_next(&st->keys);
		if (!ret)
			ret = answer_batch(st);
	} while (!ret && st->keys.count);
	return ret;
}

int stream_run(const struct session *s, const struct chring_query *how,
	       answered_fn *fn, void *context)
{
	struct stream st = {
		.s = s,
		.how = how,
		.fn = fn,
		.context = context,
		.nodes = needed(malloc(CHRING_BATCH_MAX * sizeof(*st.nodes))),
		.a.whole = how->count > 1 || how->formers,
	};
	int ret;

	keys_init(&st.keys, options.delimiter,
		  how->flags & CHRING_LOOKUP_POSITION);
	ret = answer_all(&st);
	keys_free(&st.keys);
	free(st.nodes);
	return ret;
}
