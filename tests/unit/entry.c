/* SPDX-License-Identifier: GPL-2.0-or-later */
/* _start and main of programs without symbols, compared with the symbols of the same program before
 * strip. */
#include "lib/strbuf.h"
#include "lib/util.h"
#include "symbol/elf/elffile.h"
#include "symbol/elf/entry.h"
#include "symbol/elf/symtab.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char dir[] = "/tmp/flametap-entry.XXXXXX";

static bool run(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static bool run(const char *fmt, ...)
{
	struct strbuf command = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&command, fmt, ap);
	va_end(ap);
	int status = system(command.buf);

	strbuf_release(&command);
	return status == 0;
}

/* Returns the start of NAME by nm, or 0 if nm does not list it. */
static uint64_t nm(const char *name)
{
	char *command = xasprintf("nm %s/program | awk '$3 == \"%s\" {print $1}'", dir, name);
	FILE *in = popen(command, "r");
	uint64_t address = 0;

	assert_non_null(in);
	if (fscanf(in, "%" SCNx64, &address) != 1)
		address = 0;
	pclose(in);
	free(command);
	return address;
}

static void entry_of(const char *flags, size_t want)
{
	struct entry_symbol found[ENTRY_SYMBOLS];
	char *stripped = xasprintf("%s/stripped", dir);

	if (!run("echo 'int main(int argc, char **argv) { return argc + **argv; }' | "
		 "cc -O2 %s -x c -o %s/program - && strip -o %s %s/program",
		    flags, dir, stripped, dir))
		fail_msg("cannot compile with '%s'", flags);
	struct elffile *elf = elffile_open(stripped, NULL);

	assert_non_null(elf);
	assert_int_equal(entry_symbols(elf, found), want);
	assert_string_equal(found[0].name, "_start");
	assert_int_equal(found[0].start, nm("_start"));
	if (want > 1) {
		assert_string_equal(found[1].name, "main");
		assert_int_equal(found[1].start, nm("main"));
		assert_true(found[1].end > found[1].start && found[1].end - found[1].start < 64);
	}
	elffile_close(elf);
	free(stripped);
}

/* FILE is one that entry_of has made. WANT: the byte at ADDRESS is found to be in main. */
static void expect_main(const char *file, uint64_t address, bool want)
{
	char *path = xasprintf("%s/%s", dir, file);
	struct elffile *elf = elffile_open(path, NULL);

	assert_non_null(elf);
	assert_int_equal(symtab_is_main(elf, address), want);
	assert_false(symtab_is_main(elf, nm("main") - 1));
	assert_false(symtab_is_main(elf, nm("_start")));
	elffile_close(elf);
	free(path);
}

static void entry__is_main(void **state)
{
	(void)state;
	entry_of("-pie -fPIE", 2);
	expect_main("stripped", nm("main"), true);
	expect_main("stripped", nm("main") + 1, true);
	entry_of("-static", 1);
	expect_main("program", nm("main"), true);
	expect_main("program", nm("main") + 1, true);
	expect_main("stripped", nm("main"), false);
	/* a function of that name in a library is not main */
	assert_true(run("echo 'int main(void) { return 1; }' | "
			"cc -shared -nostdlib -fPIC -Wl,-e,0 -x c -o %s/program -",
		dir));
	expect_main("program", nm("main"), false);
}

static void entry__of_programs(void **state)
{
	(void)state;
	entry_of("-pie -fPIE", 2);
	entry_of("-no-pie", 2);
	entry_of("-static", 1); /* there is no .eh_frame_hdr to find the end of main */
}

static void entry__not_of_libraries(void **state)
{
	static const char *const paths[] = {
		"/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libc.so.6", "/usr/lib/libc.so.6"};
	struct entry_symbol found[ENTRY_SYMBOLS];
	size_t seen = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		struct elffile *elf = elffile_open(paths[i], NULL);

		if (!elf)
			continue;
		seen++;
		assert_int_equal(entry_symbols(elf, found), 0);
		elffile_close(elf);
	}
	assert_true(seen > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entry__of_programs),
		cmocka_unit_test(entry__not_of_libraries),
		cmocka_unit_test(entry__is_main),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	if (!mkdtemp(dir))
		return 1;
	int ret = cmocka_run_group_tests(tests, NULL, NULL);

	run("rm -rf %s", dir);
	return ret;
}
