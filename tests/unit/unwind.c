/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind tables. The judge is libdw: what it says of a frame and what the table says of it are both
 * carried out on registers and memory of random content, and must give the same caller.
 */
#include "symbol_test.h"
#include "tiny_elf.h"
#include "unwind/rows.h"
#include "unwind/table.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <sys/mman.h>

/* ---- a machine ---- */

enum { BX = 3, BP = 6, SP = 7, IP = 16, NR_REGS = 32 };

struct machine {
	uint64_t reg[NR_REGS];
};

/* A caller, or a part of it. What is unknown is no value that could be right. */
struct caller {
	bool known, root;
	uint64_t sp, pc, bp, bx;
	bool bp_known, bx_known;
};

static uint64_t memory(uint64_t address)
{
	return hash_u64(address + 1302);
}

static void shuffle(struct machine *m, uint64_t pc)
{
	for (int i = 0; i < NR_REGS; i++)
		m->reg[i] = random_below(UINT64_MAX);
	m->reg[IP] = pc;
}

static uint64_t saved(const struct machine *m, uint64_t cfa, int how, int slot, int reg)
{
	switch (how) {
	case UNWIND_SAME:
		return m->reg[reg];
	case UNWIND_AT_CFA:
		return memory(cfa + 8 * (uint64_t)(int64_t)slot);
	default:
		return memory(m->reg[BP] + 8 * (uint64_t)(int64_t)slot);
	}
}

static uint64_t cfa_of(const struct machine *m, const struct unwind_rule *rule)
{
	uint64_t sum = m->reg[rule->reg] + (uint64_t)(int64_t)rule->offset;

	switch (rule->cfa) {
	case UNWIND_CFA_DEREF:
		return memory(sum) + (uint64_t)(int64_t)rule->add;
	case UNWIND_CFA_PLT:
		return sum + (((int64_t)m->reg[IP] & 15) >= rule->add ? 8 : 0);
	default:
		return sum;
	}
}

static struct caller caller_by_rule(const struct machine *m, const struct unwind_rule *rule)
{
	struct caller c = {.known = rule->cfa != UNWIND_CFA_NONE};
	uint64_t cfa;

	c.root = rule->cfa == UNWIND_CFA_ROOT;
	if (!c.known || c.root)
		return c;
	cfa = cfa_of(m, rule);
	c.bp_known = rule->fp_saved != UNWIND_LOST;
	c.bx_known = rule->bx_saved != UNWIND_LOST;
	if (rule->cfa == UNWIND_CFA_SIGNAL) {
		/* r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip */
		c.bp = memory(cfa + 8 * 10);
		c.bx = memory(cfa + 8 * 11);
		c.sp = memory(cfa + 8 * 15);
		c.pc = memory(cfa + 8 * 16);
		return c;
	}
	c.sp = cfa;
	c.pc = memory(cfa + 8 * (uint64_t)(int64_t)rule->ra);
	c.bp = saved(m, cfa, rule->fp_saved, rule->fp, BP);
	c.bx = saved(m, cfa, rule->bx_saved, rule->bx, BX);
	return c;
}

/* Two operands become one. False: not an operation of two. */
static bool calculate(uint64_t *stack, unsigned int *n, const Dwarf_Op *op)
{
	uint64_t b = stack[*n - 1], *a = &stack[*n - 2];

	switch (op->atom) {
	case DW_OP_plus:
		*a += b;
		break;
	case DW_OP_and:
		*a &= b;
		break;
	case DW_OP_ge:
		*a = (int64_t)*a >= (int64_t)b;
		break;
	case DW_OP_shl:
		*a <<= b;
		break;
	case DW_OP_mul:
		*a *= b;
		break;
	default:
		return false;
	}
	--*n;
	return true;
}

static uint64_t evaluate(const struct machine *m, uint64_t cfa, const Dwarf_Op *ops, size_t nops)
{
	uint64_t stack[16] = {0};
	unsigned int n = 2; /* two that do not count */

	for (size_t i = 0; i < nops; i++) {
		const Dwarf_Op *op = &ops[i];

		if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg16)
			stack[n++] = m->reg[op->atom - DW_OP_breg0] + op->number;
		else if (op->atom == DW_OP_bregx)
			stack[n++] = m->reg[op->number] + op->number2;
		else if (op->atom == DW_OP_call_frame_cfa)
			stack[n++] = cfa;
		else if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
			stack[n++] = op->atom - DW_OP_lit0;
		else if (op->atom >= DW_OP_const1u && op->atom <= DW_OP_consts)
			stack[n++] = op->number;
		else if (op->atom == DW_OP_plus_uconst)
			stack[n - 1] += op->number;
		else if (op->atom == DW_OP_deref)
			stack[n - 1] = memory(stack[n - 1]);
		else if (!calculate(stack, &n, op))
			return random_below(UINT64_MAX); /* equals nothing */
	}
	return stack[n - 1];
}

/* The caller's value of REG. False: libdw says that nobody can know. */
static bool register_by_libdw(
	const struct machine *m, Dwarf_Frame *frame, uint64_t cfa, int reg, uint64_t *value)
{
	Dwarf_Op mem[3], *ops;
	size_t nops;

	assert_int_equal(dwarf_frame_register(frame, reg, mem, &ops, &nops), 0);
	*value = m->reg[reg];
	if (!nops)
		return !ops;
	if (ops[0].atom == DW_OP_regx)
		*value = m->reg[ops[0].number];
	else if (ops[nops - 1].atom == DW_OP_stack_value)
		*value = evaluate(m, cfa, ops, nops - 1);
	else
		*value = memory(evaluate(m, cfa, ops, nops));
	return true;
}

static struct caller caller_by_libdw(const struct machine *m, Dwarf_Frame *frame)
{
	struct caller c = {.known = true};
	Dwarf_Op *ops;
	size_t nops;
	uint64_t cfa;

	if (!frame || dwarf_frame_cfa(frame, &ops, &nops))
		return (struct caller){0};
	cfa = evaluate(m, 0, ops, nops);
	c.root = !nops || !register_by_libdw(m, frame, cfa, IP, &c.pc);
	if (c.root)
		return c;
	assert_true(register_by_libdw(m, frame, cfa, SP, &c.sp));
	c.bp_known = register_by_libdw(m, frame, cfa, BP, &c.bp);
	c.bx_known = register_by_libdw(m, frame, cfa, BX, &c.bx);
	if (!c.bx_known)
		c.bx = m->reg[BX]; /* libdw takes rax for the register that functions keep */
	return c;
}

/* ---- table and libdw side by side ---- */

struct score {
	size_t compared, unsupported, lost, different;
};

