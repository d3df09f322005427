// SPDX-License-Identifier: GPL-2.0
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "chringctl.h"
#include "errors.h"
#include "output.h"
#include "session.h"

#define ROOM	64

static void print_json(const struct chring_event *e)
{
	json_object *to = json_object_needed();
	bool lost = e->type == CHRING_EVENT_LOST;

	json_string(to, "type", lost ? "lost" : "change");
	json_u64(to, "ring", e->ring);
	json_u64(to, "old_epoch", e->old_epoch);
	json_u64(to, "epoch", e->epoch);
	if (lost) {
		json_u64(to, "lost", e->lost);
	} else {
		json_u64(to, "generation", e->generation);
		json_hash(to, "digest", e->digest);
		json_u64(to, "time", e->time);
		json_u32(to, "added", e->added);
		json_u32(to, "removed", e->removed);
		json_u32(to, "changed", e->changed);
		json_u32(to, "flipped", e->flipped);
		json_member(to, "tokens_changed",
			    json_object_new_boolean(e->flags &
						    CHRING_EVENT_TOKENS));
		json_member(to, "pinned",
			    json_object_new_boolean(e->flags &
						    CHRING_EVENT_PINNED));
		json_u32(to, "nodes", e->nodes);
		json_u32(to, "live", e->live);
		json_u64(to, "tokens", e->tokens);
	}
	json_line(to);
}

static void print_time(__u64 ns)
{
	time_t seconds = ns / 1000000000;
	struct tm tm;
	char text[32];

	localtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%F %T", &tm);
	fprintf(output(), "%s.%03u", text, (unsigned int)(ns / 1000000 % 1000));
}

static void print_count(__u32 n, const char *what, const char **before)
{
	if (!n)
		return;
	fprintf(output(), "%s%u %s", *before, n, what);
	*before = ", ";
}

static void print_change(const struct chring_event *e)
{
	const char *before = " ";

	print_time(e->time);
	fprintf(output(), " epoch %llu generation %llu digest 0x%016llx:",
		e->epoch, e->generation, e->digest);
	print_count(e->added, "added", &before);
	print_count(e->removed, "removed", &before);
	print_count(e->changed, "changed", &before);
	print_count(e->flipped, "flipped", &before);
	if (*before == ' ')
		fputs(" no node", output());
	fprintf(output(), "; %u of %u live%s\n", e->live, e->nodes,
		e->flags & CHRING_EVENT_PINNED ? ", pinned" : "");
}

static void print_lost(const struct session *s, const struct chring_event *e)
{
	fprintf(output(), "%llu records lost, of epochs %llu to %llu: see 'chringctl node list %s'\n",
		e->lost, e->old_epoch + 1, e->epoch, s->ring);
}

static void print_event(const struct session *s, const struct chring_event *e)
{
	if (options.json)
		print_json(e);
	else if (e->type == CHRING_EVENT_LOST)
		print_lost(s, e);
	else
		print_change(e);
}

/* Return: how many of @n were of a type that is known here. */
static __u64 print_events(const struct session *s,
			  const struct chring_event *e, size_t n, __u64 max)
{
	__u64 printed = 0;
	size_t i;

	for (i = 0; i < n && printed < max; i++) {
		if (e[i].type != CHRING_EVENT_CHANGE &&
		    e[i].type != CHRING_EVENT_LOST)
			continue;
		print_event(s, &e[i]);
		printed++;
	}
	return printed;
}

static int watch_ring(const struct session *s, __u64 count)
{
	struct chring_event event[ROOM];
	size_t n;
	int ret;

	while (count) {
		ret = chring_events(s->dev, event, ROOM, &n);
		if (ret)
			return session_refused(s, ret);
		count -= print_events(s, event, n, count);
		/* Whoever reads it is to know now. */
		ret = output_flush();
		if (ret)
			return ret;
	}
	return STATUS_OK;
}

/*
 * The ring may be missing, and be called "count": that word comes with another
 * one, so if the number of words is odd, the first one is a ring all the same.
 */
static int get_ring(struct args *args, const char **ring)
{
	size_t words = 0;

	while (args->next[words])
		words++;
	*ring = CHRING_DEFAULT_RING;
	if (!words || (words % 2 == 0 && !strcmp(*args->next, "count")))
		return STATUS_OK;
	return args_ring(args, ring);
}

static int watch(struct args *args)
{
	__u64 count = UINT64_MAX;
	const struct word words[] = {
		WORD_NUMBER("count", &count, 1, UINT64_MAX),
	};
	const char *ring;
	struct session s;
	__u32 given;
	int ret = get_ring(args, &ring);

	if (!ret)
		ret = words_read(args, words, ARRAY_SIZE(words), &given);
	if (ret)
		return ret;
	ret = session_open(&s, ring, SESSION_READ);
	if (!ret)
		ret = watch_ring(&s, count);
	session_close(&s);
	return ret;
}

const struct command watch_commands[] = {
	{ NULL, watch },
	{}
};
