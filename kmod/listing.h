/* SPDX-License-Identifier: GPL-2.0 */
/* What programs are told of a view: its nodes and its tokens, as entries. */
#ifndef CHRING_LISTING_H
#define CHRING_LISTING_H

#include "view.h"

/* Bytes of the names and zones of all nodes. */
u32 chring_list_strings(const struct chring_view *v);

/**
 * chring_list_nodes() - all nodes, in the order of their names
 * @v: view
 * @entry: for as many as there are
 * @strings: for as many bytes as chring_list_strings() says
 */
void chring_list_nodes(const struct chring_view *v,
		       struct chring_node_entry *entry, char *strings);

/**
 * chring_list_tokens() - some tokens, in the order of the table
 * @v: view
 * @at: place of the first, at most as many as there are
 * @token: for @n of them
 * @n: wanted
 *
 * Return: how many there are from @at on, at most @n.
 */
u32 chring_list_tokens(const struct chring_view *v, u32 at,
		       struct chring_token *token, u32 n);

#endif /* CHRING_LISTING_H */
