// SPDX-License-Identifier: GPL-2.0
/* chring.ko stays for those who use it, and goes when they have gone. */
#include "libprobe.h"
#include "kselftest_harness.h"

#define RING	"api-module"

FIXTURE(module)
{
};

FIXTURE_SETUP(module)
{
}

FIXTURE_TEARDOWN(module)
{
}

TEST_F(module, stays_while_it_is_used)
{
	int fd = probe_open();

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EWOULDBLOCK, module_unload("chring"));
	ASSERT_EQ(0, probe_get(fd, 0, CHRING_DEFAULT_RING));
	EXPECT_EQ(-EWOULDBLOCK, module_unload("chring"));
	close(fd);
	EXPECT_EQ(-EWOULDBLOCK, module_unload("chring"));
	EXPECT_EQ(0, module_unload("chring_probe"));
	EXPECT_EQ(0, module_unload("chring"));
	EXPECT_EQ(0, module_load(MODULE, ""));
}

/*
 * Rings that are given back at the last moment, whose end is still to come: a
 * public one without a name, and a private one.
 */
TEST_F_TIMEOUT(module, goes_when_all_is_given_back, 120)
{
	int rounds = scaled(30), i;

	for (i = 0; i < rounds; i++) {
		int fd = probe_open(), dev = ring_fresh(RING, NULL);

		ASSERT_LE(0, fd);
		ASSERT_LE(0, dev);
		ASSERT_EQ(0, node_add(dev, "a", 100, CHRING_STATE_UP, NULL));
		ASSERT_EQ(0, probe_get(fd, 0, RING));
		ASSERT_EQ(0, probe_create(fd, 1, "probe/module", NULL, 0));
		ASSERT_EQ(0, probe_add(fd, 1, server_of("a", 100, 0, 0), NULL));
		ASSERT_EQ(0, probe_listen(fd, 0, 0));
		ASSERT_EQ(0, probe_listen(fd, 1, 0));
		close(dev);
		dev = dev_open(O_RDWR, NULL);
		ASSERT_EQ(0, ring_delete(dev, RING));
		close(dev);
		close(fd);
		ASSERT_EQ(0, module_unload("chring_probe"));
		ASSERT_EQ(0, module_unload("chring"));
		ASSERT_EQ(0, module_load(MODULE, ""));
	}
}

TEST_HARNESS_MAIN
