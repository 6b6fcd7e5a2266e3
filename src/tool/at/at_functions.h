/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where functions of programs and libraries are in their files. */
#ifndef TOOL_AT_AT_FUNCTIONS_H
#define TOOL_AT_AT_FUNCTIONS_H

#include <stdbool.h>

struct at_files;
struct at_left_out;
struct at_sites;
struct probe;
struct strbuf;

/*
 * Adds the functions in FILES that PROBE, a PROBE_USER, names. Those that match a pattern and
 * cannot be probed go to LEFT. The place in a function is the one that costs least; with RETURNS,
 * the stack pointer is there as it is at the call. Returns -1 with ERR if there are none.
 */
int at_functions_find(struct at_sites *sites, struct at_left_out *left, const struct probe *probe,
	const struct at_files *files, bool returns, struct strbuf *err);

#endif
