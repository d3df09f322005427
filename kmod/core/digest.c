// SPDX-License-Identifier: GPL-2.0
#include "digest.h"
#include "hash.h"

#define PAUSE_EVERY	0x10000

static u8 *put_le32(u8 *to, u32 v)
{
	__le32 w = cpu_to_le32(v);

	memcpy(to, &w, sizeof(w));
	return to + sizeof(w);
}

static u8 *put_le64(u8 *to, u64 v)
{
	__le64 w = cpu_to_le64(v);

	memcpy(to, &w, sizeof(w));
	return to + sizeof(w);
}

/* Neither name nor zone has a byte 0, so no two pairs give the same bytes. */
u64 chring_digest_node_key(const char *name, u32 name_len, u32 zone_len)
{
	u8 bytes[CHRING_NAME_MAX + 1 + CHRING_NAME_MAX];

	memcpy(bytes, name, name_len);
	bytes[name_len] = 0;
	memcpy(bytes + name_len + 1, name + name_len, zone_len);
	return xxh64(bytes, name_len + 1 + zone_len, 0);
}

static u64 config_hash(const struct chring_config *c)
{
	u8 bytes[72], *to = bytes;

	to = put_le32(to, c->hash);
	to = put_le32(to, c->bits);
	to = put_le32(to, c->layout);
	to = put_le32(to, c->vnodes);
	to = put_le32(to, c->unit);
	to = put_le32(to, c->sep_len);
	memcpy(to, c->sep, sizeof(c->sep));
	to = put_le64(to + sizeof(c->sep), c->seed[0]);
	to = put_le64(to, c->seed[1]);
	to = put_le32(to, c->balance);
	to = put_le32(to, 0);
	return xxh64(bytes, to - bytes, 0);
}

void chring_digest_begin(struct chring_digest *d, const struct chring_config *c)
{
	u8 bytes[8];

	xxh64_reset(&d->state, 0);
	put_le64(bytes, config_hash(c));
	xxh64_update(&d->state, bytes, sizeof(bytes));
}

void chring_digest_node(struct chring_digest *d, u64 key, u32 weight, u32 state)
{
	u8 bytes[16], *to = bytes;

	to = put_le64(to, key);
	to = put_le32(to, weight);
	put_le32(to, state);
	xxh64_update(&d->state, bytes, sizeof(bytes));
}

u64 chring_digest_end(const struct chring_digest *d)
{
	return xxh64_digest(&d->state);
}

int chring_checksum(const struct chring_table *t, const struct chring_config *c,
		    const u64 *name_hash, u64 *sum)
{
	u64 s = 0;
	u32 at;

	for (at = 0; at < t->count; at++) {
		u64 token = chring_position_export(c, chring_table_token(t, at));

		s += chring_fmix64(token + name_hash[chring_table_owner(t, at)]);
		if (at % PAUSE_EVERY == PAUSE_EVERY - 1 && chring_pause())
			return -EINTR;
	}
	*sum = s;
	return 0;
}
