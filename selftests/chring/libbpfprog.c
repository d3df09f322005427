// SPDX-License-Identifier: GPL-2.0
#include "libbpfprog.h"

static char verifier_log[1 << 16];

__u32 kfuncs(void)
{
	struct chring_info info = { .size = sizeof(info) };
	int fd = dev_open(O_RDONLY, NULL);
	int ret = chr(fd, CHRING_IOC_INFO, &info);

	close(fd);
	return ret ? 0 : info.out_kfuncs;
}

static int quiet(enum libbpf_print_level level, const char *format,
		 va_list args)
{
	return 0;
}

static struct bpf_object *open_one(const char *file, const char *name,
				   struct bpf_program **prog)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts,
		.kernel_log_buf = verifier_log,
		.kernel_log_size = sizeof(verifier_log));
	struct bpf_program *p;
	struct bpf_object *o;
	char path[64];

	snprintf(path, sizeof(path), "/bpf/%s", file);
	verifier_log[0] = 0;
	libbpf_set_print(quiet);
	o = bpf_object__open_file(path, &opts);
	if (!o)
		return NULL;
	bpf_object__for_each_program(p, o)
		bpf_program__set_autoload(p, !strcmp(name,
						     bpf_program__name(p)));
	*prog = bpf_object__find_program_by_name(o, name);
	return o;
}

struct bpf_object *prog_load(const char *file, const char *name, int *fd)
{
	struct bpf_program *prog;
	struct bpf_object *o = open_one(file, name, &prog);
	int ret;

	if (!o)
		return NULL;
	ret = prog ? bpf_object__load(o) : -ENOENT;
	if (ret) {
		bpf_object__close(o);
		errno = -ret;
		return NULL;
	}
	*fd = bpf_program__fd(prog);
	return o;
}

const char *prog_log(void)
{
	return verifier_log;
}

int prog_run(int fd, void *packet, __u32 size)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts,
		.data_in = packet,
		.data_size_in = size,
		.data_out = packet,
		.data_size_out = size,
		.repeat = 1);
	int ret = bpf_prog_test_run_opts(fd, &opts);

	return ret ? ret : (int)opts.retval;
}

int prog_ask(int fd, struct ask *a)
{
	a->ret = -1000;
	/* XDP_PASS is 2, TC_ACT_OK is 0. */
	return prog_run(fd, a, sizeof(*a)) < 0 ? -1001 : a->ret;
}

__u64 ring_id(int fd)
{
	struct chring_info info = { .size = sizeof(info) };

	return chr(fd, CHRING_IOC_INFO, &info) ? 0 : info.out_ring;
}