static void compare_at(
	struct score *score, const struct unwind_table *table, Dwarf_Frame *frame, uint64_t address)
{
	struct machine m;

	shuffle(&m, address);
	struct caller ours = caller_by_rule(&m, unwind_table_find(table, address));
	struct caller theirs = caller_by_libdw(&m, frame);

	score->compared++;
	if (!ours.known) {
		score->unsupported += theirs.known;
		return;
	}
	score->lost += theirs.bp_known && !theirs.root && !ours.bp_known;
	if (theirs.known && ours.root == theirs.root &&
		(ours.root || (ours.sp == theirs.sp && ours.pc == theirs.pc &&
				      (!ours.bp_known || ours.bp == theirs.bp) &&
				      (!ours.bx_known || ours.bx == theirs.bx))))
		return;
	if (!score->different++)
		printf("# differs at %#llx\n", (unsigned long long)address);
}

/* Compares at START, and at all of the next addresses where the rule may depend on them. */
static void compare_part(struct score *score, const struct unwind_table *table, Dwarf_Frame *frame,
	uint64_t start, uint64_t end)
{
	bool plt = unwind_table_find(table, start)->cfa == UNWIND_CFA_PLT;

	for (uint64_t at = start; at < end && at < start + (plt ? 48 : 1); at++)
		compare_at(score, table, frame, at);
	compare_at(score, table, frame, start + (end - start) / 2);
	compare_at(score, table, frame, end - 1);
}

/* From START to END the table has one rule. */
static void compare_row(struct score *score, const struct unwind_table *table, Dwarf_CFI *cfi,
	uint64_t start, uint64_t end)
{
	const struct unwind_rule *rule = unwind_table_find(table, start);

	assert_ptr_equal(unwind_table_find(table, end - 1), rule);
	assert_ptr_equal(unwind_table_find(table, start + (end - start) / 2), rule);
	for (uint64_t at = start; at < end;) {
		Dwarf_Frame *frame = NULL;
		Dwarf_Addr from = at, to = at + 16;

		if (!dwarf_cfi_addrframe(cfi, at, &frame))
			assert_true(dwarf_frame_info(frame, &from, &to, NULL) == IP);
		assert_true(from <= at && to > at);
		if (to > end)
			to = end;
		compare_part(score, table, frame, at, to);
		free(frame);
		at = to;
	}
}

static const struct unwind_leaf *leaf_of(const struct unwind_table *table, uint32_t i)
{
	return (const struct unwind_leaf *)(table->blocks + (table->header->level[0] + i) * 4096);
}

/* Address of the leaf's first row: that of the I-th start in the level above. */
static uint64_t leaf_start(const struct unwind_table *table, uint32_t i)
{
	const struct unwind_header *h = table->header;
	const uint32_t *starts = (const uint32_t *)(table->blocks + h->level[1] * 4096);

	return h->base + (h->height ? starts[i] : 0);
}

/* Calls compare_row for each row of the table, which must lie side by side and rise. */
static void compare_rows(struct score *score, const struct unwind_table *table, Dwarf_CFI *cfi)
{
	const struct unwind_header *h = table->header;
	uint32_t leaves = (h->height ? h->level[1] : h->rules) - h->level[0], rows = 0;
	uint64_t last = h->base;

	for (uint32_t i = 0; i < leaves; i++) {
		const struct unwind_leaf *leaf = leaf_of(table, i);

		for (int k = 0; k < UNWIND_FANOUT && leaf->delta[k] != 0xffff; k++) {
			uint64_t at = leaf_start(table, i) + leaf->delta[k];

			assert_true(rows ? at > last : at == last);
			if (rows++)
				compare_row(score, table, cfi, last, at);
			last = at;
		}
	}
	assert_true(last < h->base + h->size);
	compare_row(score, table, cfi, last, h->base + h->size);
	assert_int_equal(rows, h->nr_rows);
}

static void judge(const char *path)
{
	struct strbuf err = STRBUF_INIT;
	struct elffile *elf = elffile_open(path, &err);
	struct unwind_table table;
	struct score score = {0};

	if (!elf) {
		printf("# %s\n", err.buf);
		strbuf_release(&err);
		return;
	}
	Dwarf_CFI *cfi = dwarf_getcfi_elf(elffile_elf(elf));

	assert_non_null(cfi);
	assert_int_equal(unwind_table_build(&table, elf, &err), 0);
	compare_rows(&score, &table, cfi);
	printf("# %s: %u rows, %u rules, %.2f bytes a row; %zu comparisons, %zu different, %zu "
	       "without rbp, %zu unsupported\n",
		file_name(path), table.header->nr_rows, table.header->nr_rules,
		(double)table.size / table.header->nr_rows, score.compared, score.different,
		score.lost, score.unsupported);
	assert_int_equal(score.different, 0);
	assert_true(score.unsupported <= 100);
	unwind_table_release(&table);
	dwarf_cfi_end(cfi);
	elffile_close(elf);
	strbuf_release(&err);
}

static const char *const judged[] = {
	"libc.so", "ld-linux", "libdw", "libcrypto", "libstdc++", "libz.so"};

static int judge_loaded(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	for (size_t i = 0; i < ARRAY_LEN(judged); i++)
		if (strstr(info->dlpi_name, judged[i])) {
			judge(info->dlpi_name);
			++*(int *)data;
		}
	return 0;
}

static void test_against_libdw(void **state)
{
	int n = 0;

	(void)state;
	dl_iterate_phdr(judge_loaded, &n);
	assert_true(n >= 3);
	judge(self);
	judge(perl);
	judge("/usr/lib/x86_64-linux-gnu/libcrypto.so.3");
}

/* ---- made-up programs ---- */

enum { FUNCTION = 64 }; /* bytes of each */

enum which_cie { PLAIN, SIGNAL, NO_CFA, NO_RA, NR_CIES };

#define CODE(...) (const char[]){__VA_ARGS__}, sizeof((const char[]){__VA_ARGS__})

#define REG(cfa_reg, cfa_offset, ...)                                                              \
	{                                                                                          \
		.cfa = UNWIND_CFA_REG, .reg = (cfa_reg), .offset = (cfa_offset), .ra = -1,         \
		__VA_ARGS__                                                                        \
	}
#define NONE                                                                                       \
	{                                                                                          \
		.cfa = UNWIND_CFA_NONE                                                             \
	}
#define ROOT                                                                                       \
	{                                                                                          \
		.cfa = UNWIND_CFA_ROOT                                                             \
	}

