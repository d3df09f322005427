// SPDX-License-Identifier: GPL-2.0
/* The device of chring_probe.ko: one command for each function of the API. */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "probe_ring.h"

/* Servers that are put together here, without an allocation. */
#define SERVERS_AT_HAND	16
#define STRINGS		512

/* One command at a time, but for those that ask what another one is doing. */
static DEFINE_MUTEX(lock);
static struct chring_ring *ring[PROBE_RINGS];
static struct probe_ears *ears[PROBE_EARS];
static struct probe_tag tags[PROBE_TAGS];

/* Not of the stack, and not allocated: what fails is to fail in chring. */
static struct chring_server at_hand[SERVERS_AT_HAND];
static char strings_at_hand[SERVERS_AT_HAND][STRINGS];
static struct chring_answer found[CHRING_REPLICAS_MAX];
static u8 key[256];

static int get_ring_name(char *name, const struct probe_call *call)
{
	long len = strncpy_from_user(name, u64_to_user_ptr(call->name), 128);

	return len < 0 ? len : len == 128 ? -ENAMETOOLONG : 0;
}

static int do_get(struct probe_call *call)
{
	struct chring_ring **slot = &ring[call->ring];
	char name[128];
	int ret = get_ring_name(name, call);

	if (ret)
		return ret;
	if (*slot)
		return -EBUSY;
	if (call->flags & PROBE_ATOMIC)
		local_irq_disable();
	*slot = chring_get(name);
	if (call->flags & PROBE_ATOMIC)
		local_irq_enable();
	return *slot ? 0 : -ENOENT;
}

static int do_put(struct probe_call *call)
{
	struct chring_ring **slot = &ring[call->ring];

	if (call->flags & PROBE_ATOMIC)
		local_irq_disable();
	chring_put(*slot);
	if (call->flags & PROBE_ATOMIC)
		local_irq_enable();
	*slot = NULL;
	return 0;
}

static int do_create(struct probe_call *call)
{
	struct chring_maker maker = { .keys = call->keys };
	struct chring_ring *made;
	char name[128];
	int ret = get_ring_name(name, call);

	if (ret)
		return ret;
	if (ring[call->ring])
		return -EBUSY;
	if (call->config && copy_from_user(&maker.config,
					   u64_to_user_ptr(call->config),
					   sizeof(maker.config)))
		return -EFAULT;
	maker.name = name;
	made = chring_create(&maker);
	if (IS_ERR(made))
		return PTR_ERR(made);
	ring[call->ring] = made;
	return 0;
}

static int do_show(struct probe_call *call)
{
	struct chring_ring *r = ring[call->ring];
	char name[64] = "";

	strscpy(name, chring_name(r), sizeof(name));
	call->id = chring_id(r);
	call->epoch = chring_epoch(r);
	return copy_to_user(u64_to_user_ptr(call->out), name, sizeof(name)) ?
	       -EFAULT : 0;
}

/* A length that cannot be is handed on, with as many bytes as there is room. */
static int get_string(char *to, u64 from, u32 len)
{
	return copy_from_user(to, u64_to_user_ptr(from),
			      min_t(u32, len, STRINGS / 2)) ? -EFAULT : 0;
}

static int get_server(struct chring_server *s, char *strings,
		      const struct probe_call *call, u32 i)
{
	const struct probe_server __user *from = u64_to_user_ptr(call->in);
	struct probe_server p;

	if (copy_from_user(&p, from + i, sizeof(p)))
		return -EFAULT;
	if (p.tag >= PROBE_TAGS)
		return -EDOM;
	*s = (struct chring_server){
		.name = strings,
		.name_len = p.name_len,
		.zone = strings + STRINGS / 2,
		.zone_len = p.zone_len,
		.weight = p.weight,
		.state = p.state,
		.cookie = p.cookie,
		.priv = p.tag ? &tags[p.tag] : NULL,
	};
	if (get_string(strings, p.name, p.name_len) ||
	    get_string(strings + STRINGS / 2, p.zone, p.zone_len))
		return -EFAULT;
	return 0;
}

static int do_node(struct probe_call *call, unsigned int ioc)
{
	struct chring_ring *r = ring[call->ring];
	struct chring_server *s = &at_hand[0];
	int ret = get_server(s, strings_at_hand[0], call, 0);

	if (ret)
		return ret;
	switch (ioc) {
	case PROBE_ADD:
		return chring_node_add(r, s, &call->id);
	case PROBE_SET:
		return chring_node_set(r, s);
	default:
		return chring_node_del(r, s->name, s->name_len);
	}
}

