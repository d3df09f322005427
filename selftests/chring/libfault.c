// SPDX-License-Identifier: GPL-2.0
/*
 * Slab allocations and user copies fail by fail-nth: the n-th one of the call.
 * Pages fail from the n-th on (the space of fail_page_alloc), since vmalloc()
 * falls back from its bulk allocation to single pages, and one failure alone
 * would never be seen.
 */
#include "libfault.h"

#define DEBUGFS		"/sys/kernel/debug/"
#define PAGES_AT_ONCE	16	/* more than one allocation asks for */

#define SLAB		DEBUGFS "failslab/"
#define PAGES		DEBUGFS "fail_page_alloc/"
#define COPIES		DEBUGFS "fail_usercopy/"

/*
 * Files that are written while allocations fail: opened before, since open()
 * allocates.
 */
static int fail_nth, make_it_fail, space, times;

static int put_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, text, strlen(text));
	close(fd);
	return n < 0 ? -errno : 0;
}

static void give_up(const char *what, int fd)
{
	fprintf(stderr, "# cannot %s %d: %s\n", what, fd, strerror(errno));
	abort();
}

/*
 * The copy of this write may be the very one that is to fail: then again.
 * These files have no position to write at.
 */
static void put(int fd, int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", n);

	if (write(fd, text, len) != len &&
	    (errno != EFAULT || write(fd, text, len) != len))
		give_up("write", fd);
}

/* Has the n-th fault come? If it is the copy of this read, it had not before. */
static bool nth_came(void)
{
	char text[16] = "";

	if (pread(fail_nth, text, sizeof(text) - 1, 0) > 0)
		return !atoi(text);
	if (errno != EFAULT)
		give_up("read", fail_nth);
	return false;
}

/* How much of the space is left; such a file is read but once. */
static int space_left(void)
{
	int fd = open(PAGES "space", O_RDONLY);
	char text[16] = "";

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		give_up("read", fd);
	close(fd);
	return atoi(text);
}

/* Which kinds of allocation may fail at all. */
static void allow(bool slab, bool pages, bool vmalloc)
{
	put_file(SLAB "ignore-gfp-wait", slab ? "N" : "Y");
	put_file(PAGES "ignore-gfp-wait", pages ? "N" : "Y");
	put_file(PAGES "ignore-gfp-highmem", vmalloc ? "N" : "Y");
	put_file(PAGES "min-order", "0");
}

int faults_set_up(void)
{
	fail_nth = open("/proc/thread-self/fail-nth", O_RDWR);
	make_it_fail = open("/proc/thread-self/make-it-fail", O_RDWR);
	space = open(PAGES "space", O_RDWR);
	times = open(PAGES "times", O_RDWR);
	if (fail_nth < 0 || make_it_fail < 0 || space < 0 || times < 0)
		return -ENOENT;
	put_file(SLAB "verbose", "0");
	put_file(PAGES "verbose", "0");
	put_file(COPIES "verbose", "0");
	put_file(PAGES "task-filter", "Y");
	put_file(PAGES "probability", "100");
	put_file(PAGES "interval", "1");
	put(times, 0);
	allow(false, false, false);
	return 0;
}

/* One try: what became of it, and whether anything was made to fail. */
struct outcome {
	int ret;
	bool injected;
};

static struct outcome try_nth(struct fault *f,
			      const struct tried *t, unsigned int n)
{
	struct outcome o;

	put(fail_nth, n);
	o.ret = t->run(f);
	o.injected = nth_came();
	put(fail_nth, 0);
	return o;
}

/* Space is left for n pages; with what is over, none can have failed. */
static struct outcome try_pages(struct fault *f,
				const struct tried *t, unsigned int n)
{
	struct outcome o;

	put(space, n);
	put(make_it_fail, 1);
	put(times, -1);
	o.ret = t->run(f);
	put(times, 0);
	put(make_it_fail, 0);
	o.injected = o.ret || space_left() < PAGES_AT_ONCE;
	return o;
}

static int unexpected(const char *what, unsigned int n, int ret)
{
	note("%s at the %uth fault, %d", what, n, ret);
	return -1;
}

typedef struct outcome try_fn(struct fault *f,
			      const struct tried *t, unsigned int n);

/* Return: failures seen, or -1 if something was not as it must be. */
static int try_all(struct fault *f, const struct tried *t,
		   try_fn *try, unsigned int *seen, struct counts *counts)
{
	unsigned int n;

	for (n = 1; n < 2000; n++) {
		struct mark now;
		struct outcome o;

		if (t->prepare)
			t->prepare(f);
		if (mark_ring(f->fd, &f->before))
			return -1;
		o = try(f, t, n);
		if (o.ret == -EFAULT && try == try_nth)
			counts->copies++;
		else if (o.ret == -ENOMEM)
			(*seen)++;
		else if (o.ret)
			return unexpected("an error", n, o.ret);
		else if (o.injected && try == try_nth)
			counts->absorbed++;
		if (o.ret) {
			if (mark_ring(f->fd, &now) ||
			    !mark_same(&f->before, &now))
				return unexpected("a change", n, o.ret);
		} else if (t->undo) {
			t->undo(f);
		}
		if (!o.injected)
			return o.ret ? unexpected("no reason", n, o.ret) : 0;
	}
	return unexpected("no end", n, 0);
}

/*
 * What the module holds between two tries; the first time a ring may have to
 * make room.
 */
static __u64 bytes_after_one(struct fault *f,
			     const struct tried *t)
{
	if (t->prepare)
		t->prepare(f);
	if (!t->run(f) && t->undo)
		t->undo(f);
	return bytes_settled(f->fd);
}

int faults_try(struct fault *f, const struct tried *t, struct counts *total)
{
	struct counts c = {};
	__u64 held = bytes_after_one(f, t);
	int ret;

	allow(true, false, false);
	ret = try_all(f, t, try_nth, &c.slab, &c);
	allow(false, true, false);
	if (!ret)
		ret = try_all(f, t, try_pages, &c.pages, &c);
	/* The same again, and pages for vmalloc() as well. */
	allow(false, true, true);
	if (!ret)
		ret = try_all(f, t, try_pages, &c.vmalloc, &c);
	c.vmalloc -= c.vmalloc < c.pages ? c.vmalloc : c.pages;
	allow(false, false, false);
	note("%-12s slab %3u, pages %3u, vmalloc %3u, copies %3u, absorbed %3u%s",
	     t->name, c.slab, c.pages, c.vmalloc, c.copies, c.absorbed,
	     c.slab || c.pages || c.vmalloc ? "" : "; allocates nothing");
	total->slab += c.slab;
	total->pages += c.pages;
	total->vmalloc += c.vmalloc;
	total->copies += c.copies;
	if (!ret && !settles_at(f->fd, held)) {
		note("%llu bytes are held, and were %llu before the faults",
		     (unsigned long long)bytes_held(f->fd),
		     (unsigned long long)held);
		ret = -1;
	}
	return ret;
}
