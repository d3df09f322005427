/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Clients and servers of real connections, in any network namespace: HTTP/1.0
 * over TCP or SCTP, or the same in a datagram each way. A server answers with its
 * name and the address that it was asked at.
 */
#ifndef CHRING_LIBFLOWS_H
#define CHRING_LIBFLOWS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>

#define FLOWS_NAME_MAX	64

/* An address and a port as text: 10.0.0.1:80 or [fd00::1]:80. */
struct flows_text {
	char s[INET6_ADDRSTRLEN + sizeof("[]:65535")];
};

/* IPv4 addresses are mapped ones everywhere. */
struct flows_text flows_text(const struct in6_addr *addr, unsigned int port,
			     bool with_port);
/* An address, 10.0.0.1 or fd00::1; -EINVAL. */
int flows_address(const char *text, struct in6_addr *addr);
/* Address and port, 10.0.0.1:80 or [fd00::1]:80; -EINVAL. */
int flows_target(const char *text, struct sockaddr_in6 *to);

/* This thread goes to a namespace of ip-netns(8); -errno. */
int flows_enter(const char *netns);

/**
 * struct flows - many connections
 * @netns: namespace of the clients; NULL: that of the caller
 * @to: server
 * @proto: IPPROTO_TCP, IPPROTO_UDP or IPPROTO_SCTP
 * @from: address of the first client
 * @step: what is added to it for each further one
 * @port: of the first client; 0: any
 * @port_step: what is added to it for each further one
 * @count: how many
 * @at_once: how many of them at a time
 * @wait_ms: for one of them
 * @hold: servers leave it to the clients to close
 */
struct flows {
	const char *netns;
	struct sockaddr_in6 to;
	int proto;
	struct in6_addr from;
	struct in6_addr step;
	unsigned int port;
	unsigned int port_step;
	unsigned int count;
	unsigned int at_once;
	unsigned int wait_ms;
	bool hold;
};

/**
 * struct flow - one of them
 * @error: 0, or what went wrong, positive
 * @server: its name
 * @local: at which address it was asked
 * @fd: of the connection, when it is held
 */
struct flow {
	int error;
	char server[FLOWS_NAME_MAX];
	char local[FLOWS_NAME_MAX];
	int fd;
};

/* Who the nth client is, as chringctl(8) takes it for a flow. */
struct flows_text flows_client(const struct flows *f, unsigned int n);

/**
 * flows_ask() - ask the servers, once for each client
 * @f: who asks whom
 * @flow: @f->count answers
 *
 * Return: 0, or -errno: they could not even begin.
 */
int flows_ask(const struct flows *f, struct flow *flow);

/**
 * flows_complain() - ICMP errors from the clients, about what they never got
 * @f: about whose packets to whom; IPv4 and TCP, with ports
 *
 * Return: 0 or -errno.
 */
int flows_complain(const struct flows *f);

/* Ends connections that were held. */
void flows_close(const struct flows *f, struct flow *flow);

/**
 * flows_serve() - a server, on a port of all addresses
 * @netns: its namespace, and its name
 * @port: port, of TCP, UDP and, if the kernel has that, SCTP
 *
 * Return: process id of the server, which answers from now on; or -errno.
 */
int flows_serve(const char *netns, unsigned int port);

#endif /* CHRING_LIBFLOWS_H */
