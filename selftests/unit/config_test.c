// SPDX-License-Identifier: GPL-2.0
/* What a config and a name may be, choice by choice and byte by byte. */
#include <stdlib.h>

#include "core/config.h"
#include "core/hash.h"
#include "core/points.h"
#include "faults.h"
#include "tap.h"

#define SEED2(lo, hi)	{ (lo), (hi) }

static const struct {
	struct chring_config config;
	int want;
} cases[] = {
	{ {}, 0 },
	{ { .hash = CHRING_HASH_XXH64, .bits = 64 }, 0 },
	{ { .hash = CHRING_HASH_XXH64, .bits = 32 }, 0 },
	{ { .hash = CHRING_HASH_MURMUR64, .seed = SEED2(5381, 0) }, 0 },
	{ { .hash = CHRING_HASH_MURMUR3 }, 0 },
	{ { .hash = CHRING_HASH_MURMUR3, .bits = 32 }, 0 },
	{ { .hash = CHRING_HASH_MURMUR3, .seed = SEED2(U32_MAX, 0) }, 0 },
	{ { .hash = CHRING_HASH_SIPHASH, .seed = SEED2(1, 0) }, 0 },
	{ { .hash = CHRING_HASH_SIPHASH, .seed = SEED2(0, 1) }, 0 },
	{ { .seed = SEED2(~0ULL, 0) }, 0 },
	{ { .layout = CHRING_LAYOUT_PLAIN }, 0 },
	{ { .vnodes = 65535, .unit = 65535 }, 0 },
	{ { .vnodes = 1, .unit = 1 }, 0 },
	{ { .sep = "0123456789abcdef" }, -EINVAL },
	{ { .sep = "~~~~~~~~~~~~~~~~", .sep_len = 16 }, 0 },

	{ { .hash = CHRING_HASH_MD5 }, -EOPNOTSUPP },
	{ { .hash = CHRING_HASH_SHA1 }, -EOPNOTSUPP },
	{ { .hash = CHRING_HASH_CRC32 }, -EOPNOTSUPP },
	{ { .hash = CHRING_HASH_CRC32 + 1 }, -EINVAL },
	{ { .hash = 64 }, -EINVAL },
	{ { .hash = U32_MAX }, -EINVAL },
	{ { .bits = 16 }, -EINVAL },
	{ { .bits = 128 }, -EINVAL },
	{ { .hash = CHRING_HASH_MURMUR3, .bits = 64 }, -EINVAL },
	{ { .hash = CHRING_HASH_SIPHASH }, -EINVAL },
	{ { .seed = SEED2(0, 1) }, -ERANGE },
	{ { .hash = CHRING_HASH_MURMUR64, .seed = SEED2(0, 1) }, -ERANGE },
	{ { .hash = CHRING_HASH_MURMUR3, .seed = SEED2(0, 1) }, -ERANGE },
	{ { .hash = CHRING_HASH_MURMUR3, .seed = SEED2(1ULL << 32, 0) },
	  -ERANGE },
	{ { .layout = CHRING_LAYOUT_KETAMA }, -EOPNOTSUPP },
	{ { .layout = CHRING_LAYOUT_HAPROXY }, -EOPNOTSUPP },
	{ { .layout = CHRING_LAYOUT_HAPROXY + 1 }, -EINVAL },
	{ { .vnodes = 65536 }, -ERANGE },
	{ { .unit = 65536 }, -ERANGE },
	{ { .sep_len = 17 }, -ERANGE },
	{ { .sep = "#", .sep_len = 2 }, -EINVAL },
	{ { .sep = "#-", .sep_len = 1 }, -EINVAL },
	{ { .sep = "#" }, -EINVAL },
	{ { .sep = "# ", .sep_len = 2 }, -EINVAL },
	{ { .sep = "#\x7f", .sep_len = 2 }, -EINVAL },
	{ { .sep = "a1", .sep_len = 2 }, -EINVAL },
	{ { .balance = 100 }, 0 },
	{ { .balance = 65535 }, 0 },
	{ { .balance = 1 }, -ERANGE },
	{ { .balance = 99 }, -ERANGE },
	{ { .balance = 65536 }, -ERANGE },
	{ { .tickets = 1 << 20 }, 0 },
	{ { .tickets = (1 << 20) + 1 }, -ERANGE },
	{ { .tickets = U32_MAX }, -ERANGE },
};

