/* SPDX-License-Identifier: GPL-2.0 */
/* Digest and checksum, byte for byte as uapi/linux/chring.h says. */
#ifndef CHRING_DIGEST_H
#define CHRING_DIGEST_H

#include "platform.h"
#include "table.h"

/**
 * chring_digest_node_key() - what a digest knows of a node's name and zone
 * @name: name followed by zone
 * @name_len: bytes of the name
 * @zone_len: bytes of the zone
 */
u64 chring_digest_node_key(const char *name, u32 name_len, u32 zone_len);

/**
 * struct chring_digest - a digest in the making
 * @state: of XXH64
 */
struct chring_digest {
	struct xxh64_state state;
};

/**
 * chring_digest_begin() - begin with a config
 * @d: digest
 * @c: resolved config
 */
void chring_digest_begin(struct chring_digest *d,
			 const struct chring_config *c);

/**
 * chring_digest_node() - add a node; nodes come in the order of names
 * @d: digest
 * @key: from chring_digest_node_key()
 * @weight: of the node
 * @state: of the node
 */
void chring_digest_node(struct chring_digest *d, u64 key, u32 weight,
			u32 state);

/**
 * chring_digest_end() - the digest
 * @d: digest
 */
u64 chring_digest_end(const struct chring_digest *d);

/**
 * chring_checksum() - checksum of the tokens of a table
 * @t: table
 * @c: resolved config
 * @name_hash: by slot: XXH64 of the node's name
 * @sum: set on success
 *
 * May sleep. Return: 0, or -EINTR if the caller is being killed.
 */
int chring_checksum(const struct chring_table *t,
		    const struct chring_config *c, const u64 *name_hash,
		    u64 *sum);

#endif /* CHRING_DIGEST_H */
