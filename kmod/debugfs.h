/* SPDX-License-Identifier: GPL-2.0 */
/* What an operator can watch. */
#ifndef CHRING_DEBUGFS_H
#define CHRING_DEBUGFS_H

void chring_debugfs_init(void);
void chring_debugfs_exit(void);

#endif /* CHRING_DEBUGFS_H */
