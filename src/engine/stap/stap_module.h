/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel modules compiled by stap: files and loaded ones. */
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
	char *release;               /* of the kernel that it was built for */
	char *script;                /* "on-cpu" */
	char *stacks;                /* "u", "k", "uk", "p", "pk", "pu", "puk" */
	char *scope;                 /* of the recording: "some", "all", "idle" */
	unsigned hz;                 /* 0: timer.profile */
	struct tool_values compiled; /* of the compiled-in options, in their order */
	char *label;                 /* name of the source of labels, NULL: none */
	size_t max_stacks;           /* size of the table of threads and stacks */
	bool is_signed;              /* staprun cannot rename it then */
	unsigned char *bytes;
	size_t size;
};

/* Reads the file PATH. -1 and ERR: it cannot be read or was not built from our scripts. */
int stap_module_open(struct stap_module *m, const char *path, struct strbuf *err);
void stap_module_release(struct stap_module *m);

/* False and ERR: the module was not built for the running kernel. */
bool stap_module_fits_kernel(const struct stap_module *m, struct strbuf *err);

/* Whether the module has the unwind rules of the file with this build-id (hex). */
bool stap_module_has_rules(const struct stap_module *m, const char *build_id);

/*
 * The path for staprun, which requires the module's name as the file name: the module's own path,
 * or a link in our cache. The caller frees it. NULL and ERR: the link cannot be created.
 */
char *stap_module_staprun_path(const struct stap_module *m, struct strbuf *err);

/*
 * The name under which LOADER, a staprun process, loaded the module; NULL: it is not loaded.
 * staprun -R replaces the end of the name by its PID. The caller frees it.
 */
char *stap_module_loaded_as(const struct stap_module *m, pid_t loader);
bool stap_module_is_loaded(const char *name);

/* Unloads a module that has no reader (staprun -d). */
void stap_module_unload(const char *name);

#endif
