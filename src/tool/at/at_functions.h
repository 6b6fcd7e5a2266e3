/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where functions of programs and libraries are in their files. */
#ifndef TOOL_AT_AT_FUNCTIONS_H
#define TOOL_AT_AT_FUNCTIONS_H

struct at_files;
struct at_sites;
struct probe;
struct strbuf;

/* Adds the function of PROBE, a PROBE_USER, in FILES. Returns -1 with ERR if none of them has it.
 */
int at_functions_find(struct at_sites *sites, const struct probe *probe,
	const struct at_files *files, struct strbuf *err);

#endif
