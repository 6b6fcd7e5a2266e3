/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places in the memory that this process shares with others. */
#include "lib/util.h"
#include "process/shared_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

enum { SIZE = 8192 };

static void *map(int fd, int flags, off_t offset)
{
	void *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, flags, fd, offset);

	assert_ptr_not_equal(memory, MAP_FAILED);
	return memory;
}

/* Returns the place of the byte at OFFSET in MEMORY. The caller frees it. */
static char *place(const char *memory, size_t offset)
{
	struct shared_memory m;
	char *text;

	shared_memory_init(&m);
	text = shared_memory_place(&m, (uint32_t)getpid(), (uint64_t)(uintptr_t)(memory + offset));
	shared_memory_release(&m);
	return text;
}

static void place__in_a_named_file(void **state)
{
	int fd = memfd_create("queue", 0);
	char *memory, *text;

	(void)state;
	assert_int_equal(ftruncate(fd, 2 * SIZE), 0);
	memory = map(fd, MAP_SHARED, SIZE);
	text = place(memory, 0x10);
	assert_string_equal(text, "memfd:queue+0x2010");
	free(text);
	munmap(memory, SIZE);
	memory = map(fd, MAP_PRIVATE, 0);
	assert_null(place(memory, 0x10));
	munmap(memory, SIZE);
	close(fd);
}

static void place__in_memory_without_a_name(void **state)
{
	char *memory = map(-1, MAP_SHARED | MAP_ANONYMOUS, 0), *text = place(memory, 0x1020);

	(void)state;
	assert_true(begins_with(text, strlen(text), "[shared "));
	assert_true(ends_with(text, "]+0x1020"));
	free(text);
	munmap(memory, SIZE);
}

static void place__in_private_memory(void **state)
{
	char *memory = map(-1, MAP_PRIVATE | MAP_ANONYMOUS, 0);

	(void)state;
	assert_null(place(memory, 0));
	munmap(memory, SIZE);
}

static void place__of_an_ended_process(void **state)
{
	struct shared_memory m;

	(void)state;
	shared_memory_init(&m);
	assert_null(shared_memory_place(&m, UINT32_MAX, 0x1000));
	assert_null(shared_memory_place(&m, UINT32_MAX, 0x1000));
	shared_memory_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(place__in_a_named_file),
		cmocka_unit_test(place__in_memory_without_a_name),
		cmocka_unit_test(place__in_private_memory),
		cmocka_unit_test(place__of_an_ended_process),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
