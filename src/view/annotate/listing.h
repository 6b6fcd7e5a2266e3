/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the writers of annotated functions share. */
#ifndef VIEW_ANNOTATE_LISTING_H
#define VIEW_ANNOTATE_LISTING_H

#include "annotation.h"

#include <stdint.h>

struct strbuf;

/* Percentages are of the function's self weight or, if that is 0, of its total. */
struct listing_base {
	uint64_t all;
	bool of_total;
};

struct listing_base listing_base(const struct annotation *a, const struct annotated *f);
uint64_t listing_weight(const struct listing_base *base, const struct counter *c);

/* "62.10 % self, 70.00 % with callees, of 1000 samples" */
void listing_add_share(const struct annotation *a, const struct annotated *f, struct strbuf *out);

/*
 * Whether a line of a source is shown: it has code of the function, or is near a line that has;
 * lines are asked in ascending order, and *AT is 0 at first.
 */
bool listing_shows(const struct annotated_source *s, uint32_t line, size_t *at);
/*
 * The line after LINE, 0: the first one, that listing_shows() or listing_line() is to be asked of;
 * 0: there is none. Without the text of the source, and beyond its end, only lines with code are.
 */
uint32_t listing_next(const struct annotation *a, const struct annotated_source *s, uint32_t line);

/* The line of S with code; NULL: it has none. */
const struct annotated_line *listing_line(const struct annotated_source *s, uint32_t line);

/* The calls of a line, heaviest first, as numbers that the caller frees. */
uint32_t *listing_calls(const struct annotation *a, const struct annotated_line *line, size_t *nr);
/* "hash > mix  mix.h:33" */
void listing_add_call(
	const struct annotation *a, const struct annotated_call *call, struct strbuf *out);

/* "call 0x1040 <puts@plt>" */
void listing_add_insn(struct annotation *a, uint32_t file, uint32_t insn, struct strbuf *out);

/* S with tabs as blanks. */
void listing_add_source(struct strbuf *out, const char *s, size_t len);

/* True if a source file of F is there. */
bool listing_has_text(const struct annotation *a, const struct annotated *f);

/* Why F has no source lines, or not all; appends nothing if it has. */
void listing_add_lack(const struct annotation *a, const struct annotated *f, struct strbuf *out);

#endif
