/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runtimes whose compiled code is unwound in a way of their own, each with one
 *
 *	ROW(RUNTIME, hooks, rule, code, step)
 *
 * HOOKS is a struct native, see native.h. The others are also for the BPF programs, in headers that
 * are included below:
 *
 *	bool rule(struct walk *w, const struct jit_layout *layout, struct unwind_rule *rule)
 *	bool code(struct walk *w, struct unwind_rule *rule)
 *	int step(struct walk *w, const struct jit_layout *layout, const struct unwind_rule *rule)
 *
 * The first one sets the rule of the walk's pc, with the runtime's layout of the process, the
 * second one does in any process. They return false if the code there is not the runtime's, and set
 * w->map.id_at and id if the rule depends on a word in memory. The third one steps to the caller by
 * a rule of the kind RUNTIME_CFA(RUNTIME); the layout may be another runtime's, or NULL.
 */
#ifndef RUNTIME_NATIVE_LIST_H
#define RUNTIME_NATIVE_LIST_H

#include "model/runtime.h"

/* clang-format off */
#define NATIVE_LIST(ROW) \
	ROW(ERLANG, erlang_native, native_layout_rule, NATIVE_NO_RULE, erlang_step) \
	ROW(GO, go_native, NATIVE_NO_RULE, NATIVE_NO_RULE, go_step) \
	ROW(GUILE, guile_native, native_frame_rule, NATIVE_NO_RULE, NATIVE_NO_STEP) \
	ROW(JAVA, java_native, hotspot_rule, NATIVE_NO_RULE, hotspot_step) \
	ROW(LUAJIT, luajit_native, luajit_rule, NATIVE_NO_RULE, luajit_step) \
	ROW(PCRE, native_none, NATIVE_NO_RULE, sljit_rule, NATIVE_NO_STEP) \
	ROW(PYPY, pypy_native, native_frame_rule, NATIVE_NO_RULE, NATIVE_NO_STEP) \
	ROW(QEMU, qemu_native, native_frame_rule, NATIVE_NO_RULE, NATIVE_NO_STEP)
/* clang-format on */

#define RUNTIME_CFA(RUNTIME) (UNWIND_CFA_RUNTIME + RUNTIME_##RUNTIME)

#endif

/* There is no include guard: the list is also included alone. */
#ifdef NATIVE_LIST_STEPS
#include "runtime/erlang/erlang_step.h"
#include "runtime/go/go_step.h"
#include "runtime/java/hotspot_step.h"
#include "runtime/lua/luajit_step.h"
#include "runtime/pcre/sljit.h"
#endif
