/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine.h"
#include "lib/util.h"
#include "runtime/vm.h"

#include <string.h>

static const struct engine_ops *const engines[ENGINES_MAX] = {&stap_engine, &bpf_engine};

/*
 * Only SystemTap runs modules and scripts without a program of the built-in engine, and takes
 * arguments.
 */
static bool has_other_probe(const struct engine_request *r)
{
	for (size_t i = 0; i < r->nr_probes; i++)
		if (r->probes[i].kind == PROBE_OTHER)
			return true;
	return false;
}

static bool has_event_of_perf(const struct engine_request *r)
{
	for (size_t i = 0; i < r->nr_probes; i++)
		if (r->probes[i].is_perf)
			return true;
	return false;
}

bool engine_needs_stap(const struct engine_request *r)
{
	return !r->tool->program || has_other_probe(r) || measure_needs_stap(&r->measure) ||
	       r->module || r->compile_only || r->release || r->nr_stap_args;
}

bool engine_stap_slices(const struct engine_request *r)
{
	return r->must_slice && !r->slices_last && tool_takes(r->tool, "slice");
}

/*
 * Returns whether only the built-in engine can do what R asks for. Children of a command are
 * recorded if possible, but children of processes only because --children was given. SystemTap does
 * not learn of selected processes that start later. A script cannot be given the location of an
 * interpreter in a program that has not started. It knows only some interpreters, one in a
 * recording, and only some builds of those whose native stacks it does not walk. It labels only
 * samples of processes that run at the beginning, and not with operators. It records distributions
 * only at probe points, and slices of time only if it is told to, as they need room in its tables.
 */
static bool needs_bpf(const struct engine_request *r)
{
	return r->must_slice || r->windows || r->tool->is_built_in || has_event_of_perf(r) ||
	       (r->measure.ranges && !r->nr_probes) || (r->children && (r->nr_pids || r->vms)) ||
	       r->selection.kind || r->labels.nr || r->operators || vm_needs_bpf(r->vms);
}

static size_t find_auto(const struct engine_request *request, const struct engine_ops **found)
{
	size_t nr = 0;

	if (engine_needs_stap(request) || !needs_bpf(request))
		found[nr++] = &stap_engine;
	if (!engine_needs_stap(request))
		found[nr++] = &bpf_engine;
	return nr;
}

size_t engines_find(const char *name, const struct engine_request *request,
	const struct engine_ops *found[ENGINES_MAX])
{
	if (!strcmp(name, "auto"))
		return find_auto(request, found);
	for (size_t i = 0; i < ARRAY_LEN(engines); i++) {
		if (strcmp(engines[i]->name, name))
			continue;
		found[0] = engines[i];
		return 1;
	}
	return 0;
}