/* Many servers, in memory of their own; @n beyond all limits is handed on. */
static int replace_many(struct probe_call *call)
{
	struct chring_server *s = vzalloc(array_size(call->n, sizeof(*s)));
	char *strings = vzalloc(array_size(call->n, STRINGS));
	int ret = s && strings ? 0 : -ENOMEM;
	u32 i;

	for (i = 0; !ret && i < call->n; i++)
		ret = get_server(&s[i], strings + (size_t)i * STRINGS, call, i);
	if (!ret)
		ret = chring_replace(ring[call->ring], s, call->n);
	vfree(s);
	vfree(strings);
	return ret;
}

static int do_replace(struct probe_call *call)
{
	int ret = 0;
	u32 i;

	if (call->n > CHRING_NODES_MAX)
		return chring_replace(ring[call->ring], at_hand, call->n);
	if (call->n > SERVERS_AT_HAND)
		return replace_many(call);
	for (i = 0; !ret && i < call->n; i++)
		ret = get_server(&at_hand[i], strings_at_hand[i], call, i);
	return ret ? ret : chring_replace(ring[call->ring], at_hand, call->n);
}

static int put_answers(const struct probe_call *call,
		       const struct probe_answer *answer, u32 n)
{
	return copy_to_user(u64_to_user_ptr(call->out), answer,
			    n * sizeof(*answer)) ? -EFAULT : 0;
}

static bool has_tag(const struct chring_answer *node, void *data)
{
	const struct probe_call *call = data;

	return call->tags >> probe_tag_of(node) & 1;
}

static int look_up(const struct probe_call *call, unsigned int ioc)
{
	struct chring_ring *r = ring[call->ring];

	switch (ioc) {
	case PROBE_LOOKUP:
		return chring_lookup(r, key, call->in_len, found);
	case PROBE_LOOKUP_AT:
		return chring_lookup_position(r, call->position, found);
	case PROBE_FIT:
		return chring_lookup_fit(r, call->position, has_tag,
					 (void *)call, found);
	default:
		return chring_replicas(r, call->position, call->flags, found,
				       call->n);
	}
}

/* On failure the first answer is told all the same. */
static int do_lookup(struct probe_call *call, unsigned int ioc)
{
	static struct probe_answer answer[CHRING_REPLICAS_MAX];
	u32 n = 1, i;
	int ret;

	if (ioc == PROBE_LOOKUP && call->in_len <= sizeof(key) &&
	    copy_from_user(key, u64_to_user_ptr(call->in), call->in_len))
		return -EFAULT;
	/* What is left as it was shows. */
	memset(found, 0xa5, sizeof(found));
	found[0].priv = NULL;
	rcu_read_lock();
	ret = look_up(call, ioc);
	if (ioc == PROBE_REPLICAS)
		n = max(ret, 0);
	for (i = 0; i < n; i++)
		answer[i] = (struct probe_answer){
			.ring = found[i].ring,
			.epoch = found[i].epoch,
			.node = found[i].node,
			.cookie = found[i].cookie,
			.tag = probe_tag_of(&found[i]),
		};
	rcu_read_unlock();
	return put_answers(call, answer, n) ? : ret;
}

static int do_hash(struct probe_call *call)
{
	if (call->in_len > sizeof(key))
		return -EINVAL;
	if (copy_from_user(key, u64_to_user_ptr(call->in), call->in_len))
		return -EFAULT;
	call->position = chring_position(ring[call->ring], key, call->in_len);
	return 0;
}

static int do_disperse(struct probe_call *call)
{
	struct probe_crowd sum;
	int ret = probe_crowd_stop(&sum);

	if (!ret && copy_to_user(u64_to_user_ptr(call->out), &sum, sizeof(sum)))
		ret = -EFAULT;
	return ret;
}

static int command(struct probe_call *call, unsigned int ioc)
{
	switch (ioc) {
	case PROBE_GET:
		return do_get(call);
	case PROBE_CREATE:
		return do_create(call);
	case PROBE_DISPERSE:
		return do_disperse(call);
	case PROBE_SEEN:
		call->n = probe_crowd_seen();
		return 0;
	}
	if (!ring[call->ring])
		return -ENXIO;
	switch (ioc) {
	case PROBE_PUT:
		return do_put(call);
	case PROBE_SHOW:
		return do_show(call);
	case PROBE_ADD:
	case PROBE_SET:
	case PROBE_DEL:
		return do_node(call, ioc);
	case PROBE_REPLACE:
		return do_replace(call);
	case PROBE_LOOKUP:
	case PROBE_LOOKUP_AT:
	case PROBE_FIT:
	case PROBE_REPLICAS:
		return do_lookup(call, ioc);
	case PROBE_HASH:
		return do_hash(call);
	case PROBE_LISTEN:
		return probe_listen(ears[call->ring], ring[call->ring], call);
	case PROBE_CROWD:
		return probe_crowd_start(ring[call->ring]);
	case PROBE_ROUNDS:
		return probe_rounds(ring[call->ring], call->n, call->in_len);
	default:
		return -ENOTTY;
	}
}

