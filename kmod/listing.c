// SPDX-License-Identifier: GPL-2.0
#include "listing.h"
#include "core/hash.h"
#include "ring.h"

u32 chring_list_strings(const struct chring_view *v)
{
	const struct chring_roster *r = v->roster;
	u32 i, size = 0;

	for (i = 0; i < r->count; i++) {
		const struct chring_node *node = r->node[r->order[i]];

		size += node->name_len + node->zone_len;
	}
	return size;
}

void chring_list_nodes(const struct chring_view *v,
		       struct chring_node_entry *entry, char *strings)
{
	const struct chring_roster *r = v->roster;
	u32 i, off = 0;

	for (i = 0; i < r->count; i++) {
		const struct chring_node *node = r->node[r->order[i]];
		u32 len = node->name_len + node->zone_len;

		entry[i] = (struct chring_node_entry){
			.node = node->id,
			.cookie = node->cookie,
			.weight = node->weight,
			.state = chring_view_state(v, r->order[i]),
			.tokens = node->tokens,
			.name_off = off,
			.name_len = node->name_len,
			.zone_off = off + node->name_len,
			.zone_len = node->zone_len,
			.bit = r->order[i],
		};
		memcpy(strings + off, node->name, len);
		off += len;
	}
}

u32 chring_list_tokens(const struct chring_view *v, u32 at,
		       struct chring_token *token, u32 n)
{
	const struct chring_config *config = &v->ring->config;
	const struct chring_table *t = v->table;
	u32 i;

	n = min(n, t->count - at);
	for (i = 0; i < n; i++, at++)
		token[i] = (struct chring_token){
			.position = chring_position_export(config,
						chring_table_token(t, at)),
			.node = v->roster->node[chring_table_owner(t, at)]->id,
		};
	return n;
}
