/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules from machine code: the functions below have no call frame information. */
#include "symbol/elf/elffile_internal.h"
#include "unwind/analysis/code_flow.h"
#include "arch/x86_64/hosted.h"
#include "unwind/cfi.h"
#include "unwind/range.h"
#include "unwind_test.h"

#define BEGIN(name) ".balign 16\n" #name ":\n"
#define AT(name) #name ":\n"

/* clang-format off */
asm(".pushsection .text\n"
	BEGIN(leaf)
	"xor %eax,%eax\n"
	"inc %eax\n"
	AT(leaf_ret)
	"ret\n"
	AT(leaf_end)

	BEGIN(pushes)
	"push %rbx\n"
	"push %rbp\n"
	"push %r12\n"
	"sub $24,%rsp\n"
	AT(pushes_body)
	"mov $1,%ebx\n"
	"xor %ebp,%ebp\n"
	"test %eax,%eax\n"
	"jne 1f\n"
	"inc %eax\n"
	AT(pushes_popping)
	"1: add $24,%rsp\n"
	"pop %r12\n"
	"pop %rbp\n"
	AT(pushes_popped)
	"pop %rbx\n"
	AT(pushes_ret)
	"ret\n"
	AT(pushes_end)

	BEGIN(aligned)
	"mov %rsp,%rax\n"
	"sub $96,%rsp\n"
	"and $-32,%rsp\n"
	AT(aligned_unsaved)
	"mov %rax,64(%rsp)\n"
	"xor %eax,%eax\n"
	AT(aligned_body)
	"nop\n"
	"mov 64(%rsp),%rsp\n"
	AT(aligned_ret)
	"ret\n"
	AT(aligned_end)

	BEGIN(frame)
	"push %rbp\n"
	"mov %rsp,%rbp\n"
	"push %rbx\n"
	"sub %rax,%rsp\n"
	AT(frame_body)
	"nop\n"
	"mov -8(%rbp),%rbx\n"
	"leave\n"
	AT(frame_ret)
	"ret\n"
	AT(frame_end)

	BEGIN(cases)
	"sub $40,%rsp\n"
	"jmp *%rax\n"
	AT(cases_first)
	"inc %eax\n"
	"add $40,%rsp\n"
	"ret\n"
	AT(cases_second)
	"dec %eax\n"
	"add $40,%rsp\n"
	"ret\n"
	AT(cases_end)

	BEGIN(tail)
	"push %rbx\n"
	AT(tail_body)
	"xor %ebx,%ebx\n"
	"pop %rbx\n"
	AT(tail_jump)
	"jmp 1f\n"
	AT(tail_end)
	"ud2\n"
	"1:\n"
	AT(tail_to)
	"inc %eax\n"
	"ret\n"
	AT(tail_to_end)

	BEGIN(endless)
	"push %rbx\n"
	"1: jmp 1b\n"
	AT(endless_end)

	BEGIN(jumps)
	"inc %eax\n"
	"jmp *%rbp\n"
	AT(jumps_end)

	BEGIN(unbalanced)
	"push %rbx\n"
	"inc %eax\n"
	"ret\n"
	AT(unbalanced_end)

	BEGIN(never_returns)
	"sub $104,%rsp\n"
	"call leaf\n" /* the compiler may know that it does not return */
	AT(after)
	"push %rbx\n"
	"pop %rbx\n"
	"ret\n"
	AT(after_end)

	BEGIN(middle)
	"add $24,%rsp\n"
	AT(middle_pop)
	"pop %rbx\n"
	"ret\n"
	AT(middle_end)

	BEGIN(data)
	"ret\n"
	AT(data_bytes)
	".quad 0xe8e8e8e8e8e8e8e8, 0x5050505050505050\n"
	".quad 0xc4c4c4c4ffffffff, 0x0606060606060606\n"
	AT(data_next)
	"push %rbx\n"
	AT(data_body)
	"xor %ebx,%ebx\n"
	"pop %rbx\n"
	"ret\n"
	AT(data_end)

	BEGIN(helper)
	"call leaf\n"
	"test %eax,%eax\n"
	"jne 1f\n"
	"xor %edi,%edi\n"
	"1: mov (%rdi),%dl\n"
	"ret\n"
	AT(helper_end)

	BEGIN(realigns)
	"mov %rsp,%rcx\n"
	"and $-32,%rsp\n"
	"call helper\n"
	AT(realigns_body)
	"mov %rcx,%rsp\n"
	"ret\n"
	AT(realigns_end)

	BEGIN(forgets)
	"mov %rsp,%rdx\n"
	"and $-32,%rsp\n"
	"call helper\n"
	AT(forgets_body)
	"mov %rdx,%rsp\n"
	"ret\n"
	AT(forgets_end)

	BEGIN(segments)
	"push %fs\n"
	AT(segments_body)
	"nop\n"
	"pop %gs\n"
	"ret\n"
	AT(segments_end)

	BEGIN(short_push)
	"pushw $1\n"
	"add $2,%rsp\n"
	"ret\n"
	AT(short_push_end)

	BEGIN(hosted)
	"mov (%rbp),%rax\n"
	"sub $8,%rsp\n"
	AT(hosted_lower)
	"mov %rax,%rdi\n"
	"call leaf\n"
	AT(hosted_after)
	"add $8,%rsp\n"
	AT(hosted_pushes)
	"push %rax\n"
	AT(hosted_pushed)
	"push %rax\n"
	"call leaf\n"
	"add $16,%rsp\n"
	AT(hosted_jump)
	"jmp *(%rbp)\n"
	AT(hosted_end)

	".balign 16\n.popsection\n");