static const struct {
	const char *what;
	enum which_cie cie;
	const char *code;
	size_t size;
	struct unwind_rule want; /* at the function's last byte */
} programs[] = {
	{"nothing", PLAIN, CODE(DW_CFA_nop), REG(SP, 8)},
	{"def_cfa", PLAIN, CODE(0x44, DW_CFA_def_cfa, BP, 16), REG(BP, 16)},
	{"def_cfa_sf", PLAIN, CODE(0x44, DW_CFA_def_cfa_sf, BP, 0x7e), REG(BP, 16)},
	{"def_cfa_register", PLAIN, CODE(0x44, DW_CFA_def_cfa_register, BP), REG(BP, 8)},
	{"def_cfa_offset", PLAIN, CODE(0x44, DW_CFA_def_cfa_offset, 0x80, 0x01), REG(SP, 128)},
	{"def_cfa_offset_sf", PLAIN, CODE(0x44, DW_CFA_def_cfa_offset_sf, 0x7c), REG(SP, 32)},
	{"a register after an expression", PLAIN,
		CODE(DW_CFA_def_cfa_expression, 2, DW_OP_breg7, 8, 0x44, DW_CFA_def_cfa_register,
			BP),
		NONE},
	{"a large offset", PLAIN, CODE(0x44, DW_CFA_def_cfa_offset, 0xff, 0xff, 0xff, 0xff, 0x0f),
		NONE},
	{"a far register", PLAIN, CODE(0x44, DW_CFA_def_cfa_register, 17), NONE},
	{"an expression of one register", PLAIN,
		CODE(0x44, DW_CFA_def_cfa_expression, 2, DW_OP_breg7, 24), REG(SP, 24)},
	{"a realigned stack", PLAIN,
		CODE(0x44, DW_CFA_def_cfa_expression, 3, DW_OP_breg6, 0x78, DW_OP_deref),
		{.cfa = UNWIND_CFA_DEREF, .reg = BP, .offset = -8, .ra = -1}},
	{"a stack switched by hand", PLAIN,
		CODE(0x44, DW_CFA_def_cfa_expression, 5, DW_OP_breg7, 40, DW_OP_deref,
			DW_OP_plus_uconst, 8),
		{.cfa = UNWIND_CFA_DEREF, .reg = SP, .offset = 40, .add = 8, .ra = -1}},
	{"and a sum", PLAIN,
		CODE(0x44, DW_CFA_def_cfa_expression, 6, DW_OP_breg7, 40, DW_OP_deref,
			DW_OP_const1s, 0xf8, DW_OP_plus),
		{.cfa = UNWIND_CFA_DEREF, .reg = SP, .offset = 40, .add = -8, .ra = -1}},
	{"sums in front", PLAIN,
		CODE(0x44, DW_CFA_def_cfa_expression, 8, DW_OP_breg7, 1, DW_OP_plus_uconst, 2,
			DW_OP_lit4, DW_OP_plus, DW_OP_plus_uconst, 1),
		REG(SP, 8)},
	{"a linkage table", PLAIN,
		CODE(0x44, DW_CFA_def_cfa_expression, 11, DW_OP_breg7, 8, DW_OP_breg16, 0,
			DW_OP_lit15, DW_OP_and, DW_OP_lit11, DW_OP_ge, DW_OP_lit3, DW_OP_shl,
			DW_OP_plus),
		{.cfa = UNWIND_CFA_PLT, .reg = SP, .offset = 8, .add = 11, .ra = -1}},
	{"another sum", PLAIN,
		CODE(0x44, DW_CFA_def_cfa_expression, 6, DW_OP_breg7, 8, DW_OP_breg9, 0, DW_OP_plus,
			DW_OP_deref),
		NONE},
	{"an unknown operation", PLAIN,
		CODE(0x44, DW_CFA_def_cfa_expression, 3, DW_OP_breg7, 8, DW_OP_neg), NONE},
	{"a cut operation", PLAIN, CODE(0x44, DW_CFA_def_cfa_expression, 2, DW_OP_breg7, 0x80),
		NONE},
	{"offset", PLAIN, CODE(0x44, (char)0x86, 2),
		REG(SP, 8, .fp_saved = UNWIND_AT_CFA, .fp = -2)},
	{"offset_extended", PLAIN, CODE(0x44, DW_CFA_offset_extended, BX, 3),
		REG(SP, 8, .bx_saved = UNWIND_AT_CFA, .bx = -3)},
	{"offset_extended_sf", PLAIN, CODE(0x44, DW_CFA_offset_extended_sf, BP, 0x7e),
		REG(SP, 8, .fp_saved = UNWIND_AT_CFA, .fp = 2)},
	{"GNU_negative_offset_extended", PLAIN,
		CODE(0x44, DW_CFA_GNU_negative_offset_extended, BP, 2),
		REG(SP, 8, .fp_saved = UNWIND_AT_CFA, .fp = 2)},
	{"a far slot", PLAIN, CODE(0x44, (char)0x86, 0x80, 0x80, 0x02),
		REG(SP, 8, .fp_saved = UNWIND_AT_CFA, .fp = -32768)},
	{"a slot too far", PLAIN, CODE(0x44, (char)0x86, 0x81, 0x80, 0x02),
		REG(SP, 8, .fp_saved = UNWIND_LOST)},
	{"restore", PLAIN, CODE((char)0x86, 2, 0x44, (char)0xc6), REG(SP, 8)},
	{"restore_extended", PLAIN, CODE((char)0x83, 2, 0x44, DW_CFA_restore_extended, BX),
		REG(SP, 8)},
	{"remember_state, restore_state", PLAIN,
		CODE(DW_CFA_remember_state, DW_CFA_def_cfa_offset, 16, (char)0x86, 2, 0x44,
			DW_CFA_restore_state),
		REG(SP, 8)},
	{"restore_state alone", PLAIN, CODE(0x44, DW_CFA_restore_state), NONE},
	{"undefined return address", PLAIN, CODE(0x44, DW_CFA_undefined, IP), ROOT},
	{"undefined rbp", PLAIN, CODE(0x44, DW_CFA_undefined, BP),
		REG(SP, 8, .fp_saved = UNWIND_LOST)},
	{"same_value", PLAIN, CODE((char)0x86, 2, 0x44, DW_CFA_same_value, BP), REG(SP, 8)},
	{"same return address", PLAIN, CODE(0x44, DW_CFA_same_value, IP), NONE},
	{"val_offset rsp", PLAIN, CODE(0x44, DW_CFA_val_offset, SP, 0), REG(SP, 8)},
	{"val_offset rbp", PLAIN, CODE(0x44, DW_CFA_val_offset, BP, 1),
		REG(SP, 8, .fp_saved = UNWIND_LOST)},
	{"val_offset_sf", PLAIN, CODE(0x44, DW_CFA_val_offset_sf, BX, 1),
		REG(SP, 8, .bx_saved = UNWIND_LOST)},
	{"saved rsp", PLAIN, CODE(0x44, (char)0x87, 3), NONE},
	{"register", PLAIN, CODE(0x44, DW_CFA_register, BP, 9),
		REG(SP, 8, .fp_saved = UNWIND_LOST)},
	{"return address in a register", PLAIN, CODE(0x44, DW_CFA_register, IP, 9), NONE},
	{"expression rbp", PLAIN, CODE(0x44, DW_CFA_expression, BP, 2, DW_OP_breg6, 0),
		REG(SP, 8, .fp_saved = UNWIND_AT_FP)},
	{"expression rbx", PLAIN, CODE(0x44, DW_CFA_expression, BX, 2, DW_OP_breg6, 0x58),
		REG(SP, 8, .bx_saved = UNWIND_AT_FP, .bx = -5)},
	{"another expression", PLAIN, CODE(0x44, DW_CFA_expression, BX, 2, DW_OP_breg7, 8),
		REG(SP, 8, .bx_saved = UNWIND_LOST)},
	{"val_expression", PLAIN, CODE(0x44, DW_CFA_val_expression, BP, 2, DW_OP_breg7, 8),
		REG(SP, 8, .fp_saved = UNWIND_LOST)},
	{"GNU_args_size", PLAIN,
		CODE(0x44, DW_CFA_GNU_args_size, 0x80, 0x01, DW_CFA_def_cfa_offset, 16),
		REG(SP, 16)},
	{"other registers", PLAIN, CODE(0x44, (char)0x8c, 2, (char)0xcc, DW_CFA_undefined, 0),
		REG(SP, 8)},
	{"advance_loc1", PLAIN, CODE(DW_CFA_advance_loc1, 63, DW_CFA_def_cfa_offset, 16),
		REG(SP, 16)},
	{"advance_loc2", PLAIN, CODE(DW_CFA_advance_loc2, 63, 0, DW_CFA_def_cfa_offset, 16),
		REG(SP, 16)},
	{"advance_loc4", PLAIN, CODE(DW_CFA_advance_loc4, 63, 0, 0, 0, DW_CFA_def_cfa_offset, 16),
		REG(SP, 16)},
	{"beyond the end", PLAIN, CODE(DW_CFA_advance_loc1, 64, DW_CFA_def_cfa_offset, 16),
		REG(SP, 8)},
	{"set_loc back", PLAIN, CODE(0x44, DW_CFA_set_loc, 1, 0, 0, 0, 0, 0, 0, 0), NONE},
	{"no opcode", PLAIN, CODE(0x44, 0x3f), NONE},
	{"a cut opcode", PLAIN, CODE(0x44, DW_CFA_def_cfa, BP), NONE},
	{"a cut number", PLAIN, CODE(0x44, DW_CFA_def_cfa_offset, 0x80), NONE},
	{"a signal's context", SIGNAL,
		CODE(DW_CFA_def_cfa_expression, 4, DW_OP_breg7, 0xa0, 1, DW_OP_deref,
			DW_CFA_expression, IP, 3, DW_OP_breg7, 0xa8, 1, DW_CFA_expression, BP, 3,
			DW_OP_breg7, 0xf8, 0, DW_CFA_expression, BX, 3, DW_OP_breg7, 0x80, 1,
			DW_CFA_expression, SP, 3, DW_OP_breg7, 0xa0, 1),
		{.cfa = UNWIND_CFA_SIGNAL, .reg = SP, .offset = 40}},
	{"another context", SIGNAL,
		CODE(DW_CFA_def_cfa_expression, 4, DW_OP_breg7, 0xa8, 1, DW_OP_deref,
			DW_CFA_expression, IP, 3, DW_OP_breg7, 0xa8, 1),
		NONE},
	{"no CFA", NO_CFA, CODE(DW_CFA_nop), ROOT},
	{"no return address", NO_RA, CODE(DW_CFA_nop), NONE},
};

