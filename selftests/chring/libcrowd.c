// SPDX-License-Identifier: GPL-2.0
#include "libcrowd.h"

void crowd_name(char name[CROWD_NAME + 1], __u32 i)
{
	sprintf(name, "n%05ua", i);
}

void crowd_make(struct crowd *c, __u32 count, __u32 zones)
{
	__u32 i;

	*c = (struct crowd){
		.member = calloc(count + 1, sizeof(*c->member)),
		.nodes = calloc(count + 1, sizeof(*c->nodes)),
		.strings = malloc((count + zones) * CROWD_NAME + 1),
		.count = count,
	};
	for (i = 0; i < count; i++) {
		c->member[i] = (struct chring_member){
			.weight = 1,
			.name_off = c->size,
			.name_len = CROWD_NAME,
			.cookie = i,
		};
		crowd_name(c->strings + c->size, i);
		c->size += CROWD_NAME;
	}
	for (i = 0; i < count && zones; i++) {
		c->member[i].zone_off = c->size + i % zones * CROWD_NAME;
		c->member[i].zone_len = CROWD_NAME;
	}
	for (i = 0; i < zones; i++)
		c->size += sprintf(c->strings + c->size, "z%05ua", i);
}

void crowd_free(struct crowd *c)
{
	free(c->member);
	free(c->nodes);
	free(c->strings);
}

struct chring_commit crowd_arg(const struct crowd *c)
{
	return (struct chring_commit){
		.size = sizeof(struct chring_commit),
		.members = ptr(c->member),
		.member_size = sizeof(c->member[0]),
		.count = c->count,
		.strings = ptr(c->strings),
		.strings_size = c->size,
		.nodes = ptr(c->nodes),
	};
}

int crowd_commit(int fd, const struct crowd *c)
{
	struct chring_commit arg = crowd_arg(c);

	return chr(fd, CHRING_IOC_COMMIT, &arg);
}
