// SPDX-License-Identifier: GPL-2.0
/*
 * Lookups in softirqs and in hard interrupts of all processors, while the ring
 * changes. An answer cannot be if it is not all of one epoch: in the rounds here
 * each epoch has a cookie and a priv of its own, for all nodes.
 */
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/timer.h>

#include "probe_ring.h"

#define SOFT_AT_ONCE	64
#define HARD_AT_ONCE	4
#define HARD_EVERY	(2 * NSEC_PER_MSEC)
#define REPLICAS	3
#define NODES_MAX	16

/**
 * struct reader - the crowd of one processor
 * @soft: looks up in a softirq
 * @hard: looks up in a hard interrupt
 * @sum: of what both have seen. They may meet, the one in the middle of the other
 * @seen: their latest epochs
 * @random: state of a generator of keys
 */
struct reader {
	struct timer_list soft;
	struct hrtimer hard;
	struct probe_crowd sum[2];
	u64 seen[2];
	u32 random[2];
};

static DEFINE_PER_CPU(struct reader, readers);
static struct chring_ring *crowded;
static bool stopping;
/* Rounds: the epoch before the first one; 0: there are none, any cookie will do. */
static u64 base;

static bool sane(const struct chring_answer *a, u64 epoch)
{
	u64 first = READ_ONCE(base);

	if (a->ring != chring_id(crowded) || a->epoch != epoch || !a->node)
		return false;
	if (!first || epoch <= first)
		return true;
	return a->cookie == epoch - first && probe_tag_of(a) == a->cookie;
}

static bool replicas_sane(u64 position, u64 epoch)
{
	struct chring_answer a[REPLICAS];
	int n = chring_replicas(crowded, position, 0, a, REPLICAS), i;
	bool ok = n > 0;

	/* Between the two lookups there may have been a change. */
	for (i = 0; i < n; i++)
		ok &= a[0].epoch >= epoch && sane(&a[i], a[0].epoch);
	return ok || n == -EHOSTUNREACH || n == -ENODATA;
}

/* In one read section. Return: epoch of the answer; 0: it cannot be. */
static u64 look(u32 number)
{
	u64 position = chring_position(crowded, &number, sizeof(number));
	struct chring_answer a;
	int ret = chring_lookup(crowded, &number, sizeof(number), &a);

	if (ret == -ENODATA || ret == -EHOSTUNREACH)
		return a.epoch;
	return !ret && sane(&a, a.epoch) && replicas_sane(position, a.epoch) ?
	       a.epoch : 0;
}

static void look_often(struct reader *r, bool hard, u32 n)
{
	struct probe_crowd *sum = &r->sum[hard];
	u64 epoch;

	while (n--) {
		r->random[hard] = r->random[hard] * 1664525 + 1013904223;
		rcu_read_lock();
		epoch = look(r->random[hard]);
		rcu_read_unlock();
		sum->lookups++;
		sum->wrong += !epoch;
		sum->backwards += epoch && epoch < r->seen[hard];
		sum->epochs += epoch && epoch != r->seen[hard];
		if (epoch)
			r->seen[hard] = epoch;
	}
}

static void look_softly(struct timer_list *t)
{
	struct reader *r = container_of(t, struct reader, soft);

	look_often(r, false, SOFT_AT_ONCE);
	if (!READ_ONCE(stopping))
		mod_timer(&r->soft, jiffies + 1);
}

static enum hrtimer_restart look_hard(struct hrtimer *t)
{
	struct reader *r = container_of(t, struct reader, hard);

	look_often(r, true, HARD_AT_ONCE);
	if (READ_ONCE(stopping))
		return HRTIMER_NORESTART;
	hrtimer_forward_now(t, HARD_EVERY);
	return HRTIMER_RESTART;
}

/* On the processor that it is of. */
static void start_here(void *unused)
{
	struct reader *r = this_cpu_ptr(&readers);

	hrtimer_start(&r->hard, HARD_EVERY, HRTIMER_MODE_REL_PINNED_HARD);
	r->soft.expires = jiffies + 1;
	add_timer_on(&r->soft, smp_processor_id());
}

