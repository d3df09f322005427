// SPDX-License-Identifier: GPL-2.0
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "call.h"
#include "killed.h"
#include "libtest.h"

#define RING		"killed"
#define NODES		24
#define VNODES		1000	/* long enough to be met in the middle */
#define TRIES		150
#define ENTRY		4096	/* each takes a copy, and a look for signals */
#define ENTRIES		1200
#define KEYS		40000

static char out[ENTRIES * ENTRY];
static char strings[1 << 16];

/**
 * struct victim - what is killed
 * @fd: of the ring, to be kept
 * @cmd: command
 * @arg: its argument, as often as it is given
 */
struct victim {
	int fd;
	enum command cmd;
	union arg arg;
};

static void aim_node(struct victim *v)
{
	v->arg.node.name = ptr(v->cmd == CMD_NODE_ADD ? "new" : "n1");
	v->arg.node.name_len = strlen((char *)(uintptr_t)v->arg.node.name);
	v->arg.node.flags = CHRING_DRY_RUN;
	if (v->cmd == CMD_NODE_SET)
		v->arg.node.flags |= CHRING_NODE_WEIGHT;
	if (v->cmd != CMD_NODE_DEL)
		v->arg.node.weight = 3;
}

static void aim_batch(struct victim *v)
{
	static __u32 lens[KEYS];
	static __u64 nodes[KEYS];

	v->arg.batch.count = KEYS;
	v->arg.batch.lens = ptr(lens);
	v->arg.batch.nodes = ptr(nodes);
}

static void aim_list(struct victim *v)
{
	if (v->cmd == CMD_RING_LIST) {
		v->arg.ring_list.entries = ptr(out);
		v->arg.ring_list.entry_size = ENTRY;
		v->arg.ring_list.count = ENTRIES;
	} else if (v->cmd == CMD_NODE_LIST) {
		v->arg.node_list.entries = ptr(out);
		v->arg.node_list.entry_size = ENTRY;
		v->arg.node_list.count = ENTRIES;
		v->arg.node_list.strings = ptr(strings);
		v->arg.node_list.strings_size = sizeof(strings);
	} else if (v->cmd == CMD_STATS) {
		v->arg.stats.entries = ptr(out);
		v->arg.stats.entry_size = ENTRY;
		v->arg.stats.count = ENTRIES;
	} else {
		v->arg.circle.entries = ptr(out);
		v->arg.circle.entry_size = ENTRY;
		v->arg.circle.count = ENTRIES;
	}
}

static void aim(struct victim *v)
{
	v->arg.size = specs[v->cmd].size;
	switch (v->cmd) {
	case CMD_RING_CREATE:
	case CMD_RING_DELETE:
		v->arg.name.name = ptr(v->cmd == CMD_RING_CREATE ? "new" : RING);
		v->arg.name.name_len = strlen((char *)(uintptr_t)v->arg.name.name);
		break;
	case CMD_NODE_ADD:
	case CMD_NODE_SET:
	case CMD_NODE_DEL:
		aim_node(v);
		break;
	case CMD_COMMIT:
		v->arg.commit.member_size = sizeof(struct chring_member);
		v->arg.commit.flags = CHRING_DRY_RUN;
		break;
	case CMD_LOOKUP:
		v->arg.lookup.count = CHRING_REPLICAS_MAX;
		v->arg.lookup.owners = ptr(out);
		v->arg.lookup.entry_size = ENTRY;
		break;
	case CMD_LOOKUP_BATCH:
		aim_batch(v);
		break;
	case CMD_RELEASE:
		v->arg.release.count = 1;
		break;
	case CMD_ACQUIRE:
	case CMD_PIN:
	case CMD_UNPIN:
		break;
	default:
		aim_list(v);
	}
}

static void child(struct victim *v, bool often)
{
	ptrace(PTRACE_TRACEME, 0, 0, 0);
	raise(SIGSTOP);
	do {
		ioctl(v->fd, specs[v->cmd].ioc, &v->arg);
	} while (often);
	_exit(0);
}

/* On its way out: what the command that it was in has returned, or 0. */
static long last_words(pid_t pid)
{
	struct user_regs_struct regs = {};
	long ret = 0;
	int status;

	while (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status)) {
		if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8) &&
		    !ptrace(PTRACE_GETREGS, pid, 0, &regs) &&
		    regs.orig_rax == SYS_ioctl)
			ret = regs.rax;
		ptrace(PTRACE_CONT, pid, 0, 0);
	}
	return ret;
}

static long kill_one(struct victim *v, bool often, useconds_t after)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		child(v, often);
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		return 0;
	ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACEEXIT);
	ptrace(PTRACE_CONT, pid, 0, 0);
	usleep(after);
	kill(pid, SIGKILL);
	return last_words(pid);
}

