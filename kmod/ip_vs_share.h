/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the services of one network namespace may hold together, in tokens. Users
 * can have any number of namespaces: theirs are one in this respect.
 */
#ifndef CHRING_IP_VS_SHARE_H
#define CHRING_IP_VS_SHARE_H

struct net;

/**
 * ip_vs_share_take() - take of the share of a namespace
 * @net: namespace
 * @tokens: how many
 *
 * Return: 0, or -ENOSPC: so many are not left.
 */
int ip_vs_share_take(struct net *net, unsigned long tokens);
void ip_vs_share_give(struct net *net, unsigned long tokens);

/* May sleep. */
int ip_vs_share_init(void);
void ip_vs_share_exit(void);

#endif /* CHRING_IP_VS_SHARE_H */
