/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What perf.data tells of tracepoints: the formats of their fields, as the kernel prints them. */
#ifndef INPUT_PERFDATA_PERFDATA_FORMATS_H
#define INPUT_PERFDATA_PERFDATA_FORMATS_H

#include "lib/bytes.h"
#include "lib/table.h"

#include <stddef.h>
#include <stdint.h>

struct perfdata_formats {
	struct table by_id; /* config of an event -> index */
	char **list;
	size_t nr, alloc;
};

void perfdata_formats_init(struct perfdata_formats *fs);
void perfdata_formats_release(struct perfdata_formats *fs);

/* Reads the section of tracing data, up to what is damaged. */
void perfdata_formats_read(struct perfdata_formats *fs, struct bytes section);

/* Returns the text of the event with ID, or NULL. */
const char *perfdata_formats_find(const struct perfdata_formats *fs, uint64_t id);

#endif
