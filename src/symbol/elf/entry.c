/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "entry.h"
#include "arch/x86_64/code_shapes.h"
#include "arch/x86_64/elf_names.h"
#include "ehframe.h"
#include "elffile_internal.h"

#include <string.h>

enum { START_MAX = 64 }; /* bytes of _start that are searched */

/*
 * Returns SIZE bytes of the file at ADDRESS, or NULL if its segment has fewer of them in the file.
 */
static const unsigned char *bytes_at(Elf *elf, uint64_t address, size_t size, bool code)
{
	size_t nr = 0, file_size;
	const unsigned char *file = (const unsigned char *)elf_rawfile(elf, &file_size);
	GElf_Phdr ph;

	if (!file || elf_getphdrnum(elf, &nr))
		return NULL;
	for (size_t i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD ||
			(code && !(ph.p_flags & PF_X)) || address < ph.p_vaddr ||
			address - ph.p_vaddr >= ph.p_filesz)
			continue;
		uint64_t in = address - ph.p_vaddr;

		if (ph.p_filesz - in < size || ph.p_offset > file_size ||
			ph.p_filesz > file_size - ph.p_offset)
			return NULL;
		return file + ph.p_offset + in;
	}
	return NULL;
}

static bool has_interpreter(Elf *elf)
{
	size_t nr = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &nr))
		return false;
	for (size_t i = 0; i < nr; i++)
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_INTERP)
			return true;
	return false;
}

static bool is_pie(Elf *elf)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elffile_section(elf, ".dynamic", &shdr);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	GElf_Dyn dyn;

	for (int i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++)
		if (dyn.d_tag == DT_FLAGS_1)
			return dyn.d_un.d_val & DF_1_PIE;
	return false;
}

/* Returns whether the entry point is _start, unlike the one of a library such as libc. */
static bool starts_programs(Elf *elf, const GElf_Ehdr *ehdr)
{
	if (ehdr->e_machine != MACHINE || !ehdr->e_entry)
		return false;
	return ehdr->e_type == ET_EXEC ||
	       (ehdr->e_type == ET_DYN && (is_pie(elf) || !has_interpreter(elf)));
}

/* Returns main, which the code passes to its first call, or 0 if it was not found. */
static uint64_t find_argument(Elf *elf, uint64_t start, size_t size)
{
	const unsigned char *code = bytes_at(elf, start, size, true);
	uint64_t found = code ? shape_argument(code, size, start) : 0;

	return found && bytes_at(elf, found, 1, true) ? found : 0;
}

/* Finds musl's _start_c, which _start calls, and which passes main. Returns 0 if there is none. */
static uint64_t find_second_start(Elf *elf, uint64_t start, size_t size)
{
	const unsigned char *code = bytes_at(elf, start, size, true);

	return code ? shape_aligned_call(code, size, start) : 0;
}

static uint64_t find_main(Elf *elf, uint64_t start, size_t size)
{
	uint64_t found = find_argument(elf, start, size);

	if (!found)
		start = find_second_start(elf, start, size);
	return found || !start ? found : find_argument(elf, start, START_MAX);
}

size_t entry_symbols(const struct elffile *file, struct entry_symbol symbols[ENTRY_SYMBOLS])
{
	Elf *elf = elffile_elf(file);
	GElf_Ehdr ehdr;

	if (!gelf_getehdr(elf, &ehdr) || !starts_programs(elf, &ehdr))
		return 0;
	uint64_t start = ehdr.e_entry, end = ehframe_next(file, start);

	if (end <= start || end - start > START_MAX)
		end = start + START_MAX;
	symbols[0] = (struct entry_symbol){"_start", start, end};
	uint64_t main_start = find_main(elf, start, end - start);
	uint64_t main_end = main_start ? ehframe_next(file, main_start) : 0;

	if (main_end <= main_start)
		return 1;
	symbols[1] = (struct entry_symbol){"main", main_start, main_end};
	return 2;
}
