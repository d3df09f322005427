/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The ABI of chring: consistent-hash rings in kernel memory, asked and
 * changed through /dev/chring.
 *
 * Words
 *	ring	a name, a config and a set of nodes; never a set of keys
 *	node	a server: name, weight, zone, state, cookie
 *	token	a point of a node on the circle
 *	owner	the node of the first token at or clockwise after a position,
 *		stepping over nodes that are out of service
 *	former	owner before the last change of tokens, or since the pin
 *	epoch	counts the committed changes of one ring; a new ring is at 1
 *	digest	equal digests route equally, see below
 */
#ifndef _UAPI_LINUX_CHRING_H
#define _UAPI_LINUX_CHRING_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define CHRING_DEVICE		"/dev/chring"
#define CHRING_DEFAULT_RING	"default"

/**
 * DOC: rules of every command
 *
 * A command is an ioctl() on a descriptor of /dev/chring. Its argument points
 * to a struct that begins with @size (the caller's sizeof) and @flags. A
 * shorter struct of an older program is read as if the missing fields were 0;
 * a longer one of a newer program is taken as long as the unknown tail is 0.
 * Fields named @out_* are outputs: ignored on entry, 0 unless the command has
 * something to say. The struct is written back on success and, as far as it
 * helps, on failure: with EMSGSIZE the counts tell what is needed; with
 * ESTALE, ENODATA and EHOSTUNREACH @out_ring and @out_epoch tell whose answer
 * that is. Pointers are passed as __aligned_u64. Arrays of outputs carry the
 * caller's @entry_size (a multiple of 8): a shorter entry is cut, a longer
 * one is filled up with zeroes.
 *
 * A command either does all it says or changes nothing: ring, epoch and
 * digest stay as they were whatever error it returns. The answer of a change
 * is written before the change is published, so EFAULT too means that nothing
 * has happened.
 *
 * A descriptor belongs to one ring: to that of its BIND, or to the ring
 * ``default`` from its first command that asks for a ring. The bond belongs to
 * the open file description: dup(), fork() and passing it on share it.
 *
 * Kernel code may hold a ring as well, and then answers from it as it last was
 * for as long as it likes; to programs it is deleted all the same. And kernel
 * code may have rings of its own, see "private rings".
 *
 * The errors, for every command:
 *
 *  - ENOTTY: there is no such command.
 *  - EBADF: the descriptor is not open for reading (commands that read) or
 *    for writing (commands that change).
 *  - EFAULT: a pointer leads nowhere.
 *  - EINVAL: @size is smaller than the first version of the struct, a flag is
 *    unknown, padding is not 0, a name is empty or has a forbidden byte, or a
 *    choice (hash, layout, state, ...) is not among those known.
 *  - E2BIG: the tail of the struct is not 0: the caller asks for something
 *    that this module does not know.
 *  - ENODEV: the ring of the descriptor has been deleted (any command).
 *  - EINTR: a fatal signal ended the command before it had done anything.
 *  - ENOMEM: the system, or the caller's memory cgroup, has no memory for it.
 *  - EDQUOT: the module's memory budget (parameter max_total_bytes) is used
 *    up.
 *
 * And where the command's own text says so:
 *
 *  - EBUSY: the descriptor belongs to a ring already, or the ring is pinned.
 *  - EEXIST, ENOENT: the ring or node exists already, or does not exist.
 *  - EPERM: the ring ``default`` cannot be deleted, and programs cannot change
 *    a private ring: NODE_ADD, NODE_SET, NODE_DEL, COMMIT, also as dry runs, PIN,
 *    UNPIN, ACQUIRE, RELEASE, RING_DELETE.
 *  - ENAMETOOLONG: a name is longer than its limit.
 *  - ERANGE: a number is outside its limits, or the generation would fall.
 *  - ENOSPC: a limit of count (tokens, nodes, rings, tickets) is reached.
 *  - EMSGSIZE: an array of the caller is too small; its count tells the need.
 *  - ESTALE: the ring is not at the epoch that the caller named.
 *  - EOPNOTSUPP: a known choice that this module does not offer.
 *  - ENODATA: the ring has no nodes, or had none before.
 *  - EHOSTUNREACH: the ring has nodes, but none in service with weight.
 *
 * EIO is a fault of the module: a change whose outcome would not be right, and
 * which was not made.
 */

#define CHRING_IOC_MAGIC	0xC4

/**
 * DOC: private rings
 *
 * A private ring belongs to the part of the kernel that made it, which alone
 * changes and ends it; an IPVS service has one, for example. Programs can look
 * at it: who has a descriptor open for writing finds it with CHRING_LIST_PRIVATE
 * and binds by its name, and all commands that read, read(), poll() and mmap()
 * are then as with any ring. Those that change are EPERM.
 *
 * The name of a private ring has a slash in it, but not as its first byte, and
 * is else of the bytes of ring names and of [ and ]. To descriptors open for
 * reading alone there is no such ring. It does not count as one of the rings of
 * CHRING_RINGS_MAX and CHRING_IOC_INFO.
 */

/* Limits. Names are counted in bytes and hold none <= 0x20 and no 0x7f. */
#define CHRING_RING_NAME_MAX	63	/* of [A-Za-z0-9._:-], no dot first */
#define CHRING_NAME_MAX		255	/* of a node or a zone */
#define CHRING_SEP_MAX		16	/* as names, and no digit */
#define CHRING_WEIGHT_MAX	65535
#define CHRING_VNODES_MAX	65535
#define CHRING_UNIT_MAX		65535
#define CHRING_NODES_MAX	65536	/* per ring */
#define CHRING_RINGS_MAX	1024	/* public rings */
#define CHRING_KEY_MAX		65536	/* bytes */
#define CHRING_BATCH_MAX	65536	/* keys */
#define CHRING_BATCH_BYTES_MAX	(16 << 20)
#define CHRING_REPLICAS_MAX	32
#define CHRING_BALANCE_MIN	100	/* percent of the average */
#define CHRING_BALANCE_MAX	65535
#define CHRING_TICKETS_MAX	(1 << 20)	/* of a descriptor that reads */

/**
 * enum chring_hash - what makes a position of a key or of a token's label
 * @CHRING_HASH_DEFAULT: CHRING_HASH_XXH64
 * @CHRING_HASH_XXH64: XXH64, 64 bits, seed 64 bits
 * @CHRING_HASH_SIPHASH: SipHash-2-4, 64 bits, seed 128 bits and not 0: for
 *	keys that an attacker chooses
 * @CHRING_HASH_MURMUR64: MurmurHash64A, 64 bits, seed 64 bits
 * @CHRING_HASH_MURMUR3: MurmurHash3 x86 32-bit, 32 bits, seed 32 bits
 * @CHRING_HASH_MD5: known, not offered yet
 * @CHRING_HASH_SHA1: known, not offered yet
 * @CHRING_HASH_CRC32: known, not offered yet
 */