/* Refused, it is as it was; accepted, it is what it says, for good. */
static void check_case(u32 i)
{
	struct chring_config c = cases[i].config, again;
	int ret = chring_config_resolve(&c);

	if (!CHECK(ret == cases[i].want))
		tap_note("case %u: %d, not %d", i, ret, cases[i].want);
	if (ret) {
		CHECK(!memcmp(&c, &cases[i].config, sizeof(c)));
		return;
	}
	CHECK(c.hash && c.bits && c.layout && c.vnodes && c.unit && c.sep_len);
	again = c;
	CHECK(!chring_config_resolve(&again));
	CHECK(!memcmp(&c, &again, sizeof(c)));
}

static void test_cases(void)
{
	u32 i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		check_case(i);
}

static void test_defaults(void)
{
	struct chring_config c = {};

	CHECK(!chring_config_resolve(&c));
	CHECK(c.hash == CHRING_HASH_XXH64 && c.bits == 64);
	CHECK(c.layout == CHRING_LAYOUT_PLAIN);
	CHECK(c.vnodes == 160 && c.unit == 1);
	CHECK(c.sep_len == 1 && c.sep[0] == '#');
	c = (struct chring_config){ .hash = CHRING_HASH_MURMUR3 };
	CHECK(!chring_config_resolve(&c));
	CHECK(c.bits == 32);
}

/* -- bytes of names */

static bool graphic(int byte)
{
	return byte > 0x20 && byte != 0x7f;
}

static bool ring_byte(int byte)
{
	const char *upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const char *lower = "abcdefghijklmnopqrstuvwxyz";
	const char *other = "0123456789._:-";

	return byte && (strchr(upper, byte) || strchr(lower, byte) ||
			strchr(other, byte));
}

static void test_bytes(void)
{
	int byte;

	for (byte = 0; byte < 256; byte++) {
		char name[] = { 'a', byte, 'z' };
		char path[] = { 'a', '/', byte, 'z' };
		struct chring_config c = { .sep_len = 3 };
		bool digit = byte >= '0' && byte <= '9';

		CHECK(chring_name_check(name, 3) ==
		      (graphic(byte) ? 0 : -EINVAL));
		CHECK(chring_ring_name_check(name, 3) ==
		      (ring_byte(byte) ? 0 : -EINVAL));
		CHECK(chring_private_name_check(path, 4) ==
		      (ring_byte(byte) || byte == '/' || byte == '[' ||
		       byte == ']' ? 0 : -EINVAL));
		memcpy(c.sep, name, 3);
		CHECK(chring_config_resolve(&c) ==
		      (graphic(byte) && !digit ? 0 : -EINVAL));
	}
}

static void test_lengths(void)
{
	char name[300];

	memset(name, 'n', sizeof(name));
	CHECK(chring_name_check(name, 0) == -EINVAL);
	CHECK(chring_name_check(name, 1) == 0);
	CHECK(chring_name_check(name, 255) == 0);
	CHECK(chring_name_check(name, 256) == -ENAMETOOLONG);
	CHECK(chring_ring_name_check(name, 0) == -EINVAL);
	CHECK(chring_ring_name_check(name, 1) == 0);
	CHECK(chring_ring_name_check(name, 63) == 0);
	CHECK(chring_ring_name_check(name, 64) == -ENAMETOOLONG);
	CHECK(chring_ring_name_check(".a", 2) == -EINVAL);
	CHECK(chring_ring_name_check("a.", 2) == 0);
}

