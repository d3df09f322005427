/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What uapi/linux/chring.h says of each command: its fields, who may give it,
 * and its errors.
 */
#ifndef CHRING_FUZZ_SPEC_H
#define CHRING_FUZZ_SPEC_H

#include <stdbool.h>
#include <linux/chring.h>

/* Those before CMD_IOCTLS are commands of the ABI, the others what files can do. */
enum command {
	CMD_INFO,
	CMD_RING_CREATE,
	CMD_RING_DELETE,
	CMD_BIND,
	CMD_RING_LIST,
	CMD_NODE_ADD,
	CMD_NODE_SET,
	CMD_NODE_DEL,
	CMD_NODE_LIST,
	CMD_COMMIT,
	CMD_LOOKUP,
	CMD_LOOKUP_BATCH,
	CMD_ACQUIRE,
	CMD_RELEASE,
	CMD_STATS,
	CMD_RANGES,
	CMD_DIFF,
	CMD_TOKENS,
	CMD_PIN,
	CMD_UNPIN,
	CMD_IOCTLS,
	CMD_UNKNOWN = CMD_IOCTLS,
	CMD_READ,
	CMD_MMAP,
	CMD_MPROTECT,
	CMD_MREMAP,
	CMDS,
};

/**
 * enum kind - what a field is
 * @F_END: there are no more
 * @F_FLAGS: bits
 * @F_VALUE: any number
 * @F_PTR: where something is
 * @F_COUNT: how much of it
 * @F_ENTRY: size of an entry
 * @F_PAD: reserved, to be 0
 * @F_ID: of a node
 * @F_EPOCH: condition
 * @F_GEN: generation
 * @F_FACT: output, given on failure too
 * @F_OUT: output, 0 or not written at all on failure
 */
enum kind {
	F_END,
	F_FLAGS,
	F_VALUE,
	F_PTR,
	F_COUNT,
	F_ENTRY,
	F_PAD,
	F_ID,
	F_EPOCH,
	F_GEN,
	F_FACT,
	F_OUT,
};

struct field {
	unsigned char kind;
	unsigned char size;
	unsigned short off;
};

#define NEEDS_READ	(1U << 0)
#define NEEDS_WRITE	(1U << 1)
#define NEEDS_ANY	(1U << 2)	/* one of the two */
#define CHANGES		(1U << 3)	/* epoch and digest of a ring */
#define OF_RING		(1U << 4)
#define HANDS_OUT	(1U << 5)	/* tickets */

/**
 * struct spec - a command
 * @name: as in the header, without CHRING_IOC_
 * @ioc: number
 * @size: of its struct
 * @min: of the first version of that
 * @flags: as above
 * @field: of the struct, but for its size
 * @errors: that are documented, up to a 0
 */
struct spec {
	const char *name;
	unsigned long ioc;
	unsigned short size;
	unsigned short min;
	unsigned int flags;
	const struct field *field;
	const short *errors;
};

extern const struct spec specs[CMDS];

bool spec_documents(enum command cmd, int error);

/*
 * Why an error that is documented cannot be met; NULL: it can. @faults: the
 * kernel can make allocations fail.
 */
const char *spec_excuse(enum command cmd, int error, bool faults);

/* The field that byte @off of the struct belongs to; NULL: its size. */
const struct field *spec_field_at(const struct spec *spec, unsigned int off);

/* Of a command of a ring: where the id of the ring is, 8 bytes ahead of the epoch. */
unsigned int spec_ring_off(enum command cmd);

const char *error_name(int error);

#endif /* CHRING_FUZZ_SPEC_H */
