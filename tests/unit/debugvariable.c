/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of parts of this program's own variables. */
#include "lib/strbuf.h"
#include "lib/util.h"
#include "symbol/dwarf/debugtype.h"
#include "symbol/dwarf/debugvariable.h"
#include "symbol/elf/elffile.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

extern const char __executable_start[];

struct item {
	int number;
	struct {
		pthread_mutex_t lock;
		union {
			long wide;
			int narrow[2];
		};
	} inner;
};

static struct server {
	char name[16];
	struct item items[3];
	pthread_cond_t *pointer;
	pthread_cond_t ready;
} server;

static pthread_mutex_t plain, grid[4][5];
static int words[2];

struct expected {
	const void *address;
	const char *name;
};

static int compare(const void *a, const void *b)
{
	const struct expected *x = a, *y = b;

	return compare_u64((uintptr_t)x->address, (uintptr_t)y->address);
}

struct seen {
	const struct expected *expected;
	size_t nr;
};

static void take(void *arg, size_t i, const char *variable, const char *path)
{
	struct seen *seen = arg;
	char *name = xasprintf("%s%s", variable, path);

	assert_string_equal(name, seen->expected[i].name);
	seen->nr++;
	free(name);
}

/* Checks the names of LIST, which becomes sorted. */
static void check(struct expected *list, size_t nr)
{
	struct strbuf err = STRBUF_INIT;
	struct elffile *elf = elffile_open("/proc/self/exe", &err);
	struct debugtypes *types = debugtypes_new(elf, NULL);
	uint64_t *addresses = xcalloc(nr, sizeof(*addresses));
	struct seen seen = {list, 0};

	assert_non_null(types);
	qsort(list, nr, sizeof(*list), compare);
	for (size_t i = 0; i < nr; i++)
		addresses[i] = (uintptr_t)list[i].address - (uintptr_t)__executable_start;
	debugvariables_find(types, addresses, nr, take, &seen);
	assert_int_equal(seen.nr, nr);
	free(addresses);
	debugtypes_free(types);
	elffile_close(elf);
	strbuf_release(&err);
}

static void debugvariable__parts(void **state)
{
	static struct item local;
	struct expected list[] = {
		{&plain, "plain"},
		{(char *)&plain + 4, "plain"}, /* parts of a mutex are the library's */
		{&grid[2][3], "grid[2][3]"},
		{&server, "server.name[0]"},
		{&server.items[1].inner.lock, "server.items[1].inner.lock"},
		{&server.items[2].number, "server.items[2].number"},
		{&server.items[0].inner.narrow[1], "server.items[0].inner.wide+0x4"},
		{&server.pointer, "server.pointer"},
		{(char *)&server.ready + 8, "server.ready"},
		{&words[1], "words[1]"},
		{&local.inner.lock, "local.inner.lock"},
	};

	(void)state;
	check(list, ARRAY_LEN(list));
}

static void debugvariable__no_variable(void **state)
{
	struct strbuf err = STRBUF_INIT;
	struct elffile *elf = elffile_open("/proc/self/exe", &err);
	struct debugtypes *types = debugtypes_new(elf, NULL);
	const uint64_t addresses[] = {0, UINT64_MAX};
	struct seen seen = {NULL, 0};

	(void)state;
	debugvariables_find(types, addresses, ARRAY_LEN(addresses), take, &seen);
	assert_int_equal(seen.nr, 0);
	debugtypes_free(types);
	elffile_close(elf);
	strbuf_release(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(debugvariable__parts),
		cmocka_unit_test(debugvariable__no_variable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