/* What one may be called, the other may not. */
static void test_private_names(void)
{
	char name[64];

	memset(name, 'n', sizeof(name));
	CHECK(chring_private_name_check(name, 63) == -EINVAL);
	name[1] = '/';
	CHECK(chring_private_name_check(name, 0) == -EINVAL);
	CHECK(chring_private_name_check(name, 1) == -EINVAL);
	CHECK(chring_private_name_check(name, 2) == 0);
	CHECK(chring_private_name_check(name, 63) == 0);
	CHECK(chring_private_name_check(name, 64) == -ENAMETOOLONG);
	CHECK(chring_ring_name_check(name, 63) == -EINVAL);
	CHECK(chring_private_name_check("/a", 2) == -EINVAL);
	CHECK(chring_private_name_check("a/", 2) == 0);
	CHECK(chring_private_name_check("[a]", 3) == -EINVAL);
	CHECK(chring_private_name_check("ipvs/1/tcp/[::1]:80", 19) == 0);
}

/* -- positions and counts */

static void test_positions(void)
{
	struct chring_config wide = { .bits = 64 }, narrow = { .bits = 32 };
	u64 inside;

	CHECK(!chring_position_import(&wide, ~0ULL, &inside));
	CHECK(inside == ~0ULL);
	CHECK(chring_position_export(&wide, inside) == ~0ULL);
	CHECK(!chring_position_import(&narrow, U32_MAX, &inside));
	CHECK(inside == (u64)U32_MAX << 32);
	CHECK(chring_position_export(&narrow, inside) == U32_MAX);
	CHECK(chring_position_import(&narrow, 1ULL << 32, &inside) == -ERANGE);
	CHECK(chring_position_import(&narrow, ~0ULL, &inside) == -ERANGE);
}

static u32 tokens(u32 vnodes, u32 unit, u32 weight)
{
	const struct chring_config c = { .vnodes = vnodes, .unit = unit };

	return chring_points_count(&c, weight);
}

static void test_counts(void)
{
	CHECK(tokens(160, 1, 0) == 0);
	CHECK(tokens(160, 1, 1) == 160);
	CHECK(tokens(7, 3, 1) == 3);
	CHECK(tokens(7, 3, 2) == 5);
	CHECK(tokens(7, 3, 3) == 7);
	CHECK(tokens(1, 65535, 1) == 1);
	CHECK(tokens(1, 65535, 65535) == 1);
	CHECK(tokens(65535, 65535, 65535) == 65535);
	CHECK(tokens(65535, 1, 65535) == 65535U * 65535U);
}

/* Some of a node's tokens are those that all of them would have there. */
static void test_parts(void)
{
	const struct chring_config c = {
		.hash = CHRING_HASH_XXH64, .bits = 64, .sep = "#", .sep_len = 1,
	};
	u64 all[1200], part[1200];
	u32 first;

	CHECK(!chring_points_fill(&c, "node", 4, 0, 1200, all));
	for (first = 0; first < 1200; first += 7) {
		CHECK(!chring_points_fill(&c, "node", 4, first, 1200 - first,
					  part));
		CHECK(!memcmp(all + first, part, (1200 - first) * sizeof(u64)));
	}
	/* The last index that a u32 can be. */
	CHECK(!chring_points_fill(&c, "node", 4, U32_MAX, 1, part));
	CHECK(part[0] == XXH64("node#4294967295", 15, 0));
}

static const struct tap_test tests[] = {
	{ "cases", test_cases },
	{ "defaults", test_defaults },
	{ "bytes", test_bytes },
	{ "lengths", test_lengths },
	{ "private_names", test_private_names },
	{ "positions", test_positions },
	{ "counts", test_counts },
	{ "parts", test_parts },
};

int main(void)
{
	faults_init();
	return tap_run(tests, sizeof(tests) / sizeof(*tests), NULL);
}
