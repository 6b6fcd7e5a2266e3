/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The preflight for VM stacks: whether the processes run the interpreters, and in known versions.
 */
#include "check_list.h"
#include "process/inspect.h"
#include "runtime/vm.h"

#include <inttypes.h>

/*
 * One process with the interpreter is enough. found and refused describe the first such processes.
 */
struct vm_findings {
	struct strbuf found, refused;
	uint32_t without; /* a process without the interpreter, or 0 */
};

static void find_in_process(
	const struct vm *vm, struct processes *ps, uint32_t pid, struct vm_findings *findings)
{
	const struct process *p = processes_get(ps, pid);
	struct strbuf err = STRBUF_INIT;
	struct vm_layout layout;
	struct target target;

	if (!p->generation)
		return;
	inspect_init(&target, ps, p, NULL);
	int found = vm->find(&target, NULL, &layout, &err);

	if (found > 0)
		findings->without = pid;
	else if (found < 0 && !findings->refused.len)
		strbuf_adds(&findings->refused, err.buf);
	else if (!found && !findings->found.len)
		vm->describe(&layout, pid, &findings->found);
	inspect_release(&target);
	strbuf_release(&err);
}

/* Reports that none of the processes runs one of the interpreters. */
static void report_none(struct check_context *c, uint32_t pid)
{
	const struct check_request *r = c->request;
	const struct vm *vm = vm_only(r->vms);
	struct strbuf titles = STRBUF_INIT;

	c->name = vm ? vm->language->name : "vm";
	vm_add_titles(r->vms, &titles);
	if (r->children || (r->any_vm && r->user)) {
		check_degraded(c, "process %" PRIu32 " runs no %s yet", pid, titles.buf);
	} else {
		check_missing(c, "process %" PRIu32 " runs no %s", pid, titles.buf);
		check_remedy(c,
			"give the number of a process that does; without --%s and --mixed any can "
			"be recorded",
			vm ? vm->language->name : "vm");
	}
	strbuf_release(&titles);
}

/*
 * Reports whether the processes run VM. Returns whether there is anything to report of it, and sets
 * *WITHOUT to a process without it.
 */
static bool report(
	struct check_context *c, const struct vm *vm, struct processes *ps, uint32_t *without)
{
	const struct check_request *r = c->request;
	struct vm_findings findings = {.found = STRBUF_INIT, .refused = STRBUF_INIT};

	c->name = vm->language->name;
	for (size_t i = 0; i < r->nr_pids; i++)
		find_in_process(vm, ps, r->pids[i], &findings);
	bool any = findings.found.len || findings.refused.len;

	if (findings.found.len)
		check_found(c, "%s", findings.found.buf);
	else if (findings.refused.len)
		(r->any_vm ? check_degraded : check_missing)(c, "%s", findings.refused.buf);
	if (findings.without)
		*without = findings.without;
	strbuf_release(&findings.found);
	strbuf_release(&findings.refused);
	return any;
}

void check_vm(struct check_context *c)
{
	const struct vm *vm;
	struct processes ps;
	uint32_t without = 0;
	bool any = false;

	processes_init(&ps);
	for (uint32_t kinds = c->request->vms; (vm = vm_first(kinds)); kinds &= ~VM_BIT(vm->kind))
		any |= report(c, vm, &ps, &without);
	if (without && !any)
		report_none(c, without);
	processes_release(&ps);
}
