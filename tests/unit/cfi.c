/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules from call frame information. The judge is libdw: both its rules for a frame and the table's
 * rules are applied to registers and memory of random content, and must give the same caller. */
#include "symbol/elf/elffile.h"
#include "unwind_test.h"

#include <elfutils/libdw.h>

/* ---- a machine ---- */

enum { MACHINE_REGS = 32 };

struct machine {
	uint64_t reg[MACHINE_REGS];
};

/* A caller, or a part of it. Unknown values are set to values that cannot be right. */
struct caller {
	bool known, root;
	uint64_t sp, pc, bp, bx;
	bool bp_known, bx_known;
	unsigned int kept; /* mask of r12 to r15 that still have the callee's values */
};

static uint64_t memory(uint64_t address)
{
	return hash_u64(address + 1302);
}

static void shuffle(struct machine *m, uint64_t pc)
{
	for (int i = 0; i < MACHINE_REGS; i++)
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

	if (rule->index)
		sum += 8 * m->reg[rule->index - 1];
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
	c.bx_known = rule->base_saved != UNWIND_LOST;
	if (rule->cfa == UNWIND_CFA_SIGNAL) {
		/* r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip */
		c.bp = memory(cfa + 8 * 10);
		c.bx = memory(cfa + 8 * 11);
		c.sp = memory(cfa + 8 * 15);
		c.pc = memory(cfa + 8 * 16);
		return c;
	}
	c.sp = cfa;
	c.pc = rule->ra >= UNWIND_RA_REG ? m->reg[rule->ra - UNWIND_RA_REG]
					 : memory(cfa + 8 * (uint64_t)(int64_t)rule->ra);
	c.kept = ~rule->lost & 0xfU;
	c.bp = saved(m, cfa, rule->fp_saved, rule->fp, BP);
	c.bx = saved(m, cfa, rule->base_saved, rule->base, BX);
	return c;
}

/* Replaces two operands by the result of OP. Returns false if OP is not an operation on two
 * operands. */
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
	unsigned int n = 2; /* two dummy operands */

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

/* Computes the caller's value of REG. Returns false if libdw says that it cannot be known. */
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
		c.bx = m->reg[BX]; /* libdw takes rax for the register that functions preserve */
	for (int i = 0; i < 4; i++) {
		uint64_t value;

		if (register_by_libdw(m, frame, cfa, 12 + i, &value) && value == m->reg[12 + i])
			c.kept |= 1U << i;
	}
	return c;
}

/* ---- table and libdw side by side ---- */

struct score {
	size_t compared, unsupported, lost, different;
	uint64_t entry; /* of the file: the table knows that it has no caller */
};

static void compare_at(
	struct score *score, const struct unwind_table *table, Dwarf_Frame *frame, uint64_t address)
{
	struct machine m;

	shuffle(&m, address);
	const struct unwind_rule *rule = unwind_table_find(table, address);
	bool is_signal = rule->cfa == UNWIND_CFA_SIGNAL;
	struct caller ours = caller_by_rule(&m, rule);
	struct caller theirs = caller_by_libdw(&m, frame);

	score->compared++;
	if (!ours.known) {
		score->unsupported += theirs.known;
		return;
	}
	if (!theirs.known && ours.root && address - score->entry < 8)
		return;
	score->lost += theirs.bp_known && !theirs.root && !ours.bp_known;
	if (theirs.known && ours.root == theirs.root &&
		(ours.root || (ours.sp == theirs.sp && ours.pc == theirs.pc &&
				      (!ours.bp_known || ours.bp == theirs.bp) &&
				      (!ours.bx_known || ours.bx == theirs.bx) &&
				      (is_signal || ours.kept == theirs.kept))))
		return;
	if (!score->different++)
		printf("# differs at %#llx\n", (unsigned long long)address);
}

/*
 * Compares at START, and at all of the next addresses at which the rule may depend on the address.
 */
static void compare_part(struct score *score, const struct unwind_table *table, Dwarf_Frame *frame,
	uint64_t start, uint64_t end)
{
	bool plt = unwind_table_find(table, start)->cfa == UNWIND_CFA_PLT;

	for (uint64_t at = start; at < end && at < start + (plt ? 48 : 1); at++)
		compare_at(score, table, frame, at);
	compare_at(score, table, frame, start + (end - start) / 2);
	compare_at(score, table, frame, end - 1);
}

