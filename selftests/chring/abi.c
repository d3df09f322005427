// SPDX-License-Identifier: GPL-2.0
/* The rules that hold for every command, tried on each of them. */
#include <sys/mman.h>

#include "libtest.h"
#include "kselftest_harness.h"

#define RING	"abi"
#define PAGE	4096

/* Buffers that the commands of a test may point to. */
struct room {
	char name[CHRING_RING_NAME_MAX + 1];
	struct chring_ring_entry ring[16];
	struct chring_node_entry node[16];
	struct chring_node_share share[16];
	struct chring_range range[4];
	struct chring_diff_entry diff[4];
	struct chring_token token[4];
	struct chring_owner owner[1];
	struct chring_owner former[1];
	struct chring_transfer transfer[16];
	struct chring_member member[2];
	struct chring_config config;
	char strings[256];
	char keys[16];
	__u32 lens[2];
	__u64 nodes[2];
};

/* A struct with everything right, for each command. */
static void fill_info(void *p, struct room *r)
{
	*(struct chring_info *)p = (struct chring_info){};
}

static void fill_name(void *p, struct room *r)
{
	strcpy(r->name, "victim");
	*(struct chring_ring_name *)p = (struct chring_ring_name){
		.name = ptr(r->name),
		.name_len = strlen(r->name),
	};
}

static void fill_bind(void *p, struct room *r)
{
	fill_name(p, r);
	strcpy(r->name, RING);
	((struct chring_ring_name *)p)->name_len = strlen(RING);
}

static void fill_create(void *p, struct room *r)
{
	strcpy(r->name, "fresh");
	*(struct chring_ring_create *)p = (struct chring_ring_create){
		.name = ptr(r->name),
		.name_len = strlen(r->name),
		.config = ptr(&r->config),
		.config_size = sizeof(r->config),
	};
}

static void fill_ring_list(void *p, struct room *r)
{
	*(struct chring_ring_list *)p = (struct chring_ring_list){
		.entries = ptr(r->ring),
		.entry_size = sizeof(r->ring[0]),
		.count = ARRAY_LEN(r->ring),
	};
}

static void fill_node(void *p, struct room *r)
{
	*(struct chring_node_change *)p = (struct chring_node_change){
		.name = ptr(r->name),
		.name_len = strlen(r->name),
	};
}

static void fill_add(void *p, struct room *r)
{
	struct chring_node_change *arg = p;

	strcpy(r->name, "c");
	strcpy(r->strings, "zone-1");
	fill_node(p, r);
	arg->zone = ptr(r->strings);
	arg->zone_len = strlen(r->strings);
	arg->weight = 1;
	arg->generation = 9;
}

static void fill_set(void *p, struct room *r)
{
	struct chring_node_change *arg = p;

	strcpy(r->name, "a");
	strcpy(r->strings, "zone-2");
	fill_node(p, r);
	arg->flags = CHRING_NODE_WEIGHT | CHRING_NODE_ZONE;
	arg->zone = ptr(r->strings);
	arg->zone_len = strlen(r->strings);
	arg->weight = 7;
}

static void fill_del(void *p, struct room *r)
{
	strcpy(r->name, "a");
	fill_node(p, r);
}

static void fill_node_list(void *p, struct room *r)
{
	*(struct chring_node_list *)p = (struct chring_node_list){
		.entries = ptr(r->node),
		.entry_size = sizeof(r->node[0]),
		.count = ARRAY_LEN(r->node),
		.strings = ptr(r->strings),
		.strings_size = sizeof(r->strings),
	};
}

static void fill_lookup(void *p, struct room *r)
{
	strcpy(r->keys, "key");
	*(struct chring_lookup *)p = (struct chring_lookup){
		.key = ptr(r->keys),
		.key_len = 3,
		.count = 1,
		.owners = ptr(r->owner),
		.entry_size = sizeof(r->owner[0]),
		.formers = ptr(r->former),
	};
}

