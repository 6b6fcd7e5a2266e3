/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A distribution's SystemTap may not support its own kernel any more: modules do not compile, do
 * not load, or read no user memory. Most of that is fixed by changing a few lines of SystemTap's
 * runtime, the C files that are part of every module. These edits are in a table here; they are
 * applied to a private copy of the installed runtime, which is passed to stap as -R.
 */
#ifndef ENGINE_STAP_COMPAT_STAP_COMPAT_H
#define ENGINE_STAP_COMPAT_STAP_COMPAT_H

#include <stdbool.h>
#include <stddef.h>

struct stap_edit;
struct strbuf;

/* Paths of SystemTap and the kernel, below ROOT ("": the real root). */
struct stap_place {
	const char *root;
	const char *stap;    /* the program */
	const char *release; /* of the kernel */
	const char *modules; /* "/lib/modules/RELEASE" */
};

struct stap_compat {
	char *runtime; /* the installed one */
	char *release;
	unsigned edits; /* that are needed and possible: 1 << index in the table */
	/* The first edit that every module needs but that is not possible, or NULL. */
	const struct stap_edit *misfit;
};

/*
 * Compares the installed runtime with the kernel's headers and exported symbols, not with versions,
 * as both are backported. A file that cannot be read counts as compatible.
 */
void stap_compat_find(struct stap_compat *compat, const struct stap_place *place);
void stap_compat_release(struct stap_compat *compat);

/* There are edits, and SystemTap works with them. */
bool stap_compat_helps(const struct stap_compat *compat);

/* What the kernel changed ("has task_work_cancel_func"), and the effect; only with a misfit. */
const char *stap_compat_change(const struct stap_compat *compat);
const char *stap_compat_effect(const struct stap_compat *compat);

/* Appends the names of the edits, separated by commas. */
void stap_compat_names(const struct stap_compat *compat, struct strbuf *out);

/* An option for make, passed as stap's -B; NULL: none. */
const char *stap_compat_make_option(const struct stap_compat *compat);

/*
 * Returns the path of the edited copy in FOLDER, created if necessary; the caller frees it. Its
 * name depends on the kernel and the content, and its times are fixed: stap's cache key has nothing
 * else of it. Safe to call from several processes. NULL: there is nothing to edit, or ERR says what
 * failed.
 */
char *stap_compat_copy(const struct stap_compat *compat, const char *folder, struct strbuf *err);

#endif