enum chring_hash {
	CHRING_HASH_DEFAULT	= 0,
	CHRING_HASH_XXH64	= 1,
	CHRING_HASH_SIPHASH	= 2,
	CHRING_HASH_MURMUR64	= 3,
	CHRING_HASH_MURMUR3	= 4,
	CHRING_HASH_MD5		= 5,
	CHRING_HASH_SHA1	= 6,
	CHRING_HASH_CRC32	= 7,
};

/**
 * enum chring_layout - where the tokens of a node stand
 * @CHRING_LAYOUT_DEFAULT: CHRING_LAYOUT_PLAIN
 * @CHRING_LAYOUT_PLAIN: token i of a node is the hash of its label: the node's
 *	name, the ring's separator, i in decimal, counted from 0
 * @CHRING_LAYOUT_KETAMA: known, not offered yet
 * @CHRING_LAYOUT_NGINX: known, not offered yet
 * @CHRING_LAYOUT_HAPROXY: known, not offered yet
 */
enum chring_layout {
	CHRING_LAYOUT_DEFAULT	= 0,
	CHRING_LAYOUT_PLAIN	= 1,
	CHRING_LAYOUT_KETAMA	= 2,
	CHRING_LAYOUT_NGINX	= 3,
	CHRING_LAYOUT_HAPROXY	= 4,
};

/**
 * enum chring_state - whether a node is in service
 * @CHRING_STATE_UP: owns keys
 * @CHRING_STATE_DRAIN: keeps its tokens, is stepped over; can still be asked
 *	for what it has
 * @CHRING_STATE_DOWN: keeps its tokens, is stepped over; cannot answer
 */
enum chring_state {
	CHRING_STATE_UP		= 0,
	CHRING_STATE_DRAIN	= 1,
	CHRING_STATE_DOWN	= 2,
};

/**
 * enum chring_keys - what the keys of a ring are
 * @CHRING_KEYS_BYTES: what those who use it agree upon
 * @CHRING_KEYS_FLOW: the address of a flow's source, 4 or 16 bytes in network
 *	order
 * @CHRING_KEYS_FLOW_PORT: this address, then the port of the source, 2 bytes in
 *	network order
 *
 * A hint for those who look at a private ring: its lookups hash any bytes.
 */
enum chring_keys {
	CHRING_KEYS_BYTES	= 0,
	CHRING_KEYS_FLOW	= 1,
	CHRING_KEYS_FLOW_PORT	= 2,
};

/**
 * struct chring_config - the config of a ring, fixed when it is created
 * @hash: enum chring_hash
 * @bits: width of a position, 64 or 32; 0: as wide as the hash. A position of
 *	32 bits is the upper half of a 64-bit hash; CHRING_HASH_MURMUR3 has 32
 * @layout: enum chring_layout
 * @vnodes: tokens per @unit of weight, 1..65535; 0: 160
 * @unit: 1..65535; 0: 1. A node has 0 tokens if its weight is 0, else
 *	ceil(weight * @vnodes / @unit)
 * @sep_len: bytes of @sep, 1..16; 0: one byte, ``#``
 * @sep: stands between name and index in a label; the rest is 0
 * @seed: of the hash, least significant half first; what is wider than the
 *	hash takes must be 0. For SipHash these are the two 64-bit halves of
 *	its key, each read little-endian
 * @balance: bounded load: the most that a node gets of the tickets of
 *	CHRING_IOC_ACQUIRE, in percent of the average by weight, 100..65535; 0:
 *	no bound
 * @tickets: that a descriptor open for reading only may hold, 0..2^20
 *
 * Where a config is an input, 0 stands for the default; where it is an output,
 * it says what the ring uses. Its size travels beside the pointer, so that it
 * can grow like the structs of commands.
 *
 * @seed is given only to descriptors open for writing if the hash is keyed
 * (CHRING_HASH_SIPHASH); others read 0.
 */
struct chring_config {
	__u32 hash;
	__u32 bits;
	__u32 layout;
	__u32 vnodes;
	__u32 unit;
	__u32 sep_len;
	__u8 sep[CHRING_SEP_MAX];
	__aligned_u64 seed[2];
	__u32 balance;
	__u32 tickets;
};

/**
 * DOC: digest and checksum
 *
 * The digest is a function of a ring's config and membership, so two hosts
 * with equal digests choose the same owner for every key. All numbers are
 * little-endian; XXH64 has seed 0.
 *
 *	C = XXH64(hash u32, bits u32, layout u32, vnodes u32, unit u32,
 *		  sep_len u32, sep 16 bytes, seed[0] u64, seed[1] u64,
 *		  balance u32, 0 u32), 72 bytes, defaults filled in
 *	K(node) = XXH64(name bytes, one byte 0, zone bytes)
 *	digest = XXH64(C u64, then for every node in the order of its name's
 *		  bytes: K(node) u64, weight u32, state u32)
 *
 * The cookie is not part of it: it does not route.
 *
 * The checksum is of the tokens themselves, modulo 2^64, t being the token as
 * a number of the ring's width and F the 64-bit finalizer of MurmurHash3:
 *
 *	checksum = sum over all tokens of F(t + XXH64(name bytes))
 */

/**
 * struct chring_info - CHRING_IOC_INFO: what the module is and holds
 * @size: sizeof(struct chring_info)
 * @flags: 0
 * @out_version: of the module, (major << 16) + (minor << 8) + patch
 * @out_rings: public rings now, private ones not counted
 * @out_hashes: bit n set: hash n of enum chring_hash is offered
 * @out_layouts: bit n set: layout n of enum chring_layout is offered
 * @out_ring: ring of this descriptor, 0: none yet
 * @out_total_bytes: what the module holds now
 * @out_max_total_bytes: its budget
 * @out_max_tokens: limit of tokens per ring
 * @out_kfuncs: revision of the functions that BPF programs may call; 0: none
 *
 * Reads. Binds nothing.
 */
struct chring_info {
	__u32 size;
	__u32 flags;
	__u32 out_version;
	__u32 out_rings;
	__aligned_u64 out_hashes;
	__aligned_u64 out_layouts;
	__aligned_u64 out_ring;
	__aligned_u64 out_total_bytes;
	__aligned_u64 out_max_total_bytes;
	__u32 out_max_tokens;
	__u32 out_kfuncs;
};
#define CHRING_IOC_INFO		_IO(CHRING_IOC_MAGIC, 0x00)

/**
 * struct chring_ring_create - CHRING_IOC_RING_CREATE: a new, empty ring
 * @size: sizeof(struct chring_ring_create)
 * @flags: 0
 * @name: pointer to the ring's name
 * @name_len: its bytes
 * @config_size: sizeof(struct chring_config); 0 with @config 0: all defaults
 * @config: pointer to struct chring_config
 * @out_ring: id of the ring
 *
 * Changes. Binds nothing. EEXIST; ENAMETOOLONG; ERANGE: vnodes, unit, sep_len,
 * balance, tickets, or a seed wider than its hash takes; EINVAL: bits that the
 * hash does not have, a keyed hash without a seed; EOPNOTSUPP: a hash or layout
 * not offered; ENOSPC: as many public rings as there may be.
 */
