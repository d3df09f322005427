// SPDX-License-Identifier: GPL-2.0
#include <pthread.h>
#include <string.h>

#include "seen.h"

#define RINGS	4096

/* A ring that has gone makes room for another one of the same place. */
static struct {
	__u64 ring, epoch;
} seen[RINGS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__u64 seen_epoch(__u64 ring)
{
	__u64 epoch;

	pthread_mutex_lock(&lock);
	epoch = seen[ring % RINGS].ring == ring ? seen[ring % RINGS].epoch : 0;
	pthread_mutex_unlock(&lock);
	return epoch;
}

void seen_note(__u64 ring, __u64 epoch)
{
	pthread_mutex_lock(&lock);
	if (seen[ring % RINGS].ring != ring) {
		seen[ring % RINGS].ring = ring;
		seen[ring % RINGS].epoch = 0;
	}
	if (epoch > seen[ring % RINGS].epoch)
		seen[ring % RINGS].epoch = epoch;
	pthread_mutex_unlock(&lock);
}

void seen_forget(void)
{
	memset(seen, 0, sizeof(seen));
}
