// SPDX-License-Identifier: GPL-2.0
/*
 * A ring of any config through any changes is what the model says: nodes, tokens,
 * digest, shares, owners and the nodes that follow them.
 */
#include "input.h"
#include "rig.h"
#include "tap.h"

#define CHANGES_MAX	48
/* Waiting for a grace period takes longer than all the rest. */
#define MEMORY_EVERY	512

static void change(struct rig *rig)
{
	int left = CHANGES_MAX;

	do {
		rig_random_change(rig);
		rig_check(rig);
	} while (input_left() && --left);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static unsigned int runs;
	struct chring_config config;
	struct rig rig;

	input_begin(bytes, len);
	model_random_config(&config);
	rig_open(&rig, &config);
	change(&rig);
	rig_check_owners(&rig);
	rig_check_lists(&rig);
	rig_close(&rig);
	if (!(++runs % MEMORY_EVERY))
		rig_check_memory();
	return 0;
}