static void fill_batch(void *p, struct room *r)
{
	strcpy(r->keys, "key1key22");
	r->lens[0] = 4;
	r->lens[1] = 5;
	*(struct chring_lookup_batch *)p = (struct chring_lookup_batch){
		.keys = ptr(r->keys),
		.keys_size = 9,
		.lens = ptr(r->lens),
		.count = 2,
		.nodes = ptr(r->nodes),
	};
}

static void fill_acquire(void *p, struct room *r)
{
	strcpy(r->keys, "key");
	*(struct chring_acquire *)p = (struct chring_acquire){
		.key = ptr(r->keys),
		.key_len = 3,
	};
}

/* Of the node of the ticket that hold_ticket() has taken. */
static __u64 held;

static void fill_release(void *p, struct room *r)
{
	*(struct chring_release *)p = (struct chring_release){
		.node = held,
		.count = 1,
	};
}

static void fill_stats(void *p, struct room *r)
{
	*(struct chring_stats *)p = (struct chring_stats){
		.config = ptr(&r->config),
		.config_size = sizeof(r->config),
		.entries = ptr(r->share),
		.entry_size = sizeof(r->share[0]),
		.count = ARRAY_LEN(r->share),
	};
}

static void fill_pin(void *p, struct room *r)
{
	*(struct chring_pin *)p = (struct chring_pin){};
}

static void fill_commit(void *p, struct room *r)
{
	strcpy(r->strings, "bczone");
	r->member[0] = (struct chring_member){
		.name_len = 1,
		.weight = 1,
	};
	r->member[1] = (struct chring_member){
		.name_off = 1,
		.name_len = 1,
		.zone_off = 2,
		.zone_len = 4,
		.weight = 2,
	};
	*(struct chring_commit *)p = (struct chring_commit){
		.members = ptr(r->member),
		.member_size = sizeof(r->member[0]),
		.count = 2,
		.strings = ptr(r->strings),
		.strings_size = 6,
		.nodes = ptr(r->nodes),
	};
}

/* The same as a dry run that wants everything. */
static void fill_dry(void *p, struct room *r)
{
	struct chring_commit *arg = p;

	fill_commit(p, r);
	arg->flags = CHRING_DRY_RUN;
	arg->dry.transfers = ptr(r->transfer);
	arg->dry.entry_size = sizeof(r->transfer[0]);
	arg->dry.count = ARRAY_LEN(r->transfer);
}

static void fill_ranges(void *p, struct room *r)
{
	*(struct chring_circle_list *)p = (struct chring_circle_list){
		.entries = ptr(r->range),
		.entry_size = sizeof(r->range[0]),
		.count = ARRAY_LEN(r->range),
	};
}

static void fill_diff(void *p, struct room *r)
{
	*(struct chring_circle_list *)p = (struct chring_circle_list){
		.entries = ptr(r->diff),
		.entry_size = sizeof(r->diff[0]),
		.count = ARRAY_LEN(r->diff),
	};
}

static void fill_tokens(void *p, struct room *r)
{
	*(struct chring_circle_list *)p = (struct chring_circle_list){
		.entries = ptr(r->token),
		.entry_size = sizeof(r->token[0]),
		.count = ARRAY_LEN(r->token),
	};
}

#define READS	1
#define CHANGES	2

FIXTURE(command)
{
	int fd;			/* of RING, to read and write */
	struct mark before;
	struct room room;
	/* The struct, its end against a page that is not there. */
	char *pages;
	char *arg;
};

FIXTURE_VARIANT(command)
{
	unsigned long ioc;
	__u32 size;
	int mode;
	void (*fill)(void *p, struct room *r);
	bool unbound;		/* wants a descriptor without a ring */
	__u32 min;		/* size of its first version, 0: as it is now */
	__u32 known;		/* flags over bit 3 that it knows */
	bool holder;		/* wants one with a ticket */
	size_t pad;		/* offset of padding, 0: none */
	size_t user[4];		/* offsets of pointers */
	size_t out;		/* outputs begin here, ... */
	size_t out_end;		/* ... and end here; @pad between is not one */
};

