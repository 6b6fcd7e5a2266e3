/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels change, and a distribution's SystemTap may not know its own kernel any more: its modules
 * do not compile, do not load, or read nothing. Most of that takes a few lines of SystemTap's
 * runtime, the C files that become part of every module. Here is a table of such edits; they are
 * made in a private copy of the installed runtime, which stap takes with -R.
 */
#ifndef ENGINE_STAP_COMPAT_STAP_COMPAT_H
#define ENGINE_STAP_COMPAT_STAP_COMPAT_H

#include <stdbool.h>
#include <stddef.h>

struct stap_edit;
struct strbuf;

/* Where SystemTap and the kernel are, by their paths below ROOT, "" for the real one. */
struct stap_place {
	const char *root;
	const char *stap;    /* the program */
	const char *release; /* of the kernel */
	const char *modules; /* its folder: "/lib/modules/RELEASE" */
};

struct stap_compat {
	char *runtime; /* the installed one */
	char *release;
	unsigned edits; /* that are needed and can be made: 1 << place in the table */
	/* The first that is needed and cannot be made, without which modules do not work; or NULL.
	 */
	const struct stap_edit *misfit;
};

/*
 * Compares the installed runtime with the kernel's headers and exported symbols, not versions, for
 * both sides take changes back into old ones. What cannot be read is taken to fit.
 */
void stap_compat_find(struct stap_compat *compat, const struct stap_place *place);
void stap_compat_release(struct stap_compat *compat);

/* SystemTap works with the edits, and not, or not as well, without them. */
bool stap_compat_helps(const struct stap_compat *compat);

/* The kernel's change behind the misfit, as in "has task_work_cancel_func", and what it does. */
const char *stap_compat_change(const struct stap_compat *compat);
const char *stap_compat_effect(const struct stap_compat *compat);

/* Appends the names of the edits, separated by commas. */
void stap_compat_names(const struct stap_compat *compat, struct strbuf *out);

/* What make is to be told besides, for stap's option -B; NULL: nothing. */
const char *stap_compat_make_option(const struct stap_compat *compat);

/*
 * The path of the edited copy in FOLDER, which is made unless it is there already; the caller frees
 * it. Its name depends on the kernel and on the content, and its times are fixed, for these are all
 * that stap's own cache looks at. Several processes may do this at once. NULL: no file has to be
 * edited, or ERR says what failed.
 */
char *stap_compat_copy(const struct stap_compat *compat, const char *folder, struct strbuf *err);

#endif
