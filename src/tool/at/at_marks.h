/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the marks of programs and libraries are in their files, and their arguments. */
#ifndef TOOL_AT_AT_MARKS_H
#define TOOL_AT_AT_MARKS_H

struct at_files;
struct at_sites;
struct measure;
struct probe;
struct strbuf;

/*
 * Adds the places of the marks that PROBE, a PROBE_MARK, names in FILES, with the numbers of M.
 * Returns -1 with ERR if none of them has such a mark, or a number is not known at one.
 */
int at_marks_find(struct at_sites *sites, const struct probe *probe, const struct measure *m,
	const struct at_files *files, struct strbuf *err);

#endif
