/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * OpenTelemetry's profiles (otlp.proto), converted from a profile in pprof's format, whose tables
 * they share. Samples have one value, the first one of pprof's.
 */
#include "export.h"
#include "input/otlp.pb-c.h"
#include "input/pprof.pb-c.h"
#include "lib/strbuf.h"
#include "lib/table.h"
#include "lib/util.h"
#include "model/labels.h"
#include "view/view.h"

#include <stdlib.h>
#include <string.h>

/* A link to a span of a trace. */
struct otlp_link {
	Otlp__Link message;
	uint8_t trace[16], span[8];
};

struct otlp_writer {
	ProtobufCBuffer buffer; /* writes packed messages to the file; must be the first member */
	FILE *out;
	const Pprof__Profile *from;
	Otlp__ProfilesDictionary dictionary;
	char **strings; /* the strings of FROM, then others */
	size_t nr_strings, strings_alloc;
	Otlp__KeyValueAndUnit **attributes; /* number 0 is empty */
	size_t nr_attributes, attributes_alloc;
	struct table by_attribute; /* key, value -> number */
	struct otlp_link **links;  /* number 0 is empty */
	size_t nr_links, links_alloc;
	struct table by_link;     /* trace, span -> number */
	int32_t build_id, thread; /* numbers of strings */
};

static void append(ProtobufCBuffer *buffer, size_t len, const uint8_t *data)
{
	fwrite(data, 1, len, ((struct otlp_writer *)buffer)->out);
}

static int32_t add_string(struct otlp_writer *w, const char *s)
{
	ALLOC_GROW(w->strings, w->nr_strings, w->strings_alloc);
	w->strings[w->nr_strings] = (char *)(uintptr_t)s;
	return (int32_t)w->nr_strings++;
}

static int32_t attribute(struct otlp_writer *w, int64_t key, int64_t value)
{
	bool is_new;
	uint32_t *number = table_put(&w->by_attribute, (uint64_t)key, (uint64_t)value, &is_new);

	if (!is_new)
		return (int32_t)*number;
	*number = (uint32_t)w->nr_attributes;
	Otlp__KeyValueAndUnit *a = xcalloc(1, sizeof(*a));
	Otlp__AnyValue *any = xcalloc(1, sizeof(*any));

	otlp__key_value_and_unit__init(a);
	otlp__any_value__init(any);
	any->value_case = OTLP__ANY_VALUE__VALUE_STRING_VALUE;
	any->string_value = w->from->string_table[value];
	a->key_strindex = (int32_t)key;
	a->value = any;
	ALLOC_GROW(w->attributes, w->nr_attributes, w->attributes_alloc);
	w->attributes[w->nr_attributes++] = a;
	return (int32_t)*number;
}

/* ---- tables, each with an empty element 0 ---- */

static void put_dictionary(struct otlp_writer *w, const Otlp__ProfilesDictionary *dictionary)
{
	Otlp__ProfilesData part = OTLP__PROFILES_DATA__INIT;

	part.dictionary = (Otlp__ProfilesDictionary *)(uintptr_t)dictionary;
	otlp__profiles_data__pack_to_buffer(&part, &w->buffer);
}

static void put_mapping(struct otlp_writer *w, const Pprof__Mapping *m)
{
	Otlp__ProfilesDictionary d = OTLP__PROFILES_DICTIONARY__INIT;
	Otlp__Mapping mapping = OTLP__MAPPING__INIT;
	int32_t build_id;

	if (m->build_id) {
		build_id = attribute(w, w->build_id, m->build_id);
		mapping.n_attribute_indices = 1;
		mapping.attribute_indices = &build_id;
	}
	mapping.filename_strindex = (int32_t)m->filename;
	d.n_mapping_table = 1;
	d.mapping_table = &(Otlp__Mapping *){&mapping};
	put_dictionary(w, &d);
}

static void put_function(struct otlp_writer *w, const Pprof__Function *f)
{
	Otlp__ProfilesDictionary d = OTLP__PROFILES_DICTIONARY__INIT;
	Otlp__Function function = OTLP__FUNCTION__INIT;

	function.name_strindex = (int32_t)f->name;
	function.filename_strindex = (int32_t)f->filename;
	d.n_function_table = 1;
	d.function_table = &(Otlp__Function *){&function};
	put_dictionary(w, &d);
}

