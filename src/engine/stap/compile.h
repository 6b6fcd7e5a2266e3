/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands of SystemTap: stap, which compiles a script to a kernel module, and staprun, which runs
 * it.
 */
#ifndef ENGINE_STAP_COMPILE_H
#define ENGINE_STAP_COMPILE_H

#include "engine/engine.h"
#include "engine/stap/compat/stap_compat.h"
#include "lib/argv.h"
#include "stage.h"
#include "stap_module.h"
#include "vm/vm_values.h"

/* What SystemTap needs for a kernel that it does not support. */
struct repair {
	struct stap_compat compat; /* all zero: not checked */
	char *runtime;             /* the edited copy, NULL: the installed one is used */
};

/* Where the interpreter and the source of labels are in the processes, for the script. */
struct script_values {
	struct vm_values vm;
	void *label; /* as source->add_values */
};

/* True if the user has chosen a runtime: it is not edited. */
bool repair_is_disabled(const struct engine_request *request);

/* Checks what is needed and creates the copy in the user's cache. -1 and ERR on failure. */
int repair_init(struct repair *repair, const struct engine_request *request, struct strbuf *err);
void repair_release(struct repair *repair);

/*
 * stap up to pass 4: prints the path of the module. Only the files of the processes are in it, so
 * that stap finds the module in its cache the next time.
 */
void compile_command(struct argv *a, const struct engine_request *request,
	const struct stage *stage, const struct repair *repair);

/*
 * staprun for the module at PATH and the processes of the request. It ends by itself after SECONDS,
 * 0: never.
 */
void load_command(struct argv *a, const struct engine_request *request,
	const struct stap_module *module, const char *path, const struct script_values *values,
	unsigned seconds);

#endif
