// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "files.h"
#include "give.h"
#include "seen.h"
#include "spoil.h"

#define STATUS_BYTES	((sizeof(struct chring_status) + 4095) & ~4095UL)
#define CHILD_SECONDS	20

static bool take(struct worker *w, enum command cmd, unsigned int want)
{
	struct call *c = &w->call;

	c->cmd = cmd;
	c->spoilt = false;
	c->injected = false;
	c->slot = pool_pick(&w->rng, rng_percent(&w->rng, 90) ? want : 0, 0);
	c->fd = pool_use(c->slot, &c->mode);
	return c->fd >= 0;
}

static void count(struct worker *w, long ret)
{
	w->call.ret = ret;
	tally_count(&w->tally, w->call.cmd, ret);
	if (ret == -ENODEV && w->call.slot >= 0 && rng_percent(&w->rng, 60))
		pool_replace(w->call.slot, &w->rng, true);
}

/* Each record follows the one before. */
static void check_records(struct worker *w, const char *buf, long n)
{
	struct chring_event e;
	__u64 last = 0;
	long at;

	for (at = 0; at < n; at += e.size) {
		memcpy(&e, buf + at, sizeof(e));
		if (e.size != sizeof(e) || e.reserved || e.epoch <= e.old_epoch ||
		    (last && e.old_epoch != last)) {
			check_broken(w, "record at %ld: %llu to %llu after %llu", at,
				     e.old_epoch, e.epoch, last);
			return;
		}
		last = e.epoch;
	}
	if (!w->alone)
		seen_note(e.ring, last);
}

/* Who waits is woken by a change, or by the signals that this program sends. */
void files_read(struct worker *w)
{
	static const size_t sizes[] = { 0, 8, 103, 104, 208, 512, 1000, 4096 };
	size_t size = sizes[rng_below(&w->rng, 8)];
	bool wait = rng_percent(&w->rng, 5), spoilt = rng_percent(&w->rng, 15);
	char buf[4096];
	void *to = buf;
	long n;

	if (!take(w, CMD_READ, OPEN_READ))
		return;
	if (rng_percent(&w->rng, 70))
		size = sizeof(buf);
	if (spoilt)
		to = (void *)(unsigned long)spoil_pointer(w);
	if (wait)
		fcntl(w->call.fd, F_SETFL, 0);
	n = read(w->call.fd, to, size);
	n = n < 0 ? -errno : n;
	if (wait)
		fcntl(w->call.fd, F_SETFL, O_NONBLOCK);
	close(w->call.fd);
	count(w, n);
	if (n > 0 && !spoilt)
		check_records(w, buf, n);
}

void files_poll(struct worker *w)
{
	struct pollfd p = { .events = POLLIN };

	if (!take(w, CMD_READ, OPEN_READ))
		return;
	p.fd = w->call.fd;
	poll(&p, 1, 0);
	close(w->call.fd);
}

/* What the words say was so at one time, and not before what is known. */
static void check_status(struct worker *w, const struct chring_status *s)
{
	__u64 sequence, ring = __atomic_load_n(&s->ring, __ATOMIC_ACQUIRE);
	__u64 known = seen_epoch(ring), epoch, table, nodes;
	__u32 flags;
	int i;

	for (i = 0; i < 100000; i++) {
		sequence = __atomic_load_n(&s->sequence, __ATOMIC_ACQUIRE);
		flags = __atomic_load_n(&s->flags, __ATOMIC_ACQUIRE);
		epoch = __atomic_load_n(&s->epoch, __ATOMIC_ACQUIRE);
		table = __atomic_load_n(&s->table_epoch, __ATOMIC_ACQUIRE);
		nodes = __atomic_load_n(&s->nodes_epoch, __ATOMIC_ACQUIRE);
		if (!(sequence % 2) &&
		    sequence == __atomic_load_n(&s->sequence, __ATOMIC_ACQUIRE))
			break;
	}
	if (i == 100000)
		return check_broken(w, "the pages never rest");
	if (epoch < known || table > nodes || nodes > epoch ||
	    flags & ~CHRING_STATUS_DELETED || s->size != sizeof(*s))
		check_broken(w, "pages: epoch %llu after %llu, table %llu, nodes %llu",
			     epoch, known, table, nodes);
	seen_note(ring, epoch);
}

