/* SPDX-License-Identifier: GPL-2.0 */
/*
 * IPVS by its older door, setsockopt(): one command is one system call, and it is
 * the door that users have in namespaces of their own. Services are of TCP, with
 * the scheduler chring; destinations masqueraded. Addresses are 10.0.0.1:80.
 */
#ifndef CHRING_LIBIPVS_H
#define CHRING_LIBIPVS_H

#include <linux/ip_vs.h>

struct ip_vs_service_user ipvs_service(const char *service);
struct ip_vs_dest_user ipvs_dest(const char *dest, unsigned int weight);

/* A socket of the caller's namespace to give commands to; -errno. */
int ipvs_open(void);

/* IP_VS_SO_SET_ADD or IP_VS_SO_SET_DEL; -errno. */
int ipvs_set_service(int fd, int command, const char *service);
/* IP_VS_SO_SET_ADDDEST, _EDITDEST or _DELDEST; -errno. */
int ipvs_set_dest(int fd, int command, const char *service, const char *dest,
		  unsigned int weight);

#endif /* CHRING_LIBIPVS_H */
