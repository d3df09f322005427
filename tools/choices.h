/* SPDX-License-Identifier: GPL-2.0 */
/* The words for the constants of the ABI. */
#ifndef CHRINGCTL_CHOICES_H
#define CHRINGCTL_CHOICES_H

#include <stdbool.h>

#include <linux/types.h>

/**
 * struct choices - some words for some numbers
 * @first: number of the first word, the others follow
 * @count: how many
 * @word: them
 */
struct choices {
	__u32 first;
	__u32 count;
	const char *const *word;
};

extern const struct choices hashes;
extern const struct choices layouts;
extern const struct choices states;
extern const struct choices keys_kinds;

/* Return: false if there is no such word. */
bool choice_read(const struct choices *choices, const char *word, __u32 *to);

/* The word for a number; for one that is not known: "?". */
const char *choice_word(const struct choices *choices, __u32 number);

/**
 * choice_list() - some of the words, with commas
 * @choices: all words
 * @mask: bit n: the word for number n is wanted
 *
 * Return: good until the next call.
 */
const char *choice_list(const struct choices *choices, __u64 mask);

#endif /* CHRINGCTL_CHOICES_H */
