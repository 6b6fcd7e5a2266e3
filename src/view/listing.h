/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of a few columns, as aligned text, CSV or JSON. */
#ifndef VIEW_LISTING_H
#define VIEW_LISTING_H

#include "lib/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum listing_format { LISTING_TEXT, LISTING_CSV, LISTING_JSON };

struct listing {
	const char *const *columns; /* their names */
	size_t nr_columns;
	bool without_heading; /* in CSV */
	struct listing_cell {
		char *text; /* NULL: empty */
		size_t len;
		bool is_number;
	} * cells; /* row by row */
	size_t nr, alloc;
};

void listing_init(struct listing *l, const char *const *columns, size_t nr_columns);
void listing_release(struct listing *l);

/* Each adds the next cell of the row. */
void listing_add(struct listing *l, const char *text, size_t len); /* len 0: empty */
void listing_adds(struct listing *l, const char *text);            /* NULL: empty */
void listing_addu(struct listing *l, uint64_t number);
void listing_addf(struct listing *l, double number, int decimals);
void listing_add_empty(struct listing *l);

/*
 * Appends the table with the heading, in JSON as an array of objects, without those of cells that
 * are empty. Text is cut to columns of at most 60 characters, but for the last one.
 */
void listing_write(const struct listing *l, enum listing_format format, struct strbuf *out);

#endif