struct chring_ring_create {
	__u32 size;
	__u32 flags;
	__aligned_u64 name;
	__u32 name_len;
	__u32 config_size;
	__aligned_u64 config;
	__aligned_u64 out_ring;
};
#define CHRING_IOC_RING_CREATE	_IO(CHRING_IOC_MAGIC, 0x01)

/**
 * struct chring_ring_name - CHRING_IOC_RING_DELETE, CHRING_IOC_BIND
 * @size: sizeof(struct chring_ring_name)
 * @flags: 0
 * @name: pointer to the ring's name
 * @name_len: its bytes
 * @reserved: 0
 * @out_ring: id of the ring
 *
 * RING_DELETE changes: the name is free at once, descriptors of the ring get
 * ENODEV from then on. ENOENT; ENAMETOOLONG; EPERM: ``default``, or a private
 * ring.
 *
 * BIND needs a descriptor open for reading or writing, and fixes its ring.
 * ENOENT, also for a private ring unless the descriptor is open for writing;
 * ENAMETOOLONG; EBUSY: it has one already.
 */
struct chring_ring_name {
	__u32 size;
	__u32 flags;
	__aligned_u64 name;
	__u32 name_len;
	__u32 reserved;
	__aligned_u64 out_ring;
};
#define CHRING_IOC_RING_DELETE	_IO(CHRING_IOC_MAGIC, 0x02)
#define CHRING_IOC_BIND		_IO(CHRING_IOC_MAGIC, 0x03)

/* In @flags of an entry: a private ring. */
#define CHRING_RING_PRIVATE	(1U << 0)

/**
 * struct chring_ring_entry - one ring in the answer of CHRING_IOC_RING_LIST
 * @ring: id
 * @epoch: of the ring now
 * @generation: the fleet's number for the membership, 0 if never given
 * @digest: see "digest and checksum"
 * @tokens: of all nodes
 * @bytes: memory that the ring holds
 * @nodes: all of them
 * @live: nodes in service with weight
 * @name: NUL-terminated
 * @flags: CHRING_RING_*
 * @keys: enum chring_keys; newer modules may know more of them
 */
struct chring_ring_entry {
	__aligned_u64 ring;
	__aligned_u64 epoch;
	__aligned_u64 generation;
	__aligned_u64 digest;
	__aligned_u64 tokens;
	__aligned_u64 bytes;
	__u32 nodes;
	__u32 live;
	char name[CHRING_RING_NAME_MAX + 1];
	__u32 flags;
	__u32 keys;
};

/* Private rings too. */
#define CHRING_LIST_PRIVATE	(1U << 0)

/**
 * struct chring_ring_list - CHRING_IOC_RING_LIST: all rings
 * @size: sizeof(struct chring_ring_list)
 * @flags: CHRING_LIST_PRIVATE or 0: the public ones alone
 * @entries: pointer to an array of struct chring_ring_entry; 0 if @count is 0
 * @entry_size: sizeof(struct chring_ring_entry) of the caller
 * @count: room in @entries
 * @out_count: rings there are, in the order of their ids
 * @reserved: 0
 *
 * Reads. Binds nothing. Each entry is of one epoch; rings that are made or
 * deleted meanwhile may be in the list or not.
 *
 * EMSGSIZE: @count < @out_count; EBADF: CHRING_LIST_PRIVATE, and the descriptor
 * is not open for writing too.
 */
struct chring_ring_list {
	__u32 size;
	__u32 flags;
	__aligned_u64 entries;
	__u32 entry_size;
	__u32 count;
	__u32 out_count;
	__u32 reserved;
};
#define CHRING_IOC_RING_LIST	_IO(CHRING_IOC_MAGIC, 0x04)

/* In @flags of a change of nodes: answer as if, and change nothing. */
#define CHRING_DRY_RUN		(1U << 16)

/**
 * struct chring_transfer - what one node gives to another
 * @from: id of the owner before; 0: none was in service
 * @to: id of the owner after; 0: none is in service
 * @share_lo: positions, lower 64 bits
 * @share_hi: upper 64 bits
 */
struct chring_transfer {
	__aligned_u64 from;
	__aligned_u64 to;
	__aligned_u64 share_lo;
	__aligned_u64 share_hi;
};

/**
 * struct chring_dry_run - what a change would move
 * @transfers: pointer to an array of struct chring_transfer, each pair of nodes
 *	once; 0: not wanted
 * @entry_size: sizeof(struct chring_transfer) of the caller; 0 with @transfers 0
 * @count: room in @transfers; 0 with @transfers 0
 * @out_count: pairs of nodes there are
 * @reserved: 0
 * @out_moved_lo: positions with another owner than before, lower 64 bits
 * @out_moved_hi: upper 64 bits
 *
 * All of it is 0 without CHRING_DRY_RUN. With it, the answer of the change
 * tells epoch, digest and ids as they would be; an id that a new node would
 * have is good for reading this answer and never seen again. It takes a walk
 * over all tokens, and the time of the change. EMSGSIZE: @transfers is given
 * and @count < @out_count.
 */
struct chring_dry_run {
	__aligned_u64 transfers;
	__u32 entry_size;
	__u32 count;
	__u32 out_count;
	__u32 reserved;
	__aligned_u64 out_moved_lo;
	__aligned_u64 out_moved_hi;
};

#define CHRING_NODE_WEIGHT	(1U << 0)
#define CHRING_NODE_STATE	(1U << 1)
#define CHRING_NODE_ZONE	(1U << 2)
#define CHRING_NODE_COOKIE	(1U << 3)

/**
 * struct chring_node_change - CHRING_IOC_NODE_ADD, _NODE_SET, _NODE_DEL
 * @size: sizeof(struct chring_node_change)
 * @flags: NODE_SET: which of CHRING_NODE_* to set, at least one; all three:
 *	CHRING_DRY_RUN
 * @node: NODE_SET, NODE_DEL: id of the node, or 0 and its name; NODE_ADD: 0
 * @name: pointer to the node's name; 0 with @node
 * @name_len: its bytes; 0 with @node
 * @zone_len: bytes of the zone's name; 0: the empty zone
 * @zone: pointer to the zone's name
 * @weight: 0..65535
 * @state: enum chring_state
 * @cookie: any number; lookups give it back
 * @epoch: change only if the ring is at this epoch; 0: whatever it is
 * @generation: the fleet's number for the membership after the change; 0:
 *	leave it. It never falls
 * @out_ring: id of the ring
 * @out_epoch: epoch after the change
 * @out_generation: generation after the change
 * @out_digest: digest after the change
 * @out_node: id of the node
 * @dry: what would move
 *
 * Changes. NODE_SET leaves what its flags do not name, and @weight, @state,
 * @zone and @cookie not named must be 0; all of them must be 0 for NODE_DEL. A
 * NODE_SET that finds everything as it wants it makes no new epoch.
 *
 * ENOENT, EEXIST: the node; ENAMETOOLONG; ERANGE: @weight is over its limit,
 * or @generation below the ring's; ENOSPC: tokens or nodes per ring; ESTALE.
 */