/* Compares from START to END, where the table has one rule. */
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

/* Returns the address of the leaf's first row, which is the I-th start in the level above. */
static uint64_t leaf_start(const struct unwind_table *table, uint32_t i)
{
	const struct unwind_header *h = table->header;
	const uint32_t *starts = (const uint32_t *)(table->blocks + h->level[1] * 4096);

	return h->base + (h->height ? starts[i] : 0);
}

/* Calls compare_row for each row of the table; rows must be adjacent and ascending. */
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

/* Checks that libdw knows no rules before the table's first row and after its last one. */
static void compare_outside(struct score *score, const struct unwind_table *table, Dwarf_CFI *cfi,
	const struct elffile *elf)
{
	const struct unwind_header *h = table->header;
	struct elf_code code[8];
	size_t n = elffile_code(elf, code, ARRAY_LEN(code));

	for (size_t i = 0; i < n; i++) {
		uint64_t start = code[i].address, end = start + code[i].size,
			 last = h->base + h->size;

		if (start < h->base)
			compare_row(score, table, cfi, start, end < h->base ? end : h->base);
		if (end > last)
			compare_row(score, table, cfi, start > last ? start : last, end);
	}
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

	GElf_Ehdr ehdr;

	assert_non_null(cfi);
	assert_non_null(gelf_getehdr(elffile_elf(elf), &ehdr));
	score.entry = ehdr.e_entry;
	assert_int_equal(unwind_build(&table, elf, native_sources, false, &err), 0);
	compare_rows(&score, &table, cfi);
	compare_outside(&score, &table, cfi, elf);
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
	judge("/usr/bin/python3");
	judge("/usr/lib/x86_64-linux-gnu/libcrypto.so.3");
	judge("/usr/lib/x86_64-linux-gnu/libstdc++.so.6");
}

