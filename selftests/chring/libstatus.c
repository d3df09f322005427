// SPDX-License-Identifier: GPL-2.0
#include <sys/wait.h>

#include "libstatus.h"

#define acquire(word)	__atomic_load_n(&(word), __ATOMIC_ACQUIRE)

const struct chring_status *status_map(int fd)
{
	void *p = mmap(NULL, sizeof(struct chring_status), PROT_READ,
		       MAP_SHARED, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

int status_unmap(const struct chring_status *s)
{
	return munmap((void *)s, sizeof(*s)) ? -errno : 0;
}

int status_may_map(int fd)
{
	const struct chring_status *s = status_map(fd);

	return s ? status_unmap(s) : -errno;
}

bool status_try(const struct chring_status *s, struct chring_status *to,
		unsigned int count)
{
	unsigned int i;

	to->sequence = acquire(s->sequence);
	if (to->sequence % 2)
		return false;
	to->size = acquire(s->size);
	to->flags = acquire(s->flags);
	to->ring = acquire(s->ring);
	to->epoch = acquire(s->epoch);
	to->table_epoch = acquire(s->table_epoch);
	to->nodes_epoch = acquire(s->nodes_epoch);
	to->live = acquire(s->live);
	to->zones = acquire(s->zones);
	for (i = 0; i < count; i++)
		to->out[i] = acquire(s->out[i]);
	return acquire(s->sequence) == to->sequence;
}

unsigned long status_read(const struct chring_status *s,
			  struct chring_status *to, unsigned int count)
{
	unsigned long again = 0;

	while (!status_try(s, to, count))
		again++;
	return again;
}

static unsigned int differ(const char *what, __u64 is, __u64 must)
{
	if (is != must)
		note("%s is %llu and must be %llu", what,
		     (unsigned long long)is, (unsigned long long)must);
	return is != must;
}

/* Bits of nodes that are not as the list says. */
static __u32 wrong_bits(const volatile struct chring_status *s,
			const struct listing *l)
{
	__u32 wrong = 0, i;

	for (i = 0; i < l->list.out_count; i++) {
		const struct chring_node_entry *e = &l->entry[i];
		__u32 bit = e->bit;

		wrong += bit >= CHRING_NODES_MAX ||
			 (s->out[bit / 64] >> bit % 64 & 1) !=
			 (e->state != CHRING_STATE_UP);
	}
	return wrong;
}

/* Bytes that are not 0, of those in which nothing is said. */
static __u32 bytes_beside(const volatile struct chring_status *s)
{
	const volatile char *p = (void *)s->reserved;
	__u32 n = 0, i;

	for (i = 0; i < sizeof(s->reserved); i++)
		n += p[i] != 0;
	p = (void *)s;
	for (i = s->size; i < STATUS_BYTES; i++)
		n += p[i] != 0;
	return n;
}

unsigned int status_wrong(int fd, const volatile struct chring_status *s)
{
	struct chring_stats stats = { .size = sizeof(stats) };
	unsigned int wrong;
	struct listing l;

	if (chr(fd, CHRING_IOC_STATS, &stats) || node_list(fd, &l)) {
		note("the ring does not say");
		return 1;
	}
	wrong = differ("size", s->size, sizeof(*s)) +
		differ("flags", s->flags, 0) +
		differ("sequence % 2", s->sequence % 2, 0) +
		differ("ring", s->ring, stats.out_ring) +
		differ("epoch", s->epoch, stats.out_epoch) +
		differ("live", s->live, stats.out_live) +
		differ("zones", s->zones, stats.out_zones) +
		differ("wrong bits", wrong_bits(s, &l), 0) +
		differ("bytes beside", bytes_beside(s), 0);
	free(l.entry);
	free(l.strings);
	return wrong;
}

__u64 ring_of(int fd)
{
	struct chring_info info = { .size = sizeof(info) };

	return chr(fd, CHRING_IOC_INFO, &info) ? ~0ULL : info.out_ring;
}

__u64 ring_bytes(int fd)
{
	struct chring_stats stats = { .size = sizeof(stats) };

	return chr(fd, CHRING_IOC_STATS, &stats) ? ~0ULL : stats.out_bytes;
}

int commit(int fd, const struct chring_member *member, __u32 count,
	   const char *strings, __u32 strings_size, __u64 generation)
{
	struct chring_commit arg = {
		.size = sizeof(arg),
		.members = ptr(member),
		.member_size = sizeof(*member),
		.count = count,
		.strings = ptr(strings),
		.strings_size = strings_size,
		.generation = generation,
	};

	return chr(fd, CHRING_IOC_COMMIT, &arg);
}

void *shared(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

int ended(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}