/* clang-format on */

extern const unsigned char leaf[], leaf_ret[], leaf_end[], pushes[], pushes_body[],
	pushes_popping[], pushes_popped[], pushes_ret[], pushes_end[], aligned[], aligned_unsaved[],
	aligned_body[], aligned_ret[], aligned_end[], frame[], frame_body[], frame_ret[],
	frame_end[], cases[], cases_first[], cases_second[], cases_end[], tail[], tail_body[],
	tail_jump[], tail_end[], tail_to[], tail_to_end[], endless[], endless_end[], jumps[],
	jumps_end[], unbalanced[], unbalanced_end[], never_returns[], after[], after_end[],
	middle[], middle_pop[], middle_end[], data[], data_bytes[], data_next[], data_body[],
	data_end[], helper[], helper_end[], realigns[], realigns_body[], realigns_end[], forgets[],
	forgets_body[], forgets_end[], segments[], segments_body[], segments_end[], short_push[],
	short_push_end[], hosted[], hosted_lower[], hosted_after[], hosted_pushes[],
	hosted_pushed[], hosted_jump[], hosted_end[];

static struct code_flow flow;

static uint64_t address(const unsigned char *label)
{
	return (uint64_t)(uintptr_t)label;
}

static void add(const unsigned char *from, const unsigned char *to)
{
	assert_true(code_flow_add(&flow, address(from), address(to), from));
}

/* Analyses the code from START to END as a function that is called. */
static void analyse(const unsigned char *start, const unsigned char *end)
{
	add(start, end);
	code_flow_begin(&flow);
	code_flow_mark(&flow, address(start));
	code_flow_run(&flow, address(start), START_CALLED);
	code_flow_run_rest(&flow);
}

static int forget(void **state)
{
	(void)state;
	code_flow_release(&flow);
	return 0;
}

/* Returns the rule of the instruction at LABEL, of kind NONE if there is no rule. */
static struct unwind_rule rule_at(const unsigned char *label)
{
	struct unwind_rule rule;
	unsigned int length;

	for (size_t i = 0; i < flow.nr_pieces; i++) {
		const struct code_piece *p = &flow.pieces[i];
		uint64_t at = address(label) - p->start;

		if (at < p->end - p->start &&
			code_flow_rule(&flow, p->first + (uint32_t)at, &rule, &length))
			return rule;
	}
	return (struct unwind_rule)NONE;
}

