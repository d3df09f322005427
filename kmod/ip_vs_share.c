// SPDX-License-Identifier: GPL-2.0
#include <linux/atomic.h>
#include <linux/module.h>
#include <linux/user_namespace.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "ip_vs_share.h"

static unsigned long max_tokens_per_netns = 1UL << 20;
module_param(max_tokens_per_netns, ulong, 0644);
MODULE_PARM_DESC(max_tokens_per_netns,
		 "tokens of all services of a network namespace, those of users counting as one (default 1048576); each service counts for 256 more");

static unsigned int share_id;

struct share {
	atomic_long_t tokens;
};

/* Of all namespaces that are not of the initial user namespace. */
static struct share users;

static atomic_long_t *taken(struct net *net)
{
	struct share *share = net_generic(net, share_id);

	return net->user_ns == &init_user_ns ? &share->tokens : &users.tokens;
}

/* Who takes nothing is not refused when there is less than there was. */
int ip_vs_share_take(struct net *net, unsigned long tokens)
{
	unsigned long max = READ_ONCE(max_tokens_per_netns);
	atomic_long_t *sum = taken(net);

	if (!tokens)
		return 0;
	if (tokens > max)
		return -ENOSPC;
	if ((unsigned long)atomic_long_add_return(tokens, sum) <= max)
		return 0;
	atomic_long_sub(tokens, sum);
	return -ENOSPC;
}

void ip_vs_share_give(struct net *net, unsigned long tokens)
{
	atomic_long_sub(tokens, taken(net));
}

/* Zeroed for each namespace, and freed after all who clean up after it. */
static struct pernet_operations share_ops = {
	.id = &share_id,
	.size = sizeof(struct share),
};

int ip_vs_share_init(void)
{
	return register_pernet_subsys(&share_ops);
}

void ip_vs_share_exit(void)
{
	unregister_pernet_subsys(&share_ops);
}
