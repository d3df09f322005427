// SPDX-License-Identifier: GPL-2.0
/*
 * What is ordered against what, between the writer here and a program that has
 * the pages mapped. All under the lock of the ring's loads is one writer.
 *
 * 1. A program that has seen a word of a change sees @sequence odd, or what it
 *    is after the change: each word is stored with a release, after the store
 *    that makes @sequence odd. Pairs with the program's acquiring load of the
 *    word, before its second look at @sequence.
 * 2. A program that has seen @sequence even after a change sees the words of
 *    that change, or of a later one: the store that makes it even is a release.
 *    Pairs with the program's acquiring first look at @sequence.
 *    From 1 and 2: same and even at both looks, and the words are of one epoch.
 * 3. An epoch that the words tell of is answered for: the ring's view is stored
 *    before @sequence is even again. Pairs with 2, and then with the load of the
 *    view by a command that the program makes after that.
 * 4. An epoch that has been answered for is not before that of the words: the
 *    view is stored, with a release, after @sequence was made odd. Pairs with
 *    the rcu_dereference() of the command that has answered; after that the
 *    program sees @sequence odd, or as it is after the change.
 */
#include "status.h"
#include "ring.h"

/* Stored before the words of the change. */
void chring_status_begin(struct chring_status *s)
{
	if (s)
		WRITE_ONCE(s->sequence, s->sequence + 1);
}

/* 1. */
#define put_word(word, value)	smp_store_release(&(word), value)

static void put_out(struct chring_status *s, const struct chring_view *v)
{
	u32 i, words = DIV_ROUND_UP(v->roster->slots, BITS_PER_LONG);

	for (i = 0; i < words; i++)
		put_word(s->out[i], v->out[i]);
}

static void put_view(struct chring_status *s, const struct chring_view *v)
{
	put_word(s->epoch, v->epoch);
	put_word(s->table_epoch, v->table_epoch);
	put_word(s->nodes_epoch, v->nodes_epoch);
	put_word(s->live, v->live);
	put_word(s->zones, v->zones);
	put_out(s, v);
}

void chring_status_end(struct chring_status *s, const struct chring_view *v)
{
	if (!s)
		return;
	if (v)
		put_view(s, v);
	else
		put_word(s->flags, s->flags | CHRING_STATUS_DELETED);
	/* 2. */
	smp_store_release(&s->sequence, s->sequence + 1);
}

/* The first words of a status; false: the ring has been deleted. */
static bool begin(struct chring_ring *ring, struct chring_status *s)
{
	const struct chring_view *v = chring_ring_counted_view(ring);

	if (!v)
		return false;
	s->size = sizeof(*s);
	s->ring = ring->id;
	put_view(s, v);
	return true;
}

int chring_status_open(struct chring_ring *ring)
{
	struct chring_status *s;
	int ret = 0;

	/* Pairs with the release below: it is filled in. */
	if (smp_load_acquire(&ring->status))
		return chring_ring_deleted(ring) ? -ENODEV : 0;
	s = chring_alloc_pages(CHRING_STATUS_BYTES);
	if (IS_ERR(s))
		return PTR_ERR(s);
	spin_lock_bh(&ring->loads.lock);
	if (!begin(ring, s)) {
		ret = -ENODEV;
	} else if (!ring->status) {
		/* Pairs with the acquire above, and with that of a mapping. */
		smp_store_release(&ring->status, s);
		s = NULL;
	}
	spin_unlock_bh(&ring->loads.lock);
	chring_free(s, CHRING_STATUS_BYTES);
	return ret;
}

void chring_status_free(struct chring_ring *ring)
{
	chring_free(ring->status, CHRING_STATUS_BYTES);
}

size_t chring_status_bytes(const struct chring_ring *ring)
{
	return READ_ONCE(ring->status) ? CHRING_STATUS_BYTES : 0;
}
