/* SPDX-License-Identifier: GPL-2.0 */
/* The words of a command line, from left to right. */
#ifndef CHRINGCTL_WORDS_H
#define CHRINGCTL_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

struct choices;

/**
 * struct args - what is left of the command line
 * @next: the next word; NULL ends them
 */
struct args {
	char **next;
};

/* Return: NULL if there is none left. */
const char *args_next(struct args *args);

/* Is this the next word? Then it is taken. */
bool args_take(struct args *args, const char *word);

/* Return: STATUS_OK, or STATUS_USAGE if a word is left over. */
int args_end(const struct args *args);

/**
 * args_ring() - take the name of a ring
 * @args: left
 * @ring: the name, as a ring may have it
 *
 * Return: STATUS_OK or STATUS_USAGE.
 */
int args_ring(struct args *args, const char **ring);

/* The same for one that is to be made: not the name of a private ring. */
int args_new_ring(struct args *args, const char **ring);

/* Is it the name of a private ring, if it is one at all? */
bool is_private_ring(const char *ring);

/* The same for the name of a node. */
int args_node(struct args *args, const char **node);

/**
 * struct word - a word and what follows it: ``weight 3``
 * @name: the word
 * @read: takes what follows. Return: STATUS_OK or STATUS_USAGE. NULL: nothing
 *	does
 * @to: where it goes
 * @choices: for word_choice()
 * @min: for word_number()
 * @max: for word_number()
 */
struct word {
	const char *name;
	int (*read)(const struct word *word, const char *text);
	void *to;
	const struct choices *choices;
	__u64 min;
	__u64 max;
};

#define WORD(_name, _read, _to)						\
	{ .name = _name, .read = _read, .to = _to }
#define WORD_NUMBER(_name, _to, _min, _max)				\
	{ .name = _name, .read = word_number, .to = _to,		\
	  .min = _min, .max = _max }
#define WORD_CHOICE(_name, _to, _choices)				\
	{ .name = _name, .read = word_choice, .to = _to,		\
	  .choices = _choices }

#define WORD_ALONE(_name)	{ .name = _name }

/* A number from @min to @max; @to: __u64. */
int word_number(const struct word *word, const char *text);
/* One of @choices; @to: __u32. */
int word_choice(const struct word *word, const char *text);
/* The name of a zone, or nothing; @to: const char pointer. */
int word_zone(const struct word *word, const char *text);

/**
 * words_read() - take words and what follows them until the end
 * @args: left
 * @words: that are known, at most 32
 * @count: how many
 * @given: bit n: word n was there; none may be there twice
 *
 * Return: STATUS_OK or STATUS_USAGE.
 */
int words_read(struct args *args, const struct word *words, size_t count,
	       __u32 *given);

#endif /* CHRINGCTL_WORDS_H */
