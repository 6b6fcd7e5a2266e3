/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ehframe.h"
#include "arch/x86_64/elf_names.h"
#include "elffile_internal.h"
#include "fde.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

enum {
	HEAD = 12, /* bytes before the table: four encodings, address of .eh_frame, count */
	ENTRY = 8, /* bytes of an entry: start and address of the rules, relative to the header */
};

struct entries {
	const unsigned char *first;
	size_t nr;
	uint64_t base; /* address of the header */
};

static int32_t read_s32(const unsigned char *p)
{
	int32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint64_t entry_start(const struct entries *e, size_t i)
{
	return e->base + (uint64_t)(int64_t)read_s32(e->first + i * ENTRY);
}

static bool find_entries(Elf *elf, struct entries *e)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elffile_section(elf, ".eh_frame_hdr", &shdr);
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
	const unsigned char *p = data ? data->d_buf : NULL;

	if (!p || data->d_size < HEAD || p[0] != 1 || p[2] != DW_EH_PE_udata4 ||
		p[3] != (DW_EH_PE_datarel | DW_EH_PE_sdata4))
		return false;
	*e = (struct entries){p + HEAD, (uint32_t)read_s32(p + 8), shdr.sh_addr};
	return e->nr <= (data->d_size - HEAD) / ENTRY;
}

/* Returns the number of the first entry that starts after ADDRESS. */
static size_t first_after(const struct entries *e, uint64_t address)
{
	size_t low = 0, high = e->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (entry_start(e, mid) <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

uint64_t ehframe_next(const struct elffile *elf, uint64_t address)
{
	struct entries e;

	if (!find_entries(elffile_elf(elf), &e))
		return 0;
	size_t i = first_after(&e, address);

	return i < e.nr ? entry_start(&e, i) : 0;
}

static bool is_supported(Elf *elf)
{
	GElf_Ehdr ehdr;

	return gelf_getehdr(elf, &ehdr) && ehdr.e_machine == MACHINE;
}

/* Reads the description of the code that begins at entry I. */
static bool read_entry(Elf *elf, const struct entries *e, size_t i, struct fde_code *fde)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elffile_section(elf, ".eh_frame", &shdr);
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
	uint64_t at = e->base + (uint64_t)(int64_t)read_s32(e->first + i * ENTRY + ENTRY / 2);

	return data && data->d_buf && at >= shdr.sh_addr && at - shdr.sh_addr < data->d_size &&
	       fde_read(elf, data, at - shdr.sh_addr, fde);
}

bool ehframe_function(const struct elffile *elf, uint64_t address, struct ehframe_function *f)
{
	Elf *handle = elffile_elf(elf);
	struct entries e;
	struct fde_code fde;
	size_t i;

	if (!find_entries(handle, &e) || !(i = first_after(&e, address)) ||
		!read_entry(handle, &e, i - 1, &fde) ||
		address - entry_start(&e, i - 1) >= fde.size)
		return false;
	*f = (struct ehframe_function){
		.start = entry_start(&e, i - 1), .is_trampoline = fde.is_trampoline};
	if (f->is_trampoline)
		f->start++;
	else
		f->is_cold = is_supported(handle) && fde.has_frame;
	return true;
}
