// SPDX-License-Identifier: GPL-2.0
/* What tracepoints are made of, once. */
#define CREATE_TRACE_POINTS
#include "trace.h"
