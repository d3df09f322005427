/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's harness, and a main() that can list tests and run some of
 * them: PROGRAM [-l] [REGEX]. The harness of 6.1 always runs all.
 *
 * A test is called PROGRAM.FIXTURE.TEST, with the variant, if it has one,
 * behind the fixture; "global" is the fixture of those without.
 */
#ifndef CHRING_KSELFTEST_HARNESS_H
#define CHRING_KSELFTEST_HARNESS_H

#include_next <kselftest_harness.h>
#include <regex.h>

/* Emulated processors on a busy host: the 30 seconds given are not enough. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 120

/* Runs, or only lists, what matches; returns how many that were. */
static unsigned int harness_each(const regex_t *only, FILE *list,
				 struct __test_results *results, int *failed)
{
	struct __fixture_variant_metadata none = { .name = "" }, *v;
	struct __fixture_metadata *f;
	struct __test_metadata *t;
	unsigned int count = 0;
	char name[512];

	for (f = __fixture_list; f; f = f->next) {
		for (v = f->variant ?: &none; v; v = v->next) {
			for (t = f->tests; t; t = t->next) {
				snprintf(name, sizeof(name), "%s.%s%s%s.%s",
					 program_invocation_short_name, f->name,
					 v->name[0] ? "." : "", v->name, t->name);
				if (only && regexec(only, name, 0, NULL, 0))
					continue;
				count++;
				if (list)
					fprintf(list, "%s\n", name);
				if (!results)
					continue;
				t->results = results;
				__run_test(f, v, t);
				if (!t->passed)
					*failed = 1;
			}
		}
	}
	return count;
}

static int harness_main(int argc, char **argv)
{
	bool list = argc > 1 && !strcmp(argv[1], "-l");
	const char *pattern = argv[1 + list];
	struct __test_results *results;
	int failed = 0;
	regex_t only;

	if (pattern && regcomp(&only, pattern, REG_EXTENDED | REG_NOSUB)) {
		fprintf(stderr, "%s: not a regular expression\n", pattern);
		return 2;
	}
	if (list)
		return !harness_each(pattern ? &only : NULL, stdout, NULL, NULL);

	results = mmap(NULL, sizeof(*results), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (results == MAP_FAILED)
		ksft_exit_fail_msg("no memory for results\n");
	ksft_print_header();
	ksft_set_plan(harness_each(pattern ? &only : NULL, NULL, NULL, NULL));
	harness_each(pattern ? &only : NULL, NULL, results, &failed);
	return failed ? ksft_exit_fail() : ksft_exit_pass();
}

#undef TEST_HARNESS_MAIN
#define TEST_HARNESS_MAIN \
	static void __attribute__((constructor)) \
	__constructor_order_last(void) \
	{ \
		if (!__constructor_order) \
			__constructor_order = _CONSTRUCTOR_ORDER_BACKWARD; \
	} \
	int main(int argc, char **argv) \
	{ \
		return harness_main(argc, argv); \
	}

#endif
