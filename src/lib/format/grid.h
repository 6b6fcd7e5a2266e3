/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of a few columns, as aligned text, CSV or JSON. */
#ifndef LIB_FORMAT_GRID_H
#define LIB_FORMAT_GRID_H

#include "lib/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The format that fits stdout is text on a terminal, otherwise CSV. */
enum grid_format { GRID_OF_STDOUT, GRID_TEXT, GRID_CSV, GRID_JSON };

struct grid {
	const char *const *columns; /* names of the columns */
	size_t nr_columns;
	bool without_heading; /* in text and CSV */
	size_t name;          /* the column that comes last in text; 0 is also the last one */
	size_t width_max;     /* width of the lines in text, or 0 if they may be of any width */
	size_t *widths; /* for tables that follow each other: widths so far, which grow; or NULL */
	struct grid_cell {
		char *text; /* NULL if the cell is empty */
		size_t len;
		bool is_number;
	} * cells; /* row by row */
	size_t nr, alloc;
};

void grid_init(struct grid *l, const char *const *columns, size_t nr_columns);
void grid_release(struct grid *l);

/* These functions add the next cell of the row. */
void grid_add(struct grid *l, const char *text, size_t len); /* empty if len is 0 */
void grid_adds(struct grid *l, const char *text);            /* empty if NULL */
/* For tables that are written as text: a number such as "1,302", which is aligned as one. */
void grid_add_amount(struct grid *l, const char *text, size_t len);
void grid_addu(struct grid *l, uint64_t number);
void grid_addf(struct grid *l, double number, int decimals);
void grid_add_address(struct grid *l, uint64_t address); /* 0x7f0012345678 */
void grid_add_empty(struct grid *l);

/* Returns FORMAT, or the format that fits stdout. */
enum grid_format grid_format_settled(enum grid_format format);

/*
 * Appends the table with its heading. JSON is an array of objects, without members for empty cells.
 * In text, all columns except the last one are cut to 60 characters, and the last one to what is
 * left of the line.
 */
void grid_write(const struct grid *l, enum grid_format format, struct strbuf *out);

/* Fills one of a program's tables, which it also initialises. */
typedef void grid_list(struct grid *l, void *context);

/*
 * Prints the tables whose bits are set in SHOWN to stdout, one after another, in text not wider
 * than a terminal; in JSON, they are the members of an object. NAMES ends with NULL.
 */
void grid_print(const char *const *names, grid_list *const *lists, unsigned shown,
	enum grid_format format, void *context);

#endif
