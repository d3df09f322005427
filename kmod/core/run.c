// SPDX-License-Identifier: GPL-2.0
#include "run.h"

#define RADIX_BITS	8
#define RADIX		(1 << RADIX_BITS)
#define PAUSE_EVERY	0x10000

static size_t run_bytes(u32 count)
{
	return (size_t)count * (sizeof(u64) + sizeof(u16));
}

int chring_run_alloc(struct chring_run *r, u32 count)
{
	void *p;

	*r = (struct chring_run){};
	if (!count)
		return 0;
	p = chring_alloc(run_bytes(count));
	if (IS_ERR(p))
		return PTR_ERR(p);
	r->token = p;
	r->owner = (u16 *)(r->token + count);
	r->count = count;
	return 0;
}

void chring_run_free(struct chring_run *r)
{
	chring_free(r->token, run_bytes(r->count));
	*r = (struct chring_run){};
}

int chring_run_own(struct chring_run *r, u16 slot)
{
	u32 i;

	for (i = 0; i < r->count; i++) {
		r->owner[i] = slot;
		if (i % PAUSE_EVERY == PAUSE_EVERY - 1 && chring_pause())
			return -EINTR;
	}
	return 0;
}

static int count_digits(const struct chring_run *r, u32 shift, u32 *count)
{
	u32 i;

	memset(count, 0, RADIX * sizeof(*count));
	for (i = 0; i < r->count; i++) {
		count[(u8)(r->token[i] >> shift)]++;
		if (i % PAUSE_EVERY == PAUSE_EVERY - 1 && chring_pause())
			return -EINTR;
	}
	return 0;
}

/* Counts become the place where each digit's tokens begin. */
static void counts_to_places(u32 *count)
{
	u32 sum = 0, d;

	for (d = 0; d < RADIX; d++) {
		u32 n = count[d];

		count[d] = sum;
		sum += n;
	}
}

static int scatter(const struct chring_run *from, struct chring_run *to,
		   u32 shift, u32 *place)
{
	u32 i;

	for (i = 0; i < from->count; i++) {
		u32 at = place[(u8)(from->token[i] >> shift)]++;

		to->token[at] = from->token[i];
		to->owner[at] = from->owner[i];
		if (i % PAUSE_EVERY == PAUSE_EVERY - 1 && chring_pause())
			return -EINTR;
	}
	return 0;
}

/* One digit; nothing is moved where all tokens agree in it (32-bit rings). */
static int sort_digit(struct chring_run *r, struct chring_run *spare,
		      u32 *place, u32 shift)
{
	int ret;

	ret = count_digits(r, shift, place);
	if (ret)
		return ret;
	if (place[(u8)(r->token[0] >> shift)] == r->count)
		return 0;
	counts_to_places(place);
	ret = scatter(r, spare, shift, place);
	if (!ret)
		swap(*r, *spare);
	return ret;
}

/* Return: 1 if it is, 0 if not, -EINTR. */
static int in_order(const struct chring_run *r)
{
	u32 i;

	for (i = 1; i < r->count; i++) {
		if (r->token[i - 1] > r->token[i])
			return 0;
		if (i % PAUSE_EVERY == PAUSE_EVERY - 1 && chring_pause())
			return -EINTR;
	}
	return 1;
}

int chring_run_sort(struct chring_run *r)
{
	struct chring_run spare;
	u32 *place, shift;
	int ret = in_order(r);

	if (ret)
		return ret < 0 ? ret : 0;
	/* Too large for a stack. */
	place = chring_alloc(RADIX * sizeof(*place));
	if (IS_ERR(place))
		return PTR_ERR(place);
	ret = chring_run_alloc(&spare, r->count);
	for (shift = 0; !ret && shift < 64; shift += RADIX_BITS)
		ret = sort_digit(r, &spare, place, shift);
	chring_run_free(&spare);
	chring_free(place, RADIX * sizeof(*place));
	return ret;
}