struct chring_node_change {
	__u32 size;
	__u32 flags;
	__aligned_u64 node;
	__aligned_u64 name;
	__u32 name_len;
	__u32 zone_len;
	__aligned_u64 zone;
	__u32 weight;
	__u32 state;
	__aligned_u64 cookie;
	__aligned_u64 epoch;
	__aligned_u64 generation;
	__aligned_u64 out_ring;
	__aligned_u64 out_epoch;
	__aligned_u64 out_generation;
	__aligned_u64 out_digest;
	__aligned_u64 out_node;
	struct chring_dry_run dry;
};
#define CHRING_IOC_NODE_ADD	_IO(CHRING_IOC_MAGIC, 0x10)
#define CHRING_IOC_NODE_SET	_IO(CHRING_IOC_MAGIC, 0x11)
#define CHRING_IOC_NODE_DEL	_IO(CHRING_IOC_MAGIC, 0x12)

/**
 * struct chring_node_entry - one node in the answer of CHRING_IOC_NODE_LIST
 * @node: id
 * @cookie: as set
 * @weight: as set
 * @state: enum chring_state
 * @tokens: how many it has
 * @name_off: where its name begins in the answer's strings
 * @name_len: bytes of the name
 * @zone_off: where its zone's name begins
 * @zone_len: bytes of the zone's name, 0: the empty zone
 * @bit: of the node in @out of struct chring_status, for as long as it lives;
 *	then that of another node
 */
struct chring_node_entry {
	__aligned_u64 node;
	__aligned_u64 cookie;
	__u32 weight;
	__u32 state;
	__u32 tokens;
	__u32 name_off;
	__u32 name_len;
	__u32 zone_off;
	__u32 zone_len;
	__u32 bit;
};

/**
 * struct chring_node_list - CHRING_IOC_NODE_LIST: all nodes, at one epoch
 * @size: sizeof(struct chring_node_list)
 * @flags: 0
 * @entries: pointer to an array of struct chring_node_entry
 * @entry_size: sizeof(struct chring_node_entry) of the caller
 * @count: room in @entries
 * @strings: pointer to a buffer for names and zones, not NUL-terminated
 * @strings_size: its bytes
 * @out_count: nodes there are, in the order of their names' bytes
 * @out_strings_size: bytes of @strings used
 * @reserved: 0
 * @out_ring: id of the ring
 * @out_epoch: epoch of the answer
 * @out_generation: generation of the answer
 * @out_digest: digest of the answer
 *
 * Reads. EMSGSIZE: @count < @out_count or @strings_size < @out_strings_size.
 */
struct chring_node_list {
	__u32 size;
	__u32 flags;
	__aligned_u64 entries;
	__u32 entry_size;
	__u32 count;
	__aligned_u64 strings;
	__u32 strings_size;
	__u32 out_count;
	__u32 out_strings_size;
	__u32 reserved;
	__aligned_u64 out_ring;
	__aligned_u64 out_epoch;
	__aligned_u64 out_generation;
	__aligned_u64 out_digest;
};
#define CHRING_IOC_NODE_LIST	_IO(CHRING_IOC_MAGIC, 0x13)

/**
 * struct chring_member - a node as it is to be, for CHRING_IOC_COMMIT
 * @cookie: any number; lookups give it back
 * @weight: 0..65535
 * @state: enum chring_state
 * @name_off: where its name begins in @strings
 * @name_len: bytes of the name
 * @zone_off: where its zone's name begins; 0 with @zone_len 0
 * @zone_len: bytes of the zone's name, 0: the empty zone
 */
struct chring_member {
	__aligned_u64 cookie;
	__u32 weight;
	__u32 state;
	__u32 name_off;
	__u32 name_len;
	__u32 zone_off;
	__u32 zone_len;
};

/**
 * struct chring_commit - CHRING_IOC_COMMIT: these nodes, and no others
 * @size: sizeof(struct chring_commit)
 * @flags: CHRING_DRY_RUN or 0
 * @members: pointer to an array of struct chring_member in the order of their
 *	names' bytes, the shorter of two that begin alike first; no name twice
 * @member_size: sizeof(struct chring_member) of the caller, even with @count 0
 * @count: members, 0..65536
 * @strings: pointer to the bytes of names and zones
 * @strings_size: how many, at most 510 for each of 65536 members
 * @reserved: 0
 * @epoch: change only if the ring is at this epoch; 0: whatever it is
 * @generation: the fleet's number for the membership after the change; 0:
 *	leave it. It never falls
 * @nodes: pointer to an array of @count __u64 for the ids of the members; 0:
 *	not wanted
 * @out_ring: id of the ring
 * @out_epoch: epoch after the change
 * @out_generation: generation after the change
 * @out_digest: digest after the change
 * @dry: what would move
 *
 * Changes. One epoch and one new table, whatever is different: a node whose name
 * is among the members keeps its id, and what it has by its id; one whose name
 * is not goes. A COMMIT that finds everything as it wants it makes no new
 * epoch.
 *
 * EINVAL: members are not in order, or a name is not inside @strings; E2BIG:
 * the tail of a member is not 0; ENAMETOOLONG; ERANGE: @count, @strings_size, a
 * weight, or @generation below the ring's; ENOSPC: tokens; ESTALE; EMSGSIZE: see
 * struct chring_dry_run.
 */
struct chring_commit {
	__u32 size;
	__u32 flags;
	__aligned_u64 members;
	__u32 member_size;
	__u32 count;
	__aligned_u64 strings;
	__u32 strings_size;
	__u32 reserved;
	__aligned_u64 epoch;
	__aligned_u64 generation;
	__aligned_u64 nodes;
	__aligned_u64 out_ring;
	__aligned_u64 out_epoch;
	__aligned_u64 out_generation;
	__aligned_u64 out_digest;
	struct chring_dry_run dry;
};
#define CHRING_IOC_COMMIT	_IO(CHRING_IOC_MAGIC, 0x14)

/* The caller brings a position, not the bytes of a key. */
#define CHRING_LOOKUP_POSITION	(1U << 0)
/* Owners of different zones first. */
#define CHRING_LOOKUP_ZONES	(1U << 1)
/* The former owners instead of the owners. */
#define CHRING_LOOKUP_PREVIOUS	(1U << 2)

