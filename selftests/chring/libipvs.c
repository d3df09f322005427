// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "libflows.h"
#include "libipvs.h"

/* The IPv4 address of a mapped one. */
static __be32 address(const struct sockaddr_in6 *at)
{
	__be32 addr;

	memcpy(&addr, &at->sin6_addr.s6_addr[12], sizeof(addr));
	return addr;
}

struct ip_vs_service_user ipvs_service(const char *service)
{
	struct ip_vs_service_user svc = {
		.protocol = IPPROTO_TCP,
		.sched_name = "chring",
	};
	struct sockaddr_in6 at;

	flows_target(service, &at);
	svc.addr = address(&at);
	svc.port = at.sin6_port;
	return svc;
}

struct ip_vs_dest_user ipvs_dest(const char *dest, unsigned int weight)
{
	struct sockaddr_in6 at;

	flows_target(dest, &at);
	return (struct ip_vs_dest_user){
		.addr = address(&at),
		.port = at.sin6_port,
		.conn_flags = IP_VS_CONN_F_MASQ,
		.weight = weight,
	};
}

int ipvs_open(void)
{
	int fd = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);

	return fd < 0 ? -errno : fd;
}

int ipvs_set_service(int fd, int command, const char *service)
{
	struct ip_vs_service_user svc = ipvs_service(service);

	return setsockopt(fd, IPPROTO_IP, command, &svc, sizeof(svc)) ?
	       -errno : 0;
}

int ipvs_set_dest(int fd, int command, const char *service, const char *dest,
		  unsigned int weight)
{
	struct {
		struct ip_vs_service_user svc;
		struct ip_vs_dest_user dest;
	} arg = { ipvs_service(service), ipvs_dest(dest, weight) };

	return setsockopt(fd, IPPROTO_IP, command, &arg, sizeof(arg)) ?
	       -errno : 0;
}
