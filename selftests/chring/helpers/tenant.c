// SPDX-License-Identifier: GPL-2.0
/*
 * tenant DESTINATIONS: a user with a network namespace of its own, and services
 * there, 10.0.0.1:80 and so on, until one is refused; then the first, if there is
 * one, gets so many destinations. Prints how many services there are. With a line
 * on standard input the second and the third go; with its end, the namespace.
 */
#include <errno.h>
#include <net/if.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../libflows.h"
#include "../libipvs.h"

#define SERVICES_MAX	250

static void fail(const char *what, int error)
{
	fprintf(stderr, "tenant: %s: %s\n", what, strerror(error));
	exit(2);
}

/* What capabilities it has are of this namespace. */
static void move_out(void)
{
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		fail("unshare", errno);
	/* Without any address in it, none is one of a destination. */
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (ioctl(fd, SIOCSIFFLAGS, &lo))
		fail("lo", errno);
	close(fd);
}

static const char *text(const char *format, int n)
{
	static char name[32];

	snprintf(name, sizeof(name), format, n);
	return name;
}

static int set_service(int fd, int command, int n)
{
	return ipvs_set_service(fd, command, text("10.0.0.%d:80", n));
}

static int add_services(int fd)
{
	int n = 1, ret;

	while (ret = set_service(fd, IP_VS_SO_SET_ADD, n), !ret)
		if (++n > SERVICES_MAX)
			fail("services", E2BIG);
	if (ret != -ENOSPC)
		fail("a service", -ret);
	return n - 1;
}

static void add_destinations(int fd, int count)
{
	int n, ret;

	for (n = 1; n <= count; n++) {
		ret = ipvs_set_dest(fd, IP_VS_SO_SET_ADDDEST, "10.0.0.1:80",
				    text("10.9.0.%d:80", n), 1);
		if (ret)
			fail("a destination", -ret);
	}
}

int main(int argc, char **argv)
{
	char line[16];
	int fd, n;

	if (argc != 2)
		fail("usage", EINVAL);
	move_out();
	fd = ipvs_open();
	if (fd < 0)
		fail("socket", -fd);
	n = add_services(fd);
	if (n)
		add_destinations(fd, atoi(argv[1]));
	printf("%d\n", n);
	fflush(stdout);
	if (fgets(line, sizeof(line), stdin) &&
	    (set_service(fd, IP_VS_SO_SET_DEL, 2) ||
	     set_service(fd, IP_VS_SO_SET_DEL, 3)))
		fail("a service stays", EBUSY);
	while (fgets(line, sizeof(line), stdin))
		;
	return 0;
}
