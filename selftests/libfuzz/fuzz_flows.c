// SPDX-License-Identifier: GPL-2.0
/*
 * Flows of the command line: an address that the C library reads is one, and one
 * that is read, written anew, is read as the same.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flow.h"
#include "input.h"
#include "tap.h"

static void check_address(const char *text, const struct flow *flow, bool is)
{
	__u8 address[16];
	size_t len = 0;

	if (inet_pton(AF_INET, text, address) == 1)
		len = 4;
	else if (inet_pton(AF_INET6, text, address) == 1)
		len = 16;
	if (len)
		CHECK(is && flow->address == len && !flow->port &&
		      !memcmp(flow->bytes, address, len));
}

static void check_anew(const struct flow *flow)
{
	char address[INET6_ADDRSTRLEN], text[INET6_ADDRSTRLEN + 16];
	int family = flow->address == 4 ? AF_INET : AF_INET6;
	struct flow again;

	CHECK(inet_ntop(family, flow->bytes, address, sizeof(address)) != NULL);
	if (flow->port)
		snprintf(text, sizeof(text), family == AF_INET ? "%s:%u" : "[%s]:%u",
			 address, flow->bytes[flow->address] << 8 |
				  flow->bytes[flow->address + 1]);
	else
		snprintf(text, sizeof(text), "%s", address);
	CHECK(flow_read(text, &again));
	CHECK(!memcmp(&again, flow, sizeof(again)));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	char *text = strndup((const char *)bytes, len);
	struct flow flow;
	bool is = flow_read(text, &flow);

	check_address(text, &flow, is);
	if (is)
		check_anew(&flow);
	free(text);
	return 0;
}
