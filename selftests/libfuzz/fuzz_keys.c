// SPDX-License-Identifier: GPL-2.0
/*
 * Keys on standard input: each is what stands between two delimiters, in order,
 * none is lost and none made up, whatever the batches are.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/chring.h>

#include "errors.h"
#include "input.h"
#include "keys.h"
#include "number.h"
#include "tap.h"

static void to_stdin(const uint8_t *bytes, size_t len)
{
	int fd = memfd_create("keys", 0);

	NEED(fd >= 0 && write(fd, bytes, len) == (ssize_t)len);
	NEED(!lseek(fd, 0, SEEK_SET) && !dup2(fd, STDIN_FILENO));
	close(fd);
}

/**
 * struct want - what has not been met yet
 * @at: of it
 * @end: likewise
 */
struct want {
	const char *at;
	const char *end;
};

/* The next key; false at the end. */
static bool next(struct want *w, char delimiter, const char **key, size_t *len)
{
	const char *end;

	if (w->at == w->end)
		return false;
	end = memchr(w->at, delimiter, w->end - w->at);
	*key = w->at;
	*len = (end ? end : w->end) - w->at;
	w->at = end ? end + 1 : w->end;
	return true;
}

static bool good(bool positions, const char *key, size_t len, __u64 *position)
{
	return len <= CHRING_KEY_MAX &&
	       (!positions || number_read(key, len, position));
}

static void check_batch(const struct keys *k, struct want *w)
{
	const char *got = k->bytes, *key;
	__u64 position;
	size_t len;
	__u32 i;

	for (i = 0; i < k->count; got += k->len[i++]) {
		CHECK(next(w, k->delimiter, &key, &len));
		CHECK(good(k->positions, key, len, &position));
		CHECK(len == k->len[i] && !memcmp(got, key, len));
		CHECK(!k->positions || k->position[i] == position);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct want w;
	struct keys k;
	const char *key;
	size_t key_len;
	__u64 position;
	int ret;

	if (!len)
		return 0;
	w = (struct want){ (const char *)bytes + 1, (const char *)bytes + len };
	to_stdin(bytes + 1, len - 1);
	keys_init(&k, bytes[0] & 2 ? '\n' : '\0', bytes[0] & 1);
	do {
		ret = keys_next(&k);
		check_batch(&k, &w);
	} while (!ret && k.count);
	if (ret)
		CHECK(next(&w, k.delimiter, &key, &key_len) &&
		      !good(k.positions, key, key_len, &position));
	else
		CHECK(w.at == w.end);
	keys_free(&k);
	return 0;
}