/**
 * DOC: former owners
 *
 * Whoever moves data after a change asks who had it. The former owners of a key
 * are found as its owners are, among the tokens before the last change of
 * tokens (that is of a weight, or of a node with one), or, for a migration of
 * several changes, among those of CHRING_IOC_PIN. A change of state does not
 * replace them. Of their nodes are stepped over those that are down, for they
 * cannot answer: a node that drains is asked, so is one whose weight is 0 now,
 * and one that is gone, unless it was down when it went.
 *
 * Lazily: ask the owner; if it has nothing, ask the former owner, and put what
 * it has at the owner. CHRING_IOC_LOOKUP gives both for one epoch.
 */

/**
 * struct chring_owner - a node in the answer of CHRING_IOC_LOOKUP
 * @node: id
 * @cookie: as set with the node
 */
struct chring_owner {
	__aligned_u64 node;
	__aligned_u64 cookie;
};

/**
 * struct chring_lookup - CHRING_IOC_LOOKUP: who owns a key
 * @size: sizeof(struct chring_lookup)
 * @flags: CHRING_LOOKUP_*
 * @key: pointer to the key's bytes; 0 with CHRING_LOOKUP_POSITION
 * @key_len: 0..65536; 0 with CHRING_LOOKUP_POSITION
 * @count: owners wanted, 1..32: the first distinct nodes in service clockwise;
 *	the list for n is the beginning of the list for n + 1
 * @position: with CHRING_LOOKUP_POSITION: where on the circle, of the ring's
 *	width; else 0
 * @epoch: answer only for this epoch; 0: for whatever is current
 * @owners: pointer to an array of @count struct chring_owner
 * @entry_size: sizeof(struct chring_owner) of the caller
 * @out_count: owners given, fewer than @count only if fewer nodes are in service
 *	with weight
 * @out_position: of the key on the circle
 * @out_ring: id of the ring
 * @out_epoch: epoch of the answer
 * @formers: pointer to an array of @count struct chring_owner for the former
 *	owners too; 0: not wanted. 0 with CHRING_LOOKUP_PREVIOUS
 * @out_formers: former owners given; 0 if there are none
 * @reserved: 0
 * @out_former_epoch: last epoch of the former owners; 0: not asked, or none
 *
 * With CHRING_LOOKUP_ZONES the first node of each zone in service comes first,
 * in the order of the walk, then the others in that order. The empty zone is
 * one of them.
 *
 * Reads. ERANGE: @key_len, @count, or a position wider than the ring's;
 * ESTALE; ENODATA; EHOSTUNREACH, both of the owners, or with
 * CHRING_LOOKUP_PREVIOUS of the former ones.
 *
 * On a keyed ring a position tells about tokens: CHRING_LOOKUP_POSITION is
 * EBADF and @out_position 0 unless the descriptor is open for writing too.
 */
struct chring_lookup {
	__u32 size;
	__u32 flags;
	__aligned_u64 key;
	__u32 key_len;
	__u32 count;
	__aligned_u64 position;
	__aligned_u64 epoch;
	__aligned_u64 owners;
	__u32 entry_size;
	__u32 out_count;
	__aligned_u64 out_position;
	__aligned_u64 out_ring;
	__aligned_u64 out_epoch;
	__aligned_u64 formers;
	__u32 out_formers;
	__u32 reserved;
	__aligned_u64 out_former_epoch;
};
#define CHRING_IOC_LOOKUP	_IO(CHRING_IOC_MAGIC, 0x20)

/**
 * struct chring_lookup_batch - CHRING_IOC_LOOKUP_BATCH: who owns these keys
 * @size: sizeof(struct chring_lookup_batch)
 * @flags: CHRING_LOOKUP_POSITION, CHRING_LOOKUP_PREVIOUS
 * @keys: pointer to the keys' bytes, one key after the other; with
 *	CHRING_LOOKUP_POSITION to an array of __u64 positions
 * @lens: pointer to @count __u32: the length of each key, 0..65536; 0 with
 *	CHRING_LOOKUP_POSITION
 * @keys_size: bytes at @keys, at most 16 MiB
 * @count: keys, at most 65536
 * @epoch: answer only for this epoch; 0: for whatever is current
 * @nodes: pointer to an array of @count __u64: id of each key's owner
 * @out_done: keys answered
 * @reserved: 0
 * @out_ring: id of the ring
 * @out_epoch: epoch of the answers
 *
 * Reads. One call answers for one epoch: if the ring changes in the middle,
 * the call succeeds with @out_done < @count, and the caller asks again for the
 * rest. Bytes at @keys after the last key are not looked at.
 *
 * On a keyed ring CHRING_LOOKUP_POSITION is EBADF unless the descriptor is open
 * for writing too.
 *
 * EINVAL: the lengths run over @keys_size; ERANGE: @count, @keys_size, a
 * length, a position wider than the ring's; ESTALE; ENODATA; EHOSTUNREACH.
 * After an error nothing is to be read from @nodes.
 */
struct chring_lookup_batch {
	__u32 size;
	__u32 flags;
	__aligned_u64 keys;
	__aligned_u64 lens;
	__u32 keys_size;
	__u32 count;
	__aligned_u64 epoch;
	__aligned_u64 nodes;
	__u32 out_done;
	__u32 reserved;
	__aligned_u64 out_ring;
	__aligned_u64 out_epoch;
};
#define CHRING_IOC_LOOKUP_BATCH	_IO(CHRING_IOC_MAGIC, 0x21)

/**
 * DOC: tickets and bounded load
 *
 * A ticket stands for one use of a node: a connection, a request under way. It
 * is taken for a key and held by the descriptor that took it, until that gives
 * it back or its last reference is gone: closed, its process killed, whatever
 * it was. dup(), fork() and passing a descriptor on share what it holds.
 *
 * The load of a node is the number of its tickets. It is the node's: changes of
 * state, weight or others' tokens leave it, tickets taken before stay where
 * they are, and with a node its load is gone: its tickets are given back into
 * nothing.
 *
 * On a ring with a balance of F percent the node of a ticket is not the owner
 * of the key but the first node in service clockwise from it, of weight w, with
 *
 *	load + 1 <= ceil(F * (T + 1) * w / (100 * W))
 *
 * T being the tickets and W the weight of all nodes in service. This is checked
 * for each grant, in one step with it. There always is such a node. What T
 * loses later, by releases or as nodes come into service, moves no ticket.
 *
 * Grants and releases of a ring are numbered (@out_serial), those made by the
 * end of a descriptor included (one for each node), so that the logs of
 * several programs can be put in one order. What was undone has used up
 * numbers, too.
 *
 * Both commands are for descriptors open for writing. If the config of the ring
 * has @tickets, those open for reading alone may hold that many in all.
 */

