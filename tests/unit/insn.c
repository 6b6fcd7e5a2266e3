/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions. The judge is Zydis, for all code of this program, of perl and of libcrypto. */
#include "arch/x86_64/insn.h"
#include "symbol_test.h"

#if HAS_JUDGE
#include <Zydis/Zydis.h>
#endif

static void insn__has_a_bounded_length(void **state)
{
	unsigned char code[INSN_MAX];
	struct insn insn;

	(void)state;
	for (int i = 0; i < 1000000; i++) {
		size_t size = 1 + random_below(INSN_MAX);

		for (size_t k = 0; k < size; k++)
			code[k] = (unsigned char)random_below(256);
		if (insn_decode(&insn, code, size))
			assert_in_range(insn.length, 1, size);
	}
}

#if HAS_JUDGE

/* Whether INSN moves rsp besides the register that it writes. */
static bool is_stack(const struct insn *insn)
{
	uint8_t o = insn->opcode;

	return insn->map == MAP_1 && ((o & 0xf0) == 0x50 || o == 0x8f || o == 0xc8 || o == 0xc9);
}

static int number_of(ZydisRegister reg)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	return whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15
		       ? (int)(whole - ZYDIS_REGISTER_RAX)
		       : -1;
}

static uint32_t writes_of(const ZydisDecodedOperand *operands, unsigned int nr)
{
	uint32_t writes = 0;

	for (unsigned int i = 0; i < nr; i++) {
		const ZydisDecodedOperand *o = &operands[i];
		int number = o->type == ZYDIS_OPERAND_TYPE_REGISTER ? number_of(o->reg.value) : -1;

		if (number >= 0 && (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) &&
			!(number == INSN_RSP && o->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN))
			writes |= 1U << number;
	}
	return writes;
}

/* Returns how many bytes it stores in memory. */
static unsigned int stores_of(const ZydisDecodedOperand *operands, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
			operands[i].visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT &&
			operands[i].mem.type == ZYDIS_MEMOP_TYPE_MEM &&
			(operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			return operands[i].size / 8;
	return 0;
}

static bool is_same_memory(
	const struct insn *insn, const ZydisDecodedOperand *operands, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		const ZydisDecodedOperandMem *m = &operands[i].mem;

		if (operands[i].type != ZYDIS_OPERAND_TYPE_MEMORY || !insn->is_memory ||
			operands[i].visibility != ZYDIS_OPERAND_VISIBILITY_EXPLICIT)
			continue;
		if (number_of(m->base) != (insn->base < INSN_REGS ? insn->base : -1) ||
			number_of(m->index) != (insn->index < INSN_REGS ? insn->index : -1))
			return false;
		if (insn->vex != EVEX && m->disp.value != insn->displacement)
			return false;
	}
	return true;
}

/* Returns the first difference from the judge, or NULL if there is none. */
static const char *difference(const struct insn *insn, const ZydisDecodedInstruction *z,
	const ZydisDecodedOperand *operands)
{
	uint64_t target;
	bool direct = z->meta.branch_type != ZYDIS_BRANCH_TYPE_NONE &&
		      operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
		      z->meta.category != ZYDIS_CATEGORY_RET;

	if (insn->length != z->length)
		return "length";
	if (!is_stack(insn) && (writes_of(operands, z->operand_count) & ~insn_writes(insn)))
		return "writes";
	if (!is_stack(insn) && insn->has_modrm &&
		stores_of(operands, z->operand_count) > insn_stores(insn))
		return "stores";
	if (!is_same_memory(insn, operands, z->operand_count))
		return "memory";
	if (insn_target(insn, 0, &target) != direct ||
		(direct && target != z->length + (uint64_t)operands[0].imm.value.s))
		return "target";
	return NULL;
}

static void compare(const unsigned char *code, size_t size)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction z;
	ZydisDecoder decoder;
	size_t nr = 0, nr_different = 0;
	struct insn insn;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (size_t at = 0; at < size; at += z.length, nr++) {
		const char *what = "decoded";

		if (!ZYAN_SUCCESS(
			    ZydisDecoderDecodeFull(&decoder, code + at, size - at, &z, operands))) {
			z.length = 1;
			continue;
		}
		if (insn_decode(&insn, code + at, size - at))
			what = difference(&insn, &z, operands);
		if (what && nr_different++ < 10)
			printf("# %s: %s at %#zx\n", what, ZydisMnemonicGetString(z.mnemonic), at);
	}
	printf("# %zu instructions, %zu differ\n", nr, nr_different);
	assert_true(nr > 1000);
	assert_true(nr_different * 500 < nr); /* data in code are also taken for instructions */
}

/* Compares the code of the file at PATH, if it exists. */
static void compare_file(const char *path)
{
	struct elf_code code[8];
	struct elffile *elf = elffile_open(path, NULL);

	for (size_t i = 0, nr = elf ? elffile_code(elf, code, ARRAY_LEN(code)) : 0; i < nr; i++)
		compare(code[i].bytes, code[i].size);
	elffile_close(elf);
}

static void insn__is_what_a_disassembler_says(void **state)
{
	(void)state;
	compare_file("/proc/self/exe");
	compare_file(perl);
	compare_file("/usr/lib/x86_64-linux-gnu/libcrypto.so.3");
}

#else

static void insn__is_what_a_disassembler_says(void **state)
{
	(void)state;
	printf("# skipped: Zydis 4 is not installed\n");
	skip();
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(insn__has_a_bounded_length),
		cmocka_unit_test(insn__is_what_a_disassembler_says),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
