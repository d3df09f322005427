// SPDX-License-Identifier: GPL-2.0
/* A notifier that writes down what it is told. */
#include <linux/delay.h>
#include <linux/uaccess.h>

#include "probe_ring.h"

static void write_down(struct probe_ears *ears, const struct probe_notice *n)
{
	spin_lock(&ears->lock);
	if (ears->count < NOTICES_MAX)
		ears->notice[ears->count] = *n;
	ears->count++;
	spin_unlock(&ears->lock);
}

static int hear(struct notifier_block *nb, unsigned long action, void *data)
{
	struct probe_ears *ears = container_of(nb, struct probe_ears, nb);
	const struct chring_notice *notice = data;
	struct chring_answer answer;

	WRITE_ONCE(ears->running, true);
	chring_lookup(ears->ring, "key", 3, &answer);
	write_down(ears, &(struct probe_notice){
		.action = action,
		.ring = notice->ring,
		.epoch = notice->epoch,
		.generation = notice->generation,
		.digest = notice->digest,
		.seen = answer.epoch,
		.added = notice->added,
		.removed = notice->removed,
		.changed = notice->changed,
		.flipped = notice->flipped,
	});
	/* It may sleep. */
	msleep(ears->delay);
	WRITE_ONCE(ears->running, false);
	return NOTIFY_STOP;
}

int probe_listen(struct probe_ears *ears, struct chring_ring *ring,
		 const struct probe_call *call)
{
	int ret;

	if (!ears->on) {
		ears->count = 0;
		ears->ring = ring;
		ears->delay = call->delay;
		ears->nb.notifier_call = hear;
		ears->nb.priority = call->name;
	}
	ret = chring_notifier_register(ring, &ears->nb);
	if (!ret)
		ears->on = true;
	return ret;
}

int probe_unlisten(struct probe_ears *ears)
{
	int ret;

	if (!ears->on)
		return -ENXIO;
	ret = chring_notifier_unregister(ears->ring, &ears->nb);
	if (READ_ONCE(ears->running))
		return -EBUSY;
	if (!ret)
		ears->on = false;
	return ret;
}

int probe_notices(struct probe_ears *ears, const struct probe_call *call)
{
	struct probe_notice __user *to = u64_to_user_ptr(call->out);
	struct probe_notice n;
	u32 count, i;

	spin_lock(&ears->lock);
	count = ears->count;
	spin_unlock(&ears->lock);
	for (i = 0; i < min3(count, call->n, (u32)NOTICES_MAX); i++) {
		spin_lock(&ears->lock);
		n = ears->notice[i];
		spin_unlock(&ears->lock);
		if (copy_to_user(to + i, &n, sizeof(n)))
			return -EFAULT;
	}
	return count;
}