/**
 * struct holder - a thread that holds a lock, for it cannot write its answer
 * @fd: where the command is given
 * @ioc: command
 * @page: its argument, which can be read
 * @uffd: by which the page becomes one that can be written
 */
struct holder {
	pthread_t thread;
	int fd;
	unsigned long ioc;
	void *page;
	int uffd;
};

static void *hold(void *arg)
{
	struct holder *h = arg;

	ioctl(h->fd, h->ioc, h->page);
	return NULL;
}

static int protect(struct holder *h, bool on)
{
	struct uffdio_writeprotect wp = {
		.range = { ptr(h->page), 4096 },
		.mode = on ? UFFDIO_WRITEPROTECT_MODE_WP : 0,
	};

	return ioctl(h->uffd, UFFDIO_WRITEPROTECT, &wp);
}

/* Return: the lock is held. */
static bool hold_begin(struct holder *h, const void *arg, size_t size)
{
	struct uffdio_api api = {
		.api = UFFD_API,
		.features = UFFD_FEATURE_PAGEFAULT_FLAG_WP,
	};
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_WP };
	struct pollfd p = { .events = POLLIN };

	h->page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(h->page, arg, size);
	h->uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	reg.range = (struct uffdio_range){ ptr(h->page), 4096 };
	if (h->uffd < 0 || ioctl(h->uffd, UFFDIO_API, &api) ||
	    ioctl(h->uffd, UFFDIO_REGISTER, &reg) || protect(h, true))
		return false;
	pthread_create(&h->thread, NULL, hold, h);
	p.fd = h->uffd;
	return poll(&p, 1, 20000) == 1;
}

static void hold_end(struct holder *h)
{
	protect(h, false);
	pthread_join(h->thread, NULL);
	close(h->uffd);
	munmap(h->page, 4096);
}

/* Who waits for the lock that this victim wants. */
static bool hold_for(const struct victim *v, struct holder *h)
{
	struct chring_ring_create create = {
		.size = sizeof(create),
		.name = ptr("held"),
		.name_len = 4,
	};
	struct chring_node_change set = {
		.size = sizeof(set),
		.flags = CHRING_NODE_COOKIE,
		.name = ptr("n1"),
		.name_len = 2,
		.cookie = v->cmd + 1,
	};
	struct chring_acquire acquire = { .size = sizeof(acquire) };

	h->fd = v->fd;
	switch (v->cmd) {
	case CMD_RING_CREATE:
		h->ioc = CHRING_IOC_RING_CREATE;
		return hold_begin(h, &create, sizeof(create));
	case CMD_ACQUIRE:
	case CMD_RELEASE:
		h->ioc = CHRING_IOC_ACQUIRE;
		return hold_begin(h, &acquire, sizeof(acquire));
	default:
		h->ioc = CHRING_IOC_NODE_SET;
		return hold_begin(h, &set, sizeof(set));
	}
}

static long kill_waiting(struct victim *v)
{
	struct holder h = {};
	long ret;

	if (!hold_for(v, &h)) {
		note("nobody could be made to hold a lock for %s", specs[v->cmd].name);
		return 0;
	}
	ret = kill_one(v, false, 100000);
	hold_end(&h);
	return ret;
}

/* Those who only read meet no lock: they are met in the middle, or not. */
static long kill_running(struct victim *v, struct rng *r)
{
	long ret = 0;
	int i;

	for (i = 0; i < TRIES && ret != -EINTR; i++)
		ret = kill_one(v, true, 1000 + rng_below(r, 20000));
	return ret;
}

static bool waits(enum command cmd)
{
	return specs[cmd].flags & (CHANGES | HANDS_OUT) || cmd == CMD_RING_CREATE ||
	       cmd == CMD_RING_DELETE;
}

static int big_ring(void)
{
	struct chring_config config = { .vnodes = VNODES, .balance = 125 };
	int fd = ring_fresh(RING, &config), i;
	char name[8];

	for (i = 0; i < NODES && fd >= 0; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		node_add(fd, name, 1, CHRING_STATE_UP, NULL);
	}
	return fd;
}

void killed_run(struct tally *t, struct rng *r)
{
	struct victim v = { .fd = big_ring() };
	enum command cmd;

	if (v.fd < 0) {
		note("no ring to be killed at: %d", v.fd);
		return;
	}
	for (cmd = 0; cmd < CMD_IOCTLS; cmd++) {
		long ret;

		if (spec_excuse(cmd, EINTR, false))
			continue;
		memset(&v.arg, 0, sizeof(v.arg));
		v.cmd = cmd;
		aim(&v);
		ret = waits(cmd) ? kill_waiting(&v) : kill_running(&v, r);
		if (ret < 0)
			tally_count(t, cmd, ret);
	}
	ring_delete(v.fd, "held");
	ring_delete(v.fd, "new");
	ring_delete(v.fd, RING);
	close(v.fd);
}
