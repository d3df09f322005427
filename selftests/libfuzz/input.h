/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The input of a fuzzer as numbers: what rng.h promises, but each number is what
 * the next bytes say. So the fuzzer chooses configs, names and changes.
 */
#ifndef INPUT_H
#define INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void input_begin(const uint8_t *bytes, size_t len);

/* Is there more of it? What is asked for beyond comes from nowhere. */
bool input_left(void);

/* What the fuzzer calls. Return: 0. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

#endif /* INPUT_H */
