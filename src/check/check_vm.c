/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The preflight for an interpreter's stacks: is it in the processes, and is it a known version. */
#include "check_list.h"
#include "vm/inspect.h"
#include "vm/vm.h"

#include <inttypes.h>

/* One process with the interpreter is enough. FOUND and REFUSED: descriptions of the first ones. */
struct vm_seen {
	struct strbuf found, refused;
	uint32_t without;  /* a process that has none, 0: none */
	size_t nr_running; /* processes that could be looked at */
};

static void look_at(const struct vm *vm, struct processes *ps, uint32_t pid, struct vm_seen *seen)
{
	const struct process *p = processes_get(ps, pid);
	struct strbuf err = STRBUF_INIT;
	struct vm_layout layout;
	struct target target;

	if (!p->generation)
		return;
	seen->nr_running++;
	inspect_init(&target, ps, p, NULL);
	int found = vm->find(&target, NULL, &layout, &err);

	if (found > 0)
		seen->without = pid;
	else if (found < 0 && !seen->refused.len)
		strbuf_adds(&seen->refused, err.buf);
	else if (!found && !seen->found.len)
		vm->describe(&layout, pid, &seen->found);
	inspect_release(&target);
	strbuf_release(&err);
}

static void report(struct check_context *c, const struct vm_seen *seen)
{
	const struct vm *vm = c->request->vm;

	if (seen->found.len) {
		check_found(c, "%s", seen->found.buf);
	} else if (seen->refused.len) {
		check_missing(c, "%s", seen->refused.buf);
	} else if (c->request->children) {
		check_degraded(c, "process %" PRIu32 " runs no %s yet", seen->without, vm->title);
	} else {
		check_missing(c, "process %" PRIu32 " runs no %s", seen->without, vm->title);
		check_remedy(c,
			"give the number of a process that does; without --%s and --mixed any can "
			"be recorded",
			vm->name);
	}
}

void check_vm(struct check_context *c)
{
	const struct check_request *r = c->request;
	struct vm_seen seen = {.found = STRBUF_INIT, .refused = STRBUF_INIT};
	struct processes ps;

	if (!r->vm)
		return;
	c->name = r->vm->name;
	processes_init(&ps);
	for (size_t i = 0; i < r->nr_pids; i++)
		look_at(r->vm, &ps, r->pids[i], &seen);
	if (seen.nr_running)
		report(c, &seen);
	processes_release(&ps);
	strbuf_release(&seen.found);
	strbuf_release(&seen.refused);
}
