/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Debug files from debuginfod servers that are needed before a recording, while we may be root. */
#ifndef SYMBOL_FETCH_FETCHED_H
#define SYMBOL_FETCH_FETCHED_H

/*
 * The debug file with this BUILD_ID of the file NAME, open for reading and looked into by nobody;
 * it is fetched by a process of the user who called us. -1: no server is named, or none has it.
 */
int fetched_open(const char *build_id, const char *name);

#endif
