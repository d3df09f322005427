// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/chring.h>

#include "errors.h"
#include "keys.h"
#include "number.h"
#include "output.h"

#define BATCH_KEYS	8192
#define BATCH_BYTES	(1 << 20)
/* More than a key, so that without a delimiter it is clear: too long. */
#define IN_BYTES	(1 << 18)

void keys_init(struct keys *k, char delimiter, bool positions)
{
	*k = (struct keys){
		.delimiter = delimiter,
		.positions = positions,
		.in = needed(malloc(IN_BYTES)),
		.bytes = needed(malloc(BATCH_BYTES)),
		.len = needed(malloc(BATCH_KEYS * sizeof(*k->len))),
		.position = needed(malloc(BATCH_KEYS * sizeof(*k->position))),
	};
}

void keys_free(struct keys *k)
{
	free(k->in);
	free(k->bytes);
	free(k->len);
	free(k->position);
}

static bool more_is_there(void)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };

	return poll(&in, 1, 0);
}

static int read_more(struct keys *k)
{
	ssize_t got;

	memmove(k->in, k->in + k->begin, k->end - k->begin);
	k->end -= k->begin;
	k->begin = 0;
	do {
		got = read(STDIN_FILENO, k->in + k->end, IN_BYTES - k->end);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return refused("standard input: %s", strerror(errno));
	k->end += got;
	k->eof = !got;
	return STATUS_OK;
}

/* The next key of what was read; NULL: its end is not there yet. */
static const char *find_key(const struct keys *k, size_t *len)
{
	const char *key = k->in + k->begin, *end;
	size_t left = k->end - k->begin;

	end = memchr(key, k->delimiter, left);
	if (!end && !(k->eof && left) && left <= CHRING_KEY_MAX)
		return NULL;
	*len = end ? (size_t)(end - key) : left;
	return key;
}

static int bad_key(const struct keys *k, const char *key, size_t len)
{
	if (k->positions)
		return refused("position %llu on standard input: %s: expected a number from 0 to 2^64-1",
			       k->number + 1, quoted(key, len));
	return refused("key %llu on standard input: %s is longer than %u bytes",
		       k->number + 1, quoted(key, len), CHRING_KEY_MAX);
}

static bool key_ok(struct keys *k, const char *key, size_t len)
{
	if (k->positions && !number_read(key, len, &k->position[k->count]))
		return false;
	return len <= CHRING_KEY_MAX;
}

static void take_key(struct keys *k, const char *key, size_t len)
{
	memcpy(k->bytes + k->used, key, len);
	k->used += len;
	k->len[k->count++] = len;
	k->number++;
	k->begin += len;
	if (k->begin < k->end)
		k->begin++;
}

int keys_next(struct keys *k)
{
	k->count = 0;
	k->used = 0;
	k->paused = false;
	while (k->count < BATCH_KEYS) {
		size_t len;
		const char *key = find_key(k, &len);

		if (key) {
			if (k->count && len > BATCH_BYTES - k->used)
				break;
			/* First those before it: it will be met again. */
			if (!key_ok(k, key, len))
				return k->count ? STATUS_OK :
						  bad_key(k, key, len);
			take_key(k, key, len);
			continue;
		}
		if (k->eof)
			break;
		k->paused = !more_is_there();
		if (k->count && k->paused)
			break;
		if (read_more(k))
			return STATUS_REFUSED;
	}
	return STATUS_OK;
}
