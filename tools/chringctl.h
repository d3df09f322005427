/* SPDX-License-Identifier: GPL-2.0 */
/* What the commands of chringctl have in common. */
#ifndef CHRINGCTL_H
#define CHRINGCTL_H

#include <stdbool.h>

#include "words.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof(*(a)))

/**
 * struct options - what stands before the object
 * @json: JSON instead of text
 * @delimiter: of keys on standard input
 * @output: file to write to, NULL: standard output
 */
struct options {
	bool json;
	char delimiter;
	const char *output;
};

extern struct options options;

/* Takes options that stand among the words. Return: STATUS_OK or _USAGE. */
int args_options(struct args *args);

/**
 * struct command - a command of an object
 * @name: word for it; NULL: the object is the command
 * @fn: does it with the words that follow. Return: exit status
 */
struct command {
	const char *name;
	int (*fn)(struct args *args);
};

/**
 * struct object - what a command is about
 * @name: word for it
 * @command: one after the other, @fn of the last one is NULL
 */
struct object {
	const char *name;
	const struct command *command;
};

extern const struct command ring_commands[];
extern const struct command node_commands[];
extern const struct command lookup_commands[];
extern const struct command acquire_commands[];
extern const struct command stats_commands[];
extern const struct command ranges_commands[];
extern const struct command diff_commands[];
extern const struct command tokens_commands[];
extern const struct command pin_commands[];
extern const struct command unpin_commands[];
extern const struct command watch_commands[];
extern const struct command info_commands[];

#endif /* CHRINGCTL_H */