static void add_number(struct strbuf *sb, uint64_t value, size_t size)
{
	strbuf_add(sb, &value, size);
}

/* An entry of which everything behind the length is BODY. */
static void add_entry(struct strbuf *sb, struct strbuf *body)
{
	tiny_pad(body, 4);
	add_number(sb, body->len, 4);
	strbuf_add(sb, body->buf, body->len);
	strbuf_release(body);
}

/* A CIE of version 1. AUGMENTATION with its 0, and what follows the number of the column. */
static void add_cie(struct strbuf *sb, const char *augmentation, const char *rest, size_t size)
{
	struct strbuf body = STRBUF_INIT;

	add_number(&body, 0, 4);
	strbuf_addch(&body, 1);
	strbuf_add(&body, augmentation, strlen(augmentation) + 1);
	strbuf_add(&body, "\x01\x78\x10", 3); /* units 1 and -8, column 16 */
	strbuf_add(&body, rest, size);
	add_entry(sb, &body);
}

/* An FDE whose pointers have 8 bytes. CIE: where that begins. */
static void add_fde(struct strbuf *sb, size_t cie, uint64_t start, uint64_t size, const char *code,
	size_t code_size)
{
	struct strbuf body = STRBUF_INIT;

	add_number(&body, sb->len + 4 - cie, 4);
	add_number(&body, start, 8);
	add_number(&body, size, 8);
	strbuf_addch(&body, 0);
	strbuf_add(&body, code, code_size);
	add_entry(sb, &body);
}

static void add_cies(struct strbuf *sb, size_t at[NR_CIES])
{
	at[PLAIN] = sb->len;
	add_cie(sb, "zR", CODE(1, DW_EH_PE_udata8, DW_CFA_def_cfa, SP, 8, (char)0x90, 1));
	at[SIGNAL] = sb->len;
	add_cie(sb, "zRS", CODE(1, DW_EH_PE_udata8));
	at[NO_CFA] = sb->len;
	add_cie(sb, "zR", CODE(1, DW_EH_PE_udata8, (char)0x90, 1));
	at[NO_RA] = sb->len;
	add_cie(sb, "zR", CODE(1, DW_EH_PE_udata8, DW_CFA_def_cfa, SP, 8));
}

static const char text[8192];

/* Opens an image of SIZE bytes of text and a section NAME of content SB, which is released. */
static struct elffile *open_tiny(size_t size, const char *name, struct strbuf *sb)
{
	struct strbuf image = STRBUF_INIT;
	const struct tiny_section sections[TINY_SECTIONS] = {
		{".text", text, size}, {name, sb->buf, sb->len}};

	tiny_elf(&image, sections);
	struct elffile *elf = elffile_open_memory(image.buf, image.len);

	assert_non_null(elf);
	strbuf_release(&image);
	strbuf_release(sb);
	return elf;
}

