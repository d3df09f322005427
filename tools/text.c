// SPDX-License-Identifier: GPL-2.0
#include "text.h"

struct form {
	unsigned char lead_mask;
	unsigned char lead;
	unsigned char len;
	unsigned int least;	/* less is written with fewer bytes */
};

static const struct form forms[] = {
	{ 0x80, 0x00, 1, 0 },
	{ 0xe0, 0xc0, 2, 0x80 },
	{ 0xf0, 0xe0, 3, 0x800 },
	{ 0xf8, 0xf0, 4, 0x10000 },
};

static const struct form *find_form(unsigned char lead)
{
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if ((lead & forms[i].lead_mask) == forms[i].lead)
			return &forms[i];
	return NULL;
}

/* Return: how many bytes the character has, 0: it is none. */
static size_t decode(const char *bytes, size_t len, unsigned int *code)
{
	const struct form *form = find_form(bytes[0]);
	size_t i;

	if (!form || form->len > len)
		return 0;
	*code = (unsigned char)bytes[0] & ~form->lead_mask;
	for (i = 1; i < form->len; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (bytes[i] & 0x3f);
	}
	if (*code < form->least || *code > 0x10ffff ||
	    (*code >= 0xd800 && *code <= 0xdfff))
		return 0;
	return form->len;
}

size_t text_char(const char *bytes, size_t len)
{
	unsigned int code;

	return decode(bytes, len, &code);
}

bool text_valid(const char *bytes, size_t len)
{
	while (len) {
		size_t step = text_char(bytes, len);

		if (!step)
			return false;
		bytes += step;
		len -= step;
	}
	return true;
}

bool text_printable(const char *bytes, size_t len)
{
	unsigned int code;

	return decode(bytes, len, &code) == len && code >= 0x20 &&
	       (code < 0x7f || code >= 0xa0);
}

size_t text_width(const char *bytes, size_t len)
{
	size_t width = 0;

	for (; len; width++) {
		size_t step = text_char(bytes, len);

		if (!step)
			step = 1;
		bytes += step;
		len -= step;
	}
	return width;
}
