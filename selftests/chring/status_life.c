// SPDX-License-Identifier: GPL-2.0
/*
 * The life of status pages: what holds them, what they hold, and what is seen
 * of a ring that is gone.
 */
#include "kselftest_harness.h"
#include "libstatus.h"

#define RING	"status-test"

FIXTURE(life)
{
	int control;	/* of no ring */
};

FIXTURE_SETUP(life)
{
	self->control = dev_open(O_RDWR, NULL);
	ASSERT_LE(0, self->control);
	ring_delete(self->control, RING);
}

FIXTURE_TEARDOWN(life)
{
	ring_delete(self->control, RING);
	close(self->control);
}

/* A ring with something to show of it. */
static int make_ring(void)
{
	int fd = ring_fresh(RING, NULL);

	if (fd < 0 || node_add(fd, "a", 1, CHRING_STATE_DOWN, NULL) ||
	    node_add(fd, "b", 1, CHRING_STATE_UP, NULL))
		return -1;
	return fd;
}

/* -- mapping, descriptor, child and ring end in every order */

enum { UNMAP, CLOSE, DELETE, FORK, EXIT, STEPS };

static const char letters[] = "ucdfx";

/**
 * struct scene - a ring, and who sees it
 * @control: descriptor of no ring
 * @fd: of the ring; negative: closed
 * @s: mapped here; NULL: no more
 * @was: the pages before the ring was deleted
 * @pid: of the child; 0: there is none
 * @ask: a byte to the child: flags that it should see
 * @answer: a byte of the child: does it?
 * @deleted: the ring is
 */
struct scene {
	int control;
	int fd;
	const struct chring_status *s;
	char was[STATUS_BYTES];
	pid_t pid;
	int ask[2];
	int answer[2];
	bool deleted;
};

/* Flags that are expected, and all the rest as it was. */
static bool as_expected(const struct scene *scene, __u32 flags)
{
	const volatile struct chring_status *s = scene->s;
	size_t rest = offsetof(struct chring_status, ring);

	if (!s)
		return true;
	return s->size == sizeof(*s) && s->flags == flags &&
	       s->sequence % 2 == 0 &&
	       !memcmp((const char *)s + rest, scene->was + rest,
		       STATUS_BYTES - rest);
}

/* Of the ring it has the mapping alone, if it was there when it was born. */
static int child_main(struct scene *scene)
{
	char flags, ok;

	close(scene->fd);
	close(scene->control);
	close(scene->ask[1]);
	while (read(scene->ask[0], &flags, 1) == 1) {
		ok = as_expected(scene, flags);
		if (write(scene->answer[1], &ok, 1) != 1)
			return 1;
	}
	return 0;
}

static int child_start(struct scene *scene)
{
	if (pipe(scene->ask) || pipe(scene->answer))
		return -1;
	scene->pid = fork();
	if (!scene->pid)
		_exit(child_main(scene));
	close(scene->ask[0]);
	close(scene->answer[1]);
	return 0;
}

static int child_end(struct scene *scene)
{
	int ret;

	close(scene->ask[1]);
	ret = ended(scene->pid);
	scene->pid = 0;
	close(scene->answer[0]);
	return ret;
}

static int take_step(struct scene *scene, int step)
{
	int ret;

	switch (step) {
	case UNMAP:
		ret = status_unmap(scene->s);
		scene->s = NULL;
		return ret;
	case CLOSE:
		ret = close(scene->fd);
		scene->fd = -1;
		return ret;
	case DELETE:
		scene->deleted = true;
		return ring_delete(scene->control, RING);
	case FORK:
		return child_start(scene);
	default:
		return child_end(scene);
	}
}

/* Do all who have it mapped see what they should? */
static bool all_see(struct scene *scene)
{
	char flags = scene->deleted ? CHRING_STATUS_DELETED : 0, ok = 0;

	if (!as_expected(scene, flags))
		return false;
	if (!scene->pid)
		return true;
	return write(scene->ask[1], &flags, 1) == 1 &&
	       read(scene->answer[0], &ok, 1) == 1 && ok;
}

static bool ends_well(int control, const int *order, __u64 held)
{
	struct scene scene = { .control = control, .fd = make_ring() };
	int i;

	scene.s = status_map(scene.fd);
	if (!scene.s)
		return false;
	memcpy(scene.was, scene.s, STATUS_BYTES);
	for (i = 0; i < STEPS; i++)
		if (!all_see(&scene) || take_step(&scene, order[i]))
			return false;
	return settles_at(control, held);
}

/*
 * The n-th order of all steps, or false: it is none, for the child cannot end
 * before it is born.
 */
static bool make_order(int n, int *order)
{
	int left[STEPS] = { 0, 1, 2, 3, 4 }, i, k;
	bool born = false;

	for (i = 0; i < STEPS; i++) {
		k = n % (STEPS - i);
		n /= STEPS - i;
		order[i] = left[k];
		left[k] = left[STEPS - i - 1];
		if (order[i] == EXIT && !born)
			return false;
		born |= order[i] == FORK;
	}
	return true;
}

