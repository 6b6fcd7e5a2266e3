/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * OpenTelemetry's profiles (otlp.proto), as bt-export and collectors write them. They are converted
 * to pprof's format, whose tables they share, and read as such. The types of several profiles in a
 * file become the values of each sample; attributes of samples and resources become labels.
 */
#include "input/otlp.pb-c.h"
#include "input/pprof.pb-c.h"
#include "lib/lines.h"
#include "lib/strbuf.h"
#include "lib/strpool.h"
#include "lib/util.h"
#include "model/labels.h"
#include "pprof.h"
#include "pprof_tables.h"
#include "text_format.h"
#include "whole_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	ID_MAX = 16, /* bytes of an ID */
	TYPES_MAX = 16,
	IDS_MAX = 1 << 25, /* locations of all samples: a few bytes can refer to a long stack */
};

#define BUILD_ID "process.executable.build_id."
#define THREAD "thread.name"

struct otlp_reader {
	const Otlp__ProfilesData *data;
	const Otlp__ProfilesDictionary *dictionary;
	ProtobufCBufferSimple out; /* messages Profile of pprof */
	struct strpool strings;    /* of the profile that is made */
	Pprof__ValueType types[TYPES_MAX];
	size_t nr_types;
	uint64_t nr_ids;
	bool too_many;
};

static void put(struct otlp_reader *r, const Pprof__Profile *part)
{
	pprof__profile__pack_to_buffer(part, &r->out.base);
}

static const char *string_at(const struct otlp_reader *r, int32_t index)
{
	return index > 0 && (size_t)index < r->dictionary->n_string_table
		       ? r->dictionary->string_table[index]
		       : "";
}

static int64_t add_text(struct otlp_reader *r, const char *s)
{
	return strpool_adds(&r->strings, s);
}

static int64_t import(struct otlp_reader *r, int32_t index)
{
	return add_text(r, string_at(r, index));
}

/* Returns the text of a string or a number, or 0 for other values. */
static int64_t value_of(struct otlp_reader *r, const Otlp__AnyValue *value)
{
	char number[32];

	if (!value)
		return 0;
	switch (value->value_case) {
	case OTLP__ANY_VALUE__VALUE_STRING_VALUE:
		return add_text(r, value->string_value);
	case OTLP__ANY_VALUE__VALUE_STRING_VALUE_STRINDEX:
		return import(r, value->string_value_strindex);
	case OTLP__ANY_VALUE__VALUE_INT_VALUE:
		snprintf(number, sizeof(number), "%" PRId64, value->int_value);
		return add_text(r, number);
	default:
		return 0;
	}
}

static const Otlp__KeyValueAndUnit *attribute_at(const struct otlp_reader *r, int32_t index)
{
	return index > 0 && (size_t)index < r->dictionary->n_attribute_table
		       ? r->dictionary->attribute_table[index]
		       : NULL;
}

/* ---- tables ---- */

static int64_t build_id_of(struct otlp_reader *r, const Otlp__Mapping *m)
{
	for (size_t i = 0; i < m->n_attribute_indices; i++) {
		const Otlp__KeyValueAndUnit *a = attribute_at(r, m->attribute_indices[i]);

		if (a && !strncmp(string_at(r, a->key_strindex), BUILD_ID, strlen(BUILD_ID)))
			return value_of(r, a->value);
	}
	return 0;
}

static void put_mappings(struct otlp_reader *r)
{
	for (size_t i = 1; i < r->dictionary->n_mapping_table; i++) {
		const Otlp__Mapping *m = r->dictionary->mapping_table[i];
		Pprof__Mapping mapping = PPROF__MAPPING__INIT;
		Pprof__Profile part = PPROF__PROFILE__INIT;

		mapping.id = i;
		mapping.filename = import(r, m->filename_strindex);
		mapping.build_id = build_id_of(r, m);
		part.n_mapping = 1;
		part.mapping = &(Pprof__Mapping *){&mapping};
		put(r, &part);
	}
}

