/* SPDX-License-Identifier: GPL-2.0 */
/* The door for programs: what its commands share. */
#ifndef CHRING_CHARDEV_H
#define CHRING_CHARDEV_H

#include <linux/fs.h>

#include "ring.h"

int chring_chardev_init(void);
void chring_chardev_exit(void);

/* The argument of a command, whichever it is. */
union chring_arg {
	struct chring_info info;
	struct chring_ring_create ring_create;
	struct chring_ring_name ring_name;
	struct chring_ring_list ring_list;
	struct chring_node_change node_change;
	struct chring_node_list node_list;
	struct chring_lookup lookup;
	struct chring_lookup_batch batch;
	struct chring_acquire acquire;
	struct chring_release release;
	struct chring_stats stats;
	struct chring_pin pin;
	struct chring_commit commit;
	struct chring_circle_list circle_list;
};

/**
 * struct chring_call - a command under way
 * @file: descriptor
 * @ring: its ring, for commands that ask for one
 * @arg: argument, in kernel memory; its outputs are 0 when the command begins
 * @user: argument, in user memory
 * @size: bytes to be written back to @user
 */
struct chring_call {
	struct file *file;
	struct chring_ring *ring;
	union chring_arg *arg;
	void __user *user;
	size_t size;
};

/**
 * chring_call_answer() - write the argument back
 * @call: call
 *
 * Commands that change or hand out do this themselves, while what they did can
 * be undone; for the others it is done when they have returned.
 *
 * May sleep. Return: 0 or -EFAULT.
 */
int chring_call_answer(const struct chring_call *call);

/* May the descriptor know what reveals the tokens of its ring? */
bool chring_call_sees_tokens(const struct chring_call *call);

/**
 * chring_file_ring() - the ring a descriptor belongs to by now
 * @file: descriptor of /dev/chring
 *
 * Return: ring, for as long as the descriptor lives; or NULL.
 */
struct chring_ring *chring_file_ring(struct file *file);

/**
 * chring_file_bind() - make a descriptor belong to a ring
 * @file: descriptor of /dev/chring
 * @ring: with a reference, which the descriptor takes over on success
 *
 * Return: 0, or -EBUSY if it belongs to one already.
 */
int chring_file_bind(struct file *file, struct chring_ring *ring);

struct chring_tickets;

/* Those that a descriptor holds. */
struct chring_tickets *chring_file_tickets(struct file *file);

/**
 * chring_key_position() - where a key is
 * @ring: on whose circle
 * @arg: @flags, @key, @key_len and @position of it count, and are checked
 * @position: set, as the inside of the module sees it
 *
 * May sleep. Return: 0, -EFAULT, -ERANGE (a position), -ENOMEM or -EDQUOT.
 */
int chring_key_position(const struct chring_ring *ring,
			const struct chring_lookup *arg, u64 *position);

/**
 * chring_get_name() - bytes of a name from user memory
 * @to: room for @max bytes
 * @user: pointer as passed by the caller
 * @len: as passed by the caller
 * @max: limit
 *
 * May sleep. Return: 0, -EINVAL (empty), -ENAMETOOLONG or -EFAULT.
 */
int chring_get_name(char *to, u64 user, u32 len, u32 max);

/**
 * chring_check_entry() - is an entry_size sound?
 * @size: the caller's
 * @min: size of the entry's first version
 *
 * Return: 0 or -EINVAL.
 */
int chring_check_entry(u32 size, u32 min);

/**
 * chring_put_entries() - an array to user memory
 * @user: pointer as passed by the caller
 * @user_size: of an entry of the caller, checked
 * @entry: array
 * @size: of an entry of ours
 * @n: entries
 *
 * Cuts entries or fills them up with zeroes.
 *
 * May sleep. Return: 0, -EFAULT, or -EINTR if the caller is being killed.
 */
int chring_put_entries(u64 user, u32 user_size, const void *entry,
		       u32 size, u32 n);

struct chring_moves;

/**
 * chring_dry_run_check() - is what a change says of a dry run sound?
 * @dry: as passed by the caller; its outputs become 0
 * @wanted: it is one
 *
 * Return: 0 or -EINVAL.
 */
int chring_dry_run_check(struct chring_dry_run *dry, bool wanted);

/**
 * chring_dry_run_answer() - tell what would move
 * @dry: checked; its outputs are set
 * @m: what would
 *
 * May sleep. Return: 0, -EMSGSIZE, -EFAULT, or -EINTR if the caller is being
 * killed.
 */
int chring_dry_run_answer(struct chring_dry_run *dry,
			  const struct chring_moves *m);

/* The commands; each returns 0 or what uapi/linux/chring.h says of it. */
int chring_cmd_info(struct chring_call *call);
int chring_cmd_ring_create(struct chring_call *call);
int chring_cmd_ring_delete(struct chring_call *call);
int chring_cmd_ring_list(struct chring_call *call);
int chring_cmd_bind(struct chring_call *call);
int chring_cmd_node_add(struct chring_call *call);
int chring_cmd_node_set(struct chring_call *call);
int chring_cmd_node_del(struct chring_call *call);
int chring_cmd_node_list(struct chring_call *call);
int chring_cmd_commit(struct chring_call *call);
int chring_cmd_lookup(struct chring_call *call);
int chring_cmd_lookup_batch(struct chring_call *call);
int chring_cmd_acquire(struct chring_call *call);
int chring_cmd_release(struct chring_call *call);
int chring_cmd_stats(struct chring_call *call);
int chring_cmd_pin(struct chring_call *call);
int chring_cmd_unpin(struct chring_call *call);
int chring_cmd_ranges(struct chring_call *call);
int chring_cmd_diff(struct chring_call *call);
int chring_cmd_tokens(struct chring_call *call);

#endif /* CHRING_CHARDEV_H */
