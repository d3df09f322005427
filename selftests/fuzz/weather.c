// SPDX-License-Identifier: GPL-2.0
#include "libtest.h"
#include "weather.h"

#define TOKENS		20000	/* of a ring: what is more is ENOSPC soon */
#define POOR_BYTES	(24 << 10)

const char *const weather_name[WEATHERS] = { "calm", "poor", "crowded", "faulty" };

static unsigned long plenty;

static void crowd(bool come)
{
	int fd = dev_open(O_RDWR, NULL), i;
	char name[8];

	for (i = 0; i < CHRING_RINGS_MAX && fd >= 0; i++) {
		snprintf(name, sizeof(name), "c%d", i);
		if (come ? ring_create(fd, name, NULL) : ring_delete(fd, name))
			break;
	}
	close(fd);
}

void weather_begin(enum weather what)
{
	param_get("max_total_bytes", &plenty);
	param_set("max_tokens", TOKENS);
	if (what == CROWDED)
		crowd(true);
}

/* Rich for two ticks of three, or nothing would get through. */
void weather_change(enum weather what, unsigned int tick)
{
	int fd;

	if (what != POOR)
		return;
	fd = dev_open(O_RDONLY, NULL);
	if (fd < 0)
		return;
	param_set("max_total_bytes", tick % 3 ? plenty :
		  bytes_held(fd) + tick % 2 * POOR_BYTES);
	close(fd);
}

void weather_end(enum weather what)
{
	param_set("max_total_bytes", plenty);
	if (what == CROWDED)
		crowd(false);
}
