/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records that perf record --threads writes to several files of a folder, data.0, data.1 …, one
 * for each processor. They have no header, and each is in the order of time.
 */
#ifndef INPUT_PERFDATA_PERFDATA_PARTS_H
#define INPUT_PERFDATA_PERFDATA_PARTS_H

#include "perfdata_stream.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

struct perfdata_part;
struct perfdata_places;
struct strbuf;

struct perfdata_parts {
	struct perfdata_part *list;
	size_t nr, alloc;
	struct perfdata_part *last; /* the one of the last record, or NULL */
	const struct perfdata_places *places;
};

/* Opens the files of FOLDER. Returns -1 with a message if there are none. */
int perfdata_parts_open(struct perfdata_parts *ps, const char *folder,
	const struct perfdata_places *places, struct strbuf *notes);
void perfdata_parts_release(struct perfdata_parts *ps);

/*
 * Returns the next record of all files in the order of time, as perfdata_stream_next() does, or
 * NULL at the end.
 */
const unsigned char *perfdata_parts_next(
	struct perfdata_parts *ps, struct perf_event_header *header);

/* Returns the name of file I, and sets *STREAM, or returns NULL behind the last one. */
const char *perfdata_parts_get(
	const struct perfdata_parts *ps, size_t i, const struct perfdata_stream **stream);

#endif