static void put_location(struct otlp_writer *w, const Pprof__Location *l)
{
	Otlp__Line *lines = xcalloc(l->n_line + 1, sizeof(*lines));
	Otlp__Line **list = xcalloc(l->n_line + 1, sizeof(*list));
	Otlp__ProfilesDictionary d = OTLP__PROFILES_DICTIONARY__INIT;
	Otlp__Location location = OTLP__LOCATION__INIT;

	for (size_t i = 0; i < l->n_line; i++) {
		otlp__line__init(&lines[i]);
		lines[i].function_index = (int32_t)l->line[i]->function_id;
		lines[i].line = l->line[i]->line;
		list[i] = &lines[i];
	}
	location.mapping_index = (int32_t)l->mapping_id;
	location.address = l->address;
	location.n_lines = l->n_line;
	location.lines = list;
	d.n_location_table = 1;
	d.location_table = &(Otlp__Location *){&location};
	put_dictionary(w, &d);
	free(lines);
	free(list);
}

static void put_stack(struct otlp_writer *w, const Pprof__Sample *s)
{
	int32_t *ids = xcalloc(s->n_location_id + 1, sizeof(*ids));
	Otlp__ProfilesDictionary d = OTLP__PROFILES_DICTIONARY__INIT;
	Otlp__Stack stack = OTLP__STACK__INIT;

	for (size_t i = 0; i < s->n_location_id; i++)
		ids[i] = (int32_t)s->location_id[i];
	stack.n_location_indices = s->n_location_id;
	stack.location_indices = ids;
	d.n_stack_table = 1;
	d.stack_table = &(Otlp__Stack *){&stack};
	put_dictionary(w, &d);
	free(ids);
}

/* Functions and locations are written with the ids 1, 2 …; mappings in another order. */
static void put_tables(struct otlp_writer *w)
{
	const Pprof__Profile *from = w->from;
	const Pprof__Mapping **mappings = xcalloc(from->n_mapping + 1, sizeof(*mappings));
	Otlp__ProfilesDictionary none = OTLP__PROFILES_DICTIONARY__INIT;
	Otlp__Mapping mapping = OTLP__MAPPING__INIT;
	Otlp__Location location = OTLP__LOCATION__INIT;
	Otlp__Function function = OTLP__FUNCTION__INIT;
	Otlp__Stack stack = OTLP__STACK__INIT;

	none.n_mapping_table = none.n_location_table = none.n_function_table = none.n_stack_table =
		1;
	none.mapping_table = &(Otlp__Mapping *){&mapping};
	none.location_table = &(Otlp__Location *){&location};
	none.function_table = &(Otlp__Function *){&function};
	none.stack_table = &(Otlp__Stack *){&stack};
	put_dictionary(w, &none);
	for (size_t i = 0; i < from->n_mapping; i++)
		mappings[from->mapping[i]->id] = from->mapping[i];
	for (size_t i = 1; i <= from->n_mapping; i++)
		put_mapping(w, mappings[i]);
	for (size_t i = 0; i < from->n_function; i++)
		put_function(w, from->function[i]);
	for (size_t i = 0; i < from->n_location; i++)
		put_location(w, from->location[i]);
	for (size_t i = 0; i < from->n_sample; i++)
		put_stack(w, from->sample[i]);
	free(mappings);
}

/* ---- links to spans ---- */

/* Sets SIZE bytes at ID to the hexadecimal number HEX. Returns false if it has another length. */
static bool parse_id(const char *hex, uint8_t *id, size_t size)
{
	if (strlen(hex) != 2 * size)
		return false;
	for (size_t i = 0; i < size; i++) {
		uint64_t byte;

		if (!parse_u64(hex + 2 * i, 2, 16, &byte))
			return false;
		id[i] = (uint8_t)byte;
	}
	return true;
}

