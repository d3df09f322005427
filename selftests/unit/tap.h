/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests of a program, and what they found, as TAP on standard output. Names
 * begin with that of the program, up to its first underscore.
 */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct tap_test - a test
 * @name: without spaces
 * @run: finds out; calls CHECK() on the way
 */
struct tap_test {
	const char *name;
	void (*run)(void);
};

/**
 * tap_run() - run tests and say what became of them
 * @test: tests
 * @n: how many
 * @after: called after each of them, CHECK()s what each must leave; or NULL
 *
 * Return: status for exit().
 */
int tap_run(const struct tap_test *test, size_t n, void (*after)(void));

/* The same by hand, where tests are not known before. */
void tap_plan(size_t n);
/* Says the name, so that it is known of which test a program has died. */
void tap_begin(const char *kind, const char *name);
void tap_end(void);
int tap_status(void);

/* One line of commentary. */
void tap_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The test that runs has failed. Return: false. */
bool tap_fail(const char *file, int line, const char *what);

/* Goes on after a failure, so that the test tidies up. */
#define CHECK(cond) \
	((cond) ? true : tap_fail(__FILE__, __LINE__, #cond))

/* For what nothing can go on without: ends the program. */
void tap_bail(const char *file, int line, const char *what)
	__attribute__((noreturn));
#define NEED(cond) do {						\
	if (!(cond))						\
		tap_bail(__FILE__, __LINE__, #cond);		\
} while (0)

#endif /* TAP_H */
