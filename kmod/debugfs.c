// SPDX-License-Identifier: GPL-2.0
/*
 * What an operator can watch, under debugfs: chring/rings, a line a ring in the
 * order of their ids, and chring/memory. To look costs rings nothing: no lock of
 * theirs is held.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "budget.h"
#include "debugfs.h"
#include "registry.h"

static struct dentry *dir;

/* A position is the least id of the rings to come: some go, and others come. */
static void *rings_from(loff_t *pos)
{
	struct chring_ring *ring = chring_registry_next(*pos);

	if (ring)
		*pos = ring->id;
	return ring;
}

static void *rings_start(struct seq_file *m, loff_t *pos)
{
	return *pos ? rings_from(pos) : SEQ_START_TOKEN;
}

static void *rings_next(struct seq_file *m, void *p, loff_t *pos)
{
	if (p != SEQ_START_TOKEN)
		chring_ring_put(p);
	++*pos;
	return rings_from(pos);
}

static void rings_stop(struct seq_file *m, void *p)
{
	if (p && p != SEQ_START_TOKEN)
		chring_ring_put(p);
}

static void show_view(struct seq_file *m, const struct chring_view *v)
{
	seq_printf(m, " %8llu %8llu %6u %6u %6u %9u %10zu", v->epoch,
		   v->table_epoch, v->nodes, v->live, v->zones,
		   v->table->count, chring_view_total_bytes(v));
}

static int rings_show(struct seq_file *m, void *p)
{
	struct chring_ring *ring = p;
	const struct chring_view *v;

	if (p == SEQ_START_TOKEN) {
		seq_puts(m, "      id    epoch tokensat  nodes   live  zones    tokens      bytes    retired  tickets   walk name\n");
		return 0;
	}
	rcu_read_lock();
	v = chring_ring_view(ring);
	if (v) {
		seq_printf(m, "%8llu", ring->id);
		show_view(m, v);
		seq_printf(m, " %10ld %8llu %6u %s\n",
			   atomic_long_read(&ring->retired_bytes),
			   READ_ONCE(ring->loads.tickets),
			   READ_ONCE(ring->worst_walk), ring->name);
	}
	rcu_read_unlock();
	return 0;
}

static const struct seq_operations rings_sops = {
	.start = rings_start,
	.next = rings_next,
	.stop = rings_stop,
	.show = rings_show,
};
DEFINE_SEQ_ATTRIBUTE(rings);

static int memory_show(struct seq_file *m, void *p)
{
	seq_printf(m, "used  %lu\nlimit %lu\nrings %u\n", chring_budget_used(),
		   chring_budget_max(), chring_registry_count());
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(memory);

/* Without debugfs there is nothing to watch, and nothing amiss. */
void chring_debugfs_init(void)
{
	dir = debugfs_create_dir("chring", NULL);
	debugfs_create_file("rings", 0400, dir, NULL, &rings_fops);
	debugfs_create_file("memory", 0400, dir, NULL, &memory_fops);
}

void chring_debugfs_exit(void)
{
	debugfs_remove(dir);
}