static void check(const unsigned char *label, struct unwind_rule want)
{
	struct unwind_rule rule = rule_at(label);

	if (memcmp(&rule, &want, sizeof(rule)))
		fail_msg("kind %d, register %d, offset %d, add %d, rbp %d %d, rbx %d %d, lost %d",
			rule.cfa, rule.reg, rule.offset, rule.add, rule.fp_saved, rule.fp,
			rule.base_saved, rule.base, rule.lost);
}

static void analysis__of_a_leaf_without_frame(void **state)
{
	(void)state;
	analyse(leaf, leaf_end);
	check(leaf, plain);
	check(leaf_ret, plain);
}

static void analysis__follows_pushes_and_pops(void **state)
{
	(void)state;
	analyse(pushes, pushes_end);
	check(pushes, plain);
	check(pushes_body, (struct unwind_rule)REG(SP, 56));
	check(pushes_popped,
		(struct unwind_rule)REG(SP, 16, .base_saved = UNWIND_AT_CFA, .base = -2));
	check(pushes_ret, plain);
}

/* The places of the registers that the function has saved and changed. */
static void analysis__finds_saved_registers(void **state)
{
	(void)state;
	analyse(pushes, pushes_end);
	check(pushes_popping, (struct unwind_rule)REG(SP, 56, .base_saved = UNWIND_AT_CFA,
				      .base = -2, .fp_saved = UNWIND_AT_CFA, .fp = -3));
}

static void analysis__finds_rsp_saved_on_an_aligned_stack(void **state)
{
	(void)state;
	analyse(aligned, aligned_end);
	check(aligned_unsaved, (struct unwind_rule)REG(0, 8));
	check(aligned_body,
		(struct unwind_rule){
			.cfa = UNWIND_CFA_DEREF, .reg = SP, .offset = 64, .add = 8, .ra = -1});
	check(aligned_ret, plain);
}

static void analysis__uses_the_frame_pointer_where_rsp_varies(void **state)
{
	(void)state;
	analyse(frame, frame_end);
	check(frame_body, (struct unwind_rule)REG(BP, 16, .fp_saved = UNWIND_AT_CFA, .fp = -2));
	check(frame_ret, plain);
}

static void analysis__takes_what_follows_a_switch_for_its_cases(void **state)
{
	(void)state;
	analyse(cases, cases_end);
	check(cases_first, (struct unwind_rule)REG(SP, 48));
	check(cases_second, (struct unwind_rule)REG(SP, 48));
}

static void analysis__of_a_tail_call(void **state)
{
	(void)state;
	analyse(tail, tail_to_end);
	check(tail_body, (struct unwind_rule)REG(SP, 16));
	check(tail_jump, plain);
	check(tail_to, plain);
}

static void analysis__trusts_nothing_without_return(void **state)
{
	(void)state;
	add(tail, tail_end);
	add(endless, endless_end);
	analyse(jumps, jumps_end);
	check(endless, nothing);
	check(jumps, nothing);
	check(tail, nothing); /* it returns in the code of another function */
}

static void analysis__refuses_code_that_pops_elsewhere(void **state)
{
	(void)state;
	analyse(unbalanced, unbalanced_end);
	check(unbalanced, nothing);
}

static void analysis__knows_the_stack_where_a_function_begins(void **state)
{
	(void)state;
	add(never_returns, after_end);
	code_flow_begin(&flow);
	code_flow_mark(&flow, address(never_returns));
	code_flow_mark(&flow, address(after));
	code_flow_run(&flow, address(never_returns), START_CALLED);
	code_flow_run(&flow, address(after), START_CALLED);
	check(after, plain);
	check(never_returns, nothing);
}

