/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The places where the programs of a probe point run. */
#ifndef TOOL_AT_AT_SITES_H
#define TOOL_AT_AT_SITES_H

#include "at.h"

#include <stddef.h>
#include <stdint.h>

struct at_file;
struct strbuf;

struct at_site {
	char *name;                    /* of the function or mark */
	const struct at_file *file;    /* or NULL for the kernel */
	uint64_t offset;               /* in the file */
	uint64_t address;              /* at which it is linked */
	uint64_t semaphore;            /* offset in the file of a mark's count of users, or 0 */
	struct at_place value, tested; /* numbers at a mark */
	uint64_t cookie;               /* tells the programs what is done here */
};

struct at_sites {
	struct at_site *list;
	size_t nr, alloc;
};

/* Adds SITE, whose name is copied. */
void at_sites_add(struct at_sites *sites, const struct at_site *site);

/* Sorts the sites by file and offset, or by name in the kernel, and keeps one of each place. */
void at_sites_sort(struct at_sites *sites);
void at_sites_release(struct at_sites *sites);

/* Names that match a pattern and are not probed, by reason. */
struct at_left_out {
	struct at_left_reason {
		char *why, *names; /* names with blanks between them */
		size_t nr;
	} * list;
	size_t nr, alloc;
};

/* Adds NAME. Both texts are copied. */
void at_left_out_add(struct at_left_out *left, const char *name, const char *why);

/* Appends a line for each reason. */
void at_left_out_note(const struct at_left_out *left, struct strbuf *notes);
void at_left_out_release(struct at_left_out *left);

#endif
