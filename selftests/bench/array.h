/* SPDX-License-Identifier: GPL-2.0 */
/* Arrays of the rivals, in memory of the same kind as chring's tables. */
#ifndef ARRAY_H
#define ARRAY_H

/*
 * @n elements of @size, zeroed, on lines of their own; what is large, on huge
 * pages. For free(). Ends the program where there is no memory.
 */
void *array_alloc(size_t n, size_t size);

/* Bytes that were asked for since the program began. */
size_t array_bytes(void);

#endif /* ARRAY_H */
