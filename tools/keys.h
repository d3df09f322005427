/* SPDX-License-Identifier: GPL-2.0 */
/* Keys or positions from standard input, a batch at a time. */
#ifndef CHRINGCTL_KEYS_H
#define CHRINGCTL_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

/**
 * struct keys - a reader of keys
 * @delimiter: behind each key; behind the last one it may be missing
 * @positions: numbers are read, not bytes
 * @in: what was read, from @begin to @end not yet taken
 * @eof: there is no more to read
 * @number: keys taken so far
 * @count: keys in this batch
 * @used: bytes of @bytes in use
 * @bytes: of the keys of this batch, one after the other
 * @len: of each key
 * @position: of each key, if @positions
 * @paused: the batch is not full because no more has arrived yet
 */
struct keys {
	char delimiter;
	bool positions;
	char *in;
	size_t begin;
	size_t end;
	bool eof;
	__u64 number;
	__u32 count;
	size_t used;
	char *bytes;
	__u32 *len;
	__u64 *position;
	bool paused;
};

void keys_init(struct keys *k, char delimiter, bool positions);
void keys_free(struct keys *k);

/**
 * keys_next() - read the next batch
 * @k: reader
 *
 * A batch is given away before it is full rather than that keys which are
 * there wait for others.
 *
 * Return: STATUS_OK, with @count 0 at the end; or STATUS_REFUSED.
 */
int keys_next(struct keys *k);

#endif /* CHRINGCTL_KEYS_H */
