/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Debug files from debuginfod servers for a program that may still be root. */
#ifndef SYMBOL_FETCH_DEBUGINFOD_OPEN_H
#define SYMBOL_FETCH_DEBUGINFOD_OPEN_H

/*
 * Fetches the debug file with BUILD_ID of the file NAME in a process that runs as the invoking
 * user, and opens it for reading. Its content is not checked. Returns -1 if no server is configured
 * or no server has the file.
 */
int debuginfod_open_as_user(const char *build_id, const char *name);

#endif
