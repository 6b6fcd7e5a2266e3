/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a process of PostgreSQL has the text of its query. Also included by the BPF programs.
 * Source: tcopprot.h; debug_query_string is exported by every version.
 */
#ifndef LABEL_POSTGRES_POSTGRES_LAYOUT_H
#define LABEL_POSTGRES_POSTGRES_LAYOUT_H

#include <stdint.h>

struct postgres_layout {
	uint64_t query; /* address of debug_query_string */
};

enum postgres_key {
	POSTGRES_QUERY, /* without literals and comments */
	POSTGRES_QUERY_TEXT,
	POSTGRES_BACKEND,
	POSTGRES_KEYS,
};

enum { POSTGRES_NONE = 1, POSTGRES_TEXT_MAX = 768 };

struct postgres_texts {
	/* A longer text is cut. It ends with a NUL, and only NULs follow. */
	char query[POSTGRES_TEXT_MAX];
};

/* The identity of a query is its text, as its memory is used for the next one. */
struct postgres_identity {
	uint64_t hash;
};

#endif