static void build(struct unwind_table *table, struct elffile *elf)
{
	struct strbuf err = STRBUF_INIT;

	if (unwind_table_build(table, elf, &err))
		fail_msg("%s", err.buf);
}

static bool is_rule(const struct unwind_table *table, uint64_t address, struct unwind_rule want)
{
	return !memcmp(unwind_table_find(table, address), &want, sizeof(want));
}

static void test_programs(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	size_t cie[NR_CIES], failed = 0;
	struct unwind_table table;
	struct score score = {0};

	(void)state;
	add_cies(&sb, cie);
	for (size_t i = 0; i < ARRAY_LEN(programs); i++)
		add_fde(&sb, cie[programs[i].cie], TINY_FIRST + i * FUNCTION, FUNCTION,
			programs[i].code, programs[i].size);
	struct elffile *elf = open_tiny(ARRAY_LEN(programs) * FUNCTION, ".eh_frame", &sb);
	Dwarf_CFI *cfi = dwarf_getcfi_elf(elffile_elf(elf));

	build(&table, elf);
	for (size_t i = 0; i < ARRAY_LEN(programs); i++)
		if (!is_rule(&table, TINY_FIRST + i * FUNCTION + FUNCTION - 1, programs[i].want)) {
			printf("# wrong: %s\n", programs[i].what);
			failed++;
		}
	assert_int_equal(failed, 0);
	compare_rows(&score, &table, cfi);
	assert_int_equal(score.different, 0);
	unwind_table_release(&table);
	dwarf_cfi_end(cfi);
	elffile_close(elf);
}

/* ---- entries ---- */

static const struct unwind_rule plain = REG(SP, 8), deeper = REG(SP, 16), nothing = NONE;
static const char at_16[] = {DW_CFA_def_cfa_offset, 16};

/* Whether a table is made with an FDE at TINY_FIRST whose pointers are ENCODED. */
static bool understands(
	const char *augmentation, unsigned char encoding, const char *pointers, size_t size)
{
	struct strbuf sb = STRBUF_INIT, body = STRBUF_INIT;
	const char rest[] = {1, (char)encoding, DW_CFA_def_cfa, SP, 8, (char)0x90, 1};
	struct unwind_table table;

	add_cie(&sb, augmentation, rest, sizeof(rest));
	add_number(&body, sb.len + 4, 4);
	strbuf_add(&body, pointers, size);
	strbuf_addch(&body, 0);
	add_entry(&sb, &body);
	struct elffile *elf = open_tiny(FUNCTION, ".eh_frame", &sb);
	bool known = !unwind_table_build(&table, elf, NULL) && is_rule(&table, TINY_FIRST, plain) &&
		     is_rule(&table, TINY_FIRST + FUNCTION - 1, plain) &&
		     is_rule(&table, TINY_FIRST + FUNCTION, nothing);

	unwind_table_release(&table);
	elffile_close(elf);
	return known;
}

/* TINY_FIRST is 0x10100, and the pointer lies 64 bytes of code, 24 of CIE and 8 behind it. */
static void test_encodings(void **state)
{
	(void)state;
	assert_true(understands(
		"zR", DW_EH_PE_absptr, CODE(0, 1, 1, 0, 0, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0)));
	assert_true(understands(
		"zR", DW_EH_PE_sdata8, CODE(0, 1, 1, 0, 0, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0)));
	assert_true(understands("zR", DW_EH_PE_udata4, CODE(0, 1, 1, 0, 64, 0, 0, 0)));
	assert_true(understands("zR", DW_EH_PE_sdata4, CODE(0, 1, 1, 0, 64, 0, 0, 0)));
	assert_true(understands("zR", DW_EH_PE_pcrel | DW_EH_PE_sdata4,
		CODE((char)(256 - 64 - 24 - 8), -1, -1, -1, 64, 0, 0, 0)));
	assert_true(understands("zR", DW_EH_PE_pcrel | DW_EH_PE_sdata2,
		CODE((char)(256 - 64 - 24 - 8), -1, 64, 0)));
	assert_true(understands("zR", DW_EH_PE_uleb128, CODE((char)0x80, (char)0x82, 4, 64)));
	assert_false(understands(
		"zR", DW_EH_PE_datarel | DW_EH_PE_sdata4, CODE(0, 1, 1, 0, 64, 0, 0, 0)));
	assert_false(understands(
		"zR", DW_EH_PE_indirect | DW_EH_PE_udata4, CODE(0, 1, 1, 0, 64, 0, 0, 0)));
	assert_false(understands("zR", DW_EH_PE_omit, CODE(0, 1, 1, 0, 64, 0, 0, 0)));
	assert_false(understands("zR", DW_EH_PE_udata8, CODE(0, 1, 1, 0, 64, 0, 0, 0)));
	assert_false(understands("zX", DW_EH_PE_udata4, CODE(0, 1, 1, 0, 64, 0, 0, 0)));
	assert_false(understands("R", DW_EH_PE_udata4, CODE(0, 1, 1, 0, 64, 0, 0, 0)));
}

static void test_augmentation(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct unwind_table table;

	(void)state;
	/* personality by an indirect pointer, and exception data */
	add_cie(&sb, "zPLR",
		CODE(7, (char)(DW_EH_PE_indirect | DW_EH_PE_pcrel | DW_EH_PE_sdata4), 1, 2, 3, 4,
			DW_EH_PE_sdata4, DW_EH_PE_udata8, DW_CFA_def_cfa, SP, 8, (char)0x90, 1));
	add_fde(&sb, 0, TINY_FIRST, FUNCTION, at_16, sizeof(at_16));
	struct elffile *elf = open_tiny(FUNCTION, ".eh_frame", &sb);

	build(&table, elf);
	assert_true(is_rule(&table, TINY_FIRST, deeper));
	unwind_table_release(&table);
	elffile_close(elf);
}

/* Version 4, in the order and with the numbers of .debug_frame. */
static void test_debug_frame(void **state)
{
	static const char cie[] = {
		-1, -1, -1, -1, 4, 0, 8, 0, 1, 0x78, 16, DW_CFA_def_cfa, SP, 8, (char)0x90, 1};
	struct strbuf sb = STRBUF_INIT, body = STRBUF_INIT;
	struct unwind_table table;

	(void)state;
	/* before its CIE */
	add_number(&body, 4 + 4 + 16 + 4, 4);
	add_number(&body, TINY_FIRST, 8);
	add_number(&body, FUNCTION, 8);
	strbuf_add(&body, at_16, sizeof(at_16));
	add_entry(&sb, &body);
	strbuf_add(&body, cie, sizeof(cie));
	add_entry(&sb, &body);
	struct elffile *elf = open_tiny(FUNCTION, ".debug_frame", &sb);

	build(&table, elf);
	assert_true(is_rule(&table, TINY_FIRST, deeper));
	unwind_table_release(&table);
	elffile_close(elf);
}