int probe_crowd_start(struct chring_ring *ring)
{
	int cpu;

	if (crowded)
		return -EBUSY;
	crowded = ring;
	base = 0;
	stopping = false;
	for_each_possible_cpu(cpu) {
		struct reader *r = per_cpu_ptr(&readers, cpu);

		memset(r, 0, sizeof(*r));
		r->random[0] = r->random[1] = cpu;
		timer_setup(&r->soft, look_softly, TIMER_PINNED);
		hrtimer_init(&r->hard, CLOCK_MONOTONIC,
			     HRTIMER_MODE_REL_PINNED_HARD);
		r->hard.function = look_hard;
	}
	on_each_cpu(start_here, NULL, 1);
	return 0;
}

static void add_up(struct probe_crowd *sum, const struct reader *r)
{
	int i;

	for (i = 0; i < 2; i++) {
		sum->lookups += r->sum[i].lookups;
		sum->wrong += r->sum[i].wrong;
		sum->backwards += r->sum[i].backwards;
		sum->epochs += r->sum[i].epochs;
	}
	sum->soft += r->sum[0].lookups;
	sum->hard += r->sum[1].lookups;
	sum->processors += r->sum[0].lookups && r->sum[1].lookups;
}

/* While they look, and so about. */
u32 probe_crowd_seen(void)
{
	u64 epochs = 0;
	int cpu, i;

	for_each_possible_cpu(cpu)
		for (i = 0; i < 2; i++)
			epochs += READ_ONCE(per_cpu(readers, cpu).sum[i].epochs);
	return min_t(u64, epochs, U32_MAX);
}

int probe_crowd_stop(struct probe_crowd *sum)
{
	int cpu;

	*sum = (struct probe_crowd){};
	if (!crowded)
		return -ENXIO;
	WRITE_ONCE(stopping, true);
	for_each_possible_cpu(cpu) {
		struct reader *r = per_cpu_ptr(&readers, cpu);

		del_timer_sync(&r->soft);
		hrtimer_cancel(&r->hard);
		add_up(sum, r);
	}
	crowded = NULL;
	return 0;
}

static int one_round(struct chring_ring *ring, u64 number, u32 nodes,
		     struct probe_tag *tag)
{
	static struct chring_server server[NODES_MAX];
	static char name[NODES_MAX][8];
	u32 i;

	for (i = 0; i < nodes; i++) {
		/* In no order, and a node comes and goes now and then. */
		u32 k = (i * 7 + number) % nodes;

		server[i] = (struct chring_server){
			.name = name[i],
			.name_len = scnprintf(name[i], sizeof(name[i]), "n%u",
					      k == 0 && number % 5 == 0 ?
					      NODES_MAX : k),
			.weight = 1 + (number + k) % 3,
			.cookie = number,
			.priv = tag,
		};
	}
	return chring_replace(ring, server, nodes);
}

int probe_rounds(struct chring_ring *ring, u32 rounds, u32 nodes)
{
	struct probe_tag *tag, *old = NULL;
	int ret = 0;
	u32 n;

	if (!nodes || nodes > NODES_MAX)
		return -EINVAL;
	WRITE_ONCE(base, chring_epoch(ring));
	for (n = 1; n <= rounds && !ret; n++) {
		tag = kmalloc(sizeof(*tag), GFP_KERNEL);
		if (!tag) {
			ret = -ENOMEM;
			break;
		}
		tag->tag = n;
		ret = one_round(ring, n, nodes, tag);
		/* Nobody begins to look at the old one any more. */
		if (ret)
			kfree(tag);
		else if (old)
			kfree_rcu(old, rcu);
		if (!ret)
			old = tag;
		if (signal_pending(current))
			break;
	}
	/* What the last one points to has an end, too. */
	if (old) {
		int emptied = chring_replace(ring, NULL, 0);

		if (emptied)
			return emptied;
		kfree_rcu(old, rcu);
	}
	return ret;
}
