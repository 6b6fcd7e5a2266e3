/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SYMBOL_FILES_H
#define SYMBOL_FILES_H

#include "symbol.h"

/*
 * The open file with BUILD_ID or, when that is "", the one without build-id that was recorded as
 * PATH. NULL: there is none; FILES may be NULL, too.
 */
struct elffile *symbol_files_find(
	const struct symbol_files *files, const char *build_id, const char *path);

/* The perf map of PID, -1: there is none. */
int symbol_files_perfmap(const struct symbol_files *files, uint32_t pid);

#endif
