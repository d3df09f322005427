// SPDX-License-Identifier: GPL-2.0
/*
 * $(exit STATUS): ends make with this status. Make itself has no way to say
 * anything but 2.
 */
#include <stdlib.h>
#include <gnumake.h>

int plugin_is_GPL_compatible;

static char *leave(const char *name, unsigned int argc, char **argv)
{
	(void)name;
	(void)argc;
	exit(atoi(argv[0]));
}

int exit_gmk_setup(void);

int exit_gmk_setup(void)
{
	gmk_add_function("exit", leave, 1, 1, GMK_FUNC_DEFAULT);
	return 1;
}
