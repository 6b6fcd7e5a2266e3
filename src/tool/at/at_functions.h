/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where functions of programs and libraries are in their files. */
#ifndef TOOL_AT_AT_FUNCTIONS_H
#define TOOL_AT_AT_FUNCTIONS_H

#include "engine/probe.h"

#include <stddef.h>
#include <stdint.h>

struct engine_request;
struct processes;
struct strbuf;

/* A function in a file. */
struct at_function {
	char *path;    /* in /proc/PID/map_files it is valid while the process lives */
	size_t object; /* number of the file in struct processes, or SIZE_MAX */
	uint64_t offset;
	uint64_t address; /* at which it is linked */
};

struct at_functions {
	struct at_function *list;
	size_t nr, alloc;
};

/*
 * Finds the function of PROBE, a PROBE_USER: in the file that it names, which is a path, a file
 * that targets have mapped, or a program in $PATH; if it names none, in the command or in the
 * programs of the targets. Returns -1 with ERR if it is in none of them. LIST must be all zero, and
 * is to be released in any case.
 */
int at_functions_find(struct at_functions *list, const struct probe *probe,
	const struct engine_request *request, const struct processes *ps, struct strbuf *err);
void at_functions_release(struct at_functions *list);

#endif
