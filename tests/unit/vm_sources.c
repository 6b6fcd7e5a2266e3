/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The contents of source files, as processes see them. */
#include "runtime/vm_sources.h"
#include "lib/util.h"
#include "process/reader.h"
#include "runtime/vm.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

enum { NOBODY = 65534 };

static struct vm_sources sources;
static bool late;
static char folder[] = "/tmp/vm_sources.XXXXXX";
static char path[64];

static void write_file(const char *text)
{
	FILE *out = fopen(path, "we");

	assert_non_null(out);
	fputs(text, out);
	assert_int_equal(fclose(out), 0);
}

static int set_up(void **state)
{
	(void)state;
	vm_sources_init(&sources);
	if (!mkdtemp(folder) || chmod(folder, 0755))
		return -1;
	snprintf(path, sizeof(path), "%s/a.py", folder);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	vm_sources_release(&sources);
	unlink(path);
	rmdir(folder);
	memset(strrchr(folder, '.') + 1, 'X', 6);
	reader_end();
	return 0;
}

static const char *blob_of(uint32_t pid, uint32_t image, uint32_t parent, const char *file)
{
	return vm_sources_blob(
		&sources, &python_vm, &(struct vm_source_process){pid, image, parent}, file, &late);
}

static void vm_sources__have_the_ids_of_git(void **state)
{
	const uint32_t pid = (uint32_t)getpid();

	(void)state;
	write_file("hello\n");
	assert_string_equal(blob_of(pid, 1, 0, path), "ce013625030ba8dba906f756967f9e9ca394464a");
	assert_null(blob_of(pid, 1, 0, folder));
	assert_null(blob_of(pid, 1, 0, "/dev/zero"));
	assert_null(blob_of(pid, 1, 0, "<string>"));
	assert_null(blob_of(pid, 1, 0, "../../etc/passwd"));
}

/* A process that has begun after a file changed has the new one; a child has its parent's. */
static void vm_sources__of_processes_differ(void **state)
{
	const uint32_t pid = (uint32_t)getpid();

	(void)state;
	write_file("hello\n");
	assert_non_null(blob_of(pid, 1, 0, path));
	write_file("");
	assert_string_equal(blob_of(pid, 2, 1, path), "ce013625030ba8dba906f756967f9e9ca394464a");
	assert_string_equal(blob_of(pid, 3, 0, path), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
}

/* A process may have executed what was there before a file was changed. */
static void vm_sources__may_have_changed_after_the_begin(void **state)
{
	const uint32_t pid = (uint32_t)getpid();
	const struct timespec longer_than_a_tick = {0, 100000000};

	(void)state;
	assert_non_null(blob_of(pid, 1, 0, "/bin/sh"));
	assert_false(late);
	nanosleep(&longer_than_a_tick, NULL);
	write_file("hello\n");
	assert_non_null(blob_of(pid, 1, 0, path));
	assert_true(late);
}

/* A recording tells nothing of files that its process may not read. */
static void vm_sources__are_readable_by_their_process(void **state)
{
	(void)state;
	if (getuid())
		skip();
	write_file("hello\n");
	assert_int_equal(chmod(path, 0600), 0);
	pid_t child = fork();

	if (!child) {
		/* the folder in /proc is root's then */
		if (setgid(NOBODY) || setuid(NOBODY) || prctl(PR_SET_DUMPABLE, 0))
			_exit(1);
		for (;;)
			pause();
	}
	char proc[64];

	snprintf(proc, sizeof(proc), "/proc/%d/status", (int)child);
	for (char line[128] = ""; !strstr(line, "65534");) {
		FILE *in = fopen(proc, "re");

		assert_non_null(in);
		while (fgets(line, sizeof(line), in) && strncmp(line, "Uid:", 4))
			;
		fclose(in);
	}
	assert_null(blob_of((uint32_t)child, 1, 0, path));
	assert_int_equal(chmod(path, 0644), 0);
	assert_non_null(blob_of((uint32_t)child, 2, 0, path));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(vm_sources__have_the_ids_of_git, set_up, tear_down),
		cmocka_unit_test_setup_teardown(vm_sources__of_processes_differ, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			vm_sources__may_have_changed_after_the_begin, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			vm_sources__are_readable_by_their_process, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
