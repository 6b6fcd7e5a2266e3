/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "disassembler.h"
#include "lib/util.h"

#include <capstone/capstone.h>
#include <stdlib.h>

struct disassembler {
	csh handle;
	cs_insn *insn;
};

struct disassembler *disassembler_new(bool intel)
{
	struct disassembler *d = xcalloc(1, sizeof(*d));

	if (cs_open(CS_ARCH_X86, CS_MODE_64, &d->handle) == CS_ERR_OK) {
		cs_option(
			d->handle, CS_OPT_SYNTAX, intel ? CS_OPT_SYNTAX_INTEL : CS_OPT_SYNTAX_ATT);
		cs_option(d->handle, CS_OPT_DETAIL, CS_OPT_ON);
		d->insn = cs_malloc(d->handle);
	}
	if (d->insn)
		return d;
	disassembler_free(d);
	return NULL;
}

void disassembler_free(struct disassembler *d)
{
	if (!d)
		return;
	if (d->insn)
		cs_free(d->insn, 1);
	if (d->handle)
		cs_close(&d->handle);
	free(d);
}

static bool find_target(const struct disassembler *d, uint64_t *target)
{
	const cs_x86 *x86 = &d->insn->detail->x86;

	if (!cs_insn_group(d->handle, d->insn, CS_GRP_JUMP) &&
		!cs_insn_group(d->handle, d->insn, CS_GRP_CALL))
		return false;
	if (x86->op_count != 1 || x86->operands[0].type != X86_OP_IMM)
		return false;
	*target = (uint64_t)x86->operands[0].imm;
	return true;
}

void disassembler_read(struct disassembler *d, const unsigned char *code, size_t size,
	uint64_t address, struct disassembled *insn)
{
	const uint8_t *at = code;

	strbuf_reset(&insn->text);
	insn->size = 1;
	insn->is_padding = insn->has_target = false;
	if (!cs_disasm_iter(d->handle, &at, &size, &address, d->insn)) {
		strbuf_adds(&insn->text, "(bad)");
		return;
	}
	insn->size = d->insn->size;
	insn->is_padding = d->insn->id == X86_INS_NOP || d->insn->id == X86_INS_INT3;
	insn->has_target = find_target(d, &insn->target);
	strbuf_adds(&insn->text, d->insn->mnemonic);
	if (*d->insn->op_str)
		strbuf_addf(&insn->text, " %s", d->insn->op_str);
}
