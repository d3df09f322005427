// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "number.h"

#define LIMBS	4

/* A number of 128 bits, the least significant limb first. */
struct wide {
	__u32 limb[LIMBS];
};

/* Return: false if it does not fit any more. */
static bool append_digit(struct wide *n, unsigned int base, unsigned int digit)
{
	__u64 carry = digit;
	int i;

	for (i = 0; i < LIMBS; i++) {
		carry += (__u64)n->limb[i] * base;
		n->limb[i] = carry;
		carry >>= 32;
	}
	return !carry;
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool number_read_wide(const char *text, size_t len, __u64 to[2])
{
	struct wide n = {};
	unsigned int base = 10;

	if (len > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		text += 2;
		len -= 2;
	}
	if (!len)
		return false;
	for (; len; text++, len--) {
		int digit = digit_of(*text);

		if (digit < 0 || digit >= (int)base ||
		    !append_digit(&n, base, digit))
			return false;
	}
	to[0] = (__u64)n.limb[1] << 32 | n.limb[0];
	to[1] = (__u64)n.limb[3] << 32 | n.limb[2];
	return true;
}

bool number_read(const char *text, size_t len, __u64 *to)
{
	__u64 wide[2];

	if (!number_read_wide(text, len, wide) || wide[1])
		return false;
	*to = wide[0];
	return true;
}
