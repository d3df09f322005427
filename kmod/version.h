/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CHRING_VERSION_H
#define CHRING_VERSION_H

#define CHRING_VERSION_TEXT	"0.1.0"
#define CHRING_VERSION		(0 << 16 | 1 << 8 | 0)

#endif /* CHRING_VERSION_H */