/* ---- made-up programs ---- */

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
	{"an index", PLAIN,
		CODE(0x44, DW_CFA_def_cfa_expression, 10, DW_OP_breg7, 8, DW_OP_breg9, 0,
			DW_OP_lit8, DW_OP_mul, DW_OP_plus, DW_OP_deref, DW_OP_plus_uconst, 8),
		{.cfa = UNWIND_CFA_DEREF, .reg = SP, .index = 10, .offset = 8, .add = 8, .ra = -1}},
	{"an index, its offset behind it", PLAIN,
		CODE(0x44, DW_CFA_def_cfa_expression, 13, DW_OP_breg7, 0, DW_OP_breg9, 0,
			DW_OP_const1u, 8, DW_OP_mul, DW_OP_plus, DW_OP_plus_uconst, 8, DW_OP_deref,
			DW_OP_plus_uconst, 8),
		{.cfa = UNWIND_CFA_DEREF, .reg = SP, .index = 10, .offset = 8, .add = 8, .ra = -1}},
	{"an index in front", PLAIN,
		CODE(0x44, DW_CFA_def_cfa_expression, 9, DW_OP_lit8, DW_OP_breg0, 2, DW_OP_mul,
			DW_OP_breg3, 8, DW_OP_plus, DW_OP_plus_uconst, 8),
		{.cfa = UNWIND_CFA_REG, .reg = BX, .index = 1, .offset = 32, .ra = -1}},
	{"an index by 4", PLAIN,
		CODE(0x44, DW_CFA_def_cfa_expression, 8, DW_OP_breg7, 8, DW_OP_breg9, 0, DW_OP_lit4,
			DW_OP_mul, DW_OP_plus, DW_OP_deref),
		NONE},
	{"two indexes", PLAIN,
		CODE(0x44, DW_CFA_def_cfa_expression, 13, DW_OP_breg7, 8, DW_OP_breg9, 0,
			DW_OP_lit8, DW_OP_mul, DW_OP_plus, DW_OP_breg8, 0, DW_OP_lit8, DW_OP_mul,
			DW_OP_plus, DW_OP_deref),
		NONE},
	{"an index alone", PLAIN,
		CODE(0x44, DW_CFA_def_cfa_expression, 5, DW_OP_breg9, 0, DW_OP_lit8, DW_OP_mul,
			DW_OP_deref),
		NONE},
	{"a product of indexes", PLAIN,
		CODE(0x44, DW_CFA_def_cfa_expression, 8, DW_OP_breg7, 8, DW_OP_breg9, 0,
			DW_OP_breg8, 0, DW_OP_mul, DW_OP_plus),
		NONE},
	{"the pc as index", PLAIN,
		CODE(0x44, DW_CFA_def_cfa_expression, 7, DW_OP_breg7, 8, DW_OP_breg16, 0,
			DW_OP_lit8, DW_OP_mul, DW_OP_plus),
		NONE},
	{"an index too large", PLAIN,
		CODE(0x44, DW_CFA_def_cfa_expression, 16, DW_OP_breg7, 8, DW_OP_breg9, (char)0x80,
			(char)0x80, (char)0x80, (char)0x80, (char)0x80, (char)0x80, (char)0x80,
			(char)0x80, 0x20, DW_OP_lit8, DW_OP_mul, DW_OP_plus),
		NONE},
	{"a linkage table with an index", PLAIN,
		CODE(0x44, DW_CFA_def_cfa_expression, 16, DW_OP_breg7, 8, DW_OP_breg9, 0,
			DW_OP_lit8, DW_OP_mul, DW_OP_plus, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and,
			DW_OP_lit11, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus),
		NONE},
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
		REG(SP, 8, .base_saved = UNWIND_AT_CFA, .base = -3)},
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
		REG(SP, 8, .base_saved = UNWIND_LOST)},
	{"saved rsp", PLAIN, CODE(0x44, (char)0x87, 3), NONE},
	{"register", PLAIN, CODE(0x44, DW_CFA_register, BP, 9),
		REG(SP, 8, .fp_saved = UNWIND_LOST)},
	{"return address in a register", PLAIN, CODE(0x44, DW_CFA_register, IP, 9),
		{.cfa = UNWIND_CFA_REG, .reg = SP, .offset = 8, .ra = UNWIND_RA_REG + 9}},
	{"in a register that is none", PLAIN, CODE(0x44, DW_CFA_register, IP, 17), NONE},
	{"rsp by itself", PLAIN,
		CODE(0x44, DW_CFA_def_cfa, SP, 0, DW_CFA_offset_extended_sf, IP, 0x7e,
			DW_CFA_offset_extended_sf, BP, 0x7f, DW_CFA_val_expression, SP, 2,
			DW_OP_breg7, 24),
		REG(SP, 24, .fp_saved = UNWIND_AT_CFA, .fp = -2)},
	{"rsp by rbp", PLAIN, CODE(0x44, DW_CFA_val_expression, SP, 2, DW_OP_breg6, 24), NONE},
	{"rsp by another expression", PLAIN,
		CODE(0x44, DW_CFA_val_expression, SP, 3, DW_OP_breg7, 24, DW_OP_deref), NONE},
	{"rsp above the CFA", PLAIN, CODE(0x44, DW_CFA_val_offset_sf, SP, 0x7e),
		{.cfa = UNWIND_CFA_REG, .reg = SP, .offset = 24, .ra = -3}},
	{"rsp above a CFA in memory", PLAIN,
		CODE(0x44, DW_CFA_def_cfa_expression, 3, DW_OP_breg6, 0x78, DW_OP_deref,
			DW_CFA_val_offset_sf, SP, 0x7e),
		NONE},
	{"r12", PLAIN, CODE(0x44, (char)0x8c, 2), REG(SP, 8, .lost = 1)},
	{"r15 in an expression", PLAIN, CODE(0x44, DW_CFA_expression, 15, 2, DW_OP_breg6, 0x58),
		REG(SP, 8, .lost = 8)},
	{"r13 in a register", PLAIN, CODE(0x44, DW_CFA_register, 13, 0), REG(SP, 8, .lost = 2)},
	{"r14 as before", PLAIN, CODE(0x44, (char)0x8e, 2, DW_CFA_same_value, 14), REG(SP, 8)},
	{"expression rbp", PLAIN, CODE(0x44, DW_CFA_expression, BP, 2, DW_OP_breg6, 0),
		REG(SP, 8, .fp_saved = UNWIND_AT_FP)},
	{"expression rbx", PLAIN, CODE(0x44, DW_CFA_expression, BX, 2, DW_OP_breg6, 0x58),
		REG(SP, 8, .base_saved = UNWIND_AT_FP, .base = -5)},
	{"an index to rbx", PLAIN,
		CODE(0x44, DW_CFA_expression, BX, 7, DW_OP_breg6, 0, DW_OP_breg9, 0, DW_OP_lit8,
			DW_OP_mul, DW_OP_plus),
		REG(SP, 8, .base_saved = UNWIND_LOST)},
	{"another expression", PLAIN, CODE(0x44, DW_CFA_expression, BX, 2, DW_OP_breg7, 8),
		REG(SP, 8, .base_saved = UNWIND_LOST)},
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

