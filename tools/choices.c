// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include <linux/chring.h>

#include "choices.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof(*(a)))
#define CHOICES(_first, _words)						\
	{ .first = _first, .count = ARRAY_SIZE(_words), .word = _words }

static const char *const hash_words[] = {
	"xxh64", "siphash", "murmur64", "murmur3", "md5", "sha1", "crc32",
};

static const char *const layout_words[] = {
	"plain", "ketama", "nginx", "haproxy",
};

static const char *const state_words[] = {
	"up", "drain", "down",
};

static const char *const keys_words[] = {
	"bytes", "flow", "flow+port",
};

const struct choices hashes = CHOICES(CHRING_HASH_XXH64, hash_words);
const struct choices layouts = CHOICES(CHRING_LAYOUT_PLAIN, layout_words);
const struct choices states = CHOICES(CHRING_STATE_UP, state_words);
const struct choices keys_kinds = CHOICES(CHRING_KEYS_BYTES, keys_words);

bool choice_read(const struct choices *choices, const char *word, __u32 *to)
{
	__u32 i;

	for (i = 0; i < choices->count; i++)
		if (!strcmp(choices->word[i], word)) {
			*to = choices->first + i;
			return true;
		}
	return false;
}

const char *choice_word(const struct choices *choices, __u32 number)
{
	if (number < choices->first ||
	    number - choices->first >= choices->count)
		return "?";
	return choices->word[number - choices->first];
}

const char *choice_list(const struct choices *choices, __u64 mask)
{
	static char list[100];
	size_t len = 0;
	__u32 i;

	list[0] = 0;
	for (i = 0; i < choices->count; i++)
		if (mask >> (choices->first + i) & 1)
			len += snprintf(list + len, sizeof(list) - len,
					"%s%s", len ? ", " : "",
					choices->word[i]);
	return list;
}
