/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * queries [LOOPS [MAPPINGS]]: works on queries as a backend of PostgreSQL does: each in a function
 * of its own, during which debug_query_string has its text, and on none between them. LOOPS is 0 if
 * there is no end. It has so many more MAPPINGS of memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

const char *debug_query_string;

static volatile unsigned long sum;

static void spin(void)
{
	for (int i = 0; i < 2000000; i++)
		sum += (unsigned long)i;
}

#define QUERY(name)                                                                                \
	__attribute__((noinline)) static void name(void)                                           \
	{                                                                                          \
		spin();                                                                            \
		sum++;                                                                             \
	}
QUERY(selects)
QUERY(updates)
QUERY(cuts)
QUERY(rests)

/* All texts are in the same memory, one after another. */
static void work_on(void (*query)(void), const char *text)
{
	static char memory[4096];

	snprintf(memory, sizeof(memory), "%s", text);
	debug_query_string = memory;
	query();
	debug_query_string = NULL;
}

/* Makes NR mappings: neighbours with different rights are not merged. */
static int map(size_t nr)
{
	char *memory = mmap(NULL, (nr + 1) * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return -1;
	for (size_t i = 0; i < nr; i += 2)
		if (mprotect(memory + i * PAGE, PAGE, PROT_NONE))
			return -1;
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long loops = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	char long_text[2000], text[100];

	if (map(argc > 2 ? strtoul(argv[2], NULL, 10) : 0))
		return 1;

	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	memcpy(long_text, "select ", 7);
	for (unsigned long i = 0; !loops || i < loops; i++) {
		snprintf(text, sizeof(text), "SELECT name\n FROM goods WHERE id = %lu", i);
		work_on(selects, text);
		snprintf(text, sizeof(text), "UPDATE goods SET name = 'nr. %lu'", i);
		work_on(updates, text);
		work_on(cuts, long_text);
		rests();
	}
	return 0;
}
