/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fde.h"
#include "arch/x86_64/elf_names.h"
#include "arch/x86_64/registers.h"
#include "lib/bytes.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <string.h>

/* How the addresses of a CIE's descriptions are written, and what is behind them. */
struct fde_common {
	unsigned encoding;
	bool is_trampoline, has_data; /* of the augmentation */
};

static bool read_cie(const Dwarf_CIE *c, struct fde_common *cie)
{
	const uint8_t *data = c->augmentation_data;
	const uint8_t *end = data + (data ? c->augmentation_data_size : 0);

	*cie = (struct fde_common){.encoding = DW_EH_PE_absptr};
	for (const char *letter = c->augmentation; *letter; letter++)
		switch (*letter) {
		case 'z':
			cie->has_data = true;
			break;
		case 'S':
			cie->is_trampoline = true;
			break;
		case 'R':
			if (data >= end)
				return false;
			cie->encoding = *data++;
			break;
		case 'L':
			data++;
			break;
		case 'P': /* an encoding, and a pointer of 4 bytes, or of 8 */
			if (data >= end)
				return false;
			data += 1 + ((*data & 7) == (DW_EH_PE_udata4 & 7) ? 4 : 8);
			break;
		default:
			return false;
		}
	return true;
}

/* Where a function's frame is when it begins. */
struct fde_cfa {
	uint64_t reg;
	int64_t offset;
	bool is_other;   /* than a register and an offset */
	bool is_unknown; /* after an instruction that compilers do not write there */
};

/* Does an instruction that has no operand in its first byte. Returns false after the last one. */
static bool do_instruction(struct bytes *b, unsigned op, struct fde_cfa *cfa)
{
	switch (op) {
	case DW_CFA_nop:
	case DW_CFA_remember_state:
	case DW_CFA_restore_state:
		return true;
	case DW_CFA_def_cfa:
		cfa->reg = bytes_uleb(b);
		cfa->offset = (int64_t)bytes_uleb(b);
		return true;
	case DW_CFA_def_cfa_register:
		cfa->reg = bytes_uleb(b);
		return true;
	case DW_CFA_def_cfa_offset:
		cfa->offset = (int64_t)bytes_uleb(b);
		return true;
	case DW_CFA_def_cfa_expression:
		cfa->is_other = true;
		bytes_take(b, bytes_uleb(b));
		return true;
	case DW_CFA_offset_extended:
	case DW_CFA_register:
	case DW_CFA_val_offset:
		bytes_uleb(b);
		bytes_uleb(b);
		return true;
	case DW_CFA_restore_extended:
	case DW_CFA_undefined:
	case DW_CFA_same_value:
	case DW_CFA_GNU_args_size:
		bytes_uleb(b);
		return true;
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		bytes_uleb(b);
		bytes_take(b, bytes_uleb(b));
		return true;
	case DW_CFA_set_loc:
	case DW_CFA_advance_loc1:
	case DW_CFA_advance_loc2:
	case DW_CFA_advance_loc4:
		return false;
	default:
		cfa->is_unknown = true;
		return false;
	}
}

/* Does the instructions for the first byte of the code. */
static void begin_frame(struct bytes b, struct fde_cfa *cfa)
{
	while (b.at < b.end) {
		unsigned op = *b.at++;

		if ((op & 0xc0) == DW_CFA_advance_loc)
			return;
		if ((op & 0xc0) == DW_CFA_offset)
			bytes_uleb(&b);
		else if (!(op & 0xc0) && !do_instruction(&b, op, cfa))
			return;
		cfa->is_unknown |= b.bad;
	}
}

bool fde_read(Elf *elf, Elf_Data *data, uint64_t offset, struct fde_code *fde)
{
	const unsigned char *ident = (const unsigned char *)elf_getident(elf, NULL);
	Dwarf_CFI_Entry entry, common;
	Dwarf_Off next;
	struct fde_common cie;
	struct fde_cfa cfa = {0};

	if (!ident || dwarf_next_cfi(ident, data, true, offset, &next, &entry) ||
		dwarf_cfi_cie_p(&entry) ||
		dwarf_next_cfi(ident, data, true, entry.fde.CIE_pointer, &next, &common) ||
		!dwarf_cfi_cie_p(&common) || !read_cie(&common.cie, &cie))
		return false;
	struct bytes b = {.at = entry.fde.start, .end = entry.fde.end};
	unsigned format = cie.encoding & 7;
	unsigned size = format == (DW_EH_PE_udata4 & 7)                                ? 4
			: format == DW_EH_PE_absptr || format == (DW_EH_PE_udata8 & 7) ? 8
										       : 0;

	if (!size)
		return false;
	bytes_take(&b, size);
	fde->size = bytes_number(&b, size);
	if (cie.has_data)
		bytes_take(&b, bytes_uleb(&b));
	begin_frame((struct bytes){.at = common.cie.initial_instructions,
			    .end = common.cie.initial_instructions_end},
		&cfa);
	begin_frame(b, &cfa);
	fde->is_trampoline = cie.is_trampoline;
	fde->has_frame = cfa.is_other || cfa.reg != REG_SP || cfa.offset != 8;
	return !b.bad && !cfa.is_unknown;
}
