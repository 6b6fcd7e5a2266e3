/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pprof_tables.h"
#include "input/pprof.pb-c.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

/* Reads a number in protobuf's encoding: groups of 7 bits, the lowest first. */
static bool read_varint(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
		uint8_t byte = *(*at)++;

		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

int pprof_next(const uint8_t **at, const uint8_t *end, struct pprof_field *field)
{
	enum { VARINT, FIXED_64, BYTES, FIXED_32 = 5 };
	uint64_t tag, len = 0;

	*field = (struct pprof_field){0};
	if (*at == end)
		return 0;
	if (!read_varint(at, end, &tag) || tag >> 3 == 0 || tag >> 3 > INT32_MAX)
		return -1;
	field->number = (unsigned)(tag >> 3);
	switch (tag & 7) {
	case VARINT:
		return read_varint(at, end, &field->value) ? 1 : -1;
	case FIXED_64:
		len = 8;
		break;
	case FIXED_32:
		len = 4;
		break;
	case BYTES:
		if (read_varint(at, end, &len))
			break;
		return -1;
	default:
		return -1;
	}
	if (len > (uint64_t)(end - *at))
		return -1;
	field->data = *at;
	field->len = len;
	*at += len;
	return 1;
}

struct pprof_string pprof_get(const struct pprof_tables *t, int64_t string)
{
	if (string < 0 || (uint64_t)string >= t->nr_strings)
		return (struct pprof_string){"", 0};
	return t->strings[string];
}

bool pprof_is(const struct pprof_tables *t, int64_t string, const char *s)
{
	struct pprof_string own = pprof_get(t, string);

	return own.len == strlen(s) && !memcmp(own.s, s, own.len);
}

static uint32_t index_of(const struct pprof_tables *t, enum pprof_field_number table, uint64_t id)
{
	const uint32_t *index = id ? table_get(&t->by_id, table, id) : NULL;

	return index ? *index : 0;
}

uint32_t pprof_location_of(const struct pprof_tables *t, uint64_t id)
{
	return index_of(t, PPROF_LOCATION, id);
}

static void set_index(
	struct pprof_tables *t, enum pprof_field_number table, uint64_t id, size_t index)
{
	bool is_new;

	*table_put(&t->by_id, table, id, &is_new) = (uint32_t)index;
}

static bool add_type(struct pprof_tables *t, const struct pprof_field *f)
{
	Pprof__ValueType *v = pprof__value_type__unpack(NULL, f->len, f->data);

	if (!v)
		return false;
	struct pprof_type type = {v->type, v->unit};

	pprof__value_type__free_unpacked(v, NULL);
	if (f->number == PPROF_PERIOD_TYPE) {
		t->period_type = type;
		return true;
	}
	ALLOC_GROW(t->types, t->nr_types, t->types_alloc);
	t->types[t->nr_types++] = type;
	return true;
}

static bool add_mapping(struct pprof_tables *t, const struct pprof_field *f)
{
	Pprof__Mapping *m = pprof__mapping__unpack(NULL, f->len, f->data);

	if (!m)
		return false;
	set_index(t, PPROF_MAPPING, m->id, t->nr_mappings);
	ALLOC_GROW(t->mappings, t->nr_mappings, t->mappings_alloc);
	t->mappings[t->nr_mappings++] = (struct pprof_mapping){m->filename, m->build_id};
	pprof__mapping__free_unpacked(m, NULL);
	return true;
}

static bool add_function(struct pprof_tables *t, const struct pprof_field *f)
{
	Pprof__Function *function = pprof__function__unpack(NULL, f->len, f->data);

	if (!function)
		return false;
	set_index(t, PPROF_FUNCTION, function->id, t->nr_functions);
	ALLOC_GROW(t->functions, t->nr_functions, t->functions_alloc);
	t->functions[t->nr_functions++] =
		(struct pprof_function){function->name, function->filename};
	pprof__function__free_unpacked(function, NULL);
	return true;
}

/*
 * Adds a location. This needs all mappings and functions, which may follow the locations in the
 * file.
 */
static bool add_location(struct pprof_tables *t, const struct pprof_field *f)
{
	Pprof__Location *l = pprof__location__unpack(NULL, f->len, f->data);

	if (!l)
		return false;
	struct pprof_location location = {
		.mapping = index_of(t, PPROF_MAPPING, l->mapping_id),
		.first_line = (uint32_t)t->nr_lines,
		.nr_lines = (uint32_t)l->n_line,
		.address = l->address,
	};

	for (size_t i = 0; i < l->n_line; i++) {
		ALLOC_GROW(t->lines, t->nr_lines, t->lines_alloc);
		t->lines[t->nr_lines++] = (struct pprof_line){
			index_of(t, PPROF_FUNCTION, l->line[i]->function_id), l->line[i]->line};
	}
	set_index(t, PPROF_LOCATION, l->id, t->nr_locations);
	ALLOC_GROW(t->locations, t->nr_locations, t->locations_alloc);
	t->locations[t->nr_locations++] = location;
	pprof__location__free_unpacked(l, NULL);
	return true;
}

static bool add_field(struct pprof_tables *t, const struct pprof_field *f)
{
	switch (f->number) {
	case PPROF_SAMPLE_TYPE:
	case PPROF_PERIOD_TYPE:
		return f->data && add_type(t, f);
	case PPROF_MAPPING:
		return f->data && add_mapping(t, f);
	case PPROF_FUNCTION:
		return f->data && add_function(t, f);
	case PPROF_STRING:
		ALLOC_GROW(t->strings, t->nr_strings, t->strings_alloc);
		t->strings[t->nr_strings++] = (struct pprof_string){(const char *)f->data, f->len};
		return f->data != NULL;
	case PPROF_TIME:
		t->time = f->value;
		return true;
	case PPROF_DURATION:
		t->duration = f->value;
		return true;
	case PPROF_PERIOD:
		t->period = f->value;
		return true;
	case PPROF_DEFAULT_TYPE:
		t->default_type = f->value;
		return true;
	default:
		return true;
	}
}

static bool read_fields(struct pprof_tables *t, const uint8_t *data, size_t len, bool locations)
{
	const uint8_t *at = data;
	struct pprof_field f;
	int ret;

	while ((ret = pprof_next(&at, data + len, &f)) > 0) {
		bool is_location = f.number == PPROF_LOCATION;

		if (f.number <= PPROF_FUNCTION && f.len > PPROF_MESSAGE_MAX)
			return false;
		if (is_location && locations && (!f.data || !add_location(t, &f)))
			return false;
		if (!is_location && !locations && !add_field(t, &f))
			return false;
	}
	return !ret;
}

bool pprof_tables_read(struct pprof_tables *t, const uint8_t *data, size_t len)
{
	*t = (struct pprof_tables){0};
	table_init(&t->by_id);
	ALLOC_GROW(t->mappings, t->nr_mappings, t->mappings_alloc);
	t->mappings[t->nr_mappings++] = (struct pprof_mapping){0};
	ALLOC_GROW(t->functions, t->nr_functions, t->functions_alloc);
	t->functions[t->nr_functions++] = (struct pprof_function){0};
	ALLOC_GROW(t->locations, t->nr_locations, t->locations_alloc);
	t->locations[t->nr_locations++] = (struct pprof_location){0};
	return read_fields(t, data, len, false) && read_fields(t, data, len, true);
}

void pprof_tables_release(struct pprof_tables *t)
{
	free(t->strings);
	free(t->functions);
	free(t->mappings);
	free(t->locations);
	free(t->lines);
	free(t->types);
	table_release(&t->by_id);
}
