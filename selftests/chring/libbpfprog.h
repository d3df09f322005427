/* SPDX-License-Identifier: GPL-2.0 */
/*
 * BPF programs of selftests/bpf, loaded and run by hand. For tests that are named
 * bpf_NAME or xdp_NAME, which are linked with libbpf.
 */
#ifndef CHRING_LIBBPFPROG_H
#define CHRING_LIBBPFPROG_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "libtest.h"

/* kfuncs are declared for programs; here their structs are wanted. */
#define __ksym
#include <chring/chring.bpf.h>

#include "../bpf/ask.h"

/* Revision of the kfuncs that the loaded module has; 0: none. */
__u32 kfuncs(void);

/* A test that wants them has nothing to look at where there are none. */
#define NEED_KFUNCS() do {						\
	if (!kfuncs())							\
		SKIP(return, "this chring.ko has no kfuncs: it was built without type information (BTF)"); \
} while (0)

/**
 * prog_load() - one program of an object
 * @file: NAME.bpf.o, without its directory
 * @name: of the program; others are not loaded
 * @fd: set to its descriptor, which is the object's
 *
 * Return: the object, for bpf_object__close(); or NULL: errno says why it was
 * refused, prog_log() the verifier.
 */
struct bpf_object *prog_load(const char *file, const char *name, int *fd);

/* What the verifier said of the last one. */
const char *prog_log(void);

/* Run it once with a packet, which it may change: what it returned, or -errno. */
int prog_run(int fd, void *packet, __u32 size);

/* What asks: a program of ask.bpf.c. Return: what the kfunc returned, or -1001. */
int prog_ask(int fd, struct ask *a);

/* The id of the ring of a descriptor. */
__u64 ring_id(int fd);

#endif /* CHRING_LIBBPFPROG_H */
