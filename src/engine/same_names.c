/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "same_names.h"
#include "lib/util.h"

#include <inttypes.h>
#include <stdlib.h>

void same_names_init(struct same_names *same, const struct samples *samples)
{
	*same = (struct same_names){.samples = samples};
	table_init(&same->first_lines);
	for (size_t i = 0; i < samples->nr_names; i++) {
		const struct sample_name *name = &samples->names[i];
		bool is_new;

		if (!name->first_line)
			continue;
		uint32_t *line = table_put(&same->first_lines, name->function, name->file, &is_new);

		if (is_new)
			*line = name->first_line << 1;
		else if (*line >> 1 != (name->first_line & INT32_MAX))
			*line |= 1;
	}
}

void same_names_release(struct same_names *same)
{
	table_release(&same->first_lines);
}

uint32_t same_names_string(
	const struct same_names *same, struct recording *rec, const struct sample_name *name)
{
	const char *function = strpool_get(&same->samples->strings, name->function);
	const uint32_t *line = table_get(&same->first_lines, name->function, name->file);

	if (!name->first_line || !line || !(*line & 1))
		return recording_string(rec, function);
	char *text = xasprintf("%s:%" PRIu32, function, name->first_line);
	uint32_t string = recording_string(rec, text);

	free(text);
	return string;
}