static void new_link(struct otlp_writer *w)
{
	struct otlp_link *link = xcalloc(1, sizeof(*link));

	otlp__link__init(&link->message);
	ALLOC_GROW(w->links, w->nr_links, w->links_alloc);
	w->links[w->nr_links++] = link;
}

/* Returns the number of the link to a span of a trace, which are strings, or 0 if they are no IDs.
 */
static int32_t link_to(struct otlp_writer *w, int64_t trace, int64_t span)
{
	struct otlp_link ids;
	bool is_new;

	if (!parse_id(w->from->string_table[trace], ids.trace, sizeof(ids.trace)) ||
		!parse_id(w->from->string_table[span], ids.span, sizeof(ids.span)))
		return 0;
	uint32_t *number = table_put(&w->by_link, (uint64_t)trace, (uint64_t)span, &is_new);

	if (!is_new)
		return (int32_t)*number;
	*number = (uint32_t)w->nr_links;
	new_link(w);
	struct otlp_link *link = w->links[*number];

	memcpy(link->trace, ids.trace, sizeof(link->trace));
	memcpy(link->span, ids.span, sizeof(link->span));
	link->message.trace_id = (ProtobufCBinaryData){sizeof(link->trace), link->trace};
	link->message.span_id = (ProtobufCBinaryData){sizeof(link->span), link->span};
	return (int32_t)*number;
}

/* Returns the value of the label KEY of a sample, or 0 if it has none. */
static int64_t label_of(const struct otlp_writer *w, const Pprof__Sample *sample, const char *key)
{
	for (size_t i = 0; i < sample->n_label; i++)
		if (!strcmp(w->from->string_table[sample->label[i]->key], key))
			return sample->label[i]->str;
	return 0;
}

static void put_links(struct otlp_writer *w)
{
	Otlp__ProfilesDictionary d = OTLP__PROFILES_DICTIONARY__INIT;
	Otlp__Link **list = xcalloc(w->nr_links, sizeof(*list));

	for (size_t i = 0; i < w->nr_links; i++)
		list[i] = &w->links[i]->message;
	d.n_link_table = w->nr_links;
	d.link_table = list;
	put_dictionary(w, &d);
	free(list);
	for (size_t i = 0; i < w->nr_links; i++)
		free(w->links[i]);
	free(w->links);
	table_release(&w->by_link);
}

/* ---- the profile ---- */

static Otlp__Sample *make_sample(struct otlp_writer *w, size_t i)
{
	const Pprof__Sample *from = w->from->sample[i];
	Otlp__Sample *s = xcalloc(1, sizeof(*s));

	otlp__sample__init(s);
	s->stack_index = (int32_t)i + 1;
	s->n_values = 1;
	s->values = from->value;
	s->link_index = link_to(w, label_of(w, from, "trace"), label_of(w, from, "span"));
	s->attribute_indices = xcalloc(from->n_label + 1, sizeof(*s->attribute_indices));
	for (size_t k = 0; k < from->n_label; k++) {
		const Pprof__Label *label = from->label[k];
		const char *key = w->from->string_table[label->key];
		bool is_task = !strcmp(key, "task");

		if (s->link_index && (!strcmp(key, "trace") || !strcmp(key, "span")))
			continue;
		s->attribute_indices[s->n_attribute_indices++] =
			attribute(w, is_task ? w->thread : label->key, label->str);
	}
	return s;
}

static Otlp__ValueType type_of(const Pprof__ValueType *from)
{
	Otlp__ValueType type = OTLP__VALUE_TYPE__INIT;

	type.type_strindex = (int32_t)from->type;
	type.unit_strindex = (int32_t)from->unit;
	return type;
}

