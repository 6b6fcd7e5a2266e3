/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Common functions of the writers of annotated functions. */
#ifndef VIEW_ANNOTATE_LISTING_H
#define VIEW_ANNOTATE_LISTING_H

#include "annotation.h"

#include <stdint.h>

struct strbuf;

/*
 * Percentages are relative to the self weight of the function or file or, if that is too little to
 * say where its time goes, to its total weight.
 */
struct listing_base {
	uint64_t all;
	bool of_total;
};

struct listing_base listing_base(const struct annotated *f);
uint64_t listing_weight(const struct listing_base *base, const struct counter *c);

/* Appends "62.10 % self, 70.00 % with callees, of 1000 samples". */
void listing_add_share(const struct annotation *a, const struct annotated *f, struct strbuf *out);

/*
 * Whether a line of a source is shown: it has code of the function, or it is near a line with code.
 * The caller asks for lines in ascending order. *AT is 0 at first.
 */
bool listing_shows(const struct annotated_source *s, uint32_t line, size_t *at);
/*
 * Returns the line after LINE to be passed to listing_shows() or listing_line(), or 0 if there is
 * none. If LINE is 0, this is the first line. Without the text of the source, and beyond its end,
 * only lines with code are returned.
 */
uint32_t listing_next(const struct annotation *a, const struct annotated_source *s, uint32_t line);

/* Returns the line of S if it has code, otherwise NULL. */
const struct annotated_line *listing_line(const struct annotated_source *s, uint32_t line);

/* Returns the calls of a line, heaviest first, as numbers in a list that the caller frees. */
uint32_t *listing_calls(const struct annotation *a, const struct annotated_line *line, size_t *nr);
/* Appends "hash > mix  mix.h:33". */
void listing_add_call(
	const struct annotation *a, const struct annotated_call *call, struct strbuf *out);

/* Appends "call 0x1040 <puts@plt>". */
void listing_add_insn(struct annotation *a, uint32_t file, uint32_t insn, struct strbuf *out);

/* Appends S with tabs expanded to blanks. */
void listing_add_source(struct strbuf *out, const char *s, size_t len);

/* Whether the text of a source file of F is available. */
bool listing_has_text(const struct annotation *a, const struct annotated *f);

/* Appends why F has no source lines or lacks some of them. Appends nothing if it has all. */
void listing_add_lack(const struct annotation *a, const struct annotated *f, struct strbuf *out);

#endif
