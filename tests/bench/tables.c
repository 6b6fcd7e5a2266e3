/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tables FILE…: prints the size of each file's unwind table and how long it takes to build it. */
#include "lib/strbuf.h"
#include "lib/util.h"
#include "symbol/elf/elffile_internal.h"
#include "runtime/native.h"
#include "unwind/unwind_build.h"
#include "unwind/unwind_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t eh_frame_size(const struct elffile *elf)
{
	GElf_Shdr shdr;

	return elffile_section(elffile_elf(elf), ".eh_frame", &shdr) ? shdr.sh_size : 0;
}

static int measure(const char *path, struct strbuf *err)
{
	const char *slash = strrchr(path, '/');
	int64_t start = monotonic_ns();
	struct elffile *elf = elffile_open(path, err);
	struct unwind_table table;

	if (!elf)
		return -1;
	if (unwind_build(&table, elf, native_sources, false, err)) {
		elffile_close(elf);
		return -1;
	}
	double seconds = (double)(monotonic_ns() - start) / 1e9;
	uint32_t rows = table.header->nr_rows;

	printf("%-24.24s %12" PRIu32 " %10.1f MB %10.1f %10.1f MB %8.3f s %11.1f M\n",
		slash ? slash + 1 : path, rows, (double)table.size / 1e6,
		rows ? (double)table.size / rows : 0, (double)eh_frame_size(elf) / 1e6, seconds,
		rows / seconds / 1e6);
	unwind_table_release(&table);
	elffile_close(elf);
	return 0;
}

int main(int argc, char **argv)
{
	struct strbuf err = STRBUF_INIT;

	printf("%-24s %12s %13s %10s %13s %10s %13s\n", "unwind tables", "rows", "table",
		"bytes/row", ".eh_frame", "made in", "rows/s");
	for (int i = 1; i < argc; i++)
		if (measure(argv[i], &err)) {
			fprintf(stderr, "tables: %s\n", err.buf);
			strbuf_reset(&err);
		}
	strbuf_release(&err);
	return 0;
}
