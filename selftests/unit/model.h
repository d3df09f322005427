/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a ring must be, worked out the naive way from its membership: no table,
 * no order of tokens, no state kept from one change to the next. Of core/ it
 * uses the hash of a label alone, which the oracle's vectors have checked.
 */
#ifndef MODEL_H
#define MODEL_H

struct model_node {
	u64 id;
	u64 cookie;
	u32 weight;
	u32 state;
	u32 name_len;
	u32 zone_len;
	char name[CHRING_NAME_MAX];
	char zone[CHRING_NAME_MAX];
};

/**
 * struct model_token - a token
 * @token: position as core/ sees it
 * @node: index of its node
 * @index: which of the node's tokens
 */
struct model_token {
	u64 token;
	u32 node;
	u32 index;
};

/**
 * struct model - a membership
 * @config: resolved
 * @node: nodes in no order
 * @nodes: how many
 * @token: tokens in no order
 * @tokens: how many
 */
struct model {
	struct chring_config config;
	struct model_node *node;
	u32 nodes;
	struct model_token *token;
	u32 tokens;
};

void model_init(struct model *m, const struct chring_config *config);
void model_free(struct model *m);
void model_copy(struct model *to, const struct model *from);

void model_add(struct model *m, const struct model_node *node);
void model_del(struct model *m, u32 node);
void model_set_weight(struct model *m, u32 node, u32 weight);
/* All tokens again, after a change of @config, @node or @nodes by hand. */
void model_place(struct model *m);

/* Tokens of a node of this weight. */
u32 model_token_count(const struct chring_config *config, u32 weight);

/* Negative: the name of @a comes first. */
int model_name_cmp(const struct model_node *a, const struct model_node *b);
bool model_same_name(const struct model_node *a, const char *name, u32 len);

/* Return: index of the node, -ENODATA or -EHOSTUNREACH. */
int model_owner(const struct model *m, u64 position);

/* Tokens as a table has them: a copy for free(). */
struct model_token *model_sorted(const struct model *m);

u64 model_digest(const struct model *m);
u64 model_checksum(const struct model *m);
u32 model_live(const struct model *m);

/* A node, a config and a membership at random. */
void model_random_node(struct model_node *node, u32 weight_max);
void model_random_config(struct chring_config *config);
void model_random(struct model *m, u32 nodes_max);

#endif /* MODEL_H */
