// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>

#include "check.h"
#include "libtest.h"
#include "seen.h"

#define TOLD_MAX	10	/* of each thread and round */

static void show_bytes(const char *what, const union arg *arg, size_t n)
{
	size_t i;

	printf("#   %s", what);
	for (i = 0; i < n; i++)
		printf("%s%02x", i % 8 ? "" : " ", arg->bytes[i]);
	putchar('\n');
}

void check_broken(struct worker *w, const char *format, ...)
{
	const struct call *c = &w->call;
	va_list args;

	if (w->broken++ >= TOLD_MAX)
		return;
	flockfile(stdout);
	printf("# broken: thread %d, step %lu: %s, %s%s%sslot %d, mode %x: ",
	       w->number, w->step, specs[c->cmd].name,
	       c->ret < 0 ? error_name(-c->ret) : "success",
	       c->spoilt ? ", spoilt, " : ", ", c->injected ? "a fault, " : "",
	       c->slot, c->mode);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	if (c->cmd < CMD_IOCTLS) {
		show_bytes("given ", &c->before, specs[c->cmd].size);
		show_bytes("answer", &c->arg, specs[c->cmd].size);
	}
	fflush(stdout);
	funlockfile(stdout);
}

bool check_mark(int fd, struct lone_mark *m)
{
	struct chring_node_share share[POOL_NODES + 4];
	struct chring_stats s = {
		.size = sizeof(s),
		.entries = (__u64)(unsigned long)share,
		.entry_size = sizeof(share[0]),
		.count = POOL_NODES + 4,
	};

	if (ioctl(fd, CHRING_IOC_STATS, &s))
		return false;
	*m = (struct lone_mark){
		s.out_ring, s.out_epoch, s.out_generation, s.out_digest,
		s.out_tokens, s.out_checksum, s.out_nodes, s.out_pinned,
	};
	return true;
}

void check_facts(const struct call *c, __u64 *ring, __u64 *epoch)
{
	unsigned int off = spec_ring_off(c->cmd);

	*ring = *epoch = 0;
	if (!(specs[c->cmd].flags & OF_RING))
		return;
	memcpy(ring, c->arg.bytes + off, sizeof(*ring));
	memcpy(epoch, c->arg.bytes + off + 8, sizeof(*epoch));
}

/* Untouched, or, unless it is a fact, 0. */
static bool is_silent(const struct call *c, const struct field *f)
{
	const unsigned char *now = c->arg.bytes + f->off;
	bool zero = true, same = true;
	int i;

	for (i = 0; i < f->size; i++) {
		zero &= !now[i];
		same &= now[i] == NOT_SAID;
	}
	return f->kind == F_FACT || zero || same;
}

static bool is_output(const struct spec *spec, unsigned int off)
{
	const struct field *f = spec_field_at(spec, off);

	return f && (f->kind == F_OUT || f->kind == F_FACT);
}

/* Nothing may have changed but outputs, and those not by half. */
static void check_bytes(struct worker *w)
{
	const struct spec *spec = &specs[w->call.cmd];
	const struct call *c = &w->call;
	const struct field *f;
	size_t i;

	for (i = 0; i < c->bytes; i++)
		if (c->arg.bytes[i] != c->before.bytes[i] && !is_output(spec, i))
			return check_broken(w, "byte %zu has changed", i);
	for (f = spec->field; c->ret && f->kind != F_END; f++)
		if ((f->kind == F_OUT || f->kind == F_FACT) && !is_silent(c, f))
			check_broken(w, "an output at %u says something", f->off);
}

static void check_mode(struct worker *w)
{
	unsigned int needs = specs[w->call.cmd].flags, mode = w->call.mode;

	if ((needs & NEEDS_READ && !(mode & OPEN_READ)) ||
	    (needs & NEEDS_WRITE && !(mode & OPEN_WRITE)) ||
	    (needs & (NEEDS_ANY | HANDS_OUT) && !(mode & (OPEN_READ | OPEN_WRITE))))
		check_broken(w, "the descriptor is not open for this");
}

/* What nobody has spoilt meets no errors but those of the state of things. */
static void check_error(struct worker *w)
{
	static const short hard[] = { EFAULT, EINVAL, E2BIG, ENAMETOOLONG, EINTR,
				      EIO, ENOTTY, ENOMEM };
	const struct call *c = &w->call;
	size_t i;

	if (c->ret == -EINTR)
		check_broken(w, "and no fatal signal");
	if (c->ret == -ENOMEM && !c->injected)
		check_broken(w, "and there is memory");
	if (c->spoilt || c->injected)
		return;
	for (i = 0; i < ARRAY_LEN(hard); i++)
		if (c->ret == -hard[i])
			check_broken(w, "and nothing was wrong with it");
}

/*
 * Epochs grow. A command of a descriptor is of one ring; what had been answered
 * of that ring before the command began, is known by @epoch.
 */
void check_answer(struct worker *w, __u64 ring, __u64 epoch)
{
	__u64 now_ring, now;
	bool dry = specs[w->call.cmd].flags & CHANGES &&
		   w->call.before.info.flags & CHRING_DRY_RUN;

	if (w->call.ret < 0)
		check_error(w);
	else
		check_mode(w);
	check_bytes(w);
	if (!w->call.spoilt && !arena_whole(&w->arena))
		check_broken(w, "something was written beside an array");
	check_facts(&w->call, &now_ring, &now);
	if (w->call.ret || dry || !(specs[w->call.cmd].flags & OF_RING))
		return;
	if (!now_ring || !now)
		check_broken(w, "there is no ring or epoch");
	if (now_ring == ring && now < epoch)
		check_broken(w, "epoch %llu after %llu", now, epoch);
	w->epoch = now;
	if (!w->alone)
		seen_note(now_ring, now);
}

static void check_change(struct worker *w, const struct lone_mark *was,
			 const struct lone_mark *now)
{
	__u64 ring, epoch;

	check_facts(&w->call, &ring, &epoch);
	if (now->epoch != was->epoch && now->epoch != was->epoch + 1)
		check_broken(w, "epoch %llu, and was %llu", now->epoch, was->epoch);
	if (epoch != now->epoch || ring != now->ring)
		check_broken(w, "epoch %llu, and it says %llu", now->epoch, epoch);
	if (now->epoch == was->epoch && memcmp(was, now, sizeof(*now)))
		check_broken(w, "a change without an epoch");
}

void check_lone(struct worker *w, const struct lone_mark *before)
{
	const struct spec *spec = &specs[w->call.cmd];
	bool dry = w->call.before.info.flags & CHRING_DRY_RUN;
	struct lone_mark now;

	if (!check_mark(w->lone, &now))
		return check_broken(w, "its ring does not answer");
	if (spec->flags & CHANGES && !w->call.ret && !dry)
		check_change(w, before, &now);
	else if (memcmp(before, &now, sizeof(now)))
		check_broken(w, "and the ring has changed: epoch %llu, was %llu",
			     now.epoch, before->epoch);
}
