// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "check.h"
#include "give.h"
#include "make.h"
#include "seen.h"
#include "spoil.h"

#define SPOILT		25	/* in a hundred */
#define RESIZED		10
#define FAULTY		30
#define NTH_MAX		24

/* Into the page that the kernel is told of, or that one's other half. */
static void place(struct worker *w)
{
	struct call *c = &w->call;
	unsigned char *page = w->arena.page;
	size_t from = 4096 - c->bytes;

	memcpy(&c->before, &c->arg, sizeof(c->arg));
	if (!c->bytes)
		memset(page, 0, 4096);
	else
		memcpy(page + from, c->arg.bytes, c->bytes);
	if (!c->at)
		c->at = page + from;
}

/* Rather an early one: most commands have few. 0: all of them. */
static unsigned int nth(struct rng *r)
{
	return rng_percent(r, 15) ? 0 : 1 + rng_below(r, 1 + rng_below(r, NTH_MAX));
}

static void ask(struct worker *w)
{
	struct call *c = &w->call;

	c->injected = w->faults && rng_percent(&w->rng, FAULTY);
	if (c->injected)
		inject_begin(&w->inject, nth(&w->rng));
	c->ret = ioctl(c->fd, specs[c->cmd].ioc, c->at) ? -errno : 0;
	if (c->injected)
		inject_end(&w->inject);
	if (c->bytes)
		memcpy(c->arg.bytes, w->arena.page + 4096 - c->bytes, c->bytes);
}

static void learn_node(struct worker *w, __u64 node)
{
	w->node[rng_below(&w->rng, RECENT)] = node;
}

static void learn_ticket(struct worker *w)
{
	struct held *h = &w->held[rng_below(&w->rng, RECENT)];

	h->node = w->call.arg.acquire.out_node;
	h->slot = w->call.slot;
	learn_node(w, h->node);
}

static void learn_list(struct worker *w)
{
	const struct chring_circle_list *arg = &w->call.arg.circle;

	if (!arg->out_more)
		return;
	w->cursor = arg->out_cursor;
	w->cursor_epoch = arg->out_epoch;
	w->cursor_slot = w->call.slot;
	w->cursor_cmd = w->call.cmd;
}

static void learn_owner(struct worker *w)
{
	const struct chring_lookup *arg = &w->call.arg.lookup;
	struct chring_owner owner;

	if (w->call.spoilt || !arg->out_count)
		return;
	memcpy(&owner, (void *)(uintptr_t)arg->owners, sizeof(owner));
	learn_node(w, owner.node);
}

static void learn(struct worker *w)
{
	const union arg *arg = &w->call.arg;

	switch (w->call.cmd) {
	case CMD_NODE_ADD:
	case CMD_NODE_SET:
		learn_node(w, arg->node.out_node);
		w->generation = arg->node.out_generation;
		break;
	case CMD_LOOKUP:
		learn_owner(w);
		break;
	case CMD_ACQUIRE:
		learn_ticket(w);
		break;
	case CMD_RANGES:
	case CMD_DIFF:
	case CMD_TOKENS:
		learn_list(w);
		break;
	default:
		break;
	}
}

/* What is gone is of no use to anybody; sometimes it is used all the same. */
static void renew(struct worker *w)
{
	struct call *c = &w->call;

	if (c->ret == -ENODEV && !w->alone && c->slot >= 0 && rng_percent(&w->rng, 60))
		pool_replace(c->slot, &w->rng, true);
}

static int take_descriptor(struct worker *w)
{
	struct call *c = &w->call;

	if (w->alone)
		return dup(w->child_fd);
	if (c->slot < 0) {
		c->mode = OPEN_READ | OPEN_WRITE;
		return dup(w->lone);
	}
	return pool_use(c->slot, &c->mode);
}

static void judge(struct worker *w, __u64 *slot_ring, __u64 epoch)
{
	struct call *c = &w->call;
	__u64 ring = *slot_ring, now;

	check_answer(w, ring, epoch);
	if (c->ret)
		return renew(w);
	check_facts(c, slot_ring, &now);
	learn(w);
}

/* An address may be that of an argument that stands there: then all is open. */
static bool is_known(const struct call *c)
{
	return c->bytes || c->ret;
}

static void run(struct worker *w)
{
	struct call *c = &w->call;
	__u64 *slot_ring = &w->slot_ring[c->slot < 0 ? POOL_SLOTS : c->slot];
	struct lone_mark before;
	__u64 epoch;

	c->fd = take_descriptor(w);
	if (c->fd < 0)
		return;
	epoch = *slot_ring && !w->alone ? seen_epoch(*slot_ring) : 0;
	if (c->slot < 0 && !check_mark(w->lone, &before))
		check_broken(w, "its ring does not answer");
	ask(w);
	close(c->fd);
	tally_count(&w->tally, c->cmd, c->ret);
	if (is_known(c))
		judge(w, slot_ring, epoch);
	if (c->slot < 0)
		check_lone(w, &before);
}

static unsigned int mode_for(enum command cmd)
{
	unsigned int needs = specs[cmd].flags;

	return (needs & NEEDS_READ ? OPEN_READ : 0) |
	       (needs & (NEEDS_WRITE | HANDS_OUT) ? OPEN_WRITE : 0);
}

/* One command in three of the first thread is to its own ring. */
static void choose_slot(struct worker *w, enum command cmd)
{
	struct rng *r = &w->rng;

	if (w->alone)
		return;
	w->call.slot = -1;
	if (w->lone >= 0 && specs[cmd].flags & OF_RING && rng_percent(r, 33))
		return;
	/* Of whoever changes rings most may do anything. */
	w->call.slot = pool_pick(r, rng_percent(r, 92) ? mode_for(cmd) : 0, 0);
	/* Those who may only read hold few tickets, or none. */
	if (specs[cmd].flags & HANDS_OUT && rng_percent(r, 20))
		w->call.slot = pool_pick(r, OPEN_READ, OPEN_WRITE);
	/* Of a descriptor that has a ring there is nothing more to bind. */
	if (cmd == CMD_BIND && rng_percent(r, 60))
		pool_replace(w->call.slot, r, false);
}

void give(struct worker *w, enum command cmd)
{
	choose_slot(w, cmd);
	w->call.at = NULL;
	make_call(w, cmd);
	if (w->alone)
		w->call.slot = w->child_slot;
	if (rng_percent(&w->rng, SPOILT))
		spoil(w);
	else if (rng_percent(&w->rng, RESIZED))
		resize(w);
	place(w);
	run(w);
}

void give_unknown(struct worker *w)
{
	static const unsigned long odd[] = {
		0, 0x5401, _IO(CHRING_IOC_MAGIC, 0x05), _IO(CHRING_IOC_MAGIC, 0x7f),
		_IOWR(CHRING_IOC_MAGIC, 0x20, struct chring_lookup),
		_IO(0xC5, 0x00), 0x100000000UL * 3 + 7,
	};
	struct call *c = &w->call;

	choose_slot(w, CMD_UNKNOWN);
	c->cmd = CMD_UNKNOWN;
	c->fd = take_descriptor(w);
	if (c->fd < 0)
		return;
	/* O_PATH is answered before anybody looks at the number. */
	if (!(c->mode & OPEN_PATH) || w->alone) {
		c->ret = ioctl(c->fd, odd[rng_below(&w->rng, 7)], w->arena.page);
		tally_count(&w->tally, c->cmd, c->ret ? -errno : 0);
	}
	close(c->fd);
}
