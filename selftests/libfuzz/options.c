// SPDX-License-Identifier: GPL-2.0
/* As of a command line without any, for those parts of chringctl that look. */
#include "chringctl.h"

struct options options;
