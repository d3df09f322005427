// SPDX-License-Identifier: GPL-2.0
/* Numbers of the command line, against the compiler's own of 128 bits. */
#include <string.h>

#include "input.h"
#include "number.h"
#include "tap.h"

typedef unsigned __int128 u128;

/* Return: false if it is none, or too large. */
static bool read_again(const char *text, size_t len, u128 *to)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	unsigned int base = len > 2 && text[0] == '0' && strchr("xX", text[1]) &&
			    text[1] ? 16 : 10;
	size_t i = base == 16 ? 2 : 0;

	*to = 0;
	if (!len)
		return false;
	for (; i < len; i++) {
		const char *digit = memchr(digits, text[i], sizeof(digits) - 1);
		unsigned int value = digit ? (digit - digits) % 16 : 16;

		if (value >= base || *to > (~(u128)0 - value) / base)
			return false;
		*to = *to * base + value;
	}
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const char *text = (const char *)bytes;
	__u64 wide[2], narrow;
	u128 want;
	bool ok = read_again(text, len, &want);

	CHECK(number_read_wide(text, len, wide) == ok);
	CHECK(!ok || ((u128)wide[1] << 64 | wide[0]) == want);
	CHECK(number_read(text, len, &narrow) == (ok && !(want >> 64)));
	CHECK(!ok || want >> 64 || narrow == want);
	return 0;
}
