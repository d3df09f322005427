// SPDX-License-Identifier: GPL-2.0
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../kmod/version.h"
#include "chringctl.h"
#include "errors.h"
#include "output.h"

struct options options = { .delimiter = '\n' };

static const struct object objects[] = {
	{ "ring", ring_commands },
	{ "node", node_commands },
	{ "lookup", lookup_commands },
	{ "acquire", acquire_commands },
	{ "stats", stats_commands },
	{ "ranges", ranges_commands },
	{ "diff", diff_commands },
	{ "tokens", tokens_commands },
	{ "pin", pin_commands },
	{ "unpin", unpin_commands },
	{ "watch", watch_commands },
	{ "info", info_commands },
};

static const char help[] =
"Usage: chringctl [OPTION]... OBJECT COMMAND ...\n"
"\n"
"  ring add RING [hash H] [bits B] [vnodes V] [unit U] [seed S] [sep S]\n"
"                [layout L] [balance F] [tickets N]\n"
"  ring del RING\n"
"  ring list\n"
"  ring show RING\n"
"  node add RING NODE [weight W] [zone Z] [cookie C] [state S]\n"
"                     [generation G] [epoch E] [dry-run]\n"
"  node set RING NODE [the same words]\n"
"  node del RING NODE [generation G] [epoch E] [dry-run]\n"
"  node list RING\n"
"  lookup RING [replicas N] [zones] [previous | former] KEY...\n"
"  lookup RING [replicas N] [...] position POSITION...\n"
"  lookup RING [...] -     keys or positions from standard input\n"
"  lookup RING [...] --flow ADDRESS[:PORT]...\n"
"                          where flows from there go, on a private ring of the\n"
"                          kernel's; a port that its keys do not have is ignored\n"
"  acquire RING [hold SECONDS] KEY...\n"
"  acquire RING [hold SECONDS] -   take tickets, show where they went, end\n"
"  stats RING              how the circle is shared\n"
"  stats RING -            how keys from standard input are shared\n"
"  ranges RING [NODE] [previous]\n"
"                          who owns what of the circle, as arcs\n"
"  diff RING               what moves from former owners to owners, and where\n"
"  tokens RING             where the tokens stand\n"
"  pin RING [generation G] [epoch E]\n"
"                          the owners of now stay the former ones\n"
"  unpin RING [...]        until the next change of tokens after this\n"
"  watch [RING] [count N]  what changes it, as it happens\n"
"  info                    what the module is and holds\n"
"\n"
"  H: xxh64 siphash murmur64 murmur3    S of a seed: a number, or random\n"
"  S of a node: up drain down           numbers: decimal or 0x...\n"
"\n"
"Options:\n"
"  -j, --json         JSON instead of text\n"
"  -o, --output FILE  write to FILE\n"
"  -0, --null         keys on standard input end in NUL, not in newline\n"
"  -h, --help         this text\n"
"  -V, --version      version of chringctl\n"
"  --                 what follows is no option; after RING: is a key\n"
"\n"
"Exit status: 0 done, 1 refused, 2 wrong usage. See chringctl(8).\n";

enum {
	OPTION_NONE = -1,
	OPTION_BAD = '?',
	OPTION_NO_VALUE = ':',
};

static void take_option(int option)
{
	switch (option) {
	case 'j':
		options.json = true;
		break;
	case 'o':
		options.output = optarg;
		break;
	case '0':
		options.delimiter = 0;
		break;
	}
}

int args_options(struct args *args)
{
	const char *word;

	while ((word = *args->next) && word[0] == '-' && word[1] &&
	       strcmp(word, "--")) {
		if (!strcmp(word, "-0") || !strcmp(word, "--null"))
			take_option('0');
		else if (!strcmp(word, "-j") || !strcmp(word, "--json"))
			take_option('j');
		else
			return misused("unknown option %s; expected -0 or -j, or '--' before a key that begins with '-'",
				       quoted_string(word));
		args->next++;
	}
	return STATUS_OK;
}

/* A word that getopt_long() does not like: it may stand among others in one. */
static int bad_option(char **argv, const char *why)
{
	const char *word = argv[optind - 1];
	char letter[] = { '-', optopt, 0 };

	if (optopt && (word[0] != '-' || word[1] != '-'))
		word = letter;
	return misused("option %s: %s; see 'chringctl --help'",
		       quoted_string(word), why);
}

/* Return: STATUS_OK to go on, STATUS_USAGE, or -1: all is done. */
static int read_options(int argc, char **argv)
{
	static const struct option names[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "output", required_argument, NULL, 'o' },
		{ "null", no_argument, NULL, '0' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{}
	};
	int option;

	while ((option = getopt_long(argc, argv, "+:jo:0hV", names, NULL)) !=
	       OPTION_NONE) {
		switch (option) {
		case 'h':
			fputs(help, stdout);
			return -1;
		case 'V':
			puts("chringctl " CHRING_VERSION_TEXT);
			return -1;
		case OPTION_BAD:
			return bad_option(argv, "not known, or not like that");
		case OPTION_NO_VALUE:
			return bad_option(argv, "expected a value after it");
		default:
			take_option(option);
		}
	}
	return STATUS_OK;
}

static int unknown_object(const char *word)
{
	char list[100];
	size_t len = 0, i;

	for (i = 0; i < ARRAY_SIZE(objects); i++)
		len += snprintf(list + len, sizeof(list) - len, "%s%s",
				i ? ", " : "", objects[i].name);
	if (!word)
		return misused("expected an object: one of %s; see 'chringctl --help'",
			       list);
	return misused("unknown object %s; expected one of %s",
		       quoted_string(word), list);
}

static int unknown_command(const struct object *object, const char *word)
{
	const struct command *c;
	char list[100];
	size_t len = 0;

	for (c = object->command; c->fn; c++)
		len += snprintf(list + len, sizeof(list) - len, "%s%s",
				len ? ", " : "", c->name);
	if (!word)
		return misused("'%s': expected a command: one of %s",
			       object->name, list);
	return misused("unknown command %s of '%s'; expected one of %s",
		       quoted_string(word), object->name, list);
}

static int run_command(const struct object *object, struct args *args)
{
	const struct command *c = object->command;
	const char *word;

	if (!c->name)
		return c->fn(args);
	word = args_next(args);
	for (; word && c->fn; c++)
		if (!strcmp(c->name, word))
			return c->fn(args);
	return unknown_command(object, word);
}

static int run(struct args *args)
{
	const char *word = args_next(args);
	size_t i;

	for (i = 0; word && i < ARRAY_SIZE(objects); i++)
		if (!strcmp(objects[i].name, word))
			return run_command(&objects[i], args);
	return unknown_object(word);
}

int main(int argc, char **argv)
{
	struct args args;
	int status = read_options(argc, argv);

	if (status > 0)
		return status;
	if (status < 0) {
		if (fflush(stdout) || fclose(stdout))
			return refused("standard output: the text is not complete");
		return STATUS_OK;
	}
	args.next = argv + optind;
	return output_close(run(&args));
}