static void add_programs(struct strbuf *sb, const size_t cie[NR_CIES])
{
	for (size_t i = 0; i < ARRAY_LEN(programs); i++)
		add_fde(sb, cie[programs[i].cie], TINY_FIRST + i * FUNCTION, FUNCTION,
			programs[i].code, programs[i].size);
}

static void test_programs(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	size_t cie[NR_CIES], failed = 0;
	struct unwind_table table;
	struct score score = {0};

	(void)state;
	add_cies(&sb, cie);
	add_programs(&sb, cie);
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

#define LUAJIT_CFA DW_CFA_def_cfa_offset, 80
#define LUAJIT_SAVED                                                                               \
	(char)0x86, 2, (char)0x83, 3, (char)0x8f, 4, (char)0x8e, 5 /* at CFA - 8 * …             \
								    */

/* The row of LuaJIT's assembly, and variations of it. */
static const struct {
	const char *what;
	uint64_t size;
	const char *code;
	size_t code_size;
	bool is_luajit;
} luajit_rows[] = {
	{"lj_vm.S", 8192, CODE(LUAJIT_CFA, LUAJIT_SAVED), true},
	{"too small", 8191, CODE(LUAJIT_CFA, LUAJIT_SAVED), false},
	{"another frame", 8192, CODE(DW_CFA_def_cfa_offset, 88, LUAJIT_SAVED), false},
	{"two rows", 8192, CODE(0x44, LUAJIT_CFA, LUAJIT_SAVED), false},
	{"r14 before r15", 8192,
		CODE(LUAJIT_CFA, (char)0x86, 2, (char)0x83, 3, (char)0x8e, 4, (char)0x8f, 5),
		false},
	{"r14 and r15 not saved", 8192, CODE(LUAJIT_CFA, (char)0x86, 2, (char)0x83, 3), false},
};

static void test_luajit(void **state)
{
	static const struct unwind_rule luajit = {.cfa = RUNTIME_CFA(LUAJIT),
		.lost = 0xc,
		.reg = SP,
		.offset = 80,
		.fp_saved = UNWIND_AT_CFA,
		.base_saved = UNWIND_AT_CFA,
		.fp = -2,
		.base = -3,
		.ra = -1};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(luajit_rows); i++) {
		uint64_t size = luajit_rows[i].size;
		struct strbuf sb = STRBUF_INIT;
		size_t cie[NR_CIES];
		struct unwind_table table;

		add_cies(&sb, cie);
		add_fde(&sb, cie[PLAIN], TINY_FIRST, size, luajit_rows[i].code,
			luajit_rows[i].code_size);
		struct elffile *elf = open_tiny(sizeof(text), ".eh_frame", &sb);

		build(&table, elf);
		if (is_rule(&table, TINY_FIRST + size - 1, luajit) != luajit_rows[i].is_luajit)
			fail_msg("%s", luajit_rows[i].what);
		unwind_table_release(&table);
		elffile_close(elf);
	}
}

static void test_damaged_programs(void **state)
{
	struct strbuf image = STRBUF_INIT, sb = STRBUF_INIT;
	size_t cie[NR_CIES];

	(void)state;
	add_cies(&sb, cie);
	add_programs(&sb, cie);
	tiny_elf(&image, (struct tiny_section[TINY_SECTIONS]){
				 {".text", text, sizeof(text)}, {".eh_frame", sb.buf, sb.len}});
	build_many_damaged(image.buf, image.len, sizeof(text) + 256);
	strbuf_release(&image);
	strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_libdw),
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_luajit),
		cmocka_unit_test(test_damaged_programs),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