/* What may be asked while a notifier runs, or waits to be let go. */
static int ears_command(const struct probe_call *call, unsigned int ioc)
{
	struct probe_ears *e = ears[call->ring];

	switch (ioc) {
	case PROBE_UNLISTEN:
		return probe_unlisten(e);
	case PROBE_LISTENING:
		return READ_ONCE(e->running);
	default:
		return probe_notices(e, call);
	}
}

static long probe_ioctl(struct file *file, unsigned int ioc, unsigned long p)
{
	struct probe_call __user *user = (void __user *)p;
	struct probe_call call;
	int ret;

	if (copy_from_user(&call, user, sizeof(call)))
		return -EFAULT;
	if (call.ring >= PROBE_RINGS ||
	    (ioc >= PROBE_LISTEN && ioc <= PROBE_NOTICES &&
	     call.ring >= PROBE_EARS))
		return -EDOM;
	if (ioc >= PROBE_UNLISTEN && ioc <= PROBE_NOTICES)
		return ears_command(&call, ioc);
	mutex_lock(&lock);
	ret = command(&call, ioc);
	mutex_unlock(&lock);
	/* What was done counts, not whether its caller hears more of it. */
	if (copy_to_user(user, &call, sizeof(call)))
		pr_debug("chring_probe: an answer is lost\n");
	return ret;
}

static const struct file_operations probe_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = probe_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice probe_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "chring-probe",
	.fops = &probe_fops,
	.mode = 0600,
};

static void free_ears(void)
{
	u32 i;

	for (i = 0; i < PROBE_EARS; i++)
		vfree(ears[i]);
}

static char *make;
module_param(make, charp, 0444);
MODULE_PARM_DESC(make, "name of a private ring to begin with, with nodes a, b and c");

static unsigned int keys;
module_param(keys, uint, 0444);
MODULE_PARM_DESC(keys, "what its keys are: a number of enum chring_keys");

/* For those who cannot ask for it: scripts. */
static int make_ring(void)
{
	const struct chring_maker maker = { .name = make, .keys = keys };
	static const char * const name[] = { "a", "b", "c" };
	u32 i;
	int ret = 0;

	if (!make)
		return 0;
	ring[0] = chring_create(&maker);
	if (IS_ERR(ring[0])) {
		ret = PTR_ERR(ring[0]);
		ring[0] = NULL;
	}
	for (i = 0; i < ARRAY_SIZE(name) && !ret; i++) {
		const struct chring_server s = {
			.name = name[i],
			.name_len = 1,
			.weight = 1,
			.priv = &tags[i + 1],
		};

		ret = chring_node_add(ring[0], &s, NULL);
	}
	return ret;
}

static int __init probe_init(void)
{
	u32 i;
	int ret = 0;

	for (i = 0; i < PROBE_TAGS; i++)
		tags[i].tag = i;
	for (i = 0; i < PROBE_EARS && !ret; i++) {
		ears[i] = vzalloc(sizeof(*ears[i]));
		if (ears[i])
			spin_lock_init(&ears[i]->lock);
		else
			ret = -ENOMEM;
	}
	if (!ret)
		ret = make_ring();
	if (!ret)
		ret = misc_register(&probe_misc);
	if (ret) {
		chring_put(ring[0]);
		free_ears();
	}
	return ret;
}

/* What a test has left behind is given back in the order that the API asks. */
static void __exit probe_exit(void)
{
	struct probe_crowd sum;
	u32 i;

	misc_deregister(&probe_misc);
	probe_crowd_stop(&sum);
	for (i = 0; i < PROBE_EARS; i++)
		probe_unlisten(ears[i]);
	for (i = 0; i < PROBE_RINGS; i++)
		chring_put(ring[i]);
	free_ears();
	rcu_barrier();
}

module_init(probe_init);
module_exit(probe_exit);

MODULE_DESCRIPTION("Has programs test chring's API for kernel modules");
MODULE_AUTHOR("The chring developers");
MODULE_IMPORT_NS(CHRING);
MODULE_LICENSE("GPL");
