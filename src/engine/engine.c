/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine.h"
#include "check.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <string.h>

static const struct engine_ops *const engines[] = {&stap_engine, &bpf_engine};

const struct engine_ops *engine_find(const char *name, struct strbuf *err)
{
	for (size_t i = 0; i < ARRAY_LEN(engines); i++)
		if (!strcmp(engines[i]->name, name))
			return engines[i];
	fail(err, "no engine '%s': use auto, stap or bpf", name);
	return NULL;
}

/* Only SystemTap has modules, arguments for it, and scripts that people write. */
static bool needs_stap(const struct engine_request *r)
{
	return (strcmp(r->script, "on-cpu") && strcmp(r->script, "off-cpu")) || r->module ||
	       r->compile_only || r->release || r->nr_stap_args;
}

static const struct check *first_missing(const struct checks *checks)
{
	for (size_t i = 0; i < checks->nr; i++)
		if (checks->list[i].state == CHECK_MISSING)
			return &checks->list[i];
	return NULL;
}

const struct engine_ops *engine_choose(const struct engine_request *request, struct strbuf *why)
{
	const struct engine_ops *chosen = &stap_engine;
	struct checks checks;

	if (needs_stap(request)) {
		strbuf_adds(why, "SystemTap records: only it can do this");
		return chosen;
	}
	stap_engine.check(request, &checks);
	const struct check *missing = first_missing(&checks);

	if (!missing) {
		strbuf_adds(why, "SystemTap records: it works here");
	} else {
		strbuf_addf(why, "the built-in engine records: SystemTap cannot, %s: %s",
			missing->name, missing->what);
		chosen = &bpf_engine;
	}
	checks_release(&checks);
	return chosen;
}
