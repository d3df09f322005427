/* SPDX-License-Identifier: GPL-2.0 */
/* The median of some measurements. */
#ifndef MEDIAN_H
#define MEDIAN_H

/* Sorts them. */
double median(double *x, unsigned int n);

#endif /* MEDIAN_H */
