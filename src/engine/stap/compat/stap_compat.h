/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A distribution's SystemTap may not support the distribution's own kernel: modules do not compile,
 * do not load, or cannot read user memory. Most of these problems can be solved by changing a few
 * lines of SystemTap's runtime, the C files that are part of every module. A table here has these
 * edits. They are applied to a private copy of the installed runtime, which is passed to stap as
 * -R.
 */
#ifndef ENGINE_STAP_COMPAT_STAP_COMPAT_H
#define ENGINE_STAP_COMPAT_STAP_COMPAT_H

#include <stdbool.h>
#include <stddef.h>

struct stap_edit;
struct strbuf;

/* Paths of SystemTap and the kernel below ROOT, which is "" for the real root. */
struct stap_place {
	const char *root;
	const char *stap;    /* the program */
	const char *release; /* of the kernel */
	const char *modules; /* "/lib/modules/RELEASE" */
};

struct stap_compat {
	char *runtime; /* the installed one */
	char *release;
	unsigned edits; /* the needed and possible ones, a bit 1 << index in the table for each */
	/* The first edit that every module needs but that is not possible, or NULL. */
	const struct stap_edit *misfit;
};

/*
 * Finds the edits that are needed. It compares the installed runtime with the kernel's headers and
 * exported symbols, not with versions, since changes to both are backported. A file that cannot be
 * read counts as compatible.
 */
void stap_compat_find(struct stap_compat *compat, const struct stap_place *place);
void stap_compat_release(struct stap_compat *compat);

/* Returns whether there are edits and SystemTap works with them. */
bool stap_compat_helps(const struct stap_compat *compat);

/*
 * Return what the kernel changed ("has task_work_cancel_func"), and the effect on modules. There
 * has to be a misfit.
 */
const char *stap_compat_change(const struct stap_compat *compat);
const char *stap_compat_effect(const struct stap_compat *compat);

/* Appends the names of the edits, separated by commas. */
void stap_compat_names(const struct stap_compat *compat, struct strbuf *out);

/* Returns an option for make, to be passed as stap's -B, or NULL if none is needed. */
const char *stap_compat_make_option(const struct stap_compat *compat);

/*
 * Returns the path of the edited copy in FOLDER, which is created if necessary. The caller frees
 * the path. The copy's name depends on the kernel and the content, and its times are fixed, since
 * stap's cache key includes nothing else of the copy. Several processes may call this at the same
 * time. Returns NULL if there is nothing to edit, or with a message in ERR if something failed.
 */
char *stap_compat_copy(const struct stap_compat *compat, const char *folder, struct strbuf *err);

#endif