static void put_functions(struct otlp_reader *r)
{
	for (size_t i = 1; i < r->dictionary->n_function_table; i++) {
		const Otlp__Function *f = r->dictionary->function_table[i];
		Pprof__Function function = PPROF__FUNCTION__INIT;
		Pprof__Profile part = PPROF__PROFILE__INIT;

		function.id = i;
		function.name =
			import(r, f->name_strindex ? f->name_strindex : f->system_name_strindex);
		function.filename = import(r, f->filename_strindex);
		part.n_function = 1;
		part.function = &(Pprof__Function *){&function};
		put(r, &part);
	}
}

static void put_location(struct otlp_reader *r, uint64_t id, const Otlp__Location *l)
{
	Pprof__Line *lines = xcalloc(l->n_lines + 1, sizeof(*lines));
	Pprof__Line **list = xcalloc(l->n_lines + 1, sizeof(*list));
	Pprof__Location location = PPROF__LOCATION__INIT;
	Pprof__Profile part = PPROF__PROFILE__INIT;

	for (size_t i = 0; i < l->n_lines; i++) {
		pprof__line__init(&lines[i]);
		lines[i].function_id = (uint64_t)l->lines[i]->function_index;
		lines[i].line = l->lines[i]->line;
		list[i] = &lines[i];
	}
	location.id = id;
	location.mapping_id = (uint64_t)l->mapping_index;
	location.address = l->address;
	location.n_line = l->n_lines;
	location.line = list;
	part.n_location = 1;
	part.location = &(Pprof__Location *){&location};
	put(r, &part);
	free(lines);
	free(list);
}

/* ---- samples ---- */

struct otlp_labels {
	Pprof__Label list[LABEL_SET_MAX], *pointers[LABEL_SET_MAX];
	size_t nr;
};

/* The name of the thread is the task of pprof's samples, as bt-export writes them. */
static void add_label(
	struct otlp_reader *r, struct otlp_labels *labels, const char *key, int64_t value)
{
	if (!*key || !value || labels->nr == LABEL_SET_MAX)
		return;
	Pprof__Label *label = &labels->list[labels->nr];

	pprof__label__init(label);
	label->key = add_text(r, strcmp(key, THREAD) ? key : "task");
	label->str = value;
	labels->pointers[labels->nr++] = label;
}

/* Adds an ID as a hexadecimal number. */
static void add_id(struct otlp_reader *r, struct otlp_labels *labels, const char *key,
	const ProtobufCBinaryData *id)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < id->len && i < ID_MAX; i++)
		strbuf_addf(&text, "%02x", id->data[i]);
	if (text.len)
		add_label(r, labels, key, add_text(r, text.buf));
	strbuf_release(&text);
}

/* Adds the span that a sample is linked to, as the labels that samples of sample-bt have. */
static void add_link(struct otlp_reader *r, struct otlp_labels *labels, int32_t index)
{
	if (index <= 0 || (size_t)index >= r->dictionary->n_link_table)
		return;
	const Otlp__Link *link = r->dictionary->link_table[index];

	add_id(r, labels, "trace", &link->trace_id);
	add_id(r, labels, "span", &link->span_id);
}

/* Returns the number of the profile's type among the types of all profiles, or -1. */
static int type_of(struct otlp_reader *r, const Otlp__Profile *p)
{
	Pprof__ValueType type = PPROF__VALUE_TYPE__INIT;
	size_t i = 0;

	if (p->sample_type) {
		type.type = import(r, p->sample_type->type_strindex);
		type.unit = import(r, p->sample_type->unit_strindex);
	}
	while (i < r->nr_types && (r->types[i].type != type.type || r->types[i].unit != type.unit))
		i++;
	if (i == TYPES_MAX)
		return -1;
	if (i == r->nr_types)
		r->types[r->nr_types++] = type;
	return (int)i;
}

/* Returns the sum of the sample's values, or -1 if one is below 0. */
static int64_t weight_of(const Otlp__Sample *s)
{
	int64_t sum = s->n_values ? 0 : (int64_t)s->n_timestamps_unix_nano;

	for (size_t i = 0; i < s->n_values; i++)
		if (s->values[i] < 0 || __builtin_add_overflow(sum, s->values[i], &sum))
			return -1;
	return sum;
}

