// SPDX-License-Identifier: GPL-2.0
#include "libinject.h"
#include "libtest.h"

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

void inject_allow(bool slab, bool pages, bool vmalloc)
{
	put_file(SLAB "ignore-gfp-wait", slab ? "N" : "Y");
	put_file(PAGES "ignore-gfp-wait", pages ? "N" : "Y");
	put_file(PAGES "ignore-gfp-highmem", vmalloc ? "N" : "Y");
	put_file(PAGES "min-order", "0");
}

int inject_set_up(void)
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
	inject_allow(false, false, false);
	return 0;
}

void inject_nth_begin(unsigned int n)
{
	put(fail_nth, n);
}

bool inject_nth_end(void)
{
	bool came = nth_came();

	put(fail_nth, 0);
	return came;
}

void inject_pages_begin(unsigned int n)
{
	put(space, n);
	put(make_it_fail, 1);
	put(times, -1);
}

/* With what is over, none can have failed. */
bool inject_pages_end(void)
{
	put(times, 0);
	put(make_it_fail, 0);
	return space_left() < PAGES_AT_ONCE;
}
