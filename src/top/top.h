/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table or tree that is shown while a recording is made, and what keys do to it. Drawing is
 * separate, see top_screen.h.
 */
#ifndef TOP_TOP_H
#define TOP_TOP_H

#include "lib/strbuf.h"
#include "lib/table.h"
#include "view/report/entries.h"
#include "view/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Keys that are not characters. */
enum top_key {
	TOP_BACKSPACE = '\b',
	TOP_ENTER = '\n',
	TOP_ESCAPE = 27,
	TOP_UP = 0x110000, /* above all characters */
	TOP_DOWN,
	TOP_LEFT,
	TOP_RIGHT,
	TOP_PAGE_UP,
	TOP_PAGE_DOWN,
	TOP_HOME,
	TOP_END,
};

enum top_view {
	TOP_FUNCTIONS,
	TOP_TREE,
	TOP_CALLERS, /* a tree whose roots are the functions at the leaves */
	TOP_PROCESSES,
	TOP_THREADS,
	TOP_LABEL,
	TOP_VIEWS,
};

/* What the caller has to do after a key. */
enum top_wish {
	TOP_DRAW,
	TOP_FOLD, /* make the profile again, as the choice of samples or of their root changed */
	TOP_SAVE, /* write what is shown to the file of top_file() */
	TOP_QUIT,
};

enum top_prompt { TOP_NO_PROMPT, TOP_PROMPT_SEARCH, TOP_PROMPT_SAVE };

/* A line of the table, or a node of the tree. */
struct top_row {
	uint32_t frame; /* of the profile */
	uint32_t node;  /* in the tree */
	unsigned depth; /* in the tree */
	bool has_children, is_open;
	uint64_t self, total;
	uint64_t id; /* of the names on its path; the same in later profiles */
};

struct top {
	enum top_view view;
	enum report_sort sort;
	unsigned window;    /* seconds before now, or 0 for all that is kept */
	uint32_t event;     /* of the recording */
	uint32_t nr_events; /* set by the caller */
	size_t label;       /* number of the key in labels */
	char **labels;      /* keys of labels, set by the caller, freed by top_release() */
	size_t nr_labels;
	bool frozen, help;
	struct strbuf search; /* only rows whose names contain it, and their callers, are listed */
	enum top_prompt prompt;
	struct strbuf typed;           /* the answer to the prompt */
	struct strbuf message;         /* for the last line, or empty */
	struct table open;             /* of nodes, by id: 1 if open */
	struct profile *profile;       /* or NULL */
	struct report_entries entries; /* of TOP_FUNCTIONS */
	struct top_row *rows;
	size_t nr_rows, rows_alloc;
	size_t cursor, first, height; /* rows: chosen, first on the screen, number on the screen */
	uint64_t chosen;              /* id of the row under the cursor, or 0 */
};

void top_init(struct top *t);
void top_release(struct top *t);

/* Shows P, which is finished and outlives its use, in place of the profile before. */
void top_show(struct top *t, struct profile *p);

/* Sets the number of rows on the screen. */
void top_resize(struct top *t, size_t height);

/* Does what KEY, a character or an enum top_key, is for. */
enum top_wish top_press(struct top *t, uint32_t key);

/* Adds a key of labels, unless it is known. */
void top_add_label(struct top *t, const char *key);

/* Sets in VIEW what the samples of the shown rows have as root. */
void top_set_view(const struct top *t, struct recording_view *view);

/* Returns what the rows are sorted by: in trees, where self weights say little, never by those. */
enum report_sort top_sort(const struct top *t);

/* Returns the name of the file that the user has typed. */
const char *top_file(const struct top *t);

/* Returns the name of a view for its tab: "functions". */
const char *top_view_name(enum top_view view);

#endif
