// SPDX-License-Identifier: GPL-2.0
/* What changes of nodes say of a dry run. */
#include "chardev.h"
#include "core/moves.h"

static void clear(struct chring_dry_run *dry)
{
	dry->out_count = 0;
	dry->out_moved_lo = 0;
	dry->out_moved_hi = 0;
}

int chring_dry_run_check(struct chring_dry_run *dry, bool wanted)
{
	clear(dry);
	if (dry->reserved || (!wanted && dry->transfers) ||
	    !dry->transfers != !dry->entry_size ||
	    (!dry->transfers && dry->count))
		return -EINVAL;
	if (!dry->transfers)
		return 0;
	return chring_check_entry(dry->entry_size,
				  offsetofend(struct chring_transfer,
					      share_hi));
}

static int put_transfers(const struct chring_dry_run *dry,
			 const struct chring_moves *m)
{
	u64 to = dry->transfers;
	u32 i;

	for (i = 0; i < m->count; i++, to += dry->entry_size) {
		const struct chring_transfer t = {
			.from = m->move[i].from,
			.to = m->move[i].to,
			.share_lo = m->move[i].share.lo,
			.share_hi = m->move[i].share.hi,
		};
		int ret = chring_put_entries(to, dry->entry_size, &t,
					     sizeof(t), 1);

		if (!ret)
			ret = chring_pause();
		if (ret)
			return ret;
	}
	return 0;
}

int chring_dry_run_answer(struct chring_dry_run *dry,
			  const struct chring_moves *m)
{
	int ret;

	dry->out_count = m->count;
	dry->out_moved_lo = m->moved.lo;
	dry->out_moved_hi = m->moved.hi;
	if (!dry->transfers)
		return 0;
	if (dry->count < m->count)
		return -EMSGSIZE;
	ret = put_transfers(dry, m);
	if (ret)
		clear(dry);
	return ret;
}
