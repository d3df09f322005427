// SPDX-License-Identifier: GPL-2.0
/* Which bytes are UTF-8 (RFC 3629), decoded as its section 3 says. */
#include "input.h"
#include "errors.h"
#include "tap.h"
#include "text.h"

/* Return: bytes of the first character, 0 if there is none. */
static size_t decode(const uint8_t *b, size_t len)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = b[0] < 0x80 ? 1 : b[0] >> 5 == 6 ? 2 : b[0] >> 4 == 14 ? 3 :
		   b[0] >> 3 == 30 ? 4 : 0, i;
	uint32_t c;

	if (!n || n > len)
		return 0;
	c = n == 1 ? b[0] : b[0] & (0x7f >> n);
	for (i = 1; i < n; i++) {
		if (b[i] >> 6 != 2)
			return 0;
		c = c << 6 | (b[i] & 0x3f);
	}
	return c < least[n] || c > 0x10ffff || c >> 11 == 0x1b ? 0 : n;
}

static bool control(const uint8_t *b, size_t n)
{
	return n == 1 ? b[0] < 0x20 || b[0] == 0x7f :
	       n == 2 && b[0] == 0xc2 && b[1] < 0xa0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const char *text = (const char *)bytes;
	size_t at = 0, width = 0, n;
	bool valid = true;

	while (at < len) {
		n = decode(bytes + at, len - at);
		CHECK(text_char(text + at, len - at) == n);
		CHECK(!n || text_printable(text + at, n) ==
			    !control(bytes + at, n));
		valid &= !!n;
		at += n ? n : 1;
		width++;
	}
	CHECK(text_valid(text, len) == valid);
	CHECK(text_width(text, len) == width);
	CHECK(quoted(bytes, len)[0]);
	return 0;
}