/**
 * struct chring_acquire - CHRING_IOC_ACQUIRE: take a ticket for a key
 * @size: sizeof(struct chring_acquire)
 * @flags: CHRING_LOOKUP_POSITION or 0
 * @key: pointer to the key's bytes; 0 with CHRING_LOOKUP_POSITION
 * @key_len: 0..65536; 0 with CHRING_LOOKUP_POSITION
 * @reserved: 0
 * @position: with CHRING_LOOKUP_POSITION: where on the circle, of the ring's
 *	width; else 0
 * @epoch: only if the ring is at this epoch; 0: whatever it is
 * @out_node: id of the node
 * @out_cookie: as set with the node
 * @out_load: of the node after
 * @out_tickets: load of all nodes in service after, T
 * @out_serial: of this among all grants and releases of the ring
 * @out_position: of the key on the circle
 * @out_ring: id of the ring
 * @out_epoch: epoch of the answer
 *
 * See "tickets and bounded load". If the answer cannot be written, the ticket
 * is taken back.
 *
 * EBADF: the descriptor is not open for writing, and the ring gives no tickets
 * to those that are not; ENOSPC: it holds as many as it may; ERANGE: @key_len,
 * or a position wider than the ring's; ESTALE; ENODATA; EHOSTUNREACH.
 *
 * On a keyed ring a position tells about tokens: CHRING_LOOKUP_POSITION is
 * EBADF and @out_position 0 unless the descriptor is open for writing.
 */
struct chring_acquire {
	__u32 size;
	__u32 flags;
	__aligned_u64 key;
	__u32 key_len;
	__u32 reserved;
	__aligned_u64 position;
	__aligned_u64 epoch;
	__aligned_u64 out_node;
	__aligned_u64 out_cookie;
	__aligned_u64 out_load;
	__aligned_u64 out_tickets;
	__aligned_u64 out_serial;
	__aligned_u64 out_position;
	__aligned_u64 out_ring;
	__aligned_u64 out_epoch;
};
#define CHRING_IOC_ACQUIRE	_IO(CHRING_IOC_MAGIC, 0x22)

/**
 * struct chring_release - CHRING_IOC_RELEASE: give tickets back
 * @size: sizeof(struct chring_release)
 * @flags: 0
 * @node: id of the node that they are of
 * @count: how many, at least 1
 * @reserved: 0
 * @out_load: of the node after; 0 if it has been deleted
 * @out_tickets: load of all nodes in service after
 * @out_serial: of this among all grants and releases of the ring
 * @out_left: tickets of the node that this descriptor still holds
 * @out_ring: id of the ring
 * @out_epoch: epoch of the answer
 *
 * See "tickets and bounded load". If the answer cannot be written, the
 * descriptor holds them again, whatever was granted meanwhile.
 *
 * EBADF: as for CHRING_IOC_ACQUIRE; ENOENT: the descriptor does not hold so
 * many of the node; ERANGE: @count is 0.
 */
struct chring_release {
	__u32 size;
	__u32 flags;
	__aligned_u64 node;
	__u32 count;
	__u32 reserved;
	__aligned_u64 out_load;
	__aligned_u64 out_tickets;
	__aligned_u64 out_serial;
	__aligned_u64 out_left;
	__aligned_u64 out_ring;
	__aligned_u64 out_epoch;
};
#define CHRING_IOC_RELEASE	_IO(CHRING_IOC_MAGIC, 0x23)

/**
 * struct chring_node_share - one node in the answer of CHRING_IOC_STATS
 * @node: id
 * @share_lo: positions of the circle that it owns, lower 64 bits
 * @share_hi: upper 64 bits: a node alone on a 64-bit ring owns 2^64
 * @tokens: how many it has
 * @reserved: 0
 * @load: its tickets
 * @cap: the most that it may have after the next ticket; 0: it is not in
 *	service, or the ring has no balance
 */
struct chring_node_share {
	__aligned_u64 node;
	__aligned_u64 share_lo;
	__aligned_u64 share_hi;
	__u32 tokens;
	__u32 reserved;
	__aligned_u64 load;
	__aligned_u64 cap;
};

/**
 * struct chring_stats - CHRING_IOC_STATS: a ring and the shares of its nodes
 * @size: sizeof(struct chring_stats)
 * @flags: 0
 * @config: pointer to struct chring_config for the ring's config; 0: not
 *	wanted
 * @config_size: sizeof(struct chring_config) of the caller; 0 with @config 0
 * @entry_size: sizeof(struct chring_node_share) of the caller; 0 with
 *	@entries 0
 * @entries: pointer to an array of struct chring_node_share, filled in the
 *	order of CHRING_IOC_NODE_LIST; 0: not wanted, which is quick: shares
 *	take a walk over all tokens
 * @count: room in @entries; 0 with @entries 0
 * @out_nodes: all nodes
 * @out_live: nodes in service with weight
 * @out_collisions: tokens that stand where another one stands already
 * @out_tokens: of all nodes
 * @out_checksum: of the tokens, see "digest and checksum"; 0 with @entries 0,
 *	and, on a keyed ring, unless the descriptor is open for writing
 * @out_bytes: memory that the ring holds, that for its former owners too
 * @out_ring: id of the ring
 * @out_epoch: epoch of the answer
 * @out_generation: generation of the answer
 * @out_digest: digest of the answer
 * @out_name: the ring's name, NUL-terminated
 * @out_former_epoch: last epoch of the former owners; 0: there are none yet
 * @out_worst_walk: tokens and nodes that the longest walk of a lookup looked at
 *	since the ring was made
 * @out_zones: zones with a node in service with weight
 * @out_pinned: 1: the former owners stay until CHRING_IOC_UNPIN
 * @out_reserved: 0
 * @out_least_lo: positions of the shortest arc between two tokens, lower 64
 *	bits; given as @out_checksum is
 * @out_least_hi: upper 64 bits: tokens at one place only have 2^64 between them
 * @out_most_lo: positions of the longest, lower 64 bits
 * @out_most_hi: upper 64 bits
 *
 * Reads. EMSGSIZE: @entries is given and @count < @out_nodes.
 */
struct chring_stats {
	__u32 size;
	__u32 flags;
	__aligned_u64 config;
	__u32 config_size;
	__u32 entry_size;
	__aligned_u64 entries;
	__u32 count;
	__u32 out_nodes;
	__u32 out_live;
	__u32 out_collisions;
	__aligned_u64 out_tokens;
	__aligned_u64 out_checksum;
	__aligned_u64 out_bytes;
	__aligned_u64 out_ring;
	__aligned_u64 out_epoch;
	__aligned_u64 out_generation;
	__aligned_u64 out_digest;
	char out_name[CHRING_RING_NAME_MAX + 1];
	__aligned_u64 out_former_epoch;
	__u32 out_worst_walk;
	__u32 out_zones;
	__u32 out_pinned;
	__u32 out_reserved;
	__aligned_u64 out_least_lo;
	__aligned_u64 out_least_hi;
	__aligned_u64 out_most_lo;
	__aligned_u64 out_most_hi;
};
#define CHRING_IOC_STATS	_IO(CHRING_IOC_MAGIC, 0x30)

