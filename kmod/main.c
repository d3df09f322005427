// SPDX-License-Identifier: GPL-2.0
#include <linux/module.h>

#include "bpf.h"
#include "budget.h"
#include "chardev.h"
#include "debugfs.h"
#include "registry.h"
#include "version.h"

static int __init chring_init(void)
{
	int ret;

	chring_budget_init();
	ret = chring_sync_init();
	if (ret)
		return ret;
	ret = chring_registry_init();
	if (ret)
		goto exit_sync;
	ret = chring_bpf_init();
	if (ret)
		goto exit_registry;
	ret = chring_chardev_init();
	if (ret)
		goto exit_registry;
	chring_debugfs_init();
	return 0;

exit_registry:
	chring_registry_exit();
exit_sync:
	chring_sync_exit();
	return ret;
}

static void __exit chring_exit(void)
{
	chring_debugfs_exit();
	chring_chardev_exit();
	chring_registry_exit();
	chring_sync_exit();
}

module_init(chring_init);
module_exit(chring_exit);

MODULE_DESCRIPTION("Consistent-hash rings in kernel memory");
MODULE_AUTHOR("The chring developers");
MODULE_VERSION(CHRING_VERSION_TEXT);
MODULE_LICENSE("GPL");
/* Whether BPF programs may call it, as far as the build can tell. */
MODULE_INFO(kfuncs, CHRING_KFUNCS);
