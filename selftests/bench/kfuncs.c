// SPDX-License-Identifier: GPL-2.0
/*
 * What a lookup costs a BPF program: instructions of a run of it, many times in
 * one call, less those of a run that asks for nothing. The programs are those of
 * selftests/bpf/count.bpf.c.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/chring.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <x86intrin.h>

#include "../bpf/count.h"
#include "kfuncs.h"
#include "mix.h"
#include "need.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof(*(a)))

#define OBJECT	"/bpf/count.bpf.o"
#define REPEAT	2000

static const struct {
	const char *name;
	const char *prog;
} kinds[] = {
	{ "kfunc, a key", "count_key" },
	{ "kfunc, a position", "count_position" },
	{ "array map of Maglev's 65537 entries, a position", "count_entry" },
};

/* Of one call that runs the program so often. */
static __u64 took(int prog, struct count_ask *ask, int repeat)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = ask,
		    .data_size_in = sizeof(*ask), .repeat = repeat);
	__u64 from = __rdtsc();

	NEED(!bpf_prog_test_run_opts(prog, &opts) && opts.retval);
	return __rdtsc() - from;
}

/* Of one run. */
static double instructions(struct bpf_object *o, const char *name,
			   struct count_ask *ask)
{
	int prog = bpf_program__fd(bpf_object__find_program_by_name(o, name));
	__u64 once, often;

	took(prog, ask, REPEAT);
	once = took(prog, ask, 1);
	often = took(prog, ask, 1 + REPEAT);
	return (double)(often - once) / REPEAT;
}

void kfuncs_count(const char *ring, int fd)
{
	struct chring_info info = { .size = sizeof(info) };
	struct bpf_object *o = bpf_object__open(OBJECT);
	struct count_ask ask;
	double nothing;
	unsigned int i;

	NEED(!ioctl(fd, CHRING_IOC_INFO, &info));
	NEED(info.out_kfuncs && o && !bpf_object__load(o));
	ask.ring = info.out_ring;
	for (i = 0; i < COUNT_ASKED; i++)
		ask.position[i] = mix(i);
	nothing = instructions(o, "count_nothing", &ask);
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		printf("%s\t%s\t%.3f\n", ring, kinds[i].name,
		       (instructions(o, kinds[i].prog, &ask) - nothing) /
		       COUNT_ASKED);
	bpf_object__close(o);
}
