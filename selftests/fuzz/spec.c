// SPDX-License-Identifier: GPL-2.0
#include "libtest.h"
#include "spec.h"

#define FIELD(_kind, _struct, _field)					\
	{								\
		.kind = _kind,						\
		.size = sizeof(((struct _struct *)0)->_field),		\
		.off = offsetof(struct _struct, _field),		\
	}

#define END_OF(_struct, _field)						\
	(offsetof(struct _struct, _field) + sizeof(((struct _struct *)0)->_field))

static const struct field info_fields[] = {
#define F(kind, field)	FIELD(kind, chring_info, field)
	F(F_FLAGS, flags), F(F_OUT, out_version), F(F_OUT, out_rings),
	F(F_OUT, out_hashes), F(F_OUT, out_layouts), F(F_OUT, out_ring),
	F(F_OUT, out_total_bytes), F(F_OUT, out_max_total_bytes),
	F(F_OUT, out_max_tokens), F(F_OUT, out_kfuncs), {}
#undef F
};

static const struct field create_fields[] = {
#define F(kind, field)	FIELD(kind, chring_ring_create, field)
	F(F_FLAGS, flags), F(F_PTR, name), F(F_COUNT, name_len),
	F(F_COUNT, config_size), F(F_PTR, config), F(F_FACT, out_ring), {}
#undef F
};

static const struct field name_fields[] = {
#define F(kind, field)	FIELD(kind, chring_ring_name, field)
	F(F_FLAGS, flags), F(F_PTR, name), F(F_COUNT, name_len),
	F(F_PAD, reserved), F(F_FACT, out_ring), {}
#undef F
};

static const struct field ring_list_fields[] = {
#define F(kind, field)	FIELD(kind, chring_ring_list, field)
	F(F_FLAGS, flags), F(F_PTR, entries), F(F_ENTRY, entry_size),
	F(F_COUNT, count), F(F_FACT, out_count), F(F_PAD, reserved), {}
#undef F
};

#define DRY_FIELDS							\
	F(F_PTR, dry.transfers), F(F_ENTRY, dry.entry_size),		\
	F(F_COUNT, dry.count), F(F_FACT, dry.out_count),		\
	F(F_PAD, dry.reserved), F(F_FACT, dry.out_moved_lo),		\
	F(F_FACT, dry.out_moved_hi)

static const struct field node_fields[] = {
#define F(kind, field)	FIELD(kind, chring_node_change, field)
	F(F_FLAGS, flags), F(F_ID, node), F(F_PTR, name),
	F(F_COUNT, name_len), F(F_COUNT, zone_len), F(F_PTR, zone),
	F(F_VALUE, weight), F(F_VALUE, state), F(F_VALUE, cookie),
	F(F_EPOCH, epoch), F(F_GEN, generation), F(F_FACT, out_ring),
	F(F_FACT, out_epoch), F(F_FACT, out_generation),
	F(F_FACT, out_digest), F(F_OUT, out_node), DRY_FIELDS, {}
#undef F
};

static const struct field node_list_fields[] = {
#define F(kind, field)	FIELD(kind, chring_node_list, field)
	F(F_FLAGS, flags), F(F_PTR, entries), F(F_ENTRY, entry_size),
	F(F_COUNT, count), F(F_PTR, strings), F(F_COUNT, strings_size),
	F(F_FACT, out_count), F(F_FACT, out_strings_size),
	F(F_PAD, reserved), F(F_FACT, out_ring), F(F_FACT, out_epoch),
	F(F_FACT, out_generation), F(F_FACT, out_digest), {}
#undef F
};

static const struct field commit_fields[] = {
#define F(kind, field)	FIELD(kind, chring_commit, field)
	F(F_FLAGS, flags), F(F_PTR, members), F(F_ENTRY, member_size),
	F(F_COUNT, count), F(F_PTR, strings), F(F_COUNT, strings_size),
	F(F_PAD, reserved), F(F_EPOCH, epoch), F(F_GEN, generation),
	F(F_PTR, nodes), F(F_FACT, out_ring), F(F_FACT, out_epoch),
	F(F_FACT, out_generation), F(F_FACT, out_digest), DRY_FIELDS, {}
#undef F
};

