// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/chring: descriptors, and the table of commands. Sizes, flags of the
 * descriptor and the copying of arguments are dealt with here, once; commands
 * see kernel memory.
 */
#include <linux/compat.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "chardev.h"
#include "events.h"
#include "mapping.h"
#include "registry.h"
#include "tickets.h"

#define CMD_READS	(1U << 0)	/* needs a descriptor open for reading */
#define CMD_CHANGES	(1U << 1)	/* ... for writing */
#define CMD_OF_RING	(1U << 2)	/* asks for the descriptor's ring */
#define CMD_HANDS_OUT	(1U << 3)	/* looks after mode and answer itself */

/**
 * struct command - one command
 * @ioc: number
 * @flags: CMD_*
 * @min: size of the struct's first version
 * @size: size of the struct
 * @out: where its outputs begin
 * @out_end: where they end
 * @pad: offset of a u32 that must be 0 and may stand among the outputs; 0: none
 * @fn: does it
 */
struct command {
	unsigned int ioc;
	u32 flags;
	u32 min;
	u32 size;
	u32 out;
	u32 out_end;
	u32 pad;
	int (*fn)(struct chring_call *call);
};

#define COMMAND(_ioc, _flags, _fn, _struct, _v1_last, _out_first, _out_last,  \
		_pad)							      \
	[_IOC_NR(_ioc)] = {						      \
		.ioc = _ioc,						      \
		.flags = _flags,					      \
		.min = offsetofend(struct _struct, _v1_last),		      \
		.size = sizeof(struct _struct),				      \
		.out = offsetof(struct _struct, _out_first),		      \
		.out_end = offsetofend(struct _struct, _out_last),	      \
		.pad = _pad,						      \
		.fn = _fn,						      \
	}

static const struct command commands[] = {
	COMMAND(CHRING_IOC_INFO, CMD_READS, chring_cmd_info, chring_info,
		out_kfuncs, out_version, out_kfuncs, 0),
	COMMAND(CHRING_IOC_RING_CREATE, CMD_CHANGES, chring_cmd_ring_create,
		chring_ring_create, out_ring, out_ring, out_ring, 0),
	COMMAND(CHRING_IOC_RING_DELETE, CMD_CHANGES, chring_cmd_ring_delete,
		chring_ring_name, out_ring, out_ring, out_ring,
		offsetof(struct chring_ring_name, reserved)),
	COMMAND(CHRING_IOC_BIND, 0, chring_cmd_bind,
		chring_ring_name, out_ring, out_ring, out_ring,
		offsetof(struct chring_ring_name, reserved)),
	COMMAND(CHRING_IOC_RING_LIST, CMD_READS, chring_cmd_ring_list,
		chring_ring_list, reserved, out_count, out_count,
		offsetof(struct chring_ring_list, reserved)),
	COMMAND(CHRING_IOC_NODE_ADD, CMD_CHANGES | CMD_OF_RING,
		chring_cmd_node_add, chring_node_change, out_node, out_ring,
		out_node, 0),
	COMMAND(CHRING_IOC_NODE_SET, CMD_CHANGES | CMD_OF_RING,
		chring_cmd_node_set, chring_node_change, out_node, out_ring,
		out_node, 0),
	COMMAND(CHRING_IOC_NODE_DEL, CMD_CHANGES | CMD_OF_RING,
		chring_cmd_node_del, chring_node_change, out_node, out_ring,
		out_node, 0),
	COMMAND(CHRING_IOC_NODE_LIST, CMD_READS | CMD_OF_RING,
		chring_cmd_node_list, chring_node_list, out_digest, out_count,
		out_digest, offsetof(struct chring_node_list, reserved)),
	COMMAND(CHRING_IOC_COMMIT, CMD_CHANGES | CMD_OF_RING,
		chring_cmd_commit, chring_commit, dry, out_ring, out_digest,
		offsetof(struct chring_commit, reserved)),
	COMMAND(CHRING_IOC_LOOKUP, CMD_READS | CMD_OF_RING, chring_cmd_lookup,
		chring_lookup, out_epoch, out_count, out_epoch, 0),
	COMMAND(CHRING_IOC_LOOKUP_BATCH, CMD_READS | CMD_OF_RING,
		chring_cmd_lookup_batch, chring_lookup_batch, out_epoch,
		out_done, out_epoch,
		offsetof(struct chring_lookup_batch, reserved)),
	COMMAND(CHRING_IOC_ACQUIRE, CMD_HANDS_OUT | CMD_OF_RING,
		chring_cmd_acquire, chring_acquire, out_epoch, out_node,
		out_epoch, offsetof(struct chring_acquire, reserved)),
	COMMAND(CHRING_IOC_RELEASE, CMD_HANDS_OUT | CMD_OF_RING,
		chring_cmd_release, chring_release, out_epoch, out_load,
		out_epoch, offsetof(struct chring_release, reserved)),
	COMMAND(CHRING_IOC_STATS, CMD_READS | CMD_OF_RING, chring_cmd_stats,
		chring_stats, out_name, out_nodes, out_most_hi, 0),
	COMMAND(CHRING_IOC_RANGES, CMD_READS | CMD_OF_RING, chring_cmd_ranges,
		chring_circle_list, out_former_epoch, out_count,
		out_former_epoch, 0),
	COMMAND(CHRING_IOC_DIFF, CMD_READS | CMD_OF_RING, chring_cmd_diff,
		chring_circle_list, out_former_epoch, out_count,
		out_former_epoch, 0),
	COMMAND(CHRING_IOC_TOKENS, CMD_READS | CMD_OF_RING, chring_cmd_tokens,
		chring_circle_list, out_former_epoch, out_count,
		out_former_epoch, 0),
	COMMAND(CHRING_IOC_PIN, CMD_CHANGES | CMD_OF_RING, chring_cmd_pin,
		chring_pin, out_digest, out_ring, out_digest, 0),
	COMMAND(CHRING_IOC_UNPIN, CMD_CHANGES | CMD_OF_RING, chring_cmd_unpin,
		chring_pin, out_digest, out_ring, out_digest, 0),
};

