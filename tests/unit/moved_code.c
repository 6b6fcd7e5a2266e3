/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code of a file in memory without a file: this program's own, as if it had been moved. */
#include "process/moved_code.h"
#include "process/process.h"
#include "process/reader.h"
#include "lib/util.h"
#include "symbol/elf/elffile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static struct elffile *elf;
static struct moved_code_file before; /* the mapping of this program below its code */
static struct mapping code;

/* Reads this program's first two mappings of /proc/self/maps. */
static int set_up(void **state)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4352];
	uint64_t start, end, offset;
	char perms[5];

	(void)state;
	code.start = 0;
	elf = elffile_open("/proc/self/exe", NULL);
	while (maps && !code.start && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %4s %lx", &start, &end, perms, &offset) != 4)
			return -1;
		if (perms[2] == 'x')
			code = (struct mapping){.start = start, .end = end, .offset = offset};
		else
			before = (struct moved_code_file){start, end, offset, false};
	}
	if (maps)
		fclose(maps);
	return elf && code.start && before.end == code.start ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	elffile_close(elf);
	reader_end();
	return 0;
}

static bool find(const struct moved_code_file *file, uint64_t start, uint64_t end, uint64_t *offset)
{
	struct mapping m = {.start = start, .end = end, .offset = 1};
	bool found = moved_code_find((uint32_t)getpid(), elf, file, &m);

	*offset = m.offset;
	return found;
}

static void moved_code__is_found(void **state)
{
	struct moved_code_file head = {code.start, code.start + 4096, code.offset, true};
	uint64_t offset;

	(void)state;
	assert_true(find(&before, code.start, code.end, &offset));
	assert_int_equal(offset, code.offset);
	assert_true(find(&head, code.start + 4096, code.end, &offset));
	assert_int_equal(offset, code.offset + 4096);
}

static void moved_code__is_something_else(void **state)
{
	struct moved_code_file elsewhere = before, no_part = before;
	struct mapping m = code;
	uint64_t offset;

	(void)state;
	/* other bytes */
	elsewhere.start -= 4096;
	elsewhere.end -= 4096;
	assert_false(find(&elsewhere, code.start, code.end - 4096, &offset));
	assert_int_equal(offset, 1);
	/* more than the file's code; data; addresses that are not loaded */
	assert_false(find(&before, code.start, code.end + 4096, &offset));
	assert_false(find(&before, before.start, before.end, &offset));
	no_part.offset = 1ULL << 40;
	assert_false(find(&no_part, code.start, code.end, &offset));
	/* too little code to be sure, and no file */
	assert_false(find(&before, code.start, code.start + 32, &offset));
	assert_false(moved_code_find((uint32_t)getpid(), NULL, &before, &m));
}

#define TEST(name) cmocka_unit_test(moved_code__##name)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(is_found),
		TEST(is_something_else),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