static const struct field lookup_fields[] = {
#define F(kind, field)	FIELD(kind, chring_lookup, field)
	F(F_FLAGS, flags), F(F_PTR, key), F(F_COUNT, key_len),
	F(F_COUNT, count), F(F_VALUE, position), F(F_EPOCH, epoch),
	F(F_PTR, owners), F(F_ENTRY, entry_size), F(F_FACT, out_count),
	F(F_FACT, out_position), F(F_FACT, out_ring), F(F_FACT, out_epoch),
	F(F_PTR, formers), F(F_FACT, out_formers), F(F_PAD, reserved),
	F(F_FACT, out_former_epoch), {}
#undef F
};

static const struct field batch_fields[] = {
#define F(kind, field)	FIELD(kind, chring_lookup_batch, field)
	F(F_FLAGS, flags), F(F_PTR, keys), F(F_PTR, lens),
	F(F_COUNT, keys_size), F(F_COUNT, count), F(F_EPOCH, epoch),
	F(F_PTR, nodes), F(F_OUT, out_done), F(F_PAD, reserved),
	F(F_FACT, out_ring), F(F_FACT, out_epoch), {}
#undef F
};

static const struct field acquire_fields[] = {
#define F(kind, field)	FIELD(kind, chring_acquire, field)
	F(F_FLAGS, flags), F(F_PTR, key), F(F_COUNT, key_len),
	F(F_PAD, reserved), F(F_VALUE, position), F(F_EPOCH, epoch),
	F(F_OUT, out_node), F(F_OUT, out_cookie), F(F_OUT, out_load),
	F(F_OUT, out_tickets), F(F_OUT, out_serial), F(F_FACT, out_position),
	F(F_FACT, out_ring), F(F_FACT, out_epoch), {}
#undef F
};

static const struct field release_fields[] = {
#define F(kind, field)	FIELD(kind, chring_release, field)
	F(F_FLAGS, flags), F(F_ID, node), F(F_COUNT, count),
	F(F_PAD, reserved), F(F_OUT, out_load), F(F_OUT, out_tickets),
	F(F_OUT, out_serial), F(F_OUT, out_left), F(F_FACT, out_ring),
	F(F_FACT, out_epoch), {}
#undef F
};

static const struct field stats_fields[] = {
#define F(kind, field)	FIELD(kind, chring_stats, field)
	F(F_FLAGS, flags), F(F_PTR, config), F(F_COUNT, config_size),
	F(F_ENTRY, entry_size), F(F_PTR, entries), F(F_COUNT, count),
	F(F_FACT, out_nodes), F(F_FACT, out_live), F(F_FACT, out_collisions),
	F(F_FACT, out_tokens), F(F_FACT, out_checksum), F(F_FACT, out_bytes),
	F(F_FACT, out_ring), F(F_FACT, out_epoch), F(F_FACT, out_generation),
	F(F_FACT, out_digest), F(F_FACT, out_name),
	F(F_FACT, out_former_epoch), F(F_FACT, out_worst_walk),
	F(F_FACT, out_zones), F(F_FACT, out_pinned), F(F_OUT, out_reserved),
	F(F_FACT, out_least_lo), F(F_FACT, out_least_hi),
	F(F_FACT, out_most_lo), F(F_FACT, out_most_hi), {}
#undef F
};

static const struct field circle_fields[] = {
#define F(kind, field)	FIELD(kind, chring_circle_list, field)
	F(F_FLAGS, flags), F(F_ID, node), F(F_VALUE, cursor),
	F(F_EPOCH, epoch), F(F_PTR, entries), F(F_ENTRY, entry_size),
	F(F_COUNT, count), F(F_OUT, out_count), F(F_OUT, out_more),
	F(F_OUT, out_cursor), F(F_FACT, out_ring), F(F_FACT, out_epoch),
	F(F_FACT, out_former_epoch), {}
#undef F
};

static const struct field pin_fields[] = {
#define F(kind, field)	FIELD(kind, chring_pin, field)
	F(F_FLAGS, flags), F(F_EPOCH, epoch), F(F_GEN, generation),
	F(F_FACT, out_ring), F(F_FACT, out_epoch), F(F_FACT, out_generation),
	F(F_FACT, out_digest), {}
#undef F
};

static const struct field no_fields[] = { {} };

/* "The errors, for every command", but for ENOTTY, which is of none. */
#define EVERY	EBADF, EFAULT, EINVAL, E2BIG, ENODEV, EINTR, ENOMEM, EDQUOT

#define ERRORS(...)	((const short[]){ __VA_ARGS__, 0 })

#define NODE_ERRORS							\
	ERRORS(EVERY, ENOENT, EEXIST, ENAMETOOLONG, ERANGE, ENOSPC, ESTALE, \
	       EMSGSIZE, EPERM, EIO)