/* Once a size is in the world it stays; a hole would leak or be misread. */
static_assert(sizeof(struct chring_config) == 64);
static_assert(sizeof(struct chring_info) == 64);
static_assert(sizeof(struct chring_ring_create) == 40);
static_assert(sizeof(struct chring_ring_name) == 32);
static_assert(sizeof(struct chring_ring_entry) == 128);
static_assert(sizeof(struct chring_ring_list) == 32);
static_assert(sizeof(struct chring_node_change) == 152);
static_assert(sizeof(struct chring_transfer) == 32);
static_assert(sizeof(struct chring_dry_run) == 40);
static_assert(sizeof(struct chring_member) == 32);
static_assert(sizeof(struct chring_commit) == 136);
static_assert(sizeof(struct chring_node_entry) == 48);
static_assert(sizeof(struct chring_node_list) == 80);
static_assert(sizeof(struct chring_owner) == 16);
static_assert(sizeof(struct chring_lookup) == 104);
static_assert(sizeof(struct chring_lookup_batch) == 72);
static_assert(sizeof(struct chring_acquire) == 104);
static_assert(sizeof(struct chring_release) == 72);
static_assert(sizeof(struct chring_node_share) == 48);
static_assert(sizeof(struct chring_stats) == 224);
static_assert(sizeof(struct chring_pin) == 56);
static_assert(sizeof(struct chring_event) == 104);
static_assert(CHRING_EVENTS_KEPT == CHRING_LOG_MAX);
static_assert(sizeof(struct chring_range) == 40);
static_assert(sizeof(struct chring_diff_entry) == 32);
static_assert(sizeof(struct chring_token) == 16);
static_assert(sizeof(struct chring_circle_list) == 88);
/* A layout: every word has its place. */
static_assert(sizeof(struct chring_status) == 128 + CHRING_NODES_MAX / 8);
static_assert(offsetof(struct chring_status, sequence) == 8);
static_assert(offsetof(struct chring_status, ring) == 16);
static_assert(offsetof(struct chring_status, epoch) == 24);
static_assert(offsetof(struct chring_status, table_epoch) == 32);
static_assert(offsetof(struct chring_status, nodes_epoch) == 40);
static_assert(offsetof(struct chring_status, live) == 48);
static_assert(offsetof(struct chring_status, out) == 128);