void files_unmap(struct worker *w)
{
	if (!w->map)
		return;
	check_status(w, w->map);
	munmap(w->map, w->map_bytes);
	w->map = NULL;
}

static void try_more(struct worker *w, void *p, size_t len)
{
	__u32 n = rng_below(&w->rng, 100);

	if (n < 20) {
		w->call.cmd = CMD_MPROTECT;
		count(w, mprotect(p, len, n < 5 ? PROT_READ | PROT_WRITE :
				  n < 10 ? PROT_READ | PROT_EXEC :
				  PROT_READ) ? -errno : 0);
	} else if (n < 40) {
		w->call.cmd = CMD_MREMAP;
		count(w, mremap(p, len, n < 30 ? len : len + 4096, 0) == MAP_FAILED ?
		      -errno : 0);
	}
}

/* Mostly as is allowed; else one of those things that are not. */
static void *map_some(struct worker *w, size_t *len)
{
	int prot = PROT_READ, flags = MAP_SHARED;
	off_t off = 0;

	*len = rng_percent(&w->rng, 50) ? STATUS_BYTES : 4096;
	switch (rng_below(&w->rng, 16)) {
	case 0:
		prot |= PROT_WRITE;
		break;
	case 1:
		prot |= PROT_EXEC;
		break;
	case 2:
		flags = MAP_PRIVATE;
		break;
	case 3:
		off = 4096;
		break;
	case 4:
		*len = STATUS_BYTES + 4096;
	}
	w->call.injected = w->faults && rng_percent(&w->rng, 30);
	if (w->call.injected)
		inject_begin(&w->inject, 1 + rng_below(&w->rng, 12));
	return mmap(NULL, *len, prot, flags, w->call.fd, off);
}

void files_map(struct worker *w)
{
	int error;
	size_t len;
	void *p;

	if (!take(w, CMD_MMAP, OPEN_READ))
		return;
	/* That is EBADF of mmap() itself, of any file. */
	if (w->call.mode & OPEN_PATH) {
		close(w->call.fd);
		return;
	}
	p = map_some(w, &len);
	error = errno;
	if (w->call.injected)
		inject_end(&w->inject);
	close(w->call.fd);
	count(w, p == MAP_FAILED ? -error : 0);
	if (p == MAP_FAILED)
		return;
	check_status(w, p);
	try_more(w, p, len);
	/* It stays while its ring changes, goes, and is forked with. */
	files_unmap(w);
	w->map = p;
	w->map_bytes = len;
}

static void child(struct worker *w)
{
	int i;

	alarm(CHILD_SECONDS);
	w->alone = true;
	w->faults = false;
	for (i = 0; i < 8; i++)
		give(w, rng_below(&w->rng, CMD_IOCTLS));
	_exit(0);
}

void files_fork(struct worker *w)
{
	bool kill_it = rng_percent(&w->rng, 40), faults = w->faults;
	int status = 0;
	pid_t pid;

	w->child_slot = pool_pick(&w->rng, OPEN_READ | OPEN_WRITE, 0);
	w->child_fd = pool_use(w->child_slot, &w->call.mode);
	if (w->child_fd < 0)
		return;
	pid = fork();
	if (!pid)
		child(w);
	if (pid > 0 && kill_it) {
		usleep(rng_below(&w->rng, 3000));
		kill(pid, SIGKILL);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	/* The worker is shared with its child, who wrote there. */
	w->alone = false;
	w->faults = faults;
	close(w->child_fd);
	if (pid > 0 && WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
		check_broken(w, "a child died of signal %d", WTERMSIG(status));
}
