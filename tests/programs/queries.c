/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * queries [LOOPS]: works on queries as a backend of PostgreSQL does: each in a function of its own,
 * during which debug_query_string has its text, and on none between them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int main(int argc, char **argv)
{
	unsigned long loops = argc > 1 ? strtoul(argv[1], NULL, 10) : (unsigned long)-1;
	char long_text[2000], text[100];

	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	memcpy(long_text, "select ", 7);
	for (unsigned long i = 0; i < loops; i++) {
		snprintf(text, sizeof(text), "SELECT name\n FROM goods WHERE id = %lu", i);
		work_on(selects, text);
		snprintf(text, sizeof(text), "UPDATE goods SET name = 'nr. %lu'", i);
		work_on(updates, text);
		work_on(cuts, long_text);
		rests();
	}
	return 0;
}
