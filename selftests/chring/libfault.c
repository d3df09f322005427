// SPDX-License-Identifier: GPL-2.0
#include "libfault.h"
#include "libinject.h"

/* One try: what became of it, and whether anything was made to fail. */
struct outcome {
	int ret;
	bool injected;
};

static struct outcome try_nth(struct fault *f,
			      const struct tried *t, unsigned int n)
{
	struct outcome o;

	inject_nth_begin(n);
	o.ret = t->run(f);
	o.injected = inject_nth_end();
	return o;
}

static struct outcome try_pages(struct fault *f,
				const struct tried *t, unsigned int n)
{
	struct outcome o;

	inject_pages_begin(n);
	o.ret = t->run(f);
	o.injected = inject_pages_end() || o.ret;
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

static int faults_try(struct fault *f, const struct tried *t,
		      struct counts *total)
{
	struct counts c = {};
	__u64 held = bytes_after_one(f, t);
	int ret;

	inject_allow(true, false, false);
	ret = try_all(f, t, try_nth, &c.slab, &c);
	inject_allow(false, true, false);
	if (!ret)
		ret = try_all(f, t, try_pages, &c.pages, &c);
	/* The same again, and pages for vmalloc() as well. */
	inject_allow(false, true, true);
	if (!ret)
		ret = try_all(f, t, try_pages, &c.vmalloc, &c);
	c.vmalloc -= c.vmalloc < c.pages ? c.vmalloc : c.pages;
	inject_allow(false, false, false);
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

int faults_try_all(struct fault *f, const struct tried *t, size_t n,
		   struct counts *total)
{
	int ret = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		if (faults_try(f, &t[i], total)) {
			note("%s was wrong", t[i].name);
			ret = -1;
		}
	}
	note("in all: slab %u, pages %u, vmalloc %u, copies %u", total->slab,
	     total->pages, total->vmalloc, total->copies);
	return ret;
}
