/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/bpf/refusal.h"
#include "engine/bpf/verifier.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>

static const struct {
	const char *log, *reason; /* or NULL if there is none */
} logs[] = {
	/* Linux 6.1, by libbpf */
	{"libbpf: prog 'on_tick': BPF program load failed: Invalid argument\n"
	 "libbpf: prog 'on_tick': -- BEGIN PROG LOAD LOG --\n"
	 "4106: (95) exit\n"
	 "Unreleased reference id=1053 alloc_insn=4073\n"
	 "processed 92764 insns (limit 1000000) max_states_per_insn 19\n"
	 "-- END PROG LOAD LOG --\n"
	 "libbpf: prog 'on_tick': failed to load: -22\n",
		"Unreleased reference id=1053 alloc_insn=4073"},
	/* with statistics per function and of time */
	{"processed 10 insns (limit 1000000)\n"
	 "Validating store_chunk() func#3...\n"
	 "R1 unbounded memory access\n"
	 "verification time 12 usec\n"
	 "stack depth 176+32\n"
	 "processed 42393 insns (limit 1000000)\n",
		"R1 unbounded memory access"},
	/* truncated at the start */
	{"s too large\nprocessed 1 insns\n", "s too large"},
	{"processed 1 insns\n", NULL},
	{"libbpf: Error loading vmlinux BTF: -3\n", NULL},
	{"\n", NULL},
	{"", NULL},
};

static void verifier__reason(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(logs); i++) {
		size_t len = 0;
		const char *found = verifier_reason(logs[i].log, &len);
		char *reason = found ? xstrndup(found, len) : NULL;

		if (logs[i].reason)
			assert_string_equal(reason, logs[i].reason);
		else
			assert_null(reason);
		free(reason);
	}
}

/* Causes that are recognised by the message, whatever errno libbpf ends with. */
static void refusal__cause(void **state)
{
	static const struct {
		int error;
		const char *part; /* a part of the message, or NULL if there is no remedy */
	} cases[] = {
		{EMFILE, "Too many open files; raise the limit of open files (ulimit -n)"},
		{ENFILE, "fs.file-max"},
		{ENOMEM, "Cannot allocate memory; free some memory"},
		{EPERM, "CAP_BPF"},
		{EACCES, "SELinux"},
		{ENOSYS, "seccomp"},
		{EAGAIN, "try again"},
		{EINVAL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct strbuf err = STRBUF_INIT;

		assert_int_equal(refusal_add(&err, cases[i].error), -1);
		assert_true(cases[i].part ? strstr(err.buf, cases[i].part) != NULL
					  : !strchr(err.buf, ';'));
		strbuf_release(&err);
	}
}

/* Ten numbers are below the limit, and every other one of them is taken. */
static void refusal__no_more_files(void **state)
{
	struct rlimit old, few;
	int first = open("/", O_PATH);

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	for (int i = 1; i < 10; i += 2)
		assert_int_equal(dup2(first, first + i), first + i);
	close(first);
	few = (struct rlimit){(rlim_t)first + 10, old.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_true(refusal_has_files(5));
	assert_false(refusal_has_files(6));
	assert_int_equal(refusal_cause(EINVAL), EINVAL);
	few.rlim_cur = (rlim_t)first;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_int_equal(refusal_cause(EINVAL), EMFILE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	for (int i = 1; i < 10; i += 2)
		close(first + i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verifier__reason),
		cmocka_unit_test(refusal__cause),
		cmocka_unit_test(refusal__no_more_files),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
