/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel modules that stap made: what a file says of itself, and those that are loaded. */
#ifndef ENGINE_STAP_STAP_MODULE_H
#define ENGINE_STAP_STAP_MODULE_H

#include "engine/tool.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct strbuf;

struct stap_module {
	char *path;
	char *name;                  /* inside; staprun wants the file to be called so */
	char *release;               /* the kernel that it was built for */
	char *script;                /* of ours: "on-cpu" */
	char *stacks;                /* "u", "k", "uk", "p", "pk", "pu", "puk" */
	char *whose;                 /* "some", "all", "idle" */
	unsigned hz;                 /* 0: the tick */
	struct tool_values compiled; /* of the options that are compiled in, in their order */
	size_t room;                 /* for different stacks of threads */
	bool is_signed;              /* then its name cannot be changed */
	unsigned char *bytes;
	size_t size;
};

/* Reads the file PATH. -1 and ERR when it cannot be read or is no module of our scripts. */
int stap_module_open(struct stap_module *m, const char *path, struct strbuf *err);
void stap_module_release(struct stap_module *m);

/* False and ERR: the module was built for another kernel than the running one. */
bool stap_module_fits_kernel(const struct stap_module *m, struct strbuf *err);

/* Whether the module holds the unwind rules of the file with this build-id (hex). */
bool stap_module_knows(const struct stap_module *m, const char *build_id);

/*
 * A path to the module whose last part is its name, as staprun wants it: its own, or that of a link
 * in our cache. The caller frees it. NULL and ERR when the link cannot be made.
 */
char *stap_module_runnable(const struct stap_module *m, struct strbuf *err);

/*
 * The name under which the process LOADER, a staprun, loaded the module, NULL: it is not there.
 * staprun -R puts its pid in place of the name's end. The caller frees it.
 */
char *stap_module_loaded_as(const struct stap_module *m, pid_t loader);
bool stap_module_is_loaded(const char *name);

/* Unloads a module of stap's that nobody reads any more (staprun -d). */
void stap_module_unload(const char *name);

#endif
