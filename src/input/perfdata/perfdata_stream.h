/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of a perf.data file or pipe, one behind the other, in bounded memory. */
#ifndef INPUT_PERFDATA_PERFDATA_STREAM_H
#define INPUT_PERFDATA_PERFDATA_STREAM_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lines;
struct perfdata_zstd;

enum perfdata_end {
	PERFDATA_WHOLE,
	PERFDATA_CUT,     /* it ends in the middle of a record */
	PERFDATA_DAMAGED, /* a record that is not possible */
	PERFDATA_UNZSTD,  /* compressed records that cannot be decompressed */
};

struct perfdata_stream {
	struct lines *lines;
	uint64_t left; /* bytes of records, or UINT64_MAX if they end with the input */
	uint64_t taken;
	uint64_t skipped; /* bytes of hardware traces, which are left out */
	enum perfdata_end end;
	struct perfdata_zstd *zstd; /* or NULL before the first compressed record */
};

/* The records are the next SIZE bytes of LINES. */
void perfdata_stream_init(struct perfdata_stream *s, struct lines *lines, uint64_t size);
void perfdata_stream_release(struct perfdata_stream *s);

/*
 * Returns the next record, which is not shorter than its header, or NULL at the end. It is
 * valid until the next call, and may lie at any address. Compressed records are returned as what
 * they contain.
 */
const unsigned char *perfdata_stream_next(
	struct perfdata_stream *s, struct perf_event_header *header);

/*
 * Returns the SIZE bytes behind the last record, which do not belong to the next one, or skips them
 * and returns NULL if there are more than MAX.
 */
const unsigned char *perfdata_stream_behind(struct perfdata_stream *s, uint64_t size, uint64_t max);

#endif
