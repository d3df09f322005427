// SPDX-License-Identifier: GPL-2.0
#include "libtest.h"
#include "spoil.h"

static __u32 odd_number(struct rng *r)
{
	static const __u32 odd[] = {
		0, 1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 255, 256,
		1023, 1024, 4095, 4096, 4097, 4104, 65535, 65536, 65537, 1 << 20,
		(1 << 20) + 1, 16 << 20, (16 << 20) + 1, 0x7fffffff, 0x80000000,
		0xfffffff8, 0xffffffff
	};

	return odd[rng_below(r, ARRAY_LEN(odd))];
}

__u64 spoil_pointer(struct worker *w)
{
	const struct arena *a = &w->arena;
	const __u64 odd[] = {
		0, 1, 0x1000, 0x7fffffffefff, 0x7ffffffff000, 0x800000000000,
		0xffff888000000000, 0xffffffff81000000, ~0ULL, ~0ULL << 12,
		(uintptr_t)(a->in + ARENA_BYTES), (uintptr_t)(a->in + ARENA_BYTES - 4),
		(uintptr_t)(a->out + ARENA_BYTES), (uintptr_t)(a->out + ARENA_BYTES - 4),
		(uintptr_t)a->fixed, (uintptr_t)(a->fixed + 4092),
	};

	return odd[rng_below(&w->rng, ARRAY_LEN(odd))];
}

static __u64 get(const struct call *c, const struct field *f)
{
	__u64 v = 0;

	memcpy(&v, c->arg.bytes + f->off, f->size);
	return v;
}

static void set(struct call *c, const struct field *f, __u64 v)
{
	memcpy(c->arg.bytes + f->off, &v, f->size);
}

/* What is spoilt in a field goes by what it is. */
static void spoil_field(struct worker *w, const struct field *f)
{
	struct rng *r = &w->rng;
	__u64 v = get(&w->call, f);

	switch (f->kind) {
	case F_FLAGS:
		v ^= 1U << (rng_percent(r, 50) ? rng_below(r, 5) : rng_below(r, 32));
		break;
	case F_PTR:
		v = spoil_pointer(w);
		break;
	case F_EPOCH:
		v = w->epoch + 1 + rng_below(r, 3);
		break;
	case F_GEN:
		v = 1 + rng_below(r, 2);
		break;
	case F_ID:
		v = rng_percent(r, 50) ? rng_next(r) : w->node[0] + 1;
		break;
	case F_PAD:
		v = 1U << rng_below(r, 32);
		break;
	case F_FACT:
	case F_OUT:
		return;
	default:
		v = rng_percent(r, 25) ? 0 : rng_percent(r, 60) ? odd_number(r) :
		    rng_percent(r, 50) ? v + 1 : v - 1;
	}
	set(&w->call, f, v);
}

static void spoil_some_field(struct worker *w)
{
	const struct field *field = specs[w->call.cmd].field;
	int n = 0, i = 0;

	while (field[n].kind != F_END)
		n++;
	/* Outputs are no fields that can be spoilt. */
	do {
		i = rng_below(&w->rng, n);
	} while (field[i].kind == F_FACT || field[i].kind == F_OUT);
	spoil_field(w, &field[i]);
}

/* Too short, too long, or with a tail that asks for something. */
static void spoil_size(struct worker *w)
{
	const struct spec *spec = &specs[w->call.cmd];
	struct call *c = &w->call;
	struct rng *r = &w->rng;

	switch (rng_below(r, 4)) {
	case 0:
		c->arg.size = rng_below(r, spec->min);
		break;
	case 1:
		c->arg.size = odd_number(r);
		break;
	default:
		c->bytes = spec->size + 1 + rng_below(r, 64);
		c->arg.size = c->bytes;
		c->arg.bytes[c->bytes - 1] = 1;
	}
}

/* A byte of what the command points to. */
static void spoil_bytes(struct worker *w)
{
	size_t n = arena_used(&w->arena);
	__u32 value = rng_percent(&w->rng, 50) ? rng_next(&w->rng) : 0;

	/* The last that was put is the first there: arrays rather than keys. */
	if (n > 256 && rng_percent(&w->rng, 70))
		n = 256;
	if (n)
		w->arena.in_top[rng_below(&w->rng, n)] = value;
}

/* The argument where it cannot be read, not be written, or not all of it. */
static void spoil_place(struct worker *w)
{
	struct call *c = &w->call;

	switch (rng_below(&w->rng, 4)) {
	case 0:
		c->at = (void *)(uintptr_t)spoil_pointer(w);
		c->bytes = 0;
		break;
	case 1:
		c->at = w->arena.page + 4096 - c->bytes / 2;
		c->bytes /= 2;
		break;
	default:
		c->at = w->arena.fixed + 4096 - c->bytes;
	}
}

void spoil(struct worker *w)
{
	__u32 n;

	w->call.spoilt = true;
	do {
		n = rng_below(&w->rng, 100);
		if (n < 55)
			spoil_some_field(w);
		else if (n < 67)
			spoil_size(w);
		else if (n < 85)
			spoil_bytes(w);
		else if (!w->call.at)
			spoil_place(w);
	} while (rng_percent(&w->rng, 15));
}

void resize(struct worker *w)
{
	const struct spec *spec = &specs[w->call.cmd];
	struct call *c = &w->call;

	if (rng_percent(&w->rng, 50))
		c->bytes = spec->size + 4 * (1 + rng_below(&w->rng, 20));
	else if (spec->min < spec->size)
		/* What an older program does not know it does not ask for. */
		c->bytes = spec->min;
	c->arg.size = c->bytes;
}
