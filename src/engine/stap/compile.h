/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds the commands of SystemTap: stap, which compiles a script to a kernel module, and staprun,
 * which runs the module.
 */
#ifndef ENGINE_STAP_COMPILE_H
#define ENGINE_STAP_COMPILE_H

#include "engine/engine.h"
#include "engine/stap/compat/stap_compat.h"
#include "lib/argv.h"
#include "stage.h"
#include "stap_module.h"
#include "runtime/vm_values.h"

/* The repair of SystemTap for a kernel that it does not support. */
struct repair {
	struct stap_compat compat; /* all zero if it was not checked */
	char *runtime;             /* the edited copy, or NULL to use the installed runtime */
};

/* The layouts of the interpreter and of the source of labels in the processes, for the script. */
struct script_values {
	struct vm_values vm;
	void *label; /* set by source->add_values */
};

/* Returns whether the user has chosen a runtime, which is not edited. */
bool repair_is_disabled(const struct engine_request *request);

/* Checks what is needed and creates the copy in the user's cache. Returns -1 with ERR on error. */
int repair_init(struct repair *repair, const struct engine_request *request, struct strbuf *err);
void repair_release(struct repair *repair);

/*
 * Builds the command of stap up to pass 4, which prints the path of the module. The command names
 * the files of the processes but not the processes, so that stap finds the module in its cache the
 * next time.
 */
void compile_command(struct argv *a, const struct engine_request *request,
	const struct stage *stage, const struct repair *repair);

/*
 * Builds the command of staprun for the module at PATH and the processes of the request. The script
 * ends by itself after SECONDS, unless that is 0.
 */
void load_command(struct argv *a, const struct engine_request *request,
	const struct stap_module *module, const char *path, const struct script_values *values,
	unsigned seconds);

#endif
