/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel modules that stap made: what a file says of itself, and those that are loaded. */
#ifndef MODULE_H
#define MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct strbuf;

struct module {
	char *path;
	char *name;      /* inside; staprun wants the file to be called so */
	char *release;   /* the kernel that it was built for */
	char *script;    /* of ours: "on-cpu" */
	char *stacks;    /* "u", "k", "uk", "p", "pk", "pu", "puk" */
	char *whose;     /* "some", "all", "idle" */
	unsigned hz;     /* 0: the tick */
	unsigned states; /* of waits that are recorded, 0: it has none */
	size_t room;     /* for different stacks of threads */
	bool is_signed;  /* then its name cannot be changed */
	unsigned char *bytes;
	size_t size;
};

/* Reads the file PATH. -1 and ERR when it cannot be read or is no module of our scripts. */
int module_open(struct module *m, const char *path, struct strbuf *err);
void module_release(struct module *m);

/* Whether the module holds the unwind rules of the file with this build-id (hex). */
bool module_knows(const struct module *m, const char *build_id);

/*
 * A path to the module whose last part is its name, as staprun wants it: its own, or that of a link
 * in our cache. The caller frees it. NULL and ERR when the link cannot be made.
 */
char *module_runnable(const struct module *m, struct strbuf *err);

/*
 * The name under which the process LOADER, a staprun, loaded the module, NULL: it is not there.
 * staprun -R puts its pid in place of the name's end. The caller frees it.
 */
char *module_loaded_as(const struct module *m, pid_t loader);
bool module_is_loaded(const char *name);

/* Unloads a module of stap's that nobody reads any more (staprun -d). */
void module_unload(const char *name);

#endif
