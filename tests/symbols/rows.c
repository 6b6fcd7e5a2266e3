/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rows FILE: prints for each address on stdin (hexadecimal, one a line) the address at which its
 * row of the line table begins, by libdw alone, or the address itself if there is no row. The debug
 * file of FILE is used if one is installed.
 */
#include "lib/strbuf.h"
#include "lib/util.h"
#include "symbol/elf/debugfile.h"
#include "symbol/elf/elffile_internal.h"

#include <elfutils/libdw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void print_row(Dwarf *dwarf, Dwarf_Addr address)
{
	Dwarf_Die unit;
	Dwarf_Line *line =
		dwarf_addrdie(dwarf, address, &unit) ? dwarf_getsrc_die(&unit, address) : NULL;

	if (line)
		dwarf_lineaddr(line, &address);
	printf("0x%" PRIx64 "\n", (uint64_t)address);
}

int main(int argc, char **argv)
{
	struct strbuf err = STRBUF_INIT;
	struct elffile *elf = argc == 2 ? elffile_open(argv[1], &err) : NULL;
	char line[64];

	if (!elf) {
		fprintf(stderr, "rows: %s\n", argc == 2 ? err.buf : "usage: rows FILE");
		return EXIT_FAILED;
	}
	struct elffile *debug = debugfile_open(elf, argv[1], &(struct debug_paths){0});
	Dwarf *dwarf = dwarf_begin_elf(elffile_elf(debug ? debug : elf), DWARF_C_READ, NULL);

	while (dwarf && fgets(line, sizeof(line), stdin))
		print_row(dwarf, strtoull(line, NULL, 16));
	dwarf_end(dwarf);
	elffile_close(debug);
	elffile_close(elf);
	strbuf_release(&err);
	return dwarf ? EXIT_OK : EXIT_FAILED;
}