#define VARIANT(_name, _ioc, _struct, _mode, _fill, _out, _out_last, ...)     \
	FIXTURE_VARIANT_ADD(command, _name)				      \
	{								      \
		.ioc = _ioc, .size = sizeof(struct _struct), .mode = _mode,   \
		.fill = _fill, .out = offsetof(struct _struct, _out),	      \
		.out_end = offsetof(struct _struct, _out_last) +	      \
			   sizeof(((struct _struct *)0)->_out_last),	      \
		__VA_ARGS__						      \
	}
#define AT(_struct, _field)	offsetof(struct _struct, _field)

VARIANT(info, CHRING_IOC_INFO, chring_info, READS, fill_info, out_version,
	out_kfuncs);
VARIANT(ring_create, CHRING_IOC_RING_CREATE, chring_ring_create, CHANGES,
	fill_create, out_ring, out_ring,
	.user = { AT(chring_ring_create, name),
		  AT(chring_ring_create, config) });
VARIANT(ring_delete, CHRING_IOC_RING_DELETE, chring_ring_name, CHANGES,
	fill_name, out_ring, out_ring, .user = { AT(chring_ring_name, name) },
	.pad = AT(chring_ring_name, reserved));
VARIANT(bind, CHRING_IOC_BIND, chring_ring_name, READS | CHANGES, fill_bind,
	out_ring, out_ring, .user = { AT(chring_ring_name, name) },
	.pad = AT(chring_ring_name, reserved), .unbound = true);
VARIANT(ring_list, CHRING_IOC_RING_LIST, chring_ring_list, READS,
	fill_ring_list, out_count, out_count,
	.user = { AT(chring_ring_list, entries) },
	.pad = AT(chring_ring_list, reserved));
VARIANT(node_add, CHRING_IOC_NODE_ADD, chring_node_change, CHANGES, fill_add,
	out_ring, out_node, .user = { AT(chring_node_change, name),
				      AT(chring_node_change, zone) },
	.min = 112, .known = CHRING_DRY_RUN);
VARIANT(node_set, CHRING_IOC_NODE_SET, chring_node_change, CHANGES, fill_set,
	out_ring, out_node, .user = { AT(chring_node_change, name),
				      AT(chring_node_change, zone) },
	.min = 112, .known = CHRING_DRY_RUN);
VARIANT(node_del, CHRING_IOC_NODE_DEL, chring_node_change, CHANGES, fill_del,
	out_ring, out_node, .user = { AT(chring_node_change, name) },
	.min = 112, .known = CHRING_DRY_RUN);
VARIANT(node_list, CHRING_IOC_NODE_LIST, chring_node_list, READS,
	fill_node_list, out_count, out_digest,
	.user = { AT(chring_node_list, entries), AT(chring_node_list, strings) },
	.pad = AT(chring_node_list, reserved));
VARIANT(lookup, CHRING_IOC_LOOKUP, chring_lookup, READS, fill_lookup,
	out_count, out_epoch, .user = { AT(chring_lookup, key),
					AT(chring_lookup, owners),
					AT(chring_lookup, formers) },
	.pad = AT(chring_lookup, reserved), .min = 80);
VARIANT(lookup_batch, CHRING_IOC_LOOKUP_BATCH, chring_lookup_batch, READS,
	fill_batch, out_done, out_epoch,
	.user = { AT(chring_lookup_batch, keys), AT(chring_lookup_batch, lens),
		  AT(chring_lookup_batch, nodes) },
	.pad = AT(chring_lookup_batch, reserved));
VARIANT(acquire, CHRING_IOC_ACQUIRE, chring_acquire, CHANGES, fill_acquire,
	out_node, out_epoch, .user = { AT(chring_acquire, key) },
	.pad = AT(chring_acquire, reserved));
VARIANT(release, CHRING_IOC_RELEASE, chring_release, CHANGES, fill_release,
	out_load, out_epoch, .pad = AT(chring_release, reserved),
	.holder = true);
VARIANT(stats, CHRING_IOC_STATS, chring_stats, READS, fill_stats, out_nodes,
	out_name, .user = { AT(chring_stats, config),
			    AT(chring_stats, entries) }, .min = 168);
VARIANT(pin, CHRING_IOC_PIN, chring_pin, CHANGES, fill_pin, out_ring,
	out_digest);
