// SPDX-License-Identifier: GPL-2.0
#include "agree.h"

#include "need.h"

/* Of more tokens than these some are left out, evenly. */
#define TOKENS_MAX	(1U << 17)

static void answers(const struct cell *c, enum bench_mode mode,
		    const struct sample *s, const void **node)
{
	const struct rival *r = c->rival;
	u32 i;

	if (r->find_many && mode == MODE_KEY)
		r->find_many_keys(c->built, s->key[0], SAMPLE, node);
	else if (r->find_many)
		r->find_many(c->built, s->position, SAMPLE, node);
	else if (mode != MODE_KEY)
		for (i = 0; i < SAMPLE; i++)
			node[i] = r->find(c->built, s->position[i]);
	else if (r->find_key)
		for (i = 0; i < SAMPLE; i++)
			node[i] = r->find_key(c->built, s->key[i]);
	else
		for (i = 0; i < SAMPLE; i++)
			node[i] = r->find(c->built,
					  xxh64(s->key[i], KEY_LEN, 0));
}

static void compare(const struct cell *a, const struct cell *b,
		    enum bench_mode mode, const struct sample *s,
		    const void *const *of_a)
{
	const void *of_b[SAMPLE];
	u32 i;

	answers(b, mode, s, of_b);
	for (i = 0; i < SAMPLE; i++) {
		if (of_a[i] && of_a[i] == of_b[i])
			continue;
		fprintf(stderr, "\nbench: %s: %s and %s differ at %s %llx\n",
			a->m->name, a->rival->name, b->rival->name,
			mode == MODE_KEY ? "the key of" : "position",
			mode == MODE_KEY ? xxh64(s->key[i], KEY_LEN, 0) :
					   s->position[i]);
		exit(1);
	}
}

static void agree_on(const struct cell *const *cell, u32 n,
		     enum bench_mode mode, const struct sample *s)
{
	const void *node[SAMPLE];
	u32 i;

	answers(cell[0], mode, s, node);
	for (i = 1; i < n; i++)
		compare(cell[0], cell[i], mode, s, node);
}

static void agree_in_pool(const struct cell *const *cell, u32 n,
			  enum bench_mode mode)
{
	u32 pool = sample_pool(cell[0]->m), i;
	struct sample s;

	for (i = 0; i < pool; i++) {
		sample_fill(&s, cell[0]->m, mode, i);
		agree_on(cell, n, mode, &s);
	}
}

/* At a token, before it and after it. */
static void agree_at_tokens(const struct cell *const *cell, u32 n)
{
	const struct members *m = cell[0]->m;
	u32 step = DIV_ROUND_UP(m->tokens, TOKENS_MAX), some = 0, i;
	struct sample s;

	sample_fill(&s, m, MODE_TPUT, 0);
	for (i = 0; i < m->tokens; i += step) {
		s.position[some++] = m->token[i] - 1;
		s.position[some++] = m->token[i];
		s.position[some++] = m->token[i] + 1;
		if (some + 3 > SAMPLE || i + step >= m->tokens) {
			agree_on(cell, n, MODE_TPUT, &s);
			some = 0;
		}
	}
}

void agree(const struct cell *const *cell, u32 n)
{
	if (cell[0]->rival->modes & ONLY(MODE_KEY))
		agree_in_pool(cell, n, MODE_KEY);
	agree_in_pool(cell, n, MODE_TPUT);
	agree_at_tokens(cell, n);
}
