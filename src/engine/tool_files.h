/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where scripts are: in the data folder, which also has the tapsets, and users' own scripts in
 * flametap/stap in their configuration, or in /etc/flametap/stap for all users.
 */
#ifndef ENGINE_TOOL_FILES_H
#define ENGINE_TOOL_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct strbuf;

/*
 * Finds the script NAME.stp. A script of the data folder comes first. Returns its path, or NULL if
 * there is none or, with ERR, if another user could change it. Sets *TAPSETS to the folders for -I,
 * sorted and NULL-terminated. The caller frees both.
 */
char *tool_files_find(const char *name, char ***tapsets, struct strbuf *err);

/* Sets FOLDER to the one with this program. Returns false if it is not known. */
bool tool_files_program(char folder[PATH_MAX]);

/* Appends the folders in which users have their own scripts, as in "'A' or 'B'". */
void tool_files_describe(struct strbuf *out);

/*
 * Returns the names of all scripts and those in ALSO, sorted, each once; both lists end with NULL.
 * The caller frees the names and the list.
 */
char **tool_files_list(const char *const *also);

#endif
