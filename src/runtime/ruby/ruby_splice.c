/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ruby_splice.h"
#include "lib/util.h"
#include "ruby_find.h"
#include "ruby_frame.h"
#include "symbol/elf/elffacts.h"

/*
 * The run loop is rb_vm_exec() until 3.2 and then vm_exec(). Where that has no symbol, it is
 * vm_exec_core(), by far the largest function that rb_iseq_eval() leads to.
 */
static void find_code(struct splice_code *code, const struct elffile *elf)
{
	static const char symbol[] = "rb_vm_exec", later[] = "vm_exec", caller[] = "rb_iseq_eval";
	const struct elf_question list[] = {{elf, FACT_VARIABLE, RUBY_SYMBOL, 0, NULL},
		{elf, FACT_VARIABLE, symbol, 0, NULL}, {elf, FACT_VARIABLE, later, 0, NULL},
		{elf, FACT_LARGE_CALLEE, caller, 0, NULL}};
	struct elf_variable at;

	code->nr = 0;
	elffacts_ask(list, ARRAY_LEN(list));
	if (!elffacts_variable(elf, RUBY_SYMBOL, &at) ||
		splice_code_add(code, elf, symbol, SPLICE_LOOP) ||
		splice_code_add(code, elf, later, SPLICE_LOOP) ||
		!elffacts_large_callee(elf, caller, &at))
		return;
	code->ranges[code->nr++] =
		(struct splice_range){at.address, at.address + at.size, SPLICE_LOOP};
}

enum ruby_begin {
	BEGIN_CUT,  /* an unknown beginner, as Ruby's frames are cut there */
	BEGIN_LOOP, /* a frame that C has called */
};

static const struct splice_cost costs[] = {
	[BEGIN_CUT] = {.with = {0}, .without = SPLICE_NEVER},
	[BEGIN_LOOP] = {.with = {0}, .without = 2},
};

static size_t find_beginners(const struct splice *s, struct splice_beginner *list)
{
	size_t nr = 0;

	if (s->end == VM_CUT)
		list[nr++] = (struct splice_beginner){.kind = BEGIN_CUT, .frame = s->nr_frames};
	for (size_t i = s->nr_frames; i--;)
		if (s->frames[i].what & RUBY_FROM_C)
			list[nr++] = (struct splice_beginner){.kind = BEGIN_LOOP, .frame = i};
	return nr;
}

static bool is_frame(uint64_t what)
{
	(void)what;
	return true;
}

const struct splice_rules ruby_splice = {
	.find_code = find_code,
	.is_frame = is_frame,
	.find_beginners = find_beginners,
	.costs = costs,
	.extra = {[SPLICE_INSIDE] = 1, [SPLICE_ELSEWHERE] = 1},
};
