// SPDX-License-Identifier: GPL-2.0
/* Which programs that call kfuncs are loaded, and what being loaded means. */
#include <sched.h>
#include <sys/wait.h>

#include "libbpfprog.h"
#include "kselftest_harness.h"

#define OBJECT	"refused.bpf.o"

/* Is it loaded? If not, errno says why. */
static bool loads(const char *file, const char *name)
{
	struct bpf_object *o;
	int fd;

	o = prog_load(file, name, &fd);
	if (!o)
		return false;
	bpf_object__close(o);
	return true;
}

#define EXPECT_LOADED(name)						\
	EXPECT_TRUE(loads(OBJECT, name)) {				\
		TH_LOG("%s is not loaded: %s\n%s", name, strerror(errno), \
		       prog_log());					\
	}

/* It was the verifier who refused it, and for this. */
#define EXPECT_REFUSED(name, why) do {					\
	errno = 0;							\
	EXPECT_FALSE(loads(OBJECT, name)) {				\
		TH_LOG("%s is loaded", name);				\
	}								\
	EXPECT_EQ(true, errno == EACCES || errno == EINVAL) {		\
		TH_LOG("%s: %s", name, strerror(errno));		\
	}								\
	EXPECT_NE(NULL, strstr(prog_log(), why)) {			\
		TH_LOG("%s: %s", name, prog_log());			\
	}								\
} while (0)

TEST(a_size_over_the_buffer)
{
	NEED_KFUNCS();
	EXPECT_LOADED("good_size");
	EXPECT_REFUSED("bad_size", "invalid access to map value");
	EXPECT_LOADED("good_answer");
	EXPECT_REFUSED("bad_answer", "invalid access to map value");
	EXPECT_LOADED("good_stack");
	EXPECT_REFUSED("bad_stack", "invalid");
}

TEST(a_packet_without_bounds)
{
	NEED_KFUNCS();
	EXPECT_LOADED("good_bounds");
	EXPECT_REFUSED("bad_bounds", "invalid access to packet");
}

TEST(a_size_without_bounds)
{
	NEED_KFUNCS();
	EXPECT_LOADED("good_length");
	EXPECT_REFUSED("bad_length", "R3");
}

TEST(what_is_no_memory)
{
	NEED_KFUNCS();
	EXPECT_LOADED("good_context");
	EXPECT_REFUSED("bad_context", "R2");
	EXPECT_REFUSED("bad_pointer", "R2");
}

/*
 * A pointer that may be NULL: the program is refused, or what it calls says that
 * there is nothing.
 */
TEST(what_may_be_null)
{
	static const char *const names[] = {
		"null_key", "null_answer", "null_answer_at", "null_answers",
		"null_position", "null_key_position", "null_empty_key",
	};
	int refused = 0;
	__u32 i;

	NEED_KFUNCS();
	for (i = 0; i < ARRAY_LEN(names); i++) {
		__u32 zero = 0;
		char packet[64] = "";
		struct bpf_object *o;
		int fd, map, said;

		o = prog_load("null.bpf.o", names[i], &fd);
		if (!o) {
			EXPECT_EQ(true, errno == EACCES || errno == EINVAL);
			refused++;
			continue;
		}
		ASSERT_LT(0, prog_run(fd, packet, sizeof(packet)));
		map = bpf_object__find_map_fd_by_name(o, ".data");
		ASSERT_EQ(0, bpf_map_lookup_elem(map, &zero, &said));
		EXPECT_EQ(-EINVAL, said) {
			TH_LOG("%s: %d", names[i], said);
		}
		bpf_object__close(o);
	}
	TH_LOG("%d of %zu are not loaded here", refused, ARRAY_LEN(names));
}

/* The module cannot go from under a program. */
TEST(a_program_keeps_the_module)
{
	struct bpf_object *o;
	int fd;

	NEED_KFUNCS();
	o = prog_load("ask.bpf.o", "ask_packet", &fd);
	ASSERT_NE(NULL, o);
	/* All else that holds it is gone. */
	EXPECT_EQ(-EAGAIN, module_unload("chring"));
	bpf_object__close(o);
	/* The program is freed a grace period after it was closed. */
	for (fd = 0; fd < 100 && module_unload("chring"); fd++)
		usleep(100000);
	EXPECT_GT(100, fd);
	ASSERT_EQ(0, module_load(MODULE, ""));
	EXPECT_LT(0, kfuncs());
	EXPECT_TRUE(loads("ask.bpf.o", "ask_packet")) {
		TH_LOG("%s", prog_log());
	}
}

static int become_nobody(void)
{
	return setuid(65534);
}

static int become_root_of_a_namespace(void)
{
	return unshare(CLONE_NEWUSER);
}

/* A child that has become somebody else is refused: 0, or what went wrong. */
static int refuses(int (*become)(void))
{
	pid_t child = fork();
	int status;

	if (child < 0)
		return -1;
	if (!child) {
		if (become())
			_exit(2);
		_exit(loads("ask.bpf.o", "ask_packet") ? 1 :
		      errno == EPERM ? 0 : 3);
	}
	return waitpid(child, &status, 0) == child ? status : -1;
}

/* Who may not load BPF programs may not load these. */
TEST(nobody_loads_one)
{
	NEED_KFUNCS();
	EXPECT_EQ(0, refuses(become_nobody));
}

/* Nor who is root of a user namespace alone. */
TEST(root_of_a_namespace_loads_none)
{
	NEED_KFUNCS();
	EXPECT_EQ(0, refuses(become_root_of_a_namespace));
}

TEST_HARNESS_MAIN
