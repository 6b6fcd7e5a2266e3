/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine.h"
#include "check.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <string.h>

static const struct engine_ops *const engines[ENGINES_MAX] = {&stap_engine, &bpf_engine};

/* Only SystemTap has modules, arguments for it, and scripts that people write. */
static bool needs_stap(const struct engine_request *r)
{
	return (strcmp(r->script, "on-cpu") && strcmp(r->script, "off-cpu")) || r->module ||
	       r->compile_only || r->release || r->nr_stap_args;
}

/*
 * Children of a command are taken where that can be done, those of processes were asked for. Where
 * Perl is in a program that has not begun, no script can be told.
 */
static bool needs_bpf(const struct engine_request *r)
{
	return r->children && (r->nr_pids || r->perl);
}

static size_t find_auto(const struct engine_request *request, const struct engine_ops **found)
{
	size_t nr = 0;

	if (needs_stap(request) || !needs_bpf(request))
		found[nr++] = &stap_engine;
	if (!needs_stap(request))
		found[nr++] = &bpf_engine;
	return nr;
}

size_t engines_find(const char *name, const struct engine_request *request,
	const struct engine_ops *found[ENGINES_MAX], struct strbuf *err)
{
	if (!strcmp(name, "auto"))
		return find_auto(request, found);
	for (size_t i = 0; i < ARRAY_LEN(engines); i++) {
		if (strcmp(engines[i]->name, name))
			continue;
		found[0] = engines[i];
		return 1;
	}
	fail(err, "no engine '%s': use auto, stap or bpf", name);
	return 0;
}

static const struct check *first_missing(const struct checks *checks)
{
	for (size_t i = 0; i < checks->nr; i++)
		if (checks->list[i].state == CHECK_MISSING)
			return &checks->list[i];
	return NULL;
}

size_t engine_choose(const struct engine_ops *const *list, size_t nr,
	const struct engine_request *request, struct strbuf *why)
{
	struct checks checks;
	size_t chosen = 0;

	if (nr == 1) {
		strbuf_adds(why, list[0] == &stap_engine ? "SystemTap records: only it can do this"
				 : request->nr_pids
					 ? "the built-in engine records: only it follows --children"
					 : "the built-in engine records: only it finds Perl in a "
					   "program that it starts");
		return chosen;
	}
	list[0]->check(request, &checks);
	const struct check *missing = first_missing(&checks);

	if (!missing) {
		strbuf_adds(why, "SystemTap records: it works here");
	} else {
		strbuf_addf(why, "the built-in engine records: SystemTap cannot, %s: %s",
			missing->name, missing->what);
		chosen = 1;
	}
	checks_release(&checks);
	return chosen;
}
