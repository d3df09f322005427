// SPDX-License-Identifier: GPL-2.0
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "handle.h"

/*
 * While the kernel is asked, that costs; so does a copy. Not knowing how long
 * the ring will stay as it is, the least that one can lose is to copy once as
 * much has been paid for asking: a lookup costs as much as copying so many
 * tokens.
 */
#define TOKENS_PER_LOOKUP	16
#define RETRY_MS		100

#ifdef __SANITIZE_THREAD__
char readers_grace_period;
#endif

static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static struct mirror *all;

static struct chring *handle_of(struct mirror *m)
{
	return container_of(m, struct chring, mirror);
}

/* With the lock held. NULL: no copy from now on. */
static void replace(struct mirror *m, struct copy *v)
{
	struct copy *old = m->copy;

	readers_store(m->copy, v);
	if (!old)
		return;
	readers_wait();
	copy_free(old);
}

/* With the lock held. Return: 0, or why there is no new copy. */
static int renew(struct mirror *m)
{
	struct copy *v;
	int ret;

	ret = copy_make(handle_of(m), m->status, &m->config, m->copy, &v);
	if (!ret)
		replace(m, v);
	else if (ret == -ENODEV)
		replace(m, NULL);
	__atomic_store_n(&m->asked, 0, __ATOMIC_RELAXED);
	return ret;
}

/* With the lock held: is a new copy cheap, or paid for by now? */
static bool is_worth_it(const struct mirror *m)
{
	unsigned long asked = __atomic_load_n(&m->asked, __ATOMIC_RELAXED);
	const struct copy *v = m->copy;
	struct status_words w;

	if (!v)
		return false;
	if (status_read(m->status, &w, NULL, 0))
		return false;
	return w.table_epoch <= v->tokens->epoch ||
	       asked >= v->tokens->table->count / TOKENS_PER_LOOKUP;
}

bool mirror_renew(struct chring *c, u32 lookups)
{
	struct mirror *m = &c->mirror;
	bool ret = false;

	if (!m->status)
		return false;
	__atomic_add_fetch(&m->asked, lookups, __ATOMIC_RELAXED);
	/* Whoever is at it already will be done when the kernel has answered. */
	if (m->has_thread || pthread_mutex_trylock(&m->lock))
		return false;
	/* Somebody may have been quicker. */
	if (mirror_copy(m))
		ret = true;
	else if (is_worth_it(m))
		ret = !renew(m);
	pthread_mutex_unlock(&m->lock);
	return ret;
}

int chring_refresh(struct chring *c)
{
	struct mirror *m = &c->mirror;
	int ret = 0;

	if (!m->status)
		return -EINVAL;
	pthread_mutex_lock(&m->lock);
	if (!mirror_copy(m))
		ret = renew(m);
	pthread_mutex_unlock(&m->lock);
	return ret;
}

/* -- a thread */

static void drain(int events)
{
	struct chring_event event[16];

	while (read(events, event, sizeof(event)) > 0)
		;
}

static void *look_after(void *mirror)
{
	struct mirror *m = mirror;
	struct pollfd on[] = {
		{ .fd = m->events, .events = POLLIN },
		{ .fd = m->stop, .events = POLLIN },
	};
	int ret;

	do {
		/* First, so that no change falls between it and the copy. */
		drain(m->events);
		pthread_mutex_lock(&m->lock);
		ret = mirror_copy(m) ? 0 : renew(m);
		pthread_mutex_unlock(&m->lock);
		if (ret == -ENODEV)
			break;
		/* What failed for lack of something is tried again. */
		if (poll(on, 2, ret ? RETRY_MS : -1) < 0)
			break;
	} while (!on[1].revents);
	return NULL;
}

/* The program's signals are for its own threads. */
static int start_quietly(struct mirror *m)
{
	sigset_t every, was;
	int ret;

	sigfillset(&every);
	pthread_sigmask(SIG_SETMASK, &every, &was);
	ret = pthread_create(&m->thread, NULL, look_after, m);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	return -ret;
}

