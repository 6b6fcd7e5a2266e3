/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe_point.h"
#include "process.h"
#include "arch/x86_64/probe_place.h"
#include "target.h"
#include "arch/x86_64/result_place.h"

#include <inttypes.h>
#include <stdio.h>

enum { CODE_BYTES = 128 };

bool probe_point_find(const struct processes *ps, const struct process *p, const struct memory *m,
	uint64_t function, enum probe_value value, struct probe_point *point)
{
	const struct mapping *map = function ? process_find(ps, p, function) : NULL;
	unsigned char code[CODE_BYTES];
	size_t nr = sizeof(code), offset = 0;

	if (!map)
		return false;
	if (map->end - function < nr)
		nr = (size_t)(map->end - function);
	if (memory_read(m, function, code, nr))
		offset = value == PROBE_RESULT ? result_place(code, nr) : probe_place(code, nr);
	if (value == PROBE_RESULT && !offset)
		return false;
	*point = (struct probe_point){
		.object = map->object, .offset = map->offset + (function - map->start) + offset};
	snprintf(point->path, sizeof(point->path),
		"/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, p->pid, map->start, map->end);
	return true;
}
