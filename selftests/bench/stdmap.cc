// SPDX-License-Identifier: GPL-2.0
/*
 * The common blueprint of a ring: std::map from position to node, lower_bound()
 * and, past the end, begin(). Nodes are put in one after the other, which is
 * what spreads the tree over memory in life as well.
 */
#include <cstddef>
#include <map>
#include <vector>

#include <linux/types.h>

typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;

extern "C" {
#include "rival.h"
#include "stdmap.h"
}

namespace {

using map = std::map<u64, const void *>;

/* Tokens in the order in which a membership brings them: node by node. */
std::vector<u32> by_node(const members *m)
{
	std::vector<u32> first(m->nodes + 1), order(m->tokens);

	for (u32 i = 0; i < m->tokens; i++)
		first[m->owner[i] + 1]++;
	for (u32 i = 0; i < m->nodes; i++)
		first[i + 1] += first[i];
	for (u32 i = 0; i < m->tokens; i++)
		order[first[m->owner[i]]++] = i;
	return order;
}

void *build(const members *m)
{
	map *tree = new map;

	/* The first of equal tokens stays: that of the first name. */
	for (u32 i : by_node(m))
		tree->emplace(m->token[i], m->node[m->owner[i]]);
	return tree;
}

void drop(void *built)
{
	delete static_cast<map *>(built);
}

const void *find(const void *built, u64 position)
{
	const map *tree = static_cast<const map *>(built);
	auto at = tree->lower_bound(position);

	if (at == tree->end())
		at = tree->begin();
	return at->second;
}

} /* namespace */

extern "C" void stdmap_add(void *built, const u64 *token, u32 n,
			   const void *node)
{
	map *tree = static_cast<map *>(built);

	for (u32 i = 0; i < n; i++)
		tree->emplace(token[i], node);
}

extern "C" void stdmap_delete(void *built, const u64 *token, u32 n)
{
	map *tree = static_cast<map *>(built);

	for (u32 i = 0; i < n; i++)
		tree->erase(token[i]);
}

extern "C" const rival stdmap_rival = {
	"stdmap", true, ALL_MODES, build, drop, find,
	nullptr, nullptr, nullptr, nullptr,
};
