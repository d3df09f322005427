// SPDX-License-Identifier: GPL-2.0
#include "median.h"

#include <stdlib.h>

static int cmp(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

double median(double *x, unsigned int n)
{
	qsort(x, n, sizeof(*x), cmp);
	return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}
