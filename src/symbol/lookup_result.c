/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lookup_result.h"
#include "lib/util.h"
#include "packed.h"

#include <stdlib.h>
#include <string.h>

void lookup_result_init(struct lookup_result *result)
{
	*result = (struct lookup_result){0};
	strpool_init(&result->strings);
}

void lookup_result_release(struct lookup_result *result)
{
	strpool_release(&result->strings);
	free(result->names);
	free(result->frames);
	free(result->starts);
	*result = (struct lookup_result){0};
}

void lookup_result_begin(struct lookup_result *result, uint32_t location)
{
	ALLOC_GROW(result->frames, result->header.nr_frames, result->frames_alloc);
	result->frames[result->header.nr_frames++] =
		(struct lookup_frame){location, result->header.nr_names, 0};
}

void lookup_result_add(struct lookup_result *result, const char *function, uint64_t offset,
	const char *file, uint32_t line)
{
	ALLOC_GROW(result->names, result->header.nr_names, result->names_alloc);
	result->names[result->header.nr_names++] = (struct lookup_name){
		.function = packed_string(&result->strings, function),
		.file = file ? packed_string(&result->strings, file) : 0,
		.offset = offset,
		.line = line,
	};
	result->frames[result->header.nr_frames - 1].nr++;
}

void lookup_result_add_start(struct lookup_result *result, const struct lookup_start *start)
{
	ALLOC_GROW(result->starts, result->header.nr_starts, result->starts_alloc);
	result->starts[result->header.nr_starts++] = *start;
}

void lookup_result_write(const struct lookup_result *result, struct strbuf *out)
{
	struct lookup_header header = result->header;

	header.nr_strings = result->strings.nr;
	strbuf_add(out, &header, sizeof(header));
	pack_strings(out, &result->strings);
	pack_array(out, result->names, header.nr_names, sizeof(*result->names));
	pack_array(out, result->frames, header.nr_frames, sizeof(*result->frames));
	pack_array(out, result->starts, header.nr_starts, sizeof(*result->starts));
}

bool lookup_header_is_valid(const struct lookup_header *h)
{
	return h->source <= SOURCE_PERFMAP && h->gap <= GAP_NO_MAP && h->lack <= DEBUG_LACK_DWO &&
	       memchr(h->detail, '\0', sizeof(h->detail)) &&
	       memchr(h->other_id, '\0', sizeof(h->other_id)) &&
	       memchr(h->alt_id, '\0', sizeof(h->alt_id));
}

static bool is_valid(const struct lookup_result *result)
{
	const struct lookup_header *h = &result->header;

	for (uint32_t i = 0; i < h->nr_names; i++)
		if (!result->names[i].function || result->names[i].function >= result->strings.nr ||
			result->names[i].file >= result->strings.nr)
			return false;
	for (uint32_t i = 0; i < h->nr_frames; i++)
		if (!result->frames[i].nr || result->frames[i].first > h->nr_names ||
			result->frames[i].nr > h->nr_names - result->frames[i].first)
			return false;
	return lookup_header_is_valid(h);
}

int lookup_result_read(struct lookup_result *result, const struct strbuf *in)
{
	struct unpack u = unpack_begin(in);
	const struct lookup_header *h = &result->header;

	if (!unpack_bytes(&u, &result->header, sizeof(result->header)) ||
		!unpack_strings(&u, &result->strings, h->nr_strings))
		return -1;
	result->names = unpack_array(&u, h->nr_names, sizeof(*result->names));
	result->frames = unpack_array(&u, h->nr_frames, sizeof(*result->frames));
	result->starts = unpack_array(&u, h->nr_starts, sizeof(*result->starts));
	return result->names && result->frames && result->starts && u.at == u.end &&
			       is_valid(result)
		       ? 0
		       : -1;
}
