// SPDX-License-Identifier: GPL-2.0
#include "faults.h"
#include "ring.h"

#define NEVER	(-1L)

u32 faults_max_tokens = FAULTS_MAX_TOKENS;

/* How many more go well; set while no other thread is about. */
static long allocs_left = NEVER, pauses_left = NEVER;
static int alloc_error;
static bool struck;
static u32 pauses;

u32 chring_max_tokens(void)
{
	return faults_max_tokens;
}

/* Both may sleep, and so are nothing for a reader. */
static int alloc_hook(size_t size)
{
	(void)size;
	sync_assert(!rcu_read_ongoing() && !sync_spinning);
	if (allocs_left == NEVER || allocs_left--)
		return 0;
	struck = true;
	return alloc_error;
}

static int pause_hook(void)
{
	sync_assert(!rcu_read_ongoing());
	__atomic_add_fetch(&pauses, 1, __ATOMIC_RELAXED);
	if (pauses_left == NEVER)
		return 0;
	if (pauses_left) {
		pauses_left--;
		return 0;
	}
	struck = true;
	return -EINTR;
}

void faults_init(void)
{
	chring_platform_hooks.alloc = alloc_hook;
	chring_platform_hooks.pause = pause_hook;
}

void faults_alloc(long k, int error)
{
	allocs_left = k;
	alloc_error = error;
}

void faults_kill(long k)
{
	pauses_left = k;
}

u32 faults_pauses(void)
{
	return __atomic_load_n(&pauses, __ATOMIC_RELAXED);
}

bool faults_clear(void)
{
	bool did = struck;

	allocs_left = NEVER;
	pauses_left = NEVER;
	struck = false;
	pauses = 0;
	return did;
}