static void test_ranges(void **state)
{
	static const struct {
		uint64_t start, size;
	} fdes[] = {
		{0, TINY_FIRST + 4096},  /* removed */
		{TINY_FIRST + 200, 100}, /* cut by the one before it by address */
		{TINY_FIRST + 100, 150},
		{TINY_FIRST + 110, 10},        /* within it */
		{TINY_FIRST + 300, 1 << 20},   /* beyond the code */
		{1 << 24, 100},                /* in no code */
		{TINY_FIRST + 50, UINT64_MAX}, /* beyond the addresses */
		{TINY_FIRST + 60, 0},
	};
	struct strbuf sb = STRBUF_INIT;
	size_t cie[NR_CIES];
	struct unwind_table table;

	(void)state;
	add_cies(&sb, cie);
	for (size_t i = 0; i < ARRAY_LEN(fdes); i++) {
		char code[] = {DW_CFA_def_cfa_offset, (char)(i * 8)};

		add_fde(&sb, cie[PLAIN], fdes[i].start, fdes[i].size, code, sizeof(code));
		if (i == 3)
			add_number(&sb, 0, 4); /* an end in the middle */
	}
	struct elffile *elf = open_tiny(4096, ".eh_frame", &sb);

	build(&table, elf);
	assert_int_equal(table.header->base, TINY_FIRST + 100);
	assert_true(table.header->size < 8192);
	for (uint64_t at = TINY_FIRST; at < TINY_FIRST + 4096; at++) {
		uint64_t i = at - TINY_FIRST;
		struct unwind_rule want = REG(SP, i < 250 ? 16 : i < 300 ? 8 : 32);

		assert_true(is_rule(&table, at, i < 100 ? nothing : want));
	}
	unwind_table_release(&table);
	elffile_close(elf);
}

static void test_no_table(void **state)
{
	struct strbuf sb = STRBUF_INIT, err = STRBUF_INIT, image = STRBUF_INIT;
	const struct tiny_section sections[TINY_SECTIONS] = {{".text", text, 64}};
	struct elffile *elf = open_tiny(FUNCTION, ".other", &sb);
	struct unwind_table table;

	(void)state;
	assert_int_equal(unwind_table_build(&table, elf, &err), -1);
	assert_non_null(strstr(err.buf, "says nothing"));
	assert_null(table.blocks);
	assert_int_equal(unwind_table_find(&table, TINY_FIRST)->cfa, UNWIND_CFA_NONE);
	unwind_table_release(&table);
	elffile_close(elf);
	tiny_elf(&image, sections);
	image.buf[offsetof(Elf64_Ehdr, e_machine)] = EM_386;
	elf = elffile_open_memory(image.buf, image.len);
	assert_int_equal(unwind_table_build(&table, elf, &err), -1);
	assert_non_null(strstr(err.buf, "not for x86-64"));
	elffile_close(elf);
	strbuf_release(&image);
	strbuf_release(&err);
}

/* ---- Go ---- */

static void put_at(struct strbuf *sb, size_t at, uint64_t value, size_t size)
{
	while (sb->len < at + size)
		strbuf_addch(sb, '\0');
	memcpy(sb->buf + at, &value, size);
}

static const char *const go_functions[] = {
	"main.main", "runtime.goexit.abi0", "runtime.goexit1", "_rt0_amd64_linux", "main.leaf"};

/*
 * A table of functions of 64 bytes. Words of its header from 8 on: number of functions and files,
 * RELATIVE: start of the text, names, two more, depths, functions.
 */
static void make_pclntab(struct strbuf *sb, uint32_t magic, bool relative)
{
	enum { NAMES = 128, DEPTHS = 256, FUNCTIONS = 320, DESCRIPTIONS = 512 };
	/* 0 for 4 bytes, 24 for 52, 0 for 8 */
	static const char depths[] = {0, 2, 4, 48, 52, 47, 8, 0};
	size_t width = relative ? 4 : 8, word = 8, name = NAMES, nr = ARRAY_LEN(go_functions);
	uint64_t base = relative ? 0 : TINY_FIRST;

	put_at(sb, 0, magic, 4);
	put_at(sb, 4, 0x08010000, 4);
	put_at(sb, word, nr, 8);
	if (relative)
		put_at(sb, word += 16, TINY_FIRST, 8);
	else
		word += 8;
	put_at(sb, word + 8, NAMES, 8);
	put_at(sb, word + 32, DEPTHS, 8);
	put_at(sb, word + 40, FUNCTIONS, 8);
	for (size_t i = 0; i < nr; i++) {
		size_t at = DESCRIPTIONS + 64 * i;

		put_at(sb, FUNCTIONS + 2 * i * width, base + i * FUNCTION, width);
		put_at(sb, FUNCTIONS + (2 * i + 1) * width, at - FUNCTIONS, width);
		put_at(sb, at + width, name - NAMES, 4);
		put_at(sb, at + width + 12, i == 4 ? 0 : 1, 4);
		put_at(sb, name + strlen(go_functions[i]), 0, 1);
		memcpy(sb->buf + name, go_functions[i], strlen(go_functions[i]));
		name += strlen(go_functions[i]) + 1;
	}
	put_at(sb, FUNCTIONS + 2 * nr * width, base + nr * FUNCTION, width);
	memcpy(sb->buf + DEPTHS, depths, sizeof(depths));
}

static void check_go(const struct unwind_table *table)
{
	static const struct unwind_rule root = ROOT;
	static const struct unwind_rule frame =
		REG(SP, 32, .fp_saved = UNWIND_AT_CFA, .fp = -2, .bx_saved = UNWIND_LOST);
	static const struct unwind_rule none = REG(SP, 8, .bx_saved = UNWIND_LOST);

	for (uint64_t i = 0; i < FUNCTION; i++) {
		struct unwind_rule want = i >= 4 && i < 56 ? frame : none;

		assert_true(is_rule(table, TINY_FIRST + i, want));
		assert_true(is_rule(table, TINY_FIRST + FUNCTION + i, root));
		assert_true(is_rule(table, TINY_FIRST + 2 * FUNCTION + i, want));
		assert_true(is_rule(table, TINY_FIRST + 3 * FUNCTION + i, root));
		assert_true(is_rule(table, TINY_FIRST + 4 * FUNCTION + i, nothing));
	}
}

static void test_go(void **state)
{
	static const uint32_t magics[] = {0xfffffff1, 0xfffffff0, 0xfffffffa};
	struct unwind_table table;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(magics); i++) {
		struct strbuf sb = STRBUF_INIT;

		make_pclntab(&sb, magics[i], i < 2);
		struct elffile *elf =
			open_tiny(1024, i ? ".gopclntab" : ".data.rel.ro.gopclntab", &sb);

		build(&table, elf);
		check_go(&table);
		unwind_table_release(&table);
		elffile_close(elf);
	}
}

