/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * addresses [-i] FILE: for each address on stdin (hexadecimal, one a line, ascending), prints a
 * line "0xADDRESS" and a line for each frame, innermost first: function, file and line, separated
 * by tabs, with "?" for unknown fields. The debug file of FILE is used if one is installed. -i:
 * with inlined calls. The time goes to stderr.
 */
#include "lib/strbuf.h"
#include "lib/util.h"
#include "symbol/dwarf/debuginfo.h"
#include "symbol/elf/debugfile.h"
#include "symbol/elf/elffile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct addresses {
	uint64_t *list;
	size_t nr, alloc;
};

static void read_addresses(struct addresses *a)
{
	char line[64], *end;

	while (fgets(line, sizeof(line), stdin)) {
		uint64_t address = strtoull(line, &end, 16);

		if (end == line)
			continue;
		ALLOC_GROW(a->list, a->nr, a->alloc);
		a->list[a->nr++] = address;
	}
}

static void print_frames(void *arg, size_t i, const struct debuginfo_frame *frames, size_t nr)
{
	const struct addresses *a = arg;

	printf("0x%" PRIx64 "\n", a->list[i]);
	for (size_t j = 0; j < nr; j++)
		printf("%s\t%s\t%" PRIu32 "\n", frames[j].function ? frames[j].function : "?",
			frames[j].file ? frames[j].file : "?", frames[j].line);
}

static int fail_with(const char *what)
{
	fprintf(stderr, "addresses: %s\n", what);
	return EXIT_FAILED;
}

int main(int argc, char **argv)
{
	bool inlines = argc > 1 && !strcmp(argv[1], "-i");
	const char *path = argv[argc - 1];
	struct strbuf err = STRBUF_INIT;
	const struct debug_paths paths = {0};
	struct addresses a = {0};
	int64_t start;

	if (argc != 2 + inlines)
		return fail_with("usage: addresses [-i] FILE");
	read_addresses(&a);
	start = monotonic_ns();
	struct elffile *elf = elffile_open(path, &err);

	if (!elf)
		return fail_with(err.buf);
	struct elffile *debug = debugfile_open(elf, path, &paths);
	struct elffile *alt = debugfile_open_alt(debug ? debug : elf, &paths);
	struct debuginfo *di = debuginfo_new(debug ? debug : elf, alt);

	if (!di)
		return fail_with("no debug information");
	debuginfo_find(di, a.list, a.nr, inlines, print_frames, &a);
	fprintf(stderr, "%zu addresses in %.3f s\n", a.nr, (double)(monotonic_ns() - start) / 1e9);
	debuginfo_free(di);
	elffile_close(alt);
	elffile_close(debug);
	elffile_close(elf);
	free(a.list);
	strbuf_release(&err);
	return EXIT_OK;
}