/**
 * struct descriptor - what an open file of the device holds
 * @ring: NULL at first, set once, under @bond
 * @bond: held for nothing else; taken under mmap_lock
 * @cursor: which records of the ring's log it has read; starts with the bond
 * @tickets: of @ring
 */
struct descriptor {
	struct chring_ring *ring;
	struct mutex bond;
	struct chring_cursor cursor;
	struct chring_tickets tickets;
};

struct chring_ring *chring_file_ring(struct file *file)
{
	struct descriptor *d = file->private_data;

	/* Pairs with the release below: ring and cursor are there before. */
	return smp_load_acquire(&d->ring);
}

struct chring_tickets *chring_file_tickets(struct file *file)
{
	struct descriptor *d = file->private_data;

	return &d->tickets;
}

int chring_file_bind(struct file *file, struct chring_ring *ring)
{
	struct descriptor *d = file->private_data;
	int ret = -EBUSY;

	mutex_lock(&d->bond);
	if (!d->ring) {
		chring_cursor_start(&d->cursor, ring);
		/* Pairs with chring_file_ring(). */
		smp_store_release(&d->ring, ring);
		ret = 0;
	}
	mutex_unlock(&d->bond);
	return ret;
}

static int bind_default(struct file *file)
{
	struct chring_ring *ring;

	if (chring_file_ring(file))
		return 0;
	ring = chring_registry_find(CHRING_DEFAULT_RING,
				    strlen(CHRING_DEFAULT_RING), false);
	if (!ring)
		return -ENODEV;
	/* Somebody was quicker with the same descriptor: then that one holds. */
	if (chring_file_bind(file, ring))
		chring_ring_put(ring);
	return 0;
}

bool chring_call_sees_tokens(const struct chring_call *call)
{
	return !chring_config_keyed(&call->ring->config) ||
	       call->file->f_mode & FMODE_WRITE;
}

int chring_call_answer(const struct chring_call *call)
{
	return copy_to_user(call->user, call->arg, call->size) ? -EFAULT : 0;
}

int chring_get_name(char *to, u64 user, u32 len, u32 max)
{
	if (!len)
		return -EINVAL;
	if (len > max)
		return -ENAMETOOLONG;
	return copy_from_user(to, u64_to_user_ptr(user), len) ? -EFAULT : 0;
}

int chring_check_entry(u32 size, u32 min)
{
	return size < min || size > PAGE_SIZE || size % 8 ? -EINVAL : 0;
}

int chring_put_entries(u64 user, u32 user_size, const void *entry, u32 size,
		       u32 n)
{
	void __user *to = u64_to_user_ptr(user);
	u32 both = min(size, user_size);
	u32 i;

	if (size == user_size)
		return copy_to_user(to, entry, (size_t)n * size) ? -EFAULT : 0;
	for (i = 0; i < n; i++, to += user_size, entry += size) {
		if (copy_to_user(to, entry, both) ||
		    clear_user(to + both, user_size - both))
			return -EFAULT;
		if (chring_pause())
			return -EINTR;
	}
	return 0;
}

static const struct command *find_command(unsigned int ioc)
{
	u32 nr = _IOC_NR(ioc);

	if (nr >= ARRAY_SIZE(commands) || !commands[nr].fn ||
	    commands[nr].ioc != ioc)
		return NULL;
	return &commands[nr];
}

static int check_descriptor(struct file *file, const struct command *cmd)
{
	struct chring_ring *ring = chring_file_ring(file);

	/* Access mode 3 of open() is for ioctl() alone. */
	if (!(file->f_mode & (FMODE_READ | FMODE_WRITE)))
		return -EBADF;
	if (cmd->flags & CMD_READS && !(file->f_mode & FMODE_READ))
		return -EBADF;
	if (cmd->flags & CMD_CHANGES && !(file->f_mode & FMODE_WRITE))
		return -EBADF;
	if (ring && chring_ring_deleted(ring))
		return -ENODEV;
	return 0;
}

/* Its owner alone changes a private ring. */
static int check_ring(const struct chring_ring *ring,
		      const struct command *cmd)
{
	return cmd->flags & CMD_OF_RING &&
	       cmd->flags & (CMD_CHANGES | CMD_HANDS_OUT) &&
	       ring->flags & CHRING_RING_PRIVATE ? -EPERM : 0;
}

