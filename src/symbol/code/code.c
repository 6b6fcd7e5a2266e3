/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code.h"
#include "symbol/packed.h"

#include <stdlib.h>
#include <string.h>

void code_init(struct code *code)
{
	*code = (struct code){0};
	strpool_init(&code->strings);
}

void code_release(struct code *code)
{
	strpool_release(&code->strings);
	free(code->functions);
	free(code->insns);
	free(code->frames);
	free(code->places);
	*code = (struct code){0};
}

void code_write(const struct code *code, struct strbuf *out)
{
	struct code_header header = code->header;

	header.nr_strings = code->strings.nr;
	strbuf_add(out, &header, sizeof(header));
	pack_strings(out, &code->strings);
	pack_array(out, code->functions, header.nr_functions, sizeof(*code->functions));
	pack_array(out, code->insns, header.nr_insns, sizeof(*code->insns));
	pack_array(out, code->frames, header.nr_frames, sizeof(*code->frames));
	pack_array(out, code->places, header.nr_places, sizeof(*code->places));
}

static bool is_part(uint32_t first, uint32_t nr, uint32_t all)
{
	return first <= all && nr <= all - first;
}

static bool is_string(const struct code *code, uint32_t number)
{
	return number < code->strings.nr || !number;
}

static bool has_valid_functions(const struct code *code)
{
	const struct code_header *h = &code->header;

	for (uint32_t i = 0; i < h->nr_functions; i++) {
		const struct code_function *f = &code->functions[i];

		if (f->gap >= CODE_GAPS || !is_part(f->first, f->nr, h->nr_insns))
			return false;
	}
	for (uint32_t i = 0; i < h->nr_places; i++)
		if (code->places[i] > h->nr_insns)
			return false;
	return true;
}

static bool is_valid(const struct code *code)
{
	const struct code_header *h = &code->header;

	for (uint32_t i = 0; i < h->nr_insns; i++)
		if (!is_string(code, code->insns[i].text) ||
			!is_string(code, code->insns[i].target) ||
			!is_part(code->insns[i].first, code->insns[i].nr, h->nr_frames))
			return false;
	for (uint32_t i = 0; i < h->nr_frames; i++)
		if (!is_string(code, code->frames[i].function) ||
			!is_string(code, code->frames[i].file))
			return false;
	return has_valid_functions(code) && lookup_header_is_valid(&h->about);
}

int code_read(struct code *code, const struct strbuf *in)
{
	struct unpack u = unpack_begin(in);
	const struct code_header *h = &code->header;

	if (!unpack_bytes(&u, &code->header, sizeof(code->header)) ||
		!unpack_strings(&u, &code->strings, h->nr_strings))
		return -1;
	code->functions = unpack_array(&u, h->nr_functions, sizeof(*code->functions));
	code->insns = unpack_array(&u, h->nr_insns, sizeof(*code->insns));
	code->frames = unpack_array(&u, h->nr_frames, sizeof(*code->frames));
	code->places = unpack_array(&u, h->nr_places, sizeof(*code->places));
	return code->functions && code->insns && code->frames && code->places && u.at == u.end &&
			       is_valid(code)
		       ? 0
		       : -1;
}