static void put_sample(struct otlp_reader *r, const Otlp__Sample *s, const Otlp__Resource *resource,
	int64_t *values, int type)
{
	const Otlp__ProfilesDictionary *d = r->dictionary;
	const Otlp__Stack *stack = s->stack_index > 0 && (size_t)s->stack_index < d->n_stack_table
					   ? d->stack_table[s->stack_index]
					   : NULL;
	struct otlp_labels labels = {.nr = 0};
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Sample sample = PPROF__SAMPLE__INIT;
	size_t nr = stack ? stack->n_location_indices : 0;
	uint64_t *ids = xcalloc(nr + 1, sizeof(*ids));

	for (size_t i = 0; i < s->n_attribute_indices; i++) {
		const Otlp__KeyValueAndUnit *a = attribute_at(r, s->attribute_indices[i]);

		if (a)
			add_label(r, &labels, string_at(r, a->key_strindex), value_of(r, a->value));
	}
	add_link(r, &labels, s->link_index);
	for (size_t i = 0; resource && i < resource->n_attributes; i++) {
		const Otlp__KeyValue *a = resource->attributes[i];

		add_label(r, &labels, *a->key ? a->key : string_at(r, a->key_strindex),
			value_of(r, a->value));
	}
	for (size_t i = 0; i < nr; i++)
		ids[i] = (uint64_t)stack->location_indices[i];
	values[type] = weight_of(s);
	sample.n_location_id = nr;
	sample.location_id = ids;
	sample.n_value = r->nr_types;
	sample.value = values;
	sample.n_label = labels.nr;
	sample.label = labels.pointers;
	part.n_sample = 1;
	part.sample = &(Pprof__Sample *){&sample};
	put(r, &part);
	values[type] = 0;
	free(ids);
	r->nr_ids += nr;
	r->too_many |= r->nr_ids > IDS_MAX;
}

static void put_samples(
	struct otlp_reader *r, const Otlp__Profile *p, const Otlp__Resource *resource)
{
	int64_t values[TYPES_MAX] = {0};
	int type = type_of(r, p);

	for (size_t i = 0; i < p->n_samples && type >= 0 && !r->too_many; i++)
		put_sample(r, p->samples[i], resource, values, type);
}

/* Writes the period and the times of the profile, which is the first one. */
static void put_timing(struct otlp_reader *r, const Otlp__Profile *p)
{
	Pprof__ValueType period = PPROF__VALUE_TYPE__INIT;
	Pprof__Profile part = PPROF__PROFILE__INIT;

	part.time_nanos = (int64_t)p->time_unix_nano;
	part.duration_nanos = (int64_t)p->duration_nano;
	part.period = p->period;
	if (p->period_type) {
		period.type = import(r, p->period_type->type_strindex);
		period.unit = import(r, p->period_type->unit_strindex);
		part.period_type = &period;
	}
	put(r, &part);
}

typedef void with_profile(
	struct otlp_reader *r, const Otlp__Profile *p, const Otlp__Resource *resource);

static void for_profiles(struct otlp_reader *r, with_profile *with)
{
	for (size_t i = 0; i < r->data->n_resource_profiles; i++) {
		const Otlp__ResourceProfiles *of = r->data->resource_profiles[i];

		for (size_t k = 0; k < of->n_scope_profiles; k++)
			for (size_t n = 0; n < of->scope_profiles[k]->n_profiles; n++)
				with(r, of->scope_profiles[k]->profiles[n], of->resource);
	}
}

static void take_type(struct otlp_reader *r, const Otlp__Profile *p, const Otlp__Resource *resource)
{
	(void)resource;
	if (!r->nr_types)
		put_timing(r, p);
	r->too_many |= type_of(r, p) < 0;
}

static void put_types_and_strings(struct otlp_reader *r)
{
	for (size_t i = 0; i < r->nr_types; i++) {
		Pprof__Profile part = PPROF__PROFILE__INIT;

		part.n_sample_type = 1;
		part.sample_type = &(Pprof__ValueType *){&r->types[i]};
		put(r, &part);
	}
	for (uint32_t i = 0; i < r->strings.nr; i++) {
		Pprof__Profile part = PPROF__PROFILE__INIT;

		part.n_string_table = 1;
		part.string_table = &(char *){(char *)strpool_get(&r->strings, i)};
		put(r, &part);
	}
}