#define COMMAND(_name, _struct, _v1_last, _fields, _flags, _errors)	\
	[CMD_##_name] = {						\
		.name = #_name,						\
		.ioc = CHRING_IOC_##_name,				\
		.size = sizeof(struct _struct),				\
		.min = END_OF(_struct, _v1_last),			\
		.flags = _flags,					\
		.field = _fields,					\
		.errors = _errors,					\
	}

const struct spec specs[CMDS] = {
	COMMAND(INFO, chring_info, out_kfuncs, info_fields, NEEDS_READ,
		ERRORS(EVERY)),
	COMMAND(RING_CREATE, chring_ring_create, out_ring, create_fields,
		NEEDS_WRITE,
		ERRORS(EVERY, EEXIST, ENAMETOOLONG, ERANGE, EOPNOTSUPP,
		       ENOSPC)),
	COMMAND(RING_DELETE, chring_ring_name, out_ring, name_fields,
		NEEDS_WRITE, ERRORS(EVERY, ENOENT, ENAMETOOLONG, EPERM)),
	COMMAND(BIND, chring_ring_name, out_ring, name_fields, NEEDS_ANY,
		ERRORS(EVERY, ENOENT, ENAMETOOLONG, EBUSY)),
	COMMAND(RING_LIST, chring_ring_list, reserved, ring_list_fields,
		NEEDS_READ, ERRORS(EVERY, EMSGSIZE)),
	COMMAND(NODE_ADD, chring_node_change, out_node, node_fields,
		NEEDS_WRITE | CHANGES | OF_RING, NODE_ERRORS),
	COMMAND(NODE_SET, chring_node_change, out_node, node_fields,
		NEEDS_WRITE | CHANGES | OF_RING, NODE_ERRORS),
	COMMAND(NODE_DEL, chring_node_change, out_node, node_fields,
		NEEDS_WRITE | CHANGES | OF_RING, NODE_ERRORS),
	COMMAND(NODE_LIST, chring_node_list, out_digest, node_list_fields,
		NEEDS_READ | OF_RING, ERRORS(EVERY, EMSGSIZE)),
	COMMAND(COMMIT, chring_commit, dry, commit_fields,
		NEEDS_WRITE | CHANGES | OF_RING,
		ERRORS(EVERY, ENAMETOOLONG, ERANGE, ENOSPC, ESTALE, EMSGSIZE,
		       EPERM, EIO)),
	COMMAND(LOOKUP, chring_lookup, out_epoch, lookup_fields,
		NEEDS_READ | OF_RING,
		ERRORS(EVERY, ERANGE, ESTALE, ENODATA, EHOSTUNREACH)),
	COMMAND(LOOKUP_BATCH, chring_lookup_batch, out_epoch, batch_fields,
		NEEDS_READ | OF_RING,
		ERRORS(EVERY, ERANGE, ESTALE, ENODATA, EHOSTUNREACH)),
	COMMAND(ACQUIRE, chring_acquire, out_epoch, acquire_fields,
		HANDS_OUT | OF_RING,
		ERRORS(EVERY, ENOSPC, ERANGE, ESTALE, ENODATA, EHOSTUNREACH,
		       EPERM)),
	COMMAND(RELEASE, chring_release, out_epoch, release_fields,
		HANDS_OUT | OF_RING, ERRORS(EVERY, ENOENT, ERANGE, EPERM)),
	COMMAND(STATS, chring_stats, out_name, stats_fields,
		NEEDS_READ | OF_RING, ERRORS(EVERY, EMSGSIZE)),
	COMMAND(RANGES, chring_circle_list, out_former_epoch, circle_fields,
		NEEDS_READ | OF_RING,
		ERRORS(EVERY, ENOENT, ERANGE, ENODATA, ESTALE)),
	COMMAND(DIFF, chring_circle_list, out_former_epoch, circle_fields,
		NEEDS_READ | OF_RING, ERRORS(EVERY, ERANGE, ENODATA, ESTALE)),
	COMMAND(TOKENS, chring_circle_list, out_former_epoch, circle_fields,
		NEEDS_READ | OF_RING, ERRORS(EVERY, ERANGE, ESTALE)),
	COMMAND(PIN, chring_pin, out_digest, pin_fields,
		NEEDS_WRITE | CHANGES | OF_RING,
		ERRORS(EVERY, EBUSY, ERANGE, ESTALE, EPERM, EIO)),
	COMMAND(UNPIN, chring_pin, out_digest, pin_fields,
		NEEDS_WRITE | CHANGES | OF_RING,
		ERRORS(EVERY, ENOENT, ERANGE, ESTALE, EPERM, EIO)),
	[CMD_UNKNOWN] = {
		.name = "(no command)",
		.field = no_fields,
		.errors = ERRORS(ENOTTY),
	},
	[CMD_READ] = {
		.name = "read()",
		.field = no_fields,
		.errors = ERRORS(EBADF, EINVAL, EAGAIN, EINTR, ENODEV, EFAULT),
	},
	[CMD_MMAP] = {
		.name = "mmap()",
		.field = no_fields,
		.errors = ERRORS(EACCES, EPERM, EINVAL, ENODEV, ENOMEM, EDQUOT),
	},
	[CMD_MPROTECT] = {
		.name = "mprotect()",
		.field = no_fields,
		.errors = ERRORS(EACCES),
	},
	[CMD_MREMAP] = {
		.name = "mremap()",
		.field = no_fields,
		.errors = ERRORS(EFAULT),
	},
};

