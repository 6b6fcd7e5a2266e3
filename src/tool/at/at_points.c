/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "at_points.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int set(const struct at_points *points, uint32_t number, const struct at_point *point,
	struct strbuf *err)
{
	return bpf_map_update_elem(points->map, &number, point, BPF_ANY)
		       ? fail(err, "cannot set the probe point: %s", strerror(errno))
		       : (int)number;
}

int at_points_add(struct at_points *points, const struct at_point *point, struct strbuf *err)
{
	for (size_t i = 0; i < points->nr; i++)
		if (!memcmp(&points->list[i], point, sizeof(*point)))
			return (int)i;
	if (points->nr == AT_RAW_POINT)
		return fail(err,
			"the numbers are at more than %d different places: probe fewer marks",
			AT_RAW_POINT);
	ALLOC_GROW(points->list, points->nr, points->alloc);
	points->list[points->nr] = *point;
	return set(points, (uint32_t)points->nr++, point, err);
}

int at_points_set_raw(struct at_points *points, const struct at_point *point, struct strbuf *err)
{
	if (points->has_raw)
		return fail(err, "only one pattern of tracepoints can be probed at a time");
	points->has_raw = true;
	return set(points, AT_RAW_POINT, point, err);
}

void at_points_release(struct at_points *points)
{
	free(points->list);
}
