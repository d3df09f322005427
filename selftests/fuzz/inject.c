// SPDX-License-Identifier: GPL-2.0
#include <pthread.h>
#include <signal.h>

#include "inject.h"
#include "libtest.h"

#define NTH	"/proc/thread-self/fail-nth"
#define ALL	"/proc/thread-self/make-it-fail"
#define DEBUGFS	"/sys/kernel/debug/"

static void put_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0)
		perror(path);
	close(fd);
}

/* All allocations of this kind, of threads that ask for it. */
static void arm(const char *kind)
{
	static const char *const settings[][2] = {
		{ "verbose", "0" }, { "ignore-gfp-wait", "N" }, { "task-filter", "Y" },
		{ "interval", "1" }, { "times", "-1" }, { "probability", "100" },
	};
	char path[80];
	size_t i;

	for (i = 0; i < ARRAY_LEN(settings); i++) {
		snprintf(path, sizeof(path), DEBUGFS "%s/%s", kind, settings[i][0]);
		put_file(path, settings[i][1]);
	}
}

/*
 * Single pages never fail, or page faults of this program itself would; pages
 * side by side do, for large allocations are no slab's.
 */
bool inject_possible(void)
{
	if (access(NTH, W_OK))
		return false;
	put_file(DEBUGFS "fail_usercopy/verbose", "0");
	put_file(DEBUGFS "fail_page_alloc/min-order", "1");
	arm("failslab");
	arm("fail_page_alloc");
	return true;
}

void inject_open(struct inject *in)
{
	in->nth = open(NTH, O_RDWR | O_CLOEXEC);
	in->all = open(ALL, O_RDWR | O_CLOEXEC);
}

void inject_close(struct inject *in)
{
	if (in->nth >= 0)
		close(in->nth);
	if (in->all >= 0)
		close(in->all);
}

/* The copy of this write may be the one that is to fail: then again. */
static void put(int fd, unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	while (write(fd, text, len) != len && (errno == EFAULT || errno == EINTR))
		;
}

/* A signal whose frame cannot be written would be SIGSEGV. */
static void block(int how)
{
	sigset_t wake;

	sigemptyset(&wake);
	sigaddset(&wake, SIGUSR1);
	pthread_sigmask(how, &wake, NULL);
}

void inject_begin(struct inject *in, unsigned int n)
{
	block(SIG_BLOCK);
	if (n)
		put(in->nth, n);
	else
		put(in->all, 1);
}

void inject_end(struct inject *in)
{
	put(in->nth, 0);
	put(in->all, 0);
	block(SIG_UNBLOCK);
}