TEST_F_TIMEOUT(life, ends_in_every_order, 300)
{
	__u64 held = bytes_settled(self->control);
	int order[STEPS], orders = 0, n, i;
	char name[STEPS + 1] = "";

	for (n = 0; n < 120; n++) {
		if (!make_order(n, order))
			continue;
		orders++;
		for (i = 0; i < STEPS; i++)
			name[i] = letters[order[i]];
		ASSERT_TRUE(ends_well(self->control, order, held)) {
			TH_LOG("order %s", name);
		}
	}
	EXPECT_EQ(60, orders);
}

/* -- memory */

TEST_F(life, pages_are_counted_once)
{
	int fd = make_ring(), other = dev_open(O_RDONLY, RING);
	__u64 bytes = ring_bytes(fd), held = bytes_settled(fd);
	const struct chring_status *first, *second;

	first = status_map(fd);
	ASSERT_NE(NULL, first);
	EXPECT_EQ(bytes + STATUS_BYTES, ring_bytes(fd));
	EXPECT_EQ(held + STATUS_BYTES, bytes_held(fd));
	second = status_map(other);
	ASSERT_NE(NULL, second);
	EXPECT_EQ(0, status_may_map(fd));
	EXPECT_EQ(bytes + STATUS_BYTES, ring_bytes(fd));
	EXPECT_EQ(held + STATUS_BYTES, bytes_held(fd));
	/* They are the ring's, and stay for who comes next. */
	status_unmap(first);
	status_unmap(second);
	EXPECT_EQ(bytes + STATUS_BYTES, ring_bytes(fd));
	close(other);
	close(fd);
}

/* Of a ring that is deleted, who has it mapped holds the pages, and no table. */
TEST_F(life, deleted_ring_keeps_its_pages)
{
	__u64 held = bytes_settled(self->control), left;
	const struct chring_status *s;
	int fd = make_ring();

	ASSERT_EQ(0, node_add(fd, "heavy", 1000, CHRING_STATE_UP, NULL));
	EXPECT_LT(1 << 20, ring_bytes(fd));
	s = status_map(fd);
	ASSERT_NE(NULL, s);
	close(fd);
	ASSERT_EQ(0, ring_delete(self->control, RING));
	left = bytes_settled(self->control) - held;
	note("%llu bytes are left, %zu of them pages",
	     (unsigned long long)left, STATUS_BYTES);
	EXPECT_LE(STATUS_BYTES, left);
	EXPECT_GT(STATUS_BYTES + PAGE, left);
	EXPECT_EQ(CHRING_STATUS_DELETED, s->flags);
	EXPECT_EQ(4, s->epoch);
	/* The name is free at once, and is another ring's. */
	fd = make_ring();
	EXPECT_EQ(0, status_may_map(fd));
	EXPECT_EQ(4, s->epoch);
	EXPECT_NE(ring_of(fd), s->ring);
	close(fd);
	ASSERT_EQ(0, ring_delete(self->control, RING));
	status_unmap(s);
	EXPECT_TRUE(settles_at(self->control, held));
}

/* The module stays for a mapping that has outlived its descriptor. */
TEST_F(life, mapping_holds_the_module)
{
	int fd = make_ring();
	const struct chring_status *s = status_map(fd);

	ASSERT_NE(NULL, s);
	close(fd);
	close(self->control);
	EXPECT_EQ(-EAGAIN, module_unload("chring"));
	EXPECT_EQ(3, s->epoch);
	self->control = dev_open(O_RDWR, NULL);
	ASSERT_EQ(0, ring_delete(self->control, RING));
	close(self->control);
	EXPECT_EQ(-EAGAIN, module_unload("chring"));
	EXPECT_EQ(CHRING_STATUS_DELETED, s->flags);
	status_unmap(s);
	EXPECT_EQ(0, module_unload("chring"));
	EXPECT_EQ(0, module_load(MODULE, ""));
	self->control = dev_open(O_RDWR, NULL);
	EXPECT_LE(0, self->control);
}

#define RINGS	200

TEST_F(life, many_rings)
{
	__u64 held = bytes_settled(self->control);
	const struct chring_status *s[RINGS];
	char name[32];
	int fd, i;

	for (i = 0; i < RINGS; i++) {
		snprintf(name, sizeof(name), "status-%d", i);
		fd = ring_fresh(name, NULL);
		ASSERT_LE(0, fd);
		s[i] = status_map(fd);
		ASSERT_NE(NULL, s[i]);
		close(fd);
	}
	/* Each one is changed another number of times, and has its own epoch. */
	for (i = 0; i < RINGS; i++) {
		snprintf(name, sizeof(name), "status-%d", i);
		fd = dev_open(O_RDWR, name);
		ASSERT_EQ(0, node_add(fd, "a", 1, i % 3, NULL));
		ASSERT_EQ(0, change_often(fd, "a", 2 * (i % 5)));
		EXPECT_EQ(0, status_wrong(fd, s[i]));
		close(fd);
	}
	for (i = 0; i < RINGS; i++) {
		snprintf(name, sizeof(name), "status-%d", i);
		if (i % 2)
			status_unmap(s[i]);
		ASSERT_EQ(0, ring_delete(self->control, name));
		if (i % 2)
			continue;
		EXPECT_EQ(CHRING_STATUS_DELETED, s[i]->flags);
		status_unmap(s[i]);
	}
	EXPECT_TRUE(settles_at(self->control, held));
}

TEST_HARNESS_MAIN
