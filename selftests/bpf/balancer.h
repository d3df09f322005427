/* SPDX-License-Identifier: GPL-2.0 */
/* What the balancer's programs and its loader tell each other. */
#ifndef CHRING_BALANCER_H
#define CHRING_BALANCER_H

/**
 * struct service - what is balanced
 * @ring: id of the ring that has the backends
 * @address: where clients come to, IPv4 as a mapped address
 * @port: TCP or UDP, network byte order
 * @mac: of the device that leads to the backends
 * @device: its index
 */
struct service {
	__u64 ring;
	__u8 address[16];
	__be16 port;
	__u8 mac[6];
	__u32 device;
};

/**
 * struct backend - where one is; by the cookie of its node
 * @mac: of the backend, which has the service's address as well
 */
struct backend {
	__u8 mac[6];
};

#endif /* CHRING_BALANCER_H */