/* RANGES: of the former owners. */
#define CHRING_RANGES_PREVIOUS	(1U << 0)

/**
 * struct chring_range - an arc in the answer of CHRING_IOC_RANGES
 * @first: position, of the ring's width
 * @last: position; all from @first to it have the same owner
 * @node: id of the owner
 * @share_lo: positions that these are, lower 64 bits
 * @share_hi: upper 64 bits: a node alone on a 64-bit ring owns 2^64
 */
struct chring_range {
	__aligned_u64 first;
	__aligned_u64 last;
	__aligned_u64 node;
	__aligned_u64 share_lo;
	__aligned_u64 share_hi;
};

/**
 * struct chring_diff_entry - an arc in the answer of CHRING_IOC_DIFF
 * @first: position, of the ring's width
 * @last: position; all from @first to it have moved in the same way
 * @from: id of the former owner; 0: there is none
 * @to: id of the owner; 0: no node is in service with weight
 */
struct chring_diff_entry {
	__aligned_u64 first;
	__aligned_u64 last;
	__aligned_u64 from;
	__aligned_u64 to;
};

/**
 * struct chring_token - a token in the answer of CHRING_IOC_TOKENS
 * @position: of the ring's width
 * @node: id of the node whose token it is, in service or not
 */
struct chring_token {
	__aligned_u64 position;
	__aligned_u64 node;
};

/**
 * struct chring_circle_list - CHRING_IOC_RANGES, _DIFF, _TOKENS
 * @size: sizeof(struct chring_circle_list)
 * @flags: RANGES: CHRING_RANGES_PREVIOUS or 0; else 0
 * @node: RANGES: id of the node whose arcs are wanted, 0: all nodes; else 0
 * @cursor: where to go on: @out_cursor of the page before; 0: at the beginning
 * @epoch: answer only for this epoch; 0: for whatever is current. With a
 *	@cursor other than 0: @out_epoch of the page before
 * @entries: pointer to an array of struct chring_range, chring_diff_entry or
 *	chring_token
 * @entry_size: size of an entry of the caller
 * @count: room in @entries, at least 1
 * @out_count: entries given
 * @out_more: 1: there is more, from @out_cursor on; 0: that was all
 * @out_cursor: for the next page, with the meaning that the module gives it
 * @out_ring: id of the ring
 * @out_epoch: epoch of the answer
 * @out_former_epoch: DIFF, and RANGES with CHRING_RANGES_PREVIOUS: last epoch of
 *	the former owners; else 0
 *
 * Long lists, page by page. All pages together are one list of one epoch: at
 * another one a page that goes on is refused with ESTALE, and the caller begins
 * anew. One call answers for one epoch: if the ring changes in the middle, the
 * call succeeds with @out_count < @count and @out_more 1.
 *
 * RANGES: who owns what, as arcs. They ascend and do not overlap; with @node 0
 * they are the whole circle. Each is as long as can be, but none goes over 0:
 * what the owner of position 0 owns before 0 is an arc of its own, the last
 * one. A ring without a node in service with weight has none. ENOENT: @node.
 *
 * CHRING_RANGES_PREVIOUS: who owned what before, see "former owners".
 *
 * DIFF: what moves from former owners to owners, as arcs of the same kind:
 * positions whose former owner is another node than their owner.
 *
 * TOKENS: all tokens in the order of the table: by position, those that stand
 * at one position by the bytes of their nodes' names. Not only of nodes in
 * service.
 *
 * Read. All of this reveals tokens: on a keyed ring it is EBADF unless the
 * descriptor is open for writing too.
 *
 * EINVAL: @cursor without @epoch; ERANGE: @count is 0, or a @cursor that never
 * was given; ENODATA: former owners are asked for, and there are none yet;
 * ESTALE. After an error nothing is to be read from @entries.
 */
struct chring_circle_list {
	__u32 size;
	__u32 flags;
	__aligned_u64 node;
	__aligned_u64 cursor;
	__aligned_u64 epoch;
	__aligned_u64 entries;
	__u32 entry_size;
	__u32 count;
	__u32 out_count;
	__u32 out_more;
	__aligned_u64 out_cursor;
	__aligned_u64 out_ring;
	__aligned_u64 out_epoch;
	__aligned_u64 out_former_epoch;
};
#define CHRING_IOC_RANGES	_IO(CHRING_IOC_MAGIC, 0x31)
#define CHRING_IOC_DIFF		_IO(CHRING_IOC_MAGIC, 0x32)
#define CHRING_IOC_TOKENS	_IO(CHRING_IOC_MAGIC, 0x33)

/**
 * struct chring_pin - CHRING_IOC_PIN, CHRING_IOC_UNPIN: hold former owners
 * @size: sizeof(struct chring_pin)
 * @flags: 0
 * @epoch: change only if the ring is at this epoch; 0: whatever it is
 * @generation: as with every change
 * @out_ring: id of the ring
 * @out_epoch: epoch after the change
 * @out_generation: generation after the change
 * @out_digest: digest after the change
 *
 * PIN makes the owners of now the former ones, and they stay so, whatever
 * changes, until UNPIN; then the next change of tokens replaces them. The pin
 * belongs to the ring, not to the descriptor. Both make an epoch, for answers
 * change; tokens and digest stay.
 *
 * Changes. EBUSY: PIN, and it is pinned; ENOENT: UNPIN, and it is not;
 * ERANGE: @generation; ESTALE.
 */
struct chring_pin {
	__u32 size;
	__u32 flags;
	__aligned_u64 epoch;
	__aligned_u64 generation;
	__aligned_u64 out_ring;
	__aligned_u64 out_epoch;
	__aligned_u64 out_generation;
	__aligned_u64 out_digest;
};
#define CHRING_IOC_PIN		_IO(CHRING_IOC_MAGIC, 0x40)
#define CHRING_IOC_UNPIN	_IO(CHRING_IOC_MAGIC, 0x41)

