/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks the stack of a stopped thread with the tables and the steps that the BPF programs use,
 * reading its memory as it is now.
 */
#ifndef TESTS_RIGHT_TABLES_WALK_H
#define TESTS_RIGHT_TABLES_WALK_H

#include "runtime/native.h"
#include "process/process.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "symbol/elf/elffile.h"
#include "runtime/native.h"
#include "unwind/unwind_build.h"
#include "unwind/unwind_table.h"
#include "unwind/walk.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/user.h>

static pid_t tables_pid;       /* the process whose memory is read */
static uint64_t tables_thread; /* the thread pointer of the walk */

static int read_target(void *to, size_t size, uint64_t at)
{
	struct iovec local = {to, size}, remote = {(void *)(uintptr_t)at, size};

	return process_vm_readv(tables_pid, &local, 1, &remote, 1, 0) == (ssize_t)size ? 0 : -1;
}

#define WALK_READ(w, to, size, at) ((void)(w), read_target(to, size, at))
#define WALK_READ_CODE(w, to, size, at) ((void)(w), read_target(to, size, at))
#define WALK_THREAD(w) ((void)(w), tables_thread)

#include "runtime/native_step.h"

struct tables {
	struct processes ps;
	struct unwind_table *list; /* by object */
	bool *made;
	bool is_unanalysed; /* without what the analysis of the code finds */
	size_t nr;
	bool scanned;  /* for the current walk */
	uint8_t saved; /* registers, by the frame that was left last */
	struct jit_layout layout;
	unsigned changes; /* of the mappings, when the layout was found */
	bool found;
};

static void tables_init(struct tables *t, pid_t pid)
{
	*t = (struct tables){0};
	tables_pid = pid;
	processes_init(&t->ps);
}

static void tables_release(struct tables *t)
{
	for (size_t i = 0; i < t->nr; i++)
		unwind_table_release(&t->list[i]);
	free(t->list);
	free(t->made);
	processes_release(&t->ps);
}

/* The table of an object with an ELF file; made when it is first needed. */
static const struct unwind_table *tables_of(struct tables *t, size_t object)
{
	size_t nr = t->ps.nr_objects;

	if (object >= t->nr) {
		t->list = xrealloc(t->list, nr, sizeof(*t->list));
		t->made = xrealloc(t->made, nr, sizeof(*t->made));
		memset(t->list + t->nr, 0, (nr - t->nr) * sizeof(*t->list));
		memset(t->made + t->nr, 0, (nr - t->nr) * sizeof(*t->made));
		t->nr = nr;
	}
	if (!t->made[object]) {
		t->made[object] = true;
		unwind_build(&t->list[object], t->ps.objects[object].elf, native_sources,
			!t->is_unanalysed, NULL);
	}
	return &t->list[object];
}

/* Returns the mapping of PC, or NULL. The list is read again at most once in a walk. */
static const struct mapping *tables_map(struct tables *t, uint64_t pc)
{
	struct process *p = processes_get(&t->ps, (uint32_t)tables_pid);
	const struct mapping *m = p ? process_find(&t->ps, p, pc) : NULL;

	if (p && !m && !t->scanned) {
		t->scanned = true;
		process_scan(&t->ps, p, NULL);
		m = process_find(&t->ps, p, pc);
	}
	return m;
}

/* The layout of code compiled at run time. */
static const struct jit_layout *tables_layout(struct tables *t)
{
	struct process *p = processes_get(&t->ps, (uint32_t)tables_pid);

	if (p && (!t->found || t->changes != p->changes)) {
		t->found = jit_find(&t->ps, p, &t->layout) == FACET_FOUND;
		t->changes = p->changes;
	}
	return &t->layout;
}

/* To the caller of the frame of W; *M: its mapping. */
static int tables_step(struct tables *t, struct walk *w, const struct mapping **m)
{
	const struct unwind_rule *rule;
	const struct object *o;
	uint64_t address;

	t->saved = 0;
	*m = tables_map(t, walk_pc(w));
	if (!*m)
		return WALK_NO_MAP;
	o = &t->ps.objects[(*m)->object];
	w->map = (struct walk_map){.start = (*m)->start, .end = (*m)->end};
	if (!o->elf && recording_is_memory(o->path))
		return walk_compiled(w, tables_layout(t));
	if (!o->elf || !elffile_mapped(o->elf, (*m)->offset, (*m)->end - (*m)->start, &address))
		return walk_without_rule(w);
	w->map.bias = (*m)->start - address;
	rule = unwind_table_find(tables_of(t, (*m)->object), walk_pc(w) - w->map.bias);
	t->saved = rule ? unwind_saved_registers(rule) : 0;
	return walk_by_rule(w, rule);
}

static void walk_begin(struct walk *w, const struct user_regs_struct *r)
{
	const uint64_t reg[NR_REGS] = {r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp,
		r->rsp, r->r8, r->r9, r->r10, r->r11, r->r12, r->r13, r->r14, r->r15, r->rip};

	*w = (struct walk){.known = (1 << NR_REGS) - 1};
	memcpy(w->reg, reg, sizeof(reg));
	tables_thread = r->fs_base;
}

#endif
