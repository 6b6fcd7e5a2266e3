/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "preflight.h"
#include "engine/stap/compile.h"
#include "engine/stap/stap_module.h"
#include "lib/root.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "trial.h"
#include "label/label.h"
#include "runtime/vm.h"

#include <stdlib.h>
#include <string.h>

static bool asks_to_sign(const struct engine_request *r)
{
	for (size_t i = 0; i < r->nr_stap_args; i++)
		if (!strncmp(r->stap_args[i], "--sign-module", strlen("--sign-module")))
			return true;
	return false;
}

static void look_at_stap(const struct engine_request *r, struct checks *checks)
{
	struct check_request request = {
		.root = "",
		.release = r->release,
		.pids = r->nr_tids ? r->tids : r->pids,
		.nr_pids = r->nr_tids ? r->nr_tids : r->nr_pids,
		.user = r->user,
		.kernel = r->kernel,
		.vms = r->vms,
		.any_vm = r->any_vm,
		.tool = r->tool,
		.module_given = r->module,
		.module_signed = asks_to_sign(r),
		.runtime_given = repair_is_disabled(r),
	};
	struct strbuf why = STRBUF_INIT;
	struct stap_module module = {0};

	if (r->module) {
		if (!stap_module_open(&module, r->module, &why))
			stap_module_fits_kernel(&module, &why);
		request.module_signed = module.is_signed;
		request.module_fault = why.len ? why.buf : NULL;
	}
	checks_run(checks, &request);
	stap_module_release(&module);
	strbuf_release(&why);
}

static int try_it(const struct engine_request *r, struct trial *trial, struct strbuf *err)
{
	return trial_run(&bpf_engine, r, trial, err);
}

/* TRIES also records this process for a moment. */
static void look_at_bpf(const struct engine_request *r, bool tries, struct checks *checks)
{
	struct check_request request = {
		.root = "",
		.built_in = true,
		.pids = r->nr_tids ? r->tids : r->pids,
		.nr_pids = r->nr_tids ? r->nr_tids : r->nr_pids,
		.user = r->user,
		.kernel = r->kernel,
		.vms = r->vms,
		.any_vm = r->any_vm,
		.labels = &r->labels,
		.children = r->children,
		.tool = r->tool,
		.probes_program = r->tool->nr_functions || r->count_ends,
		.try_it = tries ? try_it : NULL,
		.trial_request = r,
	};

	checks_run(checks, &request);
}

void preflight(
	const struct engine_ops *ops, const struct engine_request *request, struct checks *checks)
{
	if (ops == &bpf_engine)
		look_at_bpf(request, true, checks);
	else
		look_at_stap(request, checks);
}

/* Whether nothing is missing for the built-in engine. Nothing is recorded for this. */
static bool bpf_fits(const struct engine_request *request)
{
	struct checks checks;
	bool fit;

	look_at_bpf(request, false, &checks);
	fit = checks_fit(&checks);
	checks_release(&checks);
	return fit;
}

bool preflight_follows_command(const struct engine_request *request)
{
	return request->children && !request->nr_pids;
}

static const struct check *first_missing(const struct checks *checks)
{
	for (size_t i = 0; i < checks->nr; i++)
		if (checks->list[i].state == CHECK_MISSING)
			return &checks->list[i];
	return NULL;
}

/* Says why SystemTap does not walk the stacks of the interpreters KINDS. */
static void say_stacks(uint32_t kinds, struct strbuf *why)
{
	const struct vm *vm = vm_only(kinds);

	if (vm)
		strbuf_addf(why, "using the built-in engine: only it walks %s%s stacks",
			vm->add_values ? "all " : "", vm->language->title);
	else
		strbuf_adds(why, "using the built-in engine: only it walks the stacks of several "
				 "languages");
}

static void say_labels(const struct chosen_sources *labels, struct strbuf *why)
{
	strbuf_adds(why, "using the built-in engine: only it labels processes of ");
	label_add_titles(labels, why);
	strbuf_adds(why, " that start later");
}

size_t preflight_choose(const struct engine_ops *const *list, size_t nr,
	const struct engine_request *request, struct strbuf *why)
{
	struct checks checks;
	size_t chosen = 0;

	if (nr == 1) {
		if (list[0] == &stap_engine)
			strbuf_adds(why, "using SystemTap: only it can do this");
		else if (request->tool->is_built_in && !request->labels.nr)
			strbuf_addf(why, "using the built-in engine: there is no script for %s",
				request->tool->event);
		else if (request->measure.ranges && !request->nr_probes)
			strbuf_addf(why,
				"using the built-in engine: only it records distributions of %s",
				request->tool->event);
		else if (request->labels.nr)
			say_labels(&request->labels, why);
		else if (vm_needs_bpf(request->vms))
			say_stacks(request->vms, why);
		else if (request->operators)
			strbuf_addf(why,
				"using the built-in engine: only it labels samples with %s",
				VM_OP_LABEL);
		else if (request->selection.kind)
			strbuf_adds(why, "using the built-in engine: only it learns of processes "
					 "that start later");
		else if (engine_stap_slices(request))
			strbuf_adds(why, "using the built-in engine: slices of time need less room "
					 "with it");
		else if (request->windows || request->must_slice)
			strbuf_addf(why, "using the built-in engine: only it records %s",
				request->windows ? "windows" : "slices of time");
		else if (request->children && request->nr_pids)
			strbuf_adds(why, "using the built-in engine: only it follows --children");
		else if (request->vms)
			strbuf_addf(why,
				"using the built-in engine: only it finds %s in a program that "
				"it starts",
				vm_only(request->vms)->language->title);
		else
			strbuf_adds(why, "using the built-in engine: only it can do this");
		return chosen;
	}
	if (preflight_follows_command(request) && bpf_fits(request)) {
		strbuf_adds(why, "using the built-in engine: only it follows what the command "
				 "starts");
		return 1;
	}
	preflight(list[0], request, &checks);
	const struct check *missing = first_missing(&checks);

	if (!missing) {
		strbuf_adds(why, "using SystemTap: it works here");
	} else {
		strbuf_addf(why, "using the built-in engine: %s: %s", missing->name, missing->what);
		chosen = 1;
	}
	checks_release(&checks);
	return chosen;
}

bool preflight_has_stap(void)
{
	char *path = root_find("", "stap");

	free(path);
	return path;
}