VARIANT(commit, CHRING_IOC_COMMIT, chring_commit, CHANGES, fill_commit,
	out_ring, out_digest, .user = { AT(chring_commit, members),
					AT(chring_commit, strings),
					AT(chring_commit, nodes) },
	.pad = AT(chring_commit, reserved), .known = CHRING_DRY_RUN);
VARIANT(dry_run, CHRING_IOC_COMMIT, chring_commit, CHANGES, fill_dry,
	out_ring, out_digest, .user = { AT(chring_commit, members),
					AT(chring_commit, dry.transfers) },
	.pad = AT(chring_commit, dry.reserved), .known = CHRING_DRY_RUN);
VARIANT(ranges, CHRING_IOC_RANGES, chring_circle_list, READS, fill_ranges,
	out_count, out_former_epoch,
	.user = { AT(chring_circle_list, entries) });
VARIANT(diff, CHRING_IOC_DIFF, chring_circle_list, READS, fill_diff,
	out_count, out_former_epoch,
	.user = { AT(chring_circle_list, entries) });
VARIANT(tokens, CHRING_IOC_TOKENS, chring_circle_list, READS, fill_tokens,
	out_count, out_former_epoch,
	.user = { AT(chring_circle_list, entries) });

static void set_size(void *arg, __u32 size)
{
	memcpy(arg, &size, sizeof(size));
}

/* The struct with everything right, where a write past its end would fault. */
#define FILL() ({							\
	memset(self->pages, 0, PAGE);					\
	memset(&self->room, 0, sizeof(self->room));			\
	variant->fill(self->arg, &self->room);				\
	set_size(self->arg, variant->size);				\
})

static void hold_ticket(int fd)
{
	struct chring_acquire out;

	if (!ticket_take(fd, "key", &out))
		held = out.out_node;
}

/* A descriptor for the command: of the ring, or of none. */
static int open_for(struct _test_data_command *self,
		    const struct _fixture_variant_command *variant, int flags)
{
	int fd = dev_open(flags, variant->unbound ? NULL : RING);

	if (variant->holder) {
		hold_ticket(fd);
		mark_ring(self->fd, &self->before);
	}
	return fd;
}

FIXTURE_SETUP(command)
{
	int fd = dev_open(O_RDWR, NULL);

	ASSERT_LE(0, fd);
	ring_delete(fd, "fresh");
	ring_delete(fd, "victim");
	ASSERT_EQ(0, ring_create(fd, "victim", NULL));
	close(fd);
	self->fd = ring_fresh(RING, NULL);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, node_add(self->fd, "a", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, node_add(self->fd, "b", 1, CHRING_STATE_UP, NULL));
	ASSERT_EQ(0, mark_ring(self->fd, &self->before));

	self->pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->pages);
	ASSERT_EQ(0, munmap(self->pages + PAGE, PAGE));
	self->arg = self->pages + PAGE - variant->size;
}

FIXTURE_TEARDOWN(command)
{
	ring_delete(self->fd, "fresh");
	ring_delete(self->fd, "victim");
	ring_delete(self->fd, RING);
	close(self->fd);
	munmap(self->pages, PAGE);
}

TEST_F(command, works_as_filled)
{
	int fd = open_for(self, variant, O_RDWR);

	FILL();
	EXPECT_EQ(0, chr(fd, variant->ioc, self->arg));
	close(fd);
}

TEST_F(command, size_too_small)
{
	int fd = open_for(self, variant, O_RDWR);
	__u32 size;

	for (size = 0; size < (variant->min ?: variant->size); size++) {
		FILL();
		set_size(self->arg, size);
		EXPECT_EQ(-EINVAL, chr(fd, variant->ioc, self->arg));
	}
	EXPECT_UNCHANGED(self->before);
	close(fd);
}

/* Of an older program: what it does not know is not looked at, nor written. */
TEST_F(command, first_version)
{
	int fd = open_for(self, variant, O_RDWR);
	char *arg;

	if (!variant->min)
		SKIP(return, "this struct has not grown");
	FILL();
	arg = self->pages + PAGE - variant->min;
	memmove(arg, self->arg, variant->min);
	set_size(arg, variant->min);
	EXPECT_EQ(0, chr(fd, variant->ioc, arg));
	close(fd);
}