static void analysis__of_code_in_the_middle_of_a_function(void **state)
{
	(void)state;
	add(middle, middle_end);
	code_flow_begin(&flow);
	code_flow_run_rest(&flow);
	check(middle, (struct unwind_rule)REG(SP, 40, .base_saved = UNWIND_LOST));
	check(middle_pop, (struct unwind_rule)REG(SP, 16, .base_saved = UNWIND_LOST));
}

static void analysis__is_not_misled_by_data(void **state)
{
	(void)state;
	add(data, data_end);
	code_flow_begin(&flow);
	code_flow_mark(&flow, address(data));
	code_flow_mark(&flow, address(data_next));
	code_flow_run(&flow, address(data), START_CALLED);
	code_flow_run(&flow, address(data_next), START_CALLED);
	code_flow_run_rest(&flow);
	check(data, plain);
	check(data_body, (struct unwind_rule)REG(SP, 16));
	check(data_bytes, nothing);
}

static void analysis__keeps_what_a_local_callee_does_not_write(void **state)
{
	(void)state;
	add(leaf, leaf_end);
	add(helper, helper_end);
	analyse(realigns, realigns_end);
	check(realigns_body, (struct unwind_rule)REG(2, 8));
	check(helper, plain);
}

static void analysis__forgets_what_a_local_callee_may_write(void **state)
{
	(void)state;
	add(leaf, leaf_end);
	add(helper, helper_end);
	analyse(forgets, forgets_end);
	check(forgets_body, nothing);
}

/* The same registers, but the callee calls unknown code. */
static void analysis__forgets_what_other_code_may_write(void **state)
{
	(void)state;
	add(helper, helper_end);
	analyse(realigns, realigns_end);
	check(realigns_body, nothing);
}

static void analysis__follows_pushes_of_segments(void **state)
{
	(void)state;
	analyse(segments, segments_end);
	check(segments_body, (struct unwind_rule)REG(SP, 16));
}

static void analysis__does_not_follow_pushes_of_two_bytes(void **state)
{
	(void)state;
	analyse(short_push, short_push_end);
	check(short_push, nothing);
}

/* The code after it is in another piece, and is not one of its cases. */
static void analysis__of_a_switch_at_the_end(void **state)
{
	(void)state;
	add(cases, cases_first);
	add(tail_to, tail_to_end);
	code_flow_begin(&flow);
	code_flow_mark(&flow, address(cases));
	code_flow_run(&flow, address(cases), START_CALLED);
	code_flow_run_rest(&flow);
	check(cases, nothing);
	check(tail_to, plain);
}

/* The code has jumps to all places. */
static void analysis__bounds_its_work(void **state)
{
	enum { SIZE = 1 << 16 };
	unsigned char *code = xmalloc(SIZE);

	(void)state;
	for (size_t i = 0; i < SIZE; i += 4) /* push %rax; jne; ret */
		memcpy(code + i,
			(unsigned char[]){0x50, 0x75, (unsigned char)random_below(256), 0xc3}, 4);
	analyse(code, code + SIZE);
	assert_true(flow.nr_steps <= 5 * SIZE);
	free(code);
}

/* Opens an image with the code from START to END after FUNCTION bytes that FDE describes. */
static struct elffile *open_code(
	const unsigned char *start, const unsigned char *end, const char *fde, size_t fde_size)
{
	size_t size = (size_t)(end - start);
	struct strbuf image = STRBUF_INIT, sb = STRBUF_INIT;
	unsigned char bytes[FUNCTION + 256] = {0};
	size_t cies[NR_CIES];

	memset(bytes, 0x90, FUNCTION);
	assert_true(size <= sizeof(bytes) - FUNCTION);
	memcpy(bytes + FUNCTION, start, size);
	add_cies(&sb, cies);
	add_fde(&sb, cies[PLAIN], TINY_FIRST, FUNCTION, fde, fde_size);
	const struct tiny_section sections[TINY_SECTIONS] = {
		{".text", (const char *)bytes, sizeof(bytes)}, {".eh_frame", sb.buf, sb.len}};

	tiny_elf(&image, sections);
	struct elffile *elf = elffile_open_memory(image.buf, image.len);

	assert_non_null(elf);
	strbuf_release(&image);
	strbuf_release(&sb);
	return elf;
}

