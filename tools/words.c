// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include <linux/chring.h>

#include "choices.h"
#include "errors.h"
#include "number.h"
#include "words.h"

const char *args_next(struct args *args)
{
	return *args->next ? *args->next++ : NULL;
}

bool args_take(struct args *args, const char *word)
{
	if (!*args->next || strcmp(*args->next, word))
		return false;
	args->next++;
	return true;
}

int args_end(const struct args *args)
{
	const char *word = *args->next;

	if (!word)
		return STATUS_OK;
	if (word[0] == '-' && word[1])
		return misused("unexpected %s: options stand first, see 'chringctl --help'",
			       quoted_string(word));
	return misused("unexpected word %s: nothing is expected there",
		       quoted_string(word));
}

bool is_private_ring(const char *ring)
{
	return strchr(ring, '/');
}

static bool ring_byte_ok(char c, bool private)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (c && strchr("._:-", c)) ||
	       (private && c && strchr("/[]", c));
}

/* Of those that people give to rings, or of any ring. */
static int check_ring(const char *name, bool any)
{
	bool private = any && is_private_ring(name);
	size_t len = strlen(name), i;

	if (!len)
		return misused("ring '': the name is empty; expected 1 to %u bytes of A-Z a-z 0-9 . _ : -",
			       CHRING_RING_NAME_MAX);
	if (len > CHRING_RING_NAME_MAX)
		return misused("ring %s: the name has %zu bytes; expected at most %u",
			       quoted(name, len), len, CHRING_RING_NAME_MAX);
	if (private ? name[0] == '/' : name[0] == '.')
		return misused("ring %s: the name begins with a %s; expected another first byte",
			       quoted(name, len), private ? "slash" : "dot");
	for (i = 0; i < len; i++)
		if (!ring_byte_ok(name[i], private))
			return misused("ring %s: byte 0x%02x in the name; expected A-Z a-z 0-9 . _ : -%s",
				       quoted(name, len),
				       (unsigned char)name[i],
				       private ? " / [ ]" : "");
	return STATUS_OK;
}

/* A node or a zone, as @what says. */
static int check_name(const char *what, const char *name)
{
	size_t len = strlen(name), i;

	if (!len)
		return misused("%s '': the name is empty; expected 1 to %u bytes",
			       what, CHRING_NAME_MAX);
	if (len > CHRING_NAME_MAX)
		return misused("%s %s: the name has %zu bytes; expected at most %u",
			       what, quoted(name, len), len, CHRING_NAME_MAX);
	for (i = 0; i < len; i++) {
		unsigned char c = name[i];

		if (c <= 0x20 || c == 0x7f)
			return misused("%s %s: byte 0x%02x in the name; expected none up to 0x20 and no 0x7f",
				       what, quoted(name, len), c);
	}
	return STATUS_OK;
}

static int take_ring(struct args *args, const char **ring, bool any)
{
	*ring = args_next(args);
	if (!*ring)
		return misused("expected the name of a ring; 'chringctl ring list' shows those there are");
	return check_ring(*ring, any);
}

int args_ring(struct args *args, const char **ring)
{
	return take_ring(args, ring, true);
}

int args_new_ring(struct args *args, const char **ring)
{
	return take_ring(args, ring, false);
}

int args_node(struct args *args, const char **node)
{
	*node = args_next(args);
	if (!*node)
		return misused("expected the name of a node");
	return check_name("node", *node);
}

int word_number(const struct word *word, const char *text)
{
	__u64 n;

	if (!number_read(text, strlen(text), &n) || n < word->min ||
	    n > word->max)
		return misused("%s %s: expected a number from %llu to %llu",
			       word->name, quoted_string(text), word->min,
			       word->max);
	*(__u64 *)word->to = n;
	return STATUS_OK;
}

int word_choice(const struct word *word, const char *text)
{
	if (!choice_read(word->choices, text, word->to))
		return misused("%s %s: expected one of %s", word->name,
			       quoted_string(text),
			       choice_list(word->choices, ~0ULL));
	return STATUS_OK;
}

int word_zone(const struct word *word, const char *text)
{
	*(const char **)word->to = text;
	return *text ? check_name("zone", text) : STATUS_OK;
}

static const char *list_words(const struct word *words, size_t count)
{
	static char list[200];
	size_t len = 0, i;

	list[0] = 0;
	for (i = 0; i < count; i++)
		len += snprintf(list + len, sizeof(list) - len, "%s%s",
				len ? ", " : "", words[i].name);
	return list;
}

static const struct word *find_word(const struct word *words, size_t count,
				    const char *name)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(words[i].name, name))
			return &words[i];
	return NULL;
}

int words_read(struct args *args, const struct word *words, size_t count,
	       __u32 *given)
{
	const char *name;

	*given = 0;
	while ((name = args_next(args))) {
		const struct word *word = find_word(words, count, name);
		const char *text;
		__u32 bit;
		int ret;

		if (!word)
			return misused("unknown word %s; expected one of %s",
				       quoted_string(name),
				       list_words(words, count));
		bit = 1U << (word - words);
		if (*given & bit)
			return misused("'%s' is given twice", name);
		*given |= bit;
		if (!word->read)
			continue;
		text = args_next(args);
		if (!text)
			return misused("'%s': expected a value after it", name);
		ret = word->read(word, text);
		if (ret)
			return ret;
	}
	return STATUS_OK;
}
