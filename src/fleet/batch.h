/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of a window as the tables of ClickHouse have them. Samples are added up by series and
 * stack: rows with equal keys would replace each other. Numbers of frames, stacks and series are
 * hashes of what they stand for, so that all hosts give them the same numbers.
 *
 * A stack is the frames of all stacks of a row, from the root; before each of them is a frame of
 * the kind "stack" for its kind, and how it ends.
 */
#ifndef FLEET_BATCH_H
#define FLEET_BATCH_H

#include "lib/strbuf.h"
#include "lib/table.h"
#include "model/recording.h"

#include <stdint.h>

enum fleet_table {
	FLEET_FRAMES,
	FLEET_STACKS,
	FLEET_SERIES,
	FLEET_SAMPLES,
	FLEET_WINDOWS, /* the last one: what it lists is there */
	FLEET_TABLES,
};

/* The frames, stacks and series that were sent this week. */
struct fleet_memory {
	struct table sent; /* number and table -> 0 */
	uint16_t week;
};
void fleet_memory_init(struct fleet_memory *m);
void fleet_memory_release(struct fleet_memory *m);

struct fleet_batch {
	struct strbuf rows[FLEET_TABLES]; /* RowBinary */
	uint64_t nr[FLEET_TABLES];
	uint16_t shard;            /* of the host */
	uint32_t ts;               /* when the window began, seconds since 1970 */
	struct strbuf series_list; /* numbers of its series, with commas */
};

/* Makes the batch of REC, without what M has, to which the rest is added. */
void fleet_batch_make(struct fleet_batch *b, const struct recording *rec, struct fleet_memory *m);
/* Makes rows of the frames of REC alone that have names, and numbers that do not depend on them. */
void fleet_batch_make_names(struct fleet_batch *b, const struct recording *rec);
void fleet_batch_release(struct fleet_batch *b);

/* The columns of each table, in the order of the rows. */
extern const char *const fleet_columns[FLEET_TABLES];
extern const char *const fleet_tables[FLEET_TABLES];

#define FLEET_STACK_KIND "stack"

#endif