/**
 * DOC: events
 *
 * read() on a descriptor of /dev/chring gives one record for each epoch of its
 * ring, in order: struct chring_event, as many whole ones as fit. Epochs are
 * consecutive, and @old_epoch of a record is @epoch of the one before it,
 * whatever their types. A record begins with its @size, which tells where the
 * next one begins: newer modules may append fields, and add types, which a
 * program that does not know them steps over. No record of any version is
 * larger than CHRING_EVENT_SIZE_MAX: a buffer of that size always holds one.
 *
 * A ring keeps its last CHRING_EVENTS_KEPT records. Who reads so late that
 * records are gone finds one of CHRING_EVENT_LOST in their place, and then the
 * oldest that is there. It says which epochs are missing, and what they changed
 * can be learned only from the ring as it is now.
 *
 * The place in the log belongs to the open file description: it is where the
 * ring was when the descriptor got its ring, by BIND or by the first command,
 * poll() or read() that asks for one, and moves on with each record read.
 * dup(), fork() and passing it on share it, so each record is read by one of
 * those who share. A program that wants to know a ring and then follow it
 *
 *	1. opens the device and binds the descriptor,
 *	2. lists the nodes on it: the list says of which epoch it is,
 *	3. reads records, and skips those whose @epoch is not after the list's.
 *
 * No change can fall between list and records. When records say that something
 * has changed, or were lost, it goes back to 2; nothing is to be reopened.
 *
 * poll() says EPOLLIN | EPOLLRDNORM when there are records to read, and
 * EPOLLERR | EPOLLHUP once the ring has been deleted. Errors of read():
 *
 *  - EBADF: the descriptor is not open for reading.
 *  - EINVAL: not even one record fits.
 *  - EAGAIN: there is none, and the descriptor is O_NONBLOCK; otherwise read()
 *    waits for one.
 *  - EINTR: a signal came while it was waiting.
 *  - ENODEV: the ring has been deleted; also to those who are waiting. Records
 *    not read by then are gone with it.
 *  - EFAULT: not even one record could be written. None that was not is
 *    counted as read.
 */
#define CHRING_EVENTS_KEPT	1024
#define CHRING_EVENT_SIZE_MAX	512

/**
 * enum chring_event_type - what a record tells of
 * @CHRING_EVENT_CHANGE: one change, which made @epoch of @old_epoch
 * @CHRING_EVENT_LOST: records of epochs after @old_epoch, up to and with @epoch,
 *	that were gone before this reader came; all it has are these two, @ring
 *	and @lost
 */
enum chring_event_type {
	CHRING_EVENT_CHANGE	= 1,
	CHRING_EVENT_LOST	= 2,
};

/* Tokens came or went: a copy of them, or of whom they belong to, is stale. */
#define CHRING_EVENT_TOKENS	(1U << 0)
/* The ring is pinned, from this change or an earlier one. */
#define CHRING_EVENT_PINNED	(1U << 1)

/**
 * struct chring_event - a record of a ring's log, as read() gives it
 * @size: of this record, a multiple of 8
 * @type: enum chring_event_type
 * @ring: id of the ring
 * @old_epoch: epoch before
 * @epoch: epoch after
 * @generation: after the change
 * @digest: after the change. The same as before it if only such things are
 *	different as do not route: cookies, the generation
 * @time: when the change was published: nanoseconds since 1970 by the system's
 *	clock, which may be set back
 * @lost: CHRING_EVENT_LOST: how many records
 * @tokens: of all nodes, after the change
 * @nodes: all of them, after the change
 * @live: nodes in service with weight, after the change
 * @added: nodes that came
 * @removed: nodes that went
 * @changed: nodes that stayed and got another weight, zone or cookie, or of
 *	which the owner of a private ring keeps something else
 * @flipped: nodes that stayed and got another state; some may be among @changed
 * @flags: CHRING_EVENT_TOKENS, CHRING_EVENT_PINNED
 * @reserved: 0
 *
 * A change may be of the generation or of the pin alone, and count nothing.
 */
struct chring_event {
	__u32 size;
	__u32 type;
	__aligned_u64 ring;
	__aligned_u64 old_epoch;
	__aligned_u64 epoch;
	__aligned_u64 generation;
	__aligned_u64 digest;
	__aligned_u64 time;
	__aligned_u64 lost;
	__aligned_u64 tokens;
	__u32 nodes;
	__u32 live;
	__u32 added;
	__u32 removed;
	__u32 changed;
	__u32 flipped;
	__u32 flags;
	__u32 reserved;
};

/**
 * DOC: status pages
 *
 * mmap() of a descriptor of /dev/chring shows struct chring_status of its ring,
 * which the kernel keeps up to date: whoever has a copy of the ring's tokens
 * (CHRING_IOC_TOKENS) and nodes (CHRING_IOC_NODE_LIST) sees without a system
 * call whether it still holds, and which nodes are in service.
 *
 * It is mapped from offset 0, MAP_SHARED, PROT_READ, at most as long as whole
 * pages of the struct are; a longer struct of a newer module may be mapped
 * longer. Errors of mmap():
 *
 *  - EACCES: the descriptor is not open for reading; or PROT_WRITE is asked for
 *    with MAP_SHARED, and it is not open for writing.
 *  - EPERM: PROT_WRITE or PROT_EXEC; the personality READ_IMPLIES_EXEC adds the
 *    latter.
 *  - EINVAL: MAP_PRIVATE, another offset, or longer than there is to show.
 *  - ENODEV: the ring has been deleted.
 *  - ENOMEM, EDQUOT: as for commands. The first mapping of a ring allocates;
 *    later ones do not.
 *
 * mprotect() to write or execute is EACCES, mremap() to more EFAULT. A child of
 * fork() has the mapping too; core dumps do not. The mapping holds the module,
 * and the memory of these pages, until it is gone; no other memory of the ring.
 * It stays as it was last when the ring is deleted, but for
 * CHRING_STATUS_DELETED.
 *
 * Reading. The kernel makes @sequence odd, changes words, and makes it even
 * again, another number than ever before. So, each load an acquiring one:
 *
 *	1. load @sequence; if it is odd, again: it is so for microseconds,
 *	2. load words,
 *	3. load @sequence; if it is not what it was, begin again.
 *
 * What was loaded then is of one epoch. What is known of a @sequence need not
 * be loaded again as long as it stays: a lookup in a copy made for that one has
 * only this to ask. A program of 32 bits may look at the lower half alone.
 *
 * The words never tell of an epoch that commands do not answer for yet, nor of
 * an earlier one than an answer that was there before @sequence was loaded.
 */

/* The ring has been deleted: the words are of its last epoch. */
#define CHRING_STATUS_DELETED	(1U << 0)

/**
 * struct chring_status - a ring at its present epoch
 * @size: bytes that the module fills in; what lies behind is 0
 * @flags: CHRING_STATUS_*
 * @sequence: odd: being changed
 * @ring: id of the ring
 * @epoch: of the ring
 * @table_epoch: the one that tokens are of: a copy of them is good if it was
 *	made at this epoch or a later one
 * @nodes_epoch: likewise for the nodes and all of them but their states; never
 *	before @table_epoch
 * @live: nodes in service with weight
 * @zones: zones with such a node
 * @reserved: 0
 * @out: bit n % 64 of word n / 64 is set: the node with @bit n of struct
 *	chring_node_entry is out of service. Bits without a node mean nothing
 */
struct chring_status {
	__u32 size;
	__u32 flags;
	__aligned_u64 sequence;
	__aligned_u64 ring;
	__aligned_u64 epoch;
	__aligned_u64 table_epoch;
	__aligned_u64 nodes_epoch;
	__u32 live;
	__u32 zones;
	__aligned_u64 reserved[9];
	__aligned_u64 out[CHRING_NODES_MAX / 64];
};

#endif /* _UAPI_LINUX_CHRING_H */
