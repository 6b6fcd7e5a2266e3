/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel modules that stap has compiled, as files and as loaded modules. */
#ifndef ENGINE_STAP_STAP_MODULE_H
#define ENGINE_STAP_STAP_MODULE_H

#include "engine/tool.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct strbuf;

struct stap_module {
	char *path;
	char *name;                  /* of the module; staprun requires it as the file's name */
	char *release;               /* of the kernel that the module was built for */
	char *script;                /* "on-cpu" */
	char *stacks;                /* "u", "k", "uk", "p", "pk", "pu", "puk" */
	char *scope;                 /* of the recording: "some", "all", "idle" */
	unsigned hz;                 /* or 0 for the rate of timer.profile */
	struct tool_values compiled; /* of the compiled-in options, in their order */
	char *label;                 /* name of the source of labels, or NULL */
	size_t max_stacks;           /* size of the table of threads and stacks */
	bool is_signed;              /* staprun cannot rename a signed module */
	unsigned char *bytes;
	size_t size;
};

/*
 * Reads the file PATH. Returns -1 with ERR if it cannot be read or was not built from flametap's
 * scripts.
 */
int stap_module_open(struct stap_module *m, const char *path, struct strbuf *err);
void stap_module_release(struct stap_module *m);

/* Returns false, with a message in ERR, if the module was not built for the running kernel. */
bool stap_module_fits_kernel(const struct stap_module *m, struct strbuf *err);

/* Returns whether the module has the unwind rules of the file with this build-id (hex). */
bool stap_module_has_rules(const struct stap_module *m, const char *build_id);

/*
 * Returns the path for staprun, which requires the module's name as the file name. It is the
 * module's own path, or a link in the cache. The caller frees it. Returns NULL with ERR if the link
 * cannot be created.
 */
char *stap_module_staprun_path(const struct stap_module *m, struct strbuf *err);

/*
 * Returns the name under which LOADER, a staprun process, loaded the module, or NULL if it is not
 * loaded. staprun -R replaces the end of the name by its own PID. The caller frees the name.
 */
char *stap_module_loaded_as(const struct stap_module *m, pid_t loader);
bool stap_module_is_loaded(const char *name);

/* Unloads a module that has no reader (staprun -d). */
void stap_module_unload(const char *name);

#endif