static void analysis__adds_what_the_file_lacks(void **state)
{
	struct elffile *elf = open_code(pushes, pushes_end, CODE(DW_CFA_def_cfa_offset, 32));
	struct unwind_table table;
	uint64_t body = TINY_FIRST + FUNCTION + (uint64_t)(pushes_body - pushes);

	(void)state;
	assert_int_equal(unwind_build(&table, elf, native_sources, false, NULL), 0);
	assert_false(table.header->analysed);
	assert_true(is_rule(&table, body, nothing));
	unwind_table_release(&table);
	assert_int_equal(unwind_build(&table, elf, native_sources, true, NULL), 0);
	assert_true(table.header->analysed);
	assert_true(is_rule(&table, TINY_FIRST + 1, (struct unwind_rule)REG(SP, 32)));
	assert_true(is_rule(&table, body, (struct unwind_rule)REG(SP, 56)));
	unwind_table_release(&table);
	elffile_close(elf);
}

static void expect_hosted(
	const struct unwind_table *table, const unsigned char *label, int32_t depth)
{
	const struct unwind_rule want = REG(SP, 16440 + depth, .fp_saved = UNWIND_AT_CFA, .fp = -6);

	assert_true(is_rule(table, TINY_FIRST + FUNCTION + (uint64_t)(label - hosted), want));
}

/* The call frame information is GHC's for StgRun. */
static void analysis__gives_hosted_code_the_rule_of_its_host(void **state)
{
	struct elffile *elf = open_code(hosted, hosted_end,
		CODE(DW_CFA_def_cfa, SP, 0, DW_CFA_val_expression, SP, 4, DW_OP_breg7, (char)0xb8,
			(char)0x80, 1, DW_CFA_offset_extended_sf, BP, (char)0xff, 0x6f,
			DW_CFA_offset_extended_sf, IP, (char)0xfa, 0x6f));
	struct unwind_table table;

	(void)state;
	assert_int_equal(unwind_build(&table, elf, native_sources, true, NULL), 0);
	expect_hosted(&table, hosted, 0);
	expect_hosted(&table, hosted_lower, 8);
	expect_hosted(&table, hosted_after, 8);
	expect_hosted(&table, hosted_pushes, 0);
	expect_hosted(&table, hosted_pushed, 8);
	expect_hosted(&table, hosted_jump, 0);
	unwind_table_release(&table);
	elffile_close(elf);
}

static void analysis__bounds_what_it_looks_at_for_hosted_code(void **state)
{
	size_t size = (size_t)(hosted_end - hosted_lower);
	uint64_t left = 3; /* mov, call, add */

	(void)state;
	assert_int_equal(hosted_depth(hosted_lower, size, &left), 8);
	assert_int_equal(left, 0);
	left = 2;
	assert_int_equal(hosted_depth(hosted_lower, size, &left), 0);
	assert_int_equal(left, 0);
}

/* A function with a large frame of its own. */
static void analysis__knows_hosts_from_other_functions(void **state)
{
	struct elffile *elf = open_code(
		hosted, hosted_end, CODE(DW_CFA_def_cfa_offset, (char)0xb8, (char)0x80, 1));
	struct unwind_table table;

	(void)state;
	assert_int_equal(unwind_build(&table, elf, native_sources, true, NULL), 0);
	assert_true(is_rule(&table, TINY_FIRST + FUNCTION, nothing));
	unwind_table_release(&table);
	elffile_close(elf);
}

struct comparison {
	size_t nr, same, different;
};

