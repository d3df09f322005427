// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <string.h>

#include "flow.h"
#include "number.h"

#define PORT_MAX	65535

/* Longest of all: IPv6 with an IPv4 address at its end. */
#define ADDRESS_MAX	INET6_ADDRSTRLEN

static bool read_address(int family, const char *text, size_t len,
			 struct flow *flow)
{
	char address[ADDRESS_MAX];

	if (len >= sizeof(address))
		return false;
	memcpy(address, text, len);
	address[len] = 0;
	flow->address = family == AF_INET ? sizeof(struct in_addr) :
					    sizeof(struct in6_addr);
	return inet_pton(family, address, flow->bytes) == 1;
}

/* What stands behind an address: nothing, or a colon and a port. */
static bool read_port(const char *text, struct flow *flow)
{
	__u64 port;

	flow->port = *text;
	if (!flow->port)
		return true;
	if (*text != ':' ||
	    !number_read(text + 1, strlen(text + 1), &port) || port > PORT_MAX)
		return false;
	flow->bytes[flow->address] = port >> 8;
	flow->bytes[flow->address + 1] = port;
	return true;
}

bool flow_read(const char *text, struct flow *flow)
{
	const char *end;

	*flow = (struct flow){};
	if (*text == '[') {
		end = strchr(text, ']');
		return end && read_address(AF_INET6, text + 1, end - text - 1,
					   flow) &&
		       read_port(end + 1, flow);
	}
	/* More than one colon: an address, all of it. */
	end = strchr(text, ':');
	if (end && strchr(end + 1, ':'))
		return read_address(AF_INET6, text, strlen(text), flow);
	end = text + strcspn(text, ":");
	return read_address(AF_INET, text, end - text, flow) &&
	       read_port(end, flow);
}
