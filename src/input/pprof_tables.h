/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of a profile in pprof's format (pprof.proto): strings, and functions, mappings and
 * locations by their ids. Messages are unpacked one at a time, so that memory is bounded by the
 * size of the file.
 */
#ifndef INPUT_PPROF_TABLES_H
#define INPUT_PPROF_TABLES_H

#include "lib/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pprof_field_number {
	PPROF_SAMPLE_TYPE = 1,
	PPROF_SAMPLE,
	PPROF_MAPPING,
	PPROF_LOCATION,
	PPROF_FUNCTION,
	PPROF_STRING,
	PPROF_TIME = 9,
	PPROF_DURATION,
	PPROF_PERIOD_TYPE,
	PPROF_PERIOD,
	PPROF_DEFAULT_TYPE = 14,
	PPROF_FIELDS_MAX, /* fields of later versions are skipped */
};

/*
 * The largest message in a profile, in bytes. An unpacked message takes about fifty times as much.
 */
enum { PPROF_MESSAGE_MAX = 1 << 20 };

struct pprof_field {
	unsigned number; /* of the field, in the message Profile */
	const uint8_t *data;
	size_t len;     /* of a string or message, otherwise 0 */
	uint64_t value; /* of a field that is a number */
};

/*
 * Reads the field at *AT. Returns 1 if it did, 0 at the end, or -1 if there is no field or an
 * incomplete one.
 */
int pprof_next(const uint8_t **at, const uint8_t *end, struct pprof_field *field);

struct pprof_string {
	const char *s; /* not NUL-terminated */
	size_t len;
};

struct pprof_line {
	uint32_t function; /* index of the function, or 0 if unknown */
	int64_t line;
};

struct pprof_location {
	uint32_t mapping;              /* index of the mapping, or 0 if there is none */
	uint32_t first_line, nr_lines; /* in lines, innermost inlined function first */
	uint64_t address;
};

struct pprof_type {
	int64_t type, unit; /* numbers of strings */
};

struct pprof_tables {
	struct pprof_string *strings;
	size_t nr_strings, strings_alloc;
	struct pprof_function {
		int64_t name, file; /* numbers of strings */
	} * functions;
	size_t nr_functions, functions_alloc;
	struct pprof_mapping {
		int64_t file, build_id; /* numbers of strings */
	} * mappings;
	size_t nr_mappings, mappings_alloc;
	struct pprof_location *locations;
	/* Element 0 of functions, mappings and locations is empty and means that there is none. */
	size_t nr_locations, locations_alloc;
	struct pprof_line *lines;
	size_t nr_lines, lines_alloc;
	struct pprof_type *types; /* types of the values of a sample */
	size_t nr_types, types_alloc;
	struct table by_id; /* maps field number and id to index */
	struct pprof_type period_type;
	uint64_t time, duration, period, default_type;
};

/*
 * Reads everything in the profile except its samples. Returns false if it is damaged. The tables
 * must be released in both cases.
 */
bool pprof_tables_read(struct pprof_tables *t, const uint8_t *data, size_t len);
void pprof_tables_release(struct pprof_tables *t);

/* Returns the string with this number, or "" if there is none. */
struct pprof_string pprof_get(const struct pprof_tables *t, int64_t string);
bool pprof_is(const struct pprof_tables *t, int64_t string, const char *s);

/* Returns the index of the location with this id, or 0 if there is none. */
uint32_t pprof_location_of(const struct pprof_tables *t, uint64_t id);

#endif
