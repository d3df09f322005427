// SPDX-License-Identifier: GPL-2.0
/*
 * calls: how many instructions a call of /dev/chring takes, from the program's
 * last one before to its first one after. For a guest whose clock counts
 * instructions (see vm/run): the time-stamp counter is exact there. A line each:
 * ring, what, instructions, apart by tabs. See kfuncs.c for those of BPF programs.
 */
#include <fcntl.h>
#include <linux/chring.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <x86intrin.h>

#include "kfuncs.h"
#include "mix.h"
#include "need.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof(*(a)))

#define ROUNDS		1001
#define KEYS		1000U
#define KEY_LEN		20
#define NODES_MAX	1000
#define NAME_LEN	10

static const struct {
	unsigned int nodes;
	unsigned int vnodes;
} rings[] = { { 32, 160 }, { 1000, 160 } };

/* What is asked for, all of it different. */
static char key[KEYS * KEY_LEN];
static __u64 position[KEYS], owner[KEYS];
static __u32 len[KEYS];

static __u64 ptr(const void *p)
{
	return (uintptr_t)p;
}

static void fill(void)
{
	unsigned int i;

	for (i = 0; i < KEYS; i++) {
		position[i] = mix(i);
		len[i] = KEY_LEN;
		memcpy(key + i * KEY_LEN, "user:session", 12);
		memcpy(key + i * KEY_LEN + 12, &position[i], 8);
	}
}

static void commit(int fd, unsigned int nodes)
{
	static struct chring_member member[NODES_MAX];
	static char strings[NODES_MAX * NAME_LEN + 1];
	struct chring_commit arg = {
		.size = sizeof(arg),
		.members = ptr(member),
		.member_size = sizeof(member[0]),
		.count = nodes,
		.strings = ptr(strings),
		.strings_size = nodes * NAME_LEN,
	};
	unsigned int i;

	for (i = 0; i < nodes; i++) {
		member[i] = (struct chring_member){
			.weight = 1,
			.name_off = i * NAME_LEN,
			.name_len = NAME_LEN,
		};
		snprintf(strings + i * NAME_LEN, NAME_LEN + 1, "cache-%04u", i);
	}
	NEED(!ioctl(fd, CHRING_IOC_COMMIT, &arg));
}

/* Return: a descriptor of a ring with so many nodes. */
static int ring(unsigned int nodes, unsigned int vnodes)
{
	struct chring_config config = { .vnodes = vnodes };
	struct chring_ring_create create = {
		.size = sizeof(create),
		.config_size = sizeof(config),
		.config = ptr(&config),
	};
	struct chring_ring_name bind = { .size = sizeof(bind) };
	int fd = open(CHRING_DEVICE, O_RDWR);
	char name[32];

	NEED(fd >= 0);
	create.name_len = snprintf(name, sizeof(name), "%ux%u", nodes, vnodes);
	create.name = ptr(name);
	NEED(!ioctl(fd, CHRING_IOC_RING_CREATE, &create));
	bind.name = create.name;
	bind.name_len = create.name_len;
	NEED(!ioctl(fd, CHRING_IOC_BIND, &bind));
	commit(fd, nodes);
	return fd;
}

/* -- the calls */

static void call_nothing(int fd, unsigned int i)
{
	NEED(syscall(SYS_getppid) >= 0);
}

static void lookup(int fd, struct chring_lookup *arg)
{
	struct chring_owner owner;

	arg->size = sizeof(*arg);
	arg->count = 1;
	arg->owners = ptr(&owner);
	arg->entry_size = sizeof(owner);
	NEED(!ioctl(fd, CHRING_IOC_LOOKUP, arg));
}

static void call_lookup_key(int fd, unsigned int i)
{
	struct chring_lookup arg = {
		.key = ptr(key + i % KEYS * KEY_LEN),
		.key_len = KEY_LEN,
	};

	lookup(fd, &arg);
}

static void call_lookup_position(int fd, unsigned int i)
{
	struct chring_lookup arg = {
		.flags = CHRING_LOOKUP_POSITION,
		.position = position[i % KEYS],
	};

	lookup(fd, &arg);
}

static void batch(int fd, struct chring_lookup_batch *arg)
{
	arg->size = sizeof(*arg);
	arg->count = KEYS;
	arg->nodes = ptr(owner);
	NEED(!ioctl(fd, CHRING_IOC_LOOKUP_BATCH, arg));
	NEED(arg->out_done == KEYS);
}

static void call_batch_keys(int fd, unsigned int i)
{
	struct chring_lookup_batch arg = {
		.keys = ptr(key),
		.keys_size = sizeof(key),
		.lens = ptr(len),
	};

	batch(fd, &arg);
}

static void call_batch_positions(int fd, unsigned int i)
{
	struct chring_lookup_batch arg = {
		.flags = CHRING_LOOKUP_POSITION,
		.keys = ptr(position),
		.keys_size = sizeof(position),
	};

	batch(fd, &arg);
}

static const struct {
	const char *name;
	void (*call)(int fd, unsigned int i);
	unsigned int keys;
} kinds[] = {
	{ "a call that does nothing (getppid)", call_nothing, 1 },
	{ "LOOKUP of a key, a call", call_lookup_key, 1 },
	{ "LOOKUP of a position, a call", call_lookup_position, 1 },
	{ "LOOKUP_BATCH of 1000, a key", call_batch_keys, KEYS },
	{ "LOOKUP_BATCH of 1000, a position", call_batch_positions, KEYS },
};

static int compare(const void *a, const void *b)
{
	const __u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return (x > y) - (x < y);
}

/* The median, so that what an interrupt took does not count. */
static __u64 instructions(int fd, void (*call)(int fd, unsigned int i))
{
	static __u64 took[ROUNDS];
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		__u64 from = __rdtsc();

		call(fd, i);
		took[i] = __rdtsc() - from;
	}
	qsort(took, ROUNDS, sizeof(took[0]), compare);
	return took[ROUNDS / 2];
}

int main(void)
{
	unsigned int r, k;

	fill();
	for (r = 0; r < ARRAY_SIZE(rings); r++) {
		int fd = ring(rings[r].nodes, rings[r].vnodes);
		char name[32];

		snprintf(name, sizeof(name), "%ux%u", rings[r].nodes,
			 rings[r].vnodes);
		for (k = 0; k < ARRAY_SIZE(kinds); k++) {
			double all = instructions(fd, kinds[k].call);

			printf("%s\t%s\t%.3f\n", name, kinds[k].name,
			       all / kinds[k].keys);
		}
		kfuncs_count(name, fd);
		close(fd);
	}
	return 0;
}
