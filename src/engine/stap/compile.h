/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands of SystemTap: stap, which makes a kernel module of a script, and staprun, which runs
 * it. */
#ifndef ENGINE_STAP_COMPILE_H
#define ENGINE_STAP_COMPILE_H

#include "engine/engine.h"
#include "engine/stap/compat/stap_compat.h"
#include "lib/argv.h"
#include "stage.h"
#include "stap_module.h"
#include "vm/vm_values.h"

/* What a SystemTap needs that does not know the kernel. */
struct repair {
	struct stap_compat compat; /* all zero: nothing was looked at */
	char *runtime;             /* the edited copy, NULL: the installed one does */
};

/* The user has chosen a runtime: nothing is repaired. */
bool repair_stands_aside(const struct engine_request *request);

/* Finds what is needed and makes the copy in the user's cache. -1 and ERR: that failed. */
int repair_init(struct repair *repair, const struct engine_request *request, struct strbuf *err);
void repair_release(struct repair *repair);

/*
 * stap as far as pass 4: prints the path of the module. Nothing in it depends on the processes but
 * their files, so that the module is found in stap's cache the next time.
 */
void compile_command(struct argv *a, const struct engine_request *request,
	const struct stage *stage, const struct repair *repair);

/*
 * staprun of the module, found by PATH, for the processes of the request; VALUES say where the
 * interpreter is in them. SECONDS: after which it ends by itself, 0: never.
 */
void load_command(struct argv *a, const struct engine_request *request,
	const struct stap_module *module, const char *path, const struct vm_values *values,
	unsigned seconds);

#endif