/* Of a newer program: longer, the rest 0 or not. */
TEST_F(command, tail)
{
	int fd = open_for(self, variant, O_RDWR);
	char *arg = self->pages;
	__u32 at;

	for (at = variant->size; at < variant->size + 16; at++) {
		FILL();
		memmove(arg, self->arg, variant->size);
		memset(arg + variant->size, 0, 16);
		set_size(arg, variant->size + 16);
		arg[at] = 1;
		EXPECT_EQ(-E2BIG, chr(fd, variant->ioc, arg));
	}
	EXPECT_UNCHANGED(self->before);
	FILL();
	memmove(arg, self->arg, variant->size);
	memset(arg + variant->size, 0, 16);
	set_size(arg, PAGE + 1);
	EXPECT_EQ(-E2BIG, chr(fd, variant->ioc, arg));
	EXPECT_UNCHANGED(self->before);
	set_size(arg, variant->size + 16);
	EXPECT_EQ(0, chr(fd, variant->ioc, arg));
	close(fd);
}

TEST_F(command, unknown_flags)
{
	int fd = open_for(self, variant, O_RDWR);
	int bit;

	for (bit = 4; bit < 32; bit++) {
		__u32 flag = 1U << bit, flags;

		if (variant->known & flag)
			continue;
		FILL();
		memcpy(&flags, self->arg + 4, sizeof(flags));
		flags |= flag;
		memcpy(self->arg + 4, &flags, sizeof(flags));
		EXPECT_EQ(-EINVAL, chr(fd, variant->ioc, self->arg));
	}
	EXPECT_UNCHANGED(self->before);
	close(fd);
}

TEST_F(command, dirty_padding)
{
	int fd = open_for(self, variant, O_RDWR);
	int i;

	if (!variant->pad)
		SKIP(return, "this struct has no padding");
	for (i = 0; i < 4; i++) {
		FILL();
		self->arg[variant->pad + i] = 1;
		EXPECT_EQ(-EINVAL, chr(fd, variant->ioc, self->arg));
	}
	EXPECT_UNCHANGED(self->before);
	close(fd);
}

TEST_F(command, bad_argument)
{
	int fd = open_for(self, variant, O_RDWR);

	EXPECT_EQ(-EFAULT, chr(fd, variant->ioc, NULL));
	EXPECT_EQ(-EFAULT, chr(fd, variant->ioc, self->pages + PAGE));
	EXPECT_EQ(-EFAULT, chr(fd, variant->ioc, (void *)~0xfffUL));
	/* Its last byte is not there. */
	FILL();
	memmove(self->arg + 1, self->arg, variant->size - 1);
	EXPECT_EQ(-EFAULT, chr(fd, variant->ioc, self->arg + 1));
	EXPECT_UNCHANGED(self->before);
	close(fd);
}

/* The answer has nowhere to go: then nothing has happened. */
TEST_F(command, answer_faults)
{
	int fd = open_for(self, variant, O_RDWR);

	FILL();
	ASSERT_EQ(0, mprotect(self->pages, PAGE, PROT_READ));
	EXPECT_EQ(-EFAULT, chr(fd, variant->ioc, self->arg));
	EXPECT_UNCHANGED(self->before);
	ASSERT_EQ(0, mprotect(self->pages, PAGE, PROT_READ | PROT_WRITE));
	EXPECT_EQ(0, chr(fd, variant->ioc, self->arg));
	close(fd);
}

TEST_F(command, bad_pointers)
{
	const __u64 bad[] = { 8, ptr(self->pages + PAGE), ~0xfffULL };
	int fd = open_for(self, variant, O_RDWR);
	size_t i, j;

	for (i = 0; i < ARRAY_LEN(variant->user) && variant->user[i]; i++) {
		for (j = 0; j < ARRAY_LEN(bad); j++) {
			FILL();
			memcpy(self->arg + variant->user[i], &bad[j], 8);
			EXPECT_EQ(-EFAULT, chr(fd, variant->ioc, self->arg));
		}
	}
	EXPECT_UNCHANGED(self->before);
	close(fd);
}