/* ---- trampolines ---- */

static void test_trampolines(void **state)
{
	enum { SIZE = 9, AT = 64 };
	static const char long_form[] = {0x48, -57, -64, 15, 0, 0, 0, 15, 5},
			  short_form[] = {-72, 15, 0, 0, 0, 15, 5};
	static const struct unwind_rule want = {.cfa = UNWIND_CFA_SIGNAL, .reg = SP, .offset = 40};
	struct strbuf image = STRBUF_INIT, sb = STRBUF_INIT;
	char code[512] = "";
	size_t cie[NR_CIES];
	struct unwind_table table;

	(void)state;
	memcpy(code + AT, long_form, sizeof(long_form));
	memcpy(code + 2 * AT, short_form, sizeof(short_form));
	memcpy(code + 3 * AT, short_form, sizeof(short_form));
	memcpy(code + 4 * AT, short_form + 1, sizeof(short_form) - 1);
	add_cies(&sb, cie);
	add_fde(&sb, cie[PLAIN], TINY_FIRST + 2 * AT, AT / 2, "", 0);
	add_fde(&sb, cie[PLAIN], TINY_FIRST + 3 * AT - 1, AT, "", 0);
	tiny_elf(&image, (struct tiny_section[TINY_SECTIONS]){
				 {".text", code, sizeof(code)}, {".eh_frame", sb.buf, sb.len}});
	struct elffile *elf = elffile_open_memory(image.buf, image.len);

	build(&table, elf);
	for (uint64_t i = 0; i < AT; i++) {
		uint64_t at = TINY_FIRST - 1 + i;
		bool in_short = i <= sizeof(short_form);

		assert_true(is_rule(&table, at + AT, i <= SIZE ? want : nothing));
		assert_true(is_rule(&table, at + 2 * AT,
			in_short      ? want
			: i <= AT / 2 ? plain
				      : nothing));
		/* within a function: not entered by a return */
		assert_true(is_rule(&table, at + 3 * AT, plain));
		assert_true(is_rule(&table, at + 4 * AT, nothing));
	}
	unwind_table_release(&table);
	elffile_close(elf);
	strbuf_release(&sb);
	strbuf_release(&image);
}

/* ---- search ---- */

struct row {
	uint64_t start;
	struct unwind_rule rule;
};

static struct unwind_rule random_rule(void)
{
	if (!random_below(16))
		return (struct unwind_rule)NONE;
	return (struct unwind_rule)REG(SP, 8 * (int32_t)random_below(100));
}

/* Rows of up to GAP bytes each. Returns where the last one ends. */
static uint64_t make_rows(struct unwind_rows *rows, struct row *list, size_t n, uint64_t gap)
{
	uint64_t at = random_below(1 << 30) << 10;

	unwind_rows_init(rows);
	for (size_t i = 0; i < n; i++) {
		uint64_t end = at + 1 + random_below(gap);

		list[i] = (struct row){at, random_rule()};
		/* what nothing is known of need not be said */
		if (list[i].rule.cfa != UNWIND_CFA_NONE || !i || i == n - 1)
			unwind_rows_add(rows, at, end, &list[i].rule);
		at = end;
	}
	return at;
}

static void check_rows(size_t n, uint64_t gap)
{
	struct row *list = xcalloc(n, sizeof(*list));
	struct unwind_rows rows;
	struct unwind_table table;
	uint64_t end = make_rows(&rows, list, n, gap);

	assert_int_equal(unwind_rows_finish(&rows, "", &table, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		uint64_t last = (i + 1 < n ? list[i + 1].start : end) - 1;

		assert_true(is_rule(&table, list[i].start, list[i].rule));
		assert_true(is_rule(&table, last, list[i].rule));
		assert_true(is_rule(&table, list[i].start + random_below(last - list[i].start + 1),
			list[i].rule));
	}
	assert_true(is_rule(&table, list[0].start - 1, nothing));
	assert_true(is_rule(&table, end, nothing));
	assert_true(is_rule(&table, 0, nothing));
	assert_true(is_rule(&table, UINT64_MAX, nothing));
	unwind_table_release(&table);
	unwind_rows_release(&rows);
	free(list);
}

static void test_search(void **state)
{
	(void)state;
	for (size_t n = 1; n < 50; n++)
		check_rows(n, n % 2 ? 10 : 200000);
	check_rows(UNWIND_FANOUT, 3);
	check_rows(UNWIND_FANOUT + 1, 3);
	check_rows(4000, 1000000);
	check_rows(100000, 100);
	check_rows(1200000, 100);
}

static void test_extent(void **state)
{
	const uint64_t base = 0x7000, gib4 = 1ULL << 32;
	struct strbuf err = STRBUF_INIT;
	struct unwind_rows rows;
	struct unwind_table table;

	(void)state;
	unwind_rows_init(&rows);
	assert_int_equal(unwind_rows_finish(&rows, "", &table, NULL), -1);
	unwind_rows_add(&rows, base, base + 1, &plain);
	unwind_rows_add(&rows, base + gib4 - 3, base + gib4 - 2, &deeper);
	assert_int_equal(unwind_rows_finish(&rows, "", &table, NULL), 0);
	assert_true(is_rule(&table, base, plain));
	assert_true(is_rule(&table, base + 1, nothing));
	assert_true(is_rule(&table, base + gib4 - 4, nothing));
	assert_true(is_rule(&table, base + gib4 - 3, deeper));
	assert_true(is_rule(&table, base + gib4 - 2, nothing));
	unwind_table_release(&table);
	unwind_rows_add(&rows, base + gib4, base + gib4 + 1, &plain);
	assert_int_equal(unwind_rows_finish(&rows, "", &table, &err), -1);
	assert_non_null(strstr(err.buf, "too far apart"));
	unwind_rows_release(&rows);
	strbuf_release(&err);
}

/* One rule more than there are numbers. */
static void test_many_rules(void **state)
{
	struct unwind_rule rule = plain;
	struct unwind_rows rows;
	struct unwind_table table;

	(void)state;
	unwind_rows_init(&rows);
	for (int32_t i = 0; i <= 65536 - UNWIND_RULE_FIRST; i++) {
		rule.offset = i;
		unwind_rows_add(&rows, (uint64_t)i * 4, (uint64_t)i * 4 + 4, &rule);
	}
	assert_int_equal(unwind_rows_finish(&rows, "", &table, NULL), 0);
	assert_int_equal(table.header->nr_rules, 65536);
	assert_int_equal(table.header->nr_unsupported, 1);
	assert_true(is_rule(&table, (65536 - UNWIND_RULE_FIRST) * 4, nothing));
	rule.offset--;
	assert_true(is_rule(&table, (65535 - UNWIND_RULE_FIRST) * 4, rule));
	unwind_table_release(&table);
	unwind_rows_release(&rows);
}

/* ---- files ---- */

static void make_table(struct unwind_table *table, size_t n, const char *build_id)
{
	struct row *list = xcalloc(n, sizeof(*list));
	struct unwind_rows rows;

	make_rows(&rows, list, n, 100);
	assert_int_equal(unwind_rows_finish(&rows, build_id, table, NULL), 0);
	unwind_rows_release(&rows);
	free(list);
}

static int open_table(struct unwind_table *table, const void *data, size_t size)
{
	int fd = memfd_create("table", MFD_CLOEXEC), ret;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), size);
	ret = unwind_table_open(table, fd, "00112233");
	close(fd);
	return ret;
}

