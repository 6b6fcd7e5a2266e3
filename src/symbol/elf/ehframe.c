/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ehframe.h"
#include "arch/x86_64/elf_names.h"
#include "arch/x86_64/registers.h"
#include "elffile_internal.h"

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

/*
 * Returns whether the CFA is not REG_SP + 8. At the start of a function only the return address is
 * on the stack.
 */
static bool has_stack_frame(Dwarf_Frame *frame)
{
	Dwarf_Op *ops;
	size_t nr;

	if (dwarf_frame_cfa(frame, &ops, &nr) || nr != 1)
		return true;
	return ops->atom != DW_OP_bregx || ops->number != REG_SP || ops->number2 != 8;
}

static bool is_supported(Elf *elf)
{
	GElf_Ehdr ehdr;

	return gelf_getehdr(elf, &ehdr) && ehdr.e_machine == MACHINE;
}

bool ehframe_function(const struct elffile *elf, uint64_t address, struct ehframe_function *f)
{
	Elf *handle = elffile_elf(elf);
	Dwarf_CFI *cfi = elffile_cfi(elf);
	Dwarf_Frame *frame;
	struct entries e;
	size_t i;

	if (!cfi || !find_entries(handle, &e) || !(i = first_after(&e, address)) ||
		dwarf_cfi_addrframe(cfi, address, &frame))
		return false;
	*f = (struct ehframe_function){.start = entry_start(&e, i - 1)};
	dwarf_frame_info(frame, NULL, NULL, &f->is_trampoline);
	free(frame);
	if (f->is_trampoline) {
		f->start++;
	} else if (is_supported(handle) && !dwarf_cfi_addrframe(cfi, f->start, &frame)) {
		f->is_cold = has_stack_frame(frame);
		free(frame);
	}
	return true;
}
