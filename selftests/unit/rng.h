/* SPDX-License-Identifier: GPL-2.0 */
/* Random numbers that come again: SEED=N in the environment repeats a run. */
#ifndef RNG_H
#define RNG_H

/* Says which seed it is. */
void rng_init(void);

u64 rng(void);
u32 rng_below(u32 n);
/* Once in @n times. */
bool rng_once_in(u32 n);
/* Bytes that a name may have. */
void rng_name(char *name, u32 len);
/* The next of the numbers that follow from a state. */
u64 rng_spread(u64 *state);
/* 0 .. n - 1 in any order. */
void rng_shuffle(u32 *order, u32 n);

#endif /* RNG_H */