bool spec_documents(enum command cmd, int error)
{
	const short *e;

	for (e = specs[cmd].errors; *e; e++)
		if (*e == error)
			return true;
	return false;
}

/**
 * struct excuse - errors that are documented and cannot be met
 * @error: it
 * @cmds: bits of enum command
 * @why: for the report
 */
struct excuse {
	int error;
	unsigned int cmds;
	const char *why;
};

#define BIT(cmd)	(1U << CMD_##cmd)
#define LISTS		(BIT(RING_LIST) | BIT(NODE_LIST) | BIT(LOOKUP) |     \
			 BIT(LOOKUP_BATCH) | BIT(STATS) | BIT(RANGES) |	     \
			 BIT(DIFF) | BIT(TOKENS))

static const struct excuse excuses[] = {
	{ EIO, ~0U, "only a fault of the module does this" },
	{ ENOMEM, BIT(INFO) | BIT(RING_DELETE) | BIT(BIND) | BIT(RELEASE),
	  "it allocates nothing" },
	{ EDQUOT, BIT(INFO) | BIT(RING_DELETE) | BIT(BIND) | BIT(RELEASE),
	  "it allocates nothing" },
	{ EDQUOT, LISTS, "what it allocates, for its own time, is not of the budget" },
	{ EDQUOT, BIT(ACQUIRE), "tickets are not of the budget" },
	{ EINTR, BIT(INFO) | BIT(BIND), "it waits for nobody" },
	{ EEXIST, BIT(NODE_SET) | BIT(NODE_DEL), "of NODE_ADD, whose text it is too" },
	{ ENOENT, BIT(NODE_ADD), "of NODE_SET and NODE_DEL, whose text it is too" },
	{ ENOSPC, BIT(NODE_DEL), "of NODE_ADD and NODE_SET, whose text it is too" },
};

const char *spec_excuse(enum command cmd, int error, bool faults)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(excuses); i++)
		if (excuses[i].error == error && excuses[i].cmds & (1U << cmd))
			return excuses[i].why;
	if (error == ENOMEM && !faults)
		return "this kernel cannot make allocations fail";
	return NULL;
}

const struct field *spec_field_at(const struct spec *spec, unsigned int off)
{
	const struct field *f;

	for (f = spec->field; f->kind != F_END; f++)
		if (off >= f->off && off < f->off + f->size)
			return f;
	return NULL;
}

unsigned int spec_ring_off(enum command cmd)
{
	switch (cmd) {
	case CMD_NODE_ADD:
	case CMD_NODE_SET:
	case CMD_NODE_DEL:
		return offsetof(struct chring_node_change, out_ring);
	case CMD_NODE_LIST:
		return offsetof(struct chring_node_list, out_ring);
	case CMD_COMMIT:
		return offsetof(struct chring_commit, out_ring);
	case CMD_LOOKUP:
		return offsetof(struct chring_lookup, out_ring);
	case CMD_LOOKUP_BATCH:
		return offsetof(struct chring_lookup_batch, out_ring);
	case CMD_ACQUIRE:
		return offsetof(struct chring_acquire, out_ring);
	case CMD_RELEASE:
		return offsetof(struct chring_release, out_ring);
	case CMD_STATS:
		return offsetof(struct chring_stats, out_ring);
	case CMD_PIN:
	case CMD_UNPIN:
		return offsetof(struct chring_pin, out_ring);
	default:
		return offsetof(struct chring_circle_list, out_ring);
	}
}

const char *error_name(int error)
{
	const char *name = strerrorname_np(error);

	return name ? name : "?";
}