static int get_argument(const struct command *cmd, union chring_arg *arg,
			struct chring_call *call)
{
	u8 *bytes = (u8 *)arg;
	u32 size;
	int ret;

	if (get_user(size, (u32 __user *)call->user))
		return -EFAULT;
	if (size < cmd->min)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	ret = copy_struct_from_user(arg, cmd->size, call->user, size);
	if (ret)
		return ret;
	/* It was read twice; what counts is what was checked. */
	memcpy(bytes, &size, sizeof(size));
	if (cmd->pad && memchr_inv(bytes + cmd->pad, 0, sizeof(u32)))
		return -EINVAL;
	memset(bytes + cmd->out, 0, cmd->out_end - cmd->out);
	call->size = min(size, cmd->size);
	return 0;
}

static long chring_ioctl(struct file *file, unsigned int ioc, unsigned long p)
{
	const struct command *cmd = find_command(ioc);
	union chring_arg arg;
	struct chring_call call = {
		.file = file,
		.arg = &arg,
		.user = (void __user *)p,
	};
	int ret;

	if (!cmd)
		return -ENOTTY;
	ret = check_descriptor(file, cmd);
	if (!ret)
		ret = get_argument(cmd, &arg, &call);
	if (!ret && cmd->flags & CMD_OF_RING)
		ret = bind_default(file);
	if (ret)
		return ret;
	call.ring = chring_file_ring(file);
	ret = check_ring(call.ring, cmd);
	if (!ret)
		ret = cmd->fn(&call);
	/* A change has answered before it took place: then there is no more. */
	if ((ret || !(cmd->flags & (CMD_CHANGES | CMD_HANDS_OUT))) &&
	    chring_call_answer(&call))
		return ret ? : -EFAULT;
	return ret;
}

static ssize_t chring_read(struct file *file, char __user *to, size_t size,
			   loff_t *pos)
{
	struct descriptor *d = file->private_data;
	int ret = bind_default(file);

	if (ret)
		return ret;
	return chring_events_read(chring_file_ring(file), &d->cursor,
				  !(file->f_flags & O_NONBLOCK), to, size);
}

static __poll_t chring_poll(struct file *file, poll_table *table)
{
	struct descriptor *d = file->private_data;

	if (bind_default(file))
		return EPOLLERR | EPOLLHUP;
	return chring_events_poll(chring_file_ring(file), &d->cursor, file,
				  table);
}

static int chring_mmap(struct file *file, struct vm_area_struct *vma)
{
	int ret = chring_mapping_check(vma);

	if (!ret)
		ret = bind_default(file);
	return ret ? ret : chring_mapping_make(chring_file_ring(file), vma);
}

static int chring_open(struct inode *inode, struct file *file)
{
	/* Not of the budget: who frees memory must be able to ask for it. */
	struct descriptor *d = kzalloc(sizeof(*d), GFP_KERNEL_ACCOUNT);

	if (!d)
		return -ENOMEM;
	mutex_init(&d->bond);
	chring_cursor_init(&d->cursor);
	chring_tickets_init(&d->tickets);
	file->private_data = d;
	return nonseekable_open(inode, file);
}

static int chring_release(struct inode *inode, struct file *file)
{
	struct chring_ring *ring = chring_file_ring(file);
	struct descriptor *d = file->private_data;

	chring_tickets_end(&d->tickets, ring);
	if (ring)
		chring_ring_put(ring);
	mutex_destroy(&d->bond);
	kfree(d);
	return 0;
}

static const struct file_operations chring_fops = {
	.owner = THIS_MODULE,
	.open = chring_open,
	.release = chring_release,
	.unlocked_ioctl = chring_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.read = chring_read,
	.poll = chring_poll,
	.mmap = chring_mmap,
};

static struct miscdevice chring_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "chring",
	.fops = &chring_fops,
	.mode = 0644,
};

int chring_chardev_init(void)
{
	return misc_register(&chring_misc);
}

void chring_chardev_exit(void)
{
	misc_deregister(&chring_misc);
}
