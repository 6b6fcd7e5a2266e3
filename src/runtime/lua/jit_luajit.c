/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LuaJIT's traces describe their frames themselves, and so does its assembly: see luajit_step.h. */
#include "runtime/native.h"
#include "unwind/cfa.h"
#include "unwind/walk.h"

enum { LUAJIT_FRAME = 80, LUAJIT_MIN = 8192 }; /* bytes; without compiler, 13 KB */

static bool is_saved(const struct cfa_place *place, int64_t offset)
{
	return place->how == CFA_OFFSET && place->offset == offset;
}

/*
 * Recognises LuaJIT's assembly (lj_vm.S). No compiler saves registers in that order, and a compiled
 * function of many bytes has more than one state.
 */
static void mark(const struct cfa_state *state, uint64_t size, struct unwind_rule *rule)
{
	const struct cfa_place *saved = state->saved;

	if (size >= LUAJIT_MIN && state->reg == REG_SP && is_saved(&state->cfa, LUAJIT_FRAME) &&
		is_saved(&saved[CFA_RA], -8) && is_saved(&saved[CFA_FP], -16) &&
		is_saved(&saved[CFA_BASE], -24) && is_saved(&saved[CFA_KEPT + 3], -32) &&
		is_saved(&saved[CFA_KEPT + 2], -40) && saved[CFA_SP].how == CFA_UNSPECIFIED)
		rule->cfa = RUNTIME_CFA(LUAJIT);
}

static bool find(const struct process *p, const struct mapping *area, struct jit_layout *layout)
{
	(void)p;
	(void)area;
	layout->is_restless = true;
	layout->rule = (struct unwind_rule){.cfa = RUNTIME_CFA(LUAJIT),
		.fp_saved = UNWIND_AT_CFA,
		.base_saved = UNWIND_AT_CFA,
		.lost = 1 << 2 | 1 << 3}; /* r14, r15 */
	return true;
}

const struct native luajit_native = {.find_by_area = find, .source = {.mark = mark}};
