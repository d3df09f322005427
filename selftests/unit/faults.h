/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What kmod/budget.c is in the kernel: the limit of tokens, and the ways in
 * which memory and the will to live can end, here at a moment of choice.
 */
#ifndef FAULTS_H
#define FAULTS_H

/* What chring_max_tokens() returns; FAULTS_MAX_TOKENS unless a test says. */
#define FAULTS_MAX_TOKENS	(1 << 24)
extern u32 faults_max_tokens;

/* Before all else. */
void faults_init(void);

/* The @k-th allocation from now, counted from 0, fails with @error. */
void faults_alloc(long k, int error);

/* From the @k-th pause from now on the caller is being killed. */
void faults_kill(long k);

/* How often work has paused since faults_clear(). */
u32 faults_pauses(void);

/* No more faults. Return: did one strike? */
bool faults_clear(void);

#endif /* FAULTS_H */
