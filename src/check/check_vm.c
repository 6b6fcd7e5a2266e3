/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The preflight for VM stacks: whether the processes run the interpreter, and in a known version.
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
	uint32_t without;  /* a process without the interpreter, or 0 */
	size_t nr_running; /* processes that could be looked at */
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
	findings->nr_running++;
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

static void report(struct check_context *c, const struct vm_findings *findings)
{
	const struct vm *vm = c->request->vm;

	if (findings->found.len) {
		check_found(c, "%s", findings->found.buf);
	} else if (findings->refused.len) {
		check_missing(c, "%s", findings->refused.buf);
	} else if (c->request->children) {
		check_degraded(c, "process %" PRIu32 " runs no %s yet", findings->without,
			vm->language->title);
	} else {
		check_missing(c, "process %" PRIu32 " runs no %s", findings->without,
			vm->language->title);
		check_remedy(c,
			"give the number of a process that does; without --%s and --mixed any can "
			"be recorded",
			vm->language->name);
	}
}

void check_vm(struct check_context *c)
{
	const struct check_request *r = c->request;
	struct vm_findings findings = {.found = STRBUF_INIT, .refused = STRBUF_INIT};
	struct processes ps;

	if (!r->vm)
		return;
	c->name = r->vm->language->name;
	processes_init(&ps);
	for (size_t i = 0; i < r->nr_pids; i++)
		find_in_process(r->vm, &ps, r->pids[i], &findings);
	if (findings.nr_running)
		report(c, &findings);
	processes_release(&ps);
	strbuf_release(&findings.found);
	strbuf_release(&findings.refused);
}
