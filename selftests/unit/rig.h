/* SPDX-License-Identifier: GPL-2.0 */
/* A ring under test, and beside it the model of what it must be. */
#ifndef RIG_H
#define RIG_H

#include "model.h"
#include "ring.h"

struct rig {
	struct chring_ring *ring;
	struct model model;
	/* Of the last change: what was asked and what came back. */
	struct chring_request rq;
	int ret;
};

void rig_open(struct rig *rig, const struct chring_config *config);
void rig_close(struct rig *rig);

/*
 * Changes: @rq is sent as it stands and holds the answer; on success the model
 * follows.
 */
int rig_add(struct rig *rig, const struct model_node *node);
int rig_set(struct rig *rig, u32 node, u32 flags,
	    const struct model_node *want);
int rig_del(struct rig *rig, u32 node);

/* All nodes of a membership, in random order. */
void rig_fill(struct rig *rig, const struct model *from);

/* A random change that means something: node, weight, state, zone, cookie. */
void rig_random_change(struct rig *rig);

/* The view, for a test that is alone. */
struct chring_view *rig_view(const struct rig *rig);

/* The ring is what the model says, all of it but owners. */
void rig_check(const struct rig *rig);
/* And owners, at each token, beside it, and at random. */
void rig_check_owners(const struct rig *rig);
/* And the nodes that follow, by tokens and by zones, at random and past the end. */
void rig_check_lists(const struct rig *rig);
/* Slot of the node that owns a position of a view, or an error. */
int rig_view_owner(const struct chring_view *v, u64 position);
/* Index in the model of the node that owns a position, or an error. */
int rig_owner(const struct rig *rig, u64 position);
/* Index in the model of the node in a slot. */
u32 rig_node_of(const struct rig *rig, u32 slot);
/* Has the node in a slot of @a the name of that in a slot of @b? */
bool rig_same_node(const struct rig *a, u32 slot_a, const struct rig *b,
		   u32 slot_b);

/* Between tests: everything that a ring held has been given back. */
void rig_check_memory(void);

#endif /* RIG_H */
