/* SPDX-License-Identifier: GPL-2.0 */
/* Flows as people write them, and the keys that they are. */
#ifndef CHRINGCTL_FLOW_H
#define CHRINGCTL_FLOW_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#define FLOW_BYTES_MAX	(16 + 2)

/**
 * struct flow - the source of a flow
 * @bytes: address, then port, both in network order
 * @address: bytes of the address, 4 or 16
 * @port: there is one
 */
struct flow {
	__u8 bytes[FLOW_BYTES_MAX];
	size_t address;
	bool port;
};

/**
 * flow_read() - read a flow
 * @text: ADDRESS, ADDRESS:PORT or, of IPv6, [ADDRESS]:PORT
 * @flow: the flow
 *
 * Return: false if it is none.
 */
bool flow_read(const char *text, struct flow *flow);

#endif /* CHRINGCTL_FLOW_H */
