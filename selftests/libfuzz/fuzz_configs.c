// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as a config are refused, or become one that stays as it is when it is
 * resolved again, and of which a ring can be made that answers.
 */
#include "core/config.h"
#include "core/hash.h"
#include "input.h"
#include "ring.h"
#include "tap.h"

static void positions(const struct chring_config *config, const uint8_t *key,
		      size_t len)
{
	u64 position = chring_hash_position(config, key, len), inside;
	u64 outside = config->bits == 32 ? position >> 32 : position;

	CHECK(config->bits == 64 || !(u32)position);
	CHECK(!chring_position_import(config, outside, &inside));
	CHECK(inside == position);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct chring_config config, again;
	struct chring_ring *ring;

	if (len < sizeof(config))
		return 0;
	memcpy(&config, bytes, sizeof(config));
	if (chring_config_resolve(&config))
		return 0;
	again = config;
	CHECK(!chring_config_resolve(&again));
	CHECK(!memcmp(&config, &again, sizeof(config)));
	positions(&config, bytes, len);
	ring = chring_ring_create("fuzz", 4, &config);
	NEED(!IS_ERR(ring));
	chring_ring_abandon(ring);
	return 0;
}