static void find_many(const struct unwind_table *table)
{
	for (int i = 0; i < 200; i++) {
		uint64_t at = table->header->base + random_below(i % 2 ? 1 << 20 : UINT64_MAX);

		assert_true(unwind_table_find(table, at)->cfa <= UINT8_MAX);
	}
}

static void test_damaged_tables(void **state)
{
	struct unwind_table table, again;

	(void)state;
	make_table(&table, 100, "00112233");
	assert_int_equal(open_table(&again, table.blocks, table.size), 0);
	assert_true(again.mapped && again.size == table.size);
	assert_memory_equal(again.blocks, table.blocks, table.size);
	unwind_table_release(&again);
	unsigned char *copy = xmalloc(table.size + 1);

	memcpy(copy, table.blocks, table.size);
	for (size_t i = 0; i <= table.size + 1; i++)
		if (i != table.size)
			assert_int_equal(open_table(&again, copy, i), -1);
	for (size_t i = 0; i < table.size; i += i < 256 ? 1 : 37) {
		copy[i] ^= (unsigned char)(1 << random_below(8));
		assert_int_equal(open_table(&again, copy, table.size), -1);
		copy[i] = table.blocks[i];
	}
	assert_int_equal(open_table(&again, copy, table.size), 0);
	unwind_table_release(&again);
	free(copy);
	unwind_table_release(&table);
	make_table(&table, 100, "00112234");
	assert_int_equal(open_table(&again, table.blocks, table.size), -1);
	unwind_table_release(&table);
}

/* Looked up without the checks of unwind_table_open, and with those that a right checksum passes.
 */
static void test_wrong_tables(void **state)
{
	size_t opened = 0;
	struct unwind_table table, again;

	(void)state;
	make_table(&table, 3000, "00112233");
	for (int i = 0; i < 2000; i++) {
		unsigned char *copy = xmalloc(table.size);
		struct unwind_header *header = (struct unwind_header *)copy;

		memcpy(copy, table.blocks, table.size);
		for (uint64_t k = random_below(6); k < 6; k++)
			copy[random_below(k % 2 ? sizeof(*header) : table.size)] =
				(unsigned char)random_below(256);
		find_many(&(struct unwind_table){.blocks = copy, .size = table.size});
		header->magic = UNWIND_MAGIC;
		header->checksum = unwind_table_checksum(copy, table.size);
		if (!open_table(&again, copy, table.size)) {
			opened++;
			find_many(&again);
		}
		unwind_table_release(&again);
		free(copy);
	}
	printf("# %zu of 2000 wrong tables opened\n", opened);
	unwind_table_release(&table);
}

/* ---- damaged files ---- */

static void damage(unsigned char *bytes, size_t from, size_t to)
{
	static const uint64_t values[] = {0, UINT64_MAX, INT64_MAX, 1, UINT64_MAX - 0xfff, 0x80};
	size_t at = from + random_below(to - from);

	if (random_below(4) || to - at < 8)
		bytes[at] = (unsigned char)random_below(256);
	else
		memcpy(bytes + at, &values[random_below(ARRAY_LEN(values))], 8);
}

static size_t build_damaged(const void *image, size_t size)
{
	struct elffile *elf = elffile_open_memory(image, size);
	struct unwind_table table;
	bool built;

	if (!elf)
		return 0;
	built = !unwind_table_build(&table, elf, NULL);
	if (built)
		find_many(&table);
	unwind_table_release(&table);
	elffile_close(elf);
	return built;
}

static void make_whole(struct strbuf *image)
{
	struct strbuf eh = STRBUF_INIT, go = STRBUF_INIT;
	size_t cie[NR_CIES];

	add_cies(&eh, cie);
	for (size_t i = 0; i < ARRAY_LEN(programs); i++)
		add_fde(&eh, cie[programs[i].cie], TINY_FIRST + 1024 + i * FUNCTION, FUNCTION,
			programs[i].code, programs[i].size);
	make_pclntab(&go, 0xfffffff1, true);
	tiny_elf(image, (struct tiny_section[TINY_SECTIONS]){{".text", text, sizeof(text)},
				{".eh_frame", eh.buf, eh.len}, {".gopclntab", go.buf, go.len}});
	strbuf_release(&eh);
	strbuf_release(&go);
}

static void test_damaged_files(void **state)
{
	struct strbuf image = STRBUF_INIT;
	size_t built = 0, size;
	char *env = read_file("/usr/bin/env", &size);
	int rounds = getenv("ROUNDS") ? atoi(getenv("ROUNDS")) : 2000;

	(void)state;
	make_whole(&image);
	assert_int_equal(build_damaged(image.buf, image.len), 1);
	for (int i = 0; i < rounds; i++) {
		bool tiny = i % 8;
		size_t len = tiny ? image.len : size;
		unsigned char *copy = xmalloc(len);

		memcpy(copy, tiny ? image.buf : env, len);
		for (uint64_t k = random_below(6); k < 6; k++)
			damage(copy, tiny && k < 5 ? sizeof(text) + 256 : 0, len);
		built += build_damaged(copy, len);
		free(copy);
	}
	printf("# tables of %zu of %d damaged files\n", built, rounds);
	strbuf_release(&image);
	free(env);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_libdw),
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_encodings),
		cmocka_unit_test(test_augmentation),
		cmocka_unit_test(test_debug_frame),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_no_table),
		cmocka_unit_test(test_go),
		cmocka_unit_test(test_trampolines),
		cmocka_unit_test(test_search),
		cmocka_unit_test(test_extent),
		cmocka_unit_test(test_many_rules),
		cmocka_unit_test(test_damaged_tables),
		cmocka_unit_test(test_wrong_tables),
		cmocka_unit_test(test_damaged_files),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
