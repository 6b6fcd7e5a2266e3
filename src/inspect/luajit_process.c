/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "luajit_process.h"
#include "lib/util.h"
#include "runtime/lua/luajit_find.h"
#include "process/reader.h"
#include "process/task.h"
#include "symbol/elf/elffile.h"
#include "process/inspect.h"

#include <inttypes.h>
#include <stdlib.h>

/* Drops states with 32-bit references, whose collectors have other layouts. */
static void keep_wide(struct luajit_process *p)
{
	size_t nr = 0;

	for (size_t i = 0; i < p->states.nr; i++)
		if (luajit_state_at(&p->target.memory, p->states.list[i]) == LUAJIT_GC64)
			p->states.list[nr++] = p->states.list[i];
	p->states.nr = nr;
}

int luajit_process_open(struct luajit_process *p, uint32_t pid, struct strbuf *err)
{
	struct process *process;
	int found;

	*p = (struct luajit_process){0};
	elffile_use_heads_only();
	processes_init(&p->ps);
	process = processes_get(&p->ps, pid);
	if (!process->generation) {
		process_scan(&p->ps, process, err);
		return fail(err, "; %s", task_refusal(pid));
	}
	p->process = process;
	inspect_init(&p->target, &p->ps, process, NULL);
	found = luajit_find(&p->target, NULL, &p->layout, err);
	if (found < 0)
		return -1;
	if (found)
		return fail(err,
			"no LuaJIT in process %" PRIu32 ": none of its files exports %s; the Lua "
			"of PUC-Rio is not supported",
			pid, LUAJIT_SYMBOL);
	p->states = luajit_states_search(&p->target.memory);
	keep_wide(p);
	if (!p->states.nr)
		return fail(err,
			"no state of LuaJIT 2.1 (GC64) in process %" PRIu32
			": it has not created one yet, or is LuaJIT 2.0 or built without GC64",
			pid);
	return 0;
}

void luajit_process_close(struct luajit_process *p)
{
	free(p->states.list);
	inspect_release(&p->target);
	processes_release(&p->ps);
	reader_end();
}