TEST_F(command, needs_its_mode)
{
	int reader = open_for(self, variant, O_RDONLY);
	int writer = open_for(self, variant, O_WRONLY);
	/* Access mode 3 is for ioctl() alone: open for neither. */
	int neither = dev_open(O_ACCMODE, NULL);

	ASSERT_LE(0, neither);
	FILL();
	EXPECT_EQ(-EBADF, chr(neither, variant->ioc, self->arg));
	close(neither);
	if (!(variant->mode & READS)) {
		FILL();
		EXPECT_EQ(-EBADF, chr(reader, variant->ioc, self->arg));
	}
	if (!(variant->mode & CHANGES)) {
		FILL();
		EXPECT_EQ(-EBADF, chr(writer, variant->ioc, self->arg));
	}
	EXPECT_UNCHANGED(self->before);
	FILL();
	EXPECT_EQ(0, chr(variant->mode & READS ? reader : writer,
			 variant->ioc, self->arg));
	close(reader);
	close(writer);
}

TEST_F(command, ring_deleted)
{
	int fd = dev_open(O_RDWR, NULL);

	ASSERT_EQ(0, ring_delete(fd, RING));
	FILL();
	EXPECT_EQ(-ENODEV, chr(self->fd, variant->ioc, self->arg));
	/* A ring of the same name is another ring. */
	ASSERT_EQ(0, ring_create(fd, RING, NULL));
	FILL();
	EXPECT_EQ(-ENODEV, chr(self->fd, variant->ioc, self->arg));
	close(fd);
	/* For the teardown: one that lives. */
	close(self->fd);
	self->fd = dev_open(O_RDWR, RING);
}

/* What a caller left in the outputs does not come back on an error. */
TEST_F(command, outputs_are_cleared)
{
	int fd = open_for(self, variant, O_RDWR);
	size_t i;

	FILL();
	for (i = variant->out; i < variant->out_end; i++)
		if (!variant->pad || i < variant->pad || i >= variant->pad + 4)
			self->arg[i] = 0xa5;
	if (variant->user[0]) {
		memset(self->arg + variant->user[0], 0xa5, 8);
		EXPECT_EQ(-EFAULT, chr(fd, variant->ioc, self->arg));
	} else if (variant->mode & CHANGES) {
		self->arg[7] = 0x80;	/* an unknown flag */
		EXPECT_EQ(-EINVAL, chr(fd, variant->ioc, self->arg));
	} else {
		EXPECT_EQ(0, chr(fd, variant->ioc, self->arg));
	}
	for (i = variant->out; i + 8 <= variant->out_end; i++)
		EXPECT_NE(0, memcmp(self->arg + i, "\xa5\xa5\xa5\xa5\xa5\xa5"
				    "\xa5\xa5", 8));
	EXPECT_UNCHANGED(self->before);
	close(fd);
}

TEST(unknown_commands)
{
	int fd = dev_open(O_RDWR, NULL);
	struct chring_info info = { .size = sizeof(info) };
	int nr;

	for (nr = 0; nr < 256; nr++) {
		unsigned long ioc = _IO(CHRING_IOC_MAGIC, nr);

		if (ioc == CHRING_IOC_INFO || (nr > 0 && nr <= 4) ||
		    (nr >= 0x10 && nr <= 0x14) || (nr >= 0x20 && nr <= 0x23) ||
		    (nr >= 0x30 && nr <= 0x33) || nr == 0x40 || nr == 0x41)
			continue;
		EXPECT_EQ(-ENOTTY, chr(fd, ioc, &info));
	}
	EXPECT_EQ(-ENOTTY, chr(fd, _IO('x', 0), &info));
	EXPECT_EQ(-ENOTTY, chr(fd, _IOR(CHRING_IOC_MAGIC, 0, int), &info));
	EXPECT_EQ(-ENOTTY, chr(fd, _IOW(CHRING_IOC_MAGIC, 0, int), &info));
	EXPECT_EQ(0, chr(fd, CHRING_IOC_INFO, &info));
	close(fd);
}

TEST_HARNESS_MAIN
