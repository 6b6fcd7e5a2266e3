/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/areas.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

static void check(const char *line, uint64_t start, uint64_t end)
{
	struct memory_area area = areas_parse(line);

	assert_int_equal(area.start, start);
	assert_int_equal(area.end, end);
}

static void areas_parse__what_is_written(void **state)
{
	(void)state;
	check("7f7a40859000-7f7a4087a000 rw-p 00000000 00:00 0 ", 0x7f7a40859000, 0x7f7a4087a000);
	check("5000-7000 rw-p 00000000 00:00 0                          [heap]", 0x5000, 0x7000);
	check("5000-7000 rwxp 00000000 00:00 0", 0x5000, 0x7000);
	check("5000-7000 rw-p 00000000 00:00 0   [anon:lua arena]", 0x5000, 0x7000);
}

static void areas_parse__nothing_else(void **state)
{
	(void)state;
	check("5000-7000 r--p 00000000 00:00 0", 0, 0);
	check("5000-7000 ---p 00000000 00:00 0", 0, 0);
	check("5000-7000 rw-s 00000000 00:01 1042    /dev/zero (deleted)", 0, 0);
	check("5000-7000 rw-p 00002000 fe:00 1042    /usr/lib/libm.so.6", 0, 0);
	check("5000-7000 rw-p 00000000 00:00 0       [stack]", 0, 0);
	check("7000-7000 rw-p 00000000 00:00 0", 0, 0);
	check("5000-", 0, 0);
	check("", 0, 0);
}

/* Returns how many pages of an area are listed. */
static size_t listed(const char *start, size_t pages, uint64_t max)
{
	uint64_t from = (uintptr_t)start, to = from + pages * AREA_PAGE;
	size_t nr, found = 0;
	struct memory_area *list = areas_read((uint32_t)getpid(), max, &nr);

	for (size_t i = 0; i < nr; i++)
		for (uint64_t at = list[i].start; at < list[i].end; at += AREA_PAGE)
			found += at >= from && at < to;
	free(list);
	return found;
}

static void areas_read__only_pages_that_are_present(void **state)
{
	enum { PAGES = 64 };
	char *area = mmap(NULL, (size_t)PAGES * AREA_PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_true(area != MAP_FAILED);
	madvise(area, (size_t)PAGES * AREA_PAGE, MADV_NOHUGEPAGE);
	assert_int_equal(listed(area, PAGES, UINT64_MAX), 0);
	area[3 * AREA_PAGE] = area[4 * AREA_PAGE + 7] = area[20 * AREA_PAGE] = 1;
	assert_int_equal(listed(area, PAGES, UINT64_MAX), 3);
	assert_int_equal(listed(area, PAGES, UINT64_MAX), 3); /* reading adds none */
	assert_int_equal(listed(area, PAGES, 0), 0);
	munmap(area, (size_t)PAGES * AREA_PAGE);
}

static void areas_read__of_no_process(void **state)
{
	size_t nr;

	(void)state;
	assert_null(areas_read(0x7fffffff, UINT64_MAX, &nr));
	assert_int_equal(nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(areas_parse__what_is_written),
		cmocka_unit_test(areas_parse__nothing_else),
		cmocka_unit_test(areas_read__only_pages_that_are_present),
		cmocka_unit_test(areas_read__of_no_process),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
