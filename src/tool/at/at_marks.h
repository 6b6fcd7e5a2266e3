/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the marks of programs and libraries are in their files, and their arguments. */
#ifndef TOOL_AT_AT_MARKS_H
#define TOOL_AT_AT_MARKS_H

#include <stdbool.h>

struct at_files;
struct at_place;
struct at_sites;
struct elffile;
struct measure;
struct probe;
struct sdt_note;
struct strbuf;

/*
 * Adds the places of the marks that PROBE, a PROBE_MARK, names in FILES, with the numbers of M.
 * Returns -1 with ERR if none of them has such a mark, or a number is not known at one.
 */
int at_marks_find(struct at_sites *sites, const struct probe *probe, const struct measure *m,
	const struct at_files *files, struct strbuf *err);

/*
 * For children without privileges: finds the argument NUMBER of a place of a mark, if it is not 0.
 * Returns NULL, or why it is not known.
 */
const char *at_mark_number(struct at_place *place, const struct elffile *elf,
	const struct sdt_note *note, unsigned number);

/* Returns whether the programs can take PLACE, which such a child has found. */
bool at_place_is_valid(const struct at_place *place);

#endif
