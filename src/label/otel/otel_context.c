/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "otel_context.h"
#include "label/otel/process_context.pb-c.h"
#include "lib/util.h"
#include "lib/worker.h"
#include "process/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION_MAX = 2, PAYLOAD_MAX = 1 << 18, DECODE_S = 2, VALUE_MAX = 128 };

const char *const otel_own_keys[OTEL_OWN] = {
	"service.name", "service.version", "deployment.environment.name"};

/* At the start of the mapping that is called OTEL_CTX. */
struct context_header {
	char signature[8];
	uint32_t version, payload_size;
	uint64_t published; /* 0 while it is changed */
	uint64_t payload;
};

static bool read_header(const struct memory *m, uint64_t at, struct context_header *header)
{
	return memory_read(m, at, header, sizeof(*header)) &&
	       !memcmp(header->signature, "OTEL_CTX", sizeof(header->signature)) &&
	       header->version && header->version <= VERSION_MAX && header->published &&
	       header->payload_size && header->payload_size <= PAYLOAD_MAX;
}

/* A message that a child without privileges decodes. */
struct payload {
	const uint8_t *bytes;
	size_t size;
};

static void add_map(const Otel__ArrayValue *map, struct strbuf *output)
{
	for (size_t i = 0; i < map->n_values && i < OTEL_NAMES_MAX; i++) {
		strbuf_addf(output, "name %zu %s", i, map->values[i]->string_value);
		strbuf_addch(output, '\0');
	}
}

static void add_own(const Otel__KeyValue *attribute, struct strbuf *output)
{
	for (size_t i = 0; i < OTEL_OWN; i++)
		if (!strcmp(attribute->key, otel_own_keys[i]) && attribute->value) {
			strbuf_addf(output, "own %zu %s", i, attribute->value->string_value);
			strbuf_addch(output, '\0');
		}
}

/* Outputs "name NUMBER NAME" and "own NUMBER VALUE", each with a NUL. */
static void decode(void *arg, struct strbuf *output)
{
	const struct payload *p = arg;
	Otel__ProcessContext *context = otel__process_context__unpack(NULL, p->size, p->bytes);

	if (!context)
		return;
	for (size_t i = 0; i < context->n_attributes; i++) {
		const Otel__KeyValue *attribute = context->attributes[i];

		if (!strcmp(attribute->key, "threadlocal.attribute_key_map") && attribute->value &&
			attribute->value->array_value)
			add_map(attribute->value->array_value, output);
	}
	for (size_t i = 0; context->resource && i < context->resource->n_attributes; i++)
		add_own(context->resource->attributes[i], output);
	otel__process_context__free_unpacked(context, NULL);
}

/* Takes a line of decode(). A name never changes its number; a value may change. */
static void take_line(struct otel_names *names, const char *line)
{
	unsigned number;
	int len = 0;

	if (sscanf(line, "name %u %n", &number, &len) == 1 && len && number < OTEL_NAMES_MAX) {
		if (!names->list[number])
			names->list[number] = xasprintf("%.*s", VALUE_MAX, line + len);
	} else if (sscanf(line, "own %u %n", &number, &len) == 1 && len && number < OTEL_OWN) {
		free(names->own[number]);
		names->own[number] = line[len] ? xasprintf("%.*s", VALUE_MAX, line + len) : NULL;
	}
}

static void take_lines(struct otel_names *names, const struct strbuf *text)
{
	const char *s = text->buf, *end = text->buf + text->len, *next;

	for (; s < end && (next = memchr(s, 0, (size_t)(end - s))); s = next + 1)
		take_line(names, s);
}

/* Decodes the SIZE bytes of a payload. Returns false if that fails. */
static bool take_payload(struct otel_names *names, const uint8_t *bytes, size_t size)
{
	struct payload payload = {bytes, size};
	struct worker worker = {
		.work = decode, .arg = &payload, .no_files = true, .output = STRBUF_INIT};

	workers_run(&worker, 1, DECODE_S);
	if (worker.end == WORKER_DONE)
		take_lines(names, &worker.output);
	strbuf_release(&worker.output);
	return worker.end == WORKER_DONE;
}

void otel_names_update(struct otel_names *names, const struct memory *memory)
{
	uint64_t at = memory_named(memory, "OTEL_CTX");
	struct context_header header, after;

	if (!at || !read_header(memory, at, &header) || header.published == names->published)
		return;
	uint8_t *bytes = xcalloc(1, header.payload_size);

	if (memory_read(memory, header.payload, bytes, header.payload_size) &&
		read_header(memory, at, &after) && after.published == header.published &&
		take_payload(names, bytes, header.payload_size))
		names->published = header.published;
	free(bytes);
}

struct otel_names *otel_names_read(const struct memory *memory)
{
	struct otel_names *names = xcalloc(1, sizeof(*names));

	otel_names_update(names, memory);
	if (names->published)
		return names;
	otel_names_free(names);
	return NULL;
}

void otel_names_free(struct otel_names *names)
{
	for (size_t i = 0; names && i < OTEL_NAMES_MAX; i++)
		free(names->list[i]);
	for (size_t i = 0; names && i < OTEL_OWN; i++)
		free(names->own[i]);
	free(names);
}
