/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers without order, the same in every run: SplitMix64 of a counter. */
#ifndef MIX_H
#define MIX_H

static inline u64 mix(u64 n)
{
	n *= 0x9e3779b97f4a7c15ULL;
	n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9ULL;
	n = (n ^ n >> 27) * 0x94d049bb133111ebULL;
	return n ^ n >> 31;
}

#endif /* MIX_H */