static int start_thread(struct mirror *m)
{
	int ret = handle_events(handle_of(m), m->copy->ring);

	if (ret < 0)
		return ret;
	m->events = ret;
	m->stop = eventfd(0, EFD_CLOEXEC);
	ret = m->stop < 0 ? -errno : start_quietly(m);
	if (!ret) {
		m->has_thread = true;
		return 0;
	}
	close(m->events);
	if (m->stop >= 0)
		close(m->stop);
	return ret;
}

static void stop_thread(struct mirror *m)
{
	eventfd_write(m->stop, 1);
	pthread_join(m->thread, NULL);
	close(m->events);
	close(m->stop);
	m->has_thread = false;
}

/* -- all handles of a program: a child of fork() has them, but no thread */

static void before_fork(void)
{
	struct mirror *m;

	pthread_mutex_lock(&all_lock);
	for (m = all; m; m = m->next) {
		pthread_mutex_lock(&m->lock);
		pthread_mutex_lock(&handle_of(m)->names_lock);
	}
	urcu_bp_before_fork();
}

static void after_fork(void)
{
	struct mirror *m;

	for (m = all; m; m = m->next) {
		pthread_mutex_unlock(&handle_of(m)->names_lock);
		pthread_mutex_unlock(&m->lock);
	}
	pthread_mutex_unlock(&all_lock);
}

static void after_fork_parent(void)
{
	urcu_bp_after_fork_parent();
	after_fork();
}

/* From now on lookups look after the copy themselves. */
static void after_fork_child(void)
{
	struct mirror *m;

	urcu_bp_after_fork_child();
	for (m = all; m; m = m->next) {
		if (!m->has_thread)
			continue;
		close(m->events);
		close(m->stop);
		m->has_thread = false;
	}
	after_fork();
}

static void heed_forks(void)
{
	pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

static void join_all(struct mirror *m)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, heed_forks);
	pthread_mutex_lock(&all_lock);
	m->next = all;
	all = m;
	pthread_mutex_unlock(&all_lock);
}

static void leave_all(struct mirror *m)
{
	struct mirror **p;

	pthread_mutex_lock(&all_lock);
	for (p = &all; *p; p = &(*p)->next) {
		if (*p == m) {
			*p = m->next;
			break;
		}
	}
	pthread_mutex_unlock(&all_lock);
}

/* -- beginning and end */

void mirror_init(struct mirror *m)
{
	pthread_mutex_init(&m->lock, NULL);
	join_all(m);
}

static int get_config(struct chring *c, struct chring_config *config)
{
	struct chring_summary *s;
	int ret = chring_stats(c, 0, &s);

	if (ret)
		return ret;
	*config = s->config;
	chring_summary_free(s);
	return 0;
}

static void end(struct mirror *m)
{
	copy_free(m->copy);
	m->copy = NULL;
	if (m->status)
		handle_unmap(m->status);
	m->status = NULL;
}

void mirror_end(struct mirror *m)
{
	leave_all(m);
	if (m->has_thread)
		stop_thread(m);
	end(m);
	pthread_mutex_destroy(&m->lock);
}

static int follow(struct mirror *m, bool thread)
{
	struct chring *c = handle_of(m);
	int ret = get_config(c, &m->config);

	if (!ret)
		ret = handle_map(c, &m->status);
	if (!ret)
		ret = copy_make(c, m->status, &m->config, NULL, &m->copy);
	if (!ret && thread)
		ret = start_thread(m);
	if (ret)
		end(m);
	return ret;
}

int chring_follow(struct chring *c, unsigned int flags)
{
	struct mirror *m = &c->mirror;

	if (flags & ~CHRING_FOLLOW_THREAD || m->status)
		return m->status ? -EBUSY : -EINVAL;
	return follow(m, flags & CHRING_FOLLOW_THREAD);
}