/* Compares the rules of the code with TABLE's rules where both use the same register. */
static void compare(const struct unwind_table *table, struct comparison *c)
{
	struct unwind_rule rule;
	unsigned int length;

	for (size_t i = 0; i < flow.nr_pieces; i++) {
		const struct code_piece *p = &flow.pieces[i];

		for (uint64_t at = 0; at < p->end - p->start; at += length) {
			const struct unwind_rule *cfi = unwind_table_find(table, p->start + at);

			if (!code_flow_rule(&flow, p->first + (uint32_t)at, &rule, &length) ||
				cfi->cfa != UNWIND_CFA_REG)
				continue;
			c->nr++;
			if (rule.cfa == cfi->cfa && rule.reg == cfi->reg && !cfi->index) {
				c->same += rule.offset == cfi->offset;
				c->different += rule.offset != cfi->offset;
			}
		}
	}
}

/* Runs the functions that begin in RANGES; split-off parts of functions begin differently. */
static void run_functions(const struct unwind_ranges *ranges, const struct unwind_table *table)
{
	const struct unwind_rule *rule;

	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < ranges->nr; i++) {
			uint64_t start = ranges->list[i].start;

			rule = unwind_table_find(table, start);
			if (rule->cfa != UNWIND_CFA_REG || rule->reg != SP || rule->offset != 8)
				continue;
			if (round)
				code_flow_run(&flow, start, START_CALLED);
			else
				code_flow_mark(&flow, start);
		}
}

/* Analyses all code of perl as if only the starts of its functions were known. */
static void analysis__agrees_with_call_frame_information(void **state)
{
	struct elffile *elf = elffile_open(perl, NULL);
	struct unwind_ranges ranges = {0};
	struct comparison c = {0};
	struct unwind_table table;
	struct elf_code code[8];
	struct cfi *cfi;

	(void)state;
	assert_non_null(elf);
	assert_int_equal(unwind_build(&table, elf, native_sources, false, NULL), 0);
	cfi = cfi_eh_frame(elf);
	assert_non_null(cfi);
	cfi_ranges(cfi, &ranges);
	for (size_t i = 0, nr = elffile_code(elf, code, ARRAY_LEN(code)); i < nr; i++)
		assert_true(code_flow_add(
			&flow, code[i].address, code[i].address + code[i].size, code[i].bytes));
	code_flow_begin(&flow);
	run_functions(&ranges, &table);
	compare(&table, &c);
	printf("# %zu instructions: %zu the same, %zu different\n", c.nr, c.same, c.different);
	assert_true(c.nr > 100000);
	assert_true(c.same * 10 > c.nr * 9);
	assert_true(c.different * 2000 < c.nr);
	unwind_ranges_release(&ranges);
	unwind_table_release(&table);
	cfi_free(cfi);
	elffile_close(elf);
}

#define TEST(name) cmocka_unit_test_teardown(analysis__##name, forget)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(of_a_leaf_without_frame),
		TEST(follows_pushes_and_pops),
		TEST(finds_saved_registers),
		TEST(finds_rsp_saved_on_an_aligned_stack),
		TEST(uses_the_frame_pointer_where_rsp_varies),
		TEST(takes_what_follows_a_switch_for_its_cases),
		TEST(of_a_tail_call),
		TEST(trusts_nothing_without_return),
		TEST(refuses_code_that_pops_elsewhere),
		TEST(knows_the_stack_where_a_function_begins),
		TEST(of_code_in_the_middle_of_a_function),
		TEST(is_not_misled_by_data),
		TEST(keeps_what_a_local_callee_does_not_write),
		TEST(forgets_what_a_local_callee_may_write),
		TEST(forgets_what_other_code_may_write),
		TEST(follows_pushes_of_segments),
		TEST(does_not_follow_pushes_of_two_bytes),
		TEST(of_a_switch_at_the_end),
		TEST(bounds_its_work),
		TEST(adds_what_the_file_lacks),
		TEST(gives_hosted_code_the_rule_of_its_host),
		TEST(bounds_what_it_looks_at_for_hosted_code),
		TEST(knows_hosts_from_other_functions),
		TEST(agrees_with_call_frame_information),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