static int convert(struct otlp_reader *r, struct text_input *in)
{
	static const Otlp__ProfilesDictionary none = OTLP__PROFILES_DICTIONARY__INIT;

	r->dictionary = r->data->dictionary ? r->data->dictionary : &none;
	for_profiles(r, take_type);
	if (!r->nr_types)
		return fail(in->notes, "it is a profile of OTLP, but has none in it\n");
	put_mappings(r);
	put_functions(r);
	for (size_t i = 1; i < r->dictionary->n_location_table; i++)
		put_location(r, i, r->dictionary->location_table[i]);
	for_profiles(r, put_samples);
	if (r->too_many)
		return fail(in->notes,
			"it is a profile of OTLP with more than %d types or %d frames\n", TYPES_MAX,
			IDS_MAX);
	put_types_and_strings(r);
	return pprof_read_bytes(in, r->out.data, r->out.len);
}

static int otlp_read(struct text_input *in)
{
	struct otlp_reader r = {.out = PROTOBUF_C_BUFFER_SIMPLE_INIT((uint8_t[1]){0})};
	struct strbuf bytes = STRBUF_INIT;
	int ret = whole_file_read(in->lines, &bytes, in->notes);

	if (ret < 0)
		return ret;
	Otlp__ProfilesData *data =
		otlp__profiles_data__unpack(NULL, bytes.len, (const uint8_t *)bytes.buf);

	strbuf_release(&bytes);
	if (!data)
		return fail(in->notes, "it is a profile of OTLP, but damaged or not whole\n");
	r.data = data;
	strpool_init(&r.strings);
	ret = convert(&r, in);
	strpool_release(&r.strings);
	PROTOBUF_C_BUFFER_SIMPLE_CLEAR(&r.out);
	otlp__profiles_data__free_unpacked(data, NULL);
	return ret;
}

/*
 * Returns whether all fields in a message are messages with numbers up to LAST. A message that ends
 * behind the bytes is looked at as far as it goes.
 */
static bool is_of_messages(const uint8_t *at, const uint8_t *end, unsigned last)
{
	struct pprof_field f;
	int ret;

	while ((ret = pprof_next(&at, end, &f)) > 0)
		if (!f.data || f.number > last)
			return false;
	return !ret;
}

/*
 * Returns whether the first message is the dictionary. Collectors write it first, and its fields
 * from the last one to the first. A sample of pprof, which has the same number, has no field above
 * 3, and no location list that is empty.
 */
static bool is_dictionary(const uint8_t *at, const uint8_t *end)
{
	enum { NUMBER_MAX = 7, SAMPLE_MAX = 3 };

	for (at++; at < end && *at & 0x80; at++) /* the length */
		;
	if (end - at < 3)
		return false;
	return (at[1] & 7) == 2 && at[1] >> 3 <= NUMBER_MAX &&
	       (at[1] >> 3 > SAMPLE_MAX || (at[1] == 0x0a && !at[2]));
}

/* A profile of pprof begins with the same byte, but its first message has no messages in it. */
static bool is_otlp(const char *bytes, size_t n)
{
	const uint8_t *at = (const uint8_t *)bytes, *end = at + n;
	struct pprof_field resource;

	if (n >= 6 && *at == 0x12)
		return is_dictionary(at, end);
	if (n < 6 || *at != 0x0a)
		return false;
	if (pprof_next(&at, end, &resource) > 0)
		return resource.len &&
		       is_of_messages(resource.data, resource.data + resource.len, 3);
	/* the first message goes on behind these bytes: its length, then its first field */
	for (at = (const uint8_t *)bytes + 1; at < end && *at & 0x80; at++)
		;
	return at + 2 < end && (at[1] == 0x0a || at[1] == 0x12) && n >= TEXT_HEAD &&
	       memchr(bytes, 0, n);
}

const struct text_format otlp_format = {
	.name = "OTLP",
	.is_head = is_otlp,
	.has_meta = true,
	.has_tasks = true,
	.read = otlp_read,
};
