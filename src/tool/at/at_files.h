/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that a probe point in programs and libraries names. */
#ifndef TOOL_AT_AT_FILES_H
#define TOOL_AT_AT_FILES_H

#include "engine/probe.h"

#include <stddef.h>

struct elffile;
struct engine_request;
struct processes;
struct strbuf;

struct at_file {
	char *path;          /* in /proc/PID/map_files it is valid while the process lives */
	char *name;          /* the path as the user knows it */
	size_t object;       /* number of the file in struct processes, or SIZE_MAX */
	struct elffile *elf; /* only its head and facts are known here */
};

struct at_files {
	struct at_file *list;
	size_t nr, alloc;
};

/*
 * Finds the files of PROBE: the file that it names, which is a path, a file that targets have
 * mapped, or a program in $PATH; if it names none, the command or the programs of the targets.
 * Returns -1 with ERR if there are none. FILES must be all zero, and is to be released in any case,
 * before PS.
 */
int at_files_find(struct at_files *files, const struct probe *probe,
	const struct engine_request *request, const struct processes *ps, struct strbuf *err);
void at_files_release(struct at_files *files);

#endif