/* Writes the resource with its only profile, which has all samples. */
static void put_resource(struct otlp_writer *w, Otlp__Profile *profile, const char *host)
{
	Otlp__ProfilesData part = OTLP__PROFILES_DATA__INIT;
	Otlp__ResourceProfiles resources = OTLP__RESOURCE_PROFILES__INIT;
	Otlp__Resource resource = OTLP__RESOURCE__INIT;
	Otlp__ScopeProfiles scopes = OTLP__SCOPE_PROFILES__INIT;
	Otlp__InstrumentationScope scope = OTLP__INSTRUMENTATION_SCOPE__INIT;
	Otlp__KeyValue name = OTLP__KEY_VALUE__INIT;
	Otlp__AnyValue value = OTLP__ANY_VALUE__INIT;

	name.key = (char[]){"host.name"};
	value.value_case = OTLP__ANY_VALUE__VALUE_STRING_VALUE;
	value.string_value = (char *)(uintptr_t)host;
	name.value = &value;
	resource.n_attributes = host ? 1 : 0;
	resource.attributes = &(Otlp__KeyValue *){&name};
	scope.name = (char[]){"flametap"};
	scope.version = (char[]){VERSION};
	scopes.scope = &scope;
	scopes.n_profiles = 1;
	scopes.profiles = &profile;
	resources.resource = &resource;
	resources.n_scope_profiles = 1;
	resources.scope_profiles = &(Otlp__ScopeProfiles *){&scopes};
	part.n_resource_profiles = 1;
	part.resource_profiles = &(Otlp__ResourceProfiles *){&resources};
	otlp__profiles_data__pack_to_buffer(&part, &w->buffer);
}

static void put_profile(struct otlp_writer *w, const char *host)
{
	const Pprof__Profile *from = w->from;
	Otlp__Profile profile = OTLP__PROFILE__INIT;
	Otlp__ValueType type = type_of(from->sample_type[0]), period = {0};

	profile.sample_type = &type;
	profile.time_unix_nano = (uint64_t)from->time_nanos;
	profile.duration_nano = (uint64_t)from->duration_nanos;
	profile.period = from->period;
	if (from->period_type) {
		period = type_of(from->period_type);
		profile.period_type = &period;
	}
	profile.n_samples = from->n_sample;
	profile.samples = xcalloc(from->n_sample + 1, sizeof(*profile.samples));
	for (size_t i = 0; i < from->n_sample; i++)
		profile.samples[i] = make_sample(w, i);
	put_resource(w, &profile, host);
	for (size_t i = 0; i < from->n_sample; i++) {
		free(profile.samples[i]->attribute_indices);
		free(profile.samples[i]);
	}
	free(profile.samples);
}

static void put_strings_and_attributes(struct otlp_writer *w)
{
	Otlp__ProfilesDictionary d = OTLP__PROFILES_DICTIONARY__INIT;

	d.n_string_table = w->nr_strings;
	d.string_table = w->strings;
	d.n_attribute_table = w->nr_attributes;
	d.attribute_table = w->attributes;
	put_dictionary(w, &d);
}

static void write_all(struct otlp_writer *w, const char *host)
{
	Otlp__KeyValueAndUnit none = OTLP__KEY_VALUE_AND_UNIT__INIT;

	table_init(&w->by_attribute);
	table_init(&w->by_link);
	new_link(w);
	for (size_t i = 0; i < w->from->n_string_table; i++)
		add_string(w, w->from->string_table[i]);
	w->build_id = add_string(w, "process.executable.build_id.gnu");
	w->thread = add_string(w, "thread.name");
	ALLOC_GROW(w->attributes, w->nr_attributes, w->attributes_alloc);
	w->attributes[w->nr_attributes++] = &none;
	put_profile(w, host);
	put_tables(w);
	put_strings_and_attributes(w);
	put_links(w);
	for (size_t i = 1; i < w->nr_attributes; i++) {
		free(w->attributes[i]->value);
		free(w->attributes[i]);
	}
	free(w->attributes);
	free(w->strings);
	table_release(&w->by_attribute);
}

int view_otlp(const struct profile *p, FILE *out, struct strbuf *err)
{
	struct strbuf bytes = STRBUF_INIT;
	struct otlp_writer w = {.buffer = {append}, .out = out};

	export_pprof_bytes(p, &bytes);
	Pprof__Profile *from = pprof__profile__unpack(NULL, bytes.len, (const uint8_t *)bytes.buf);

	strbuf_release(&bytes);
	if (!from)
		return fail(err, "cannot convert the profile: out of memory\n");
	w.from = from;
	write_all(&w, p->origin.host);
	pprof__profile__free_unpacked(from, NULL);
	return written(out, err);
}
