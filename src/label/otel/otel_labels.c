/* SPDX-License-Identifier: GPL-2.0-or-later */
/* OpenTelemetry's row in the table of sources of labels. */
#include "label/label.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "otel_context.h"
#include "process/target.h"
#include "runtime/target_facts.h"
#include "runtime/thread_variable.h"
#include "symbol/elf/elffacts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Points to the thread's record. SDKs export it from the program, or from one of its libraries. */
static const char variable[] = "otel_thread_ctx_v1";

static const struct label_key keys[] = {
	[OTEL_TRACE] = {"trace", false, true},
	[OTEL_SPAN] = {"span", false, true},
	[OTEL_ATTRIBUTES] = {"attributes", true, true},
	[OTEL_INSTANCE] = {"instance", false, false},
	[OTEL_KEYS] = {NULL, false, false},
};

static const char *const places[] = {[OTEL_NONE] = "none", NULL};

static const struct target_file *otel_file(const struct target *t)
{
	static const char *const none[] = {NULL};
	uint64_t unused;

	target_facts_ask(t, none, variable);
	for (size_t i = 0; i < t->nr_files; i++)
		if (elffacts_thread_place(t->files[i].elf, variable, &unused) != THREAD_NOWHERE)
			return &t->files[i];
	return NULL;
}

static int find(const struct target *t, struct label_layout *layout, struct strbuf *err)
{
	const struct target_file *file = otel_file(t);

	*layout = (struct label_layout){.kind = LABEL_OTEL};
	if (!file)
		return 1;
	if (thread_variable_path(t, file, variable, &layout->otel.record))
		return 0;
	return fail(err, "cannot find out where threads have %s of '%s'", variable, file->path);
}

/* A process may name further attributes at any time. */
static enum label_state state(const struct label_layout *layout)
{
	(void)layout;
	return LABEL_UNVERIFIED;
}

static void describe(
	const struct target *t, const struct label_layout *layout, uint32_t pid, struct strbuf *out)
{
	const struct target_file *file = otel_file(t);
	struct otel_names *names = otel_names_read(&t->memory);

	(void)layout;
	strbuf_addf(out, "an OpenTelemetry SDK in '%s' of process %" PRIu32 "%s",
		file ? file->path : "?", pid,
		names ? "" : ", which does not publish the names of attributes");
	otel_names_free(names);
}

static void *open_names(const struct target *t, const struct label_layout *layout)
{
	(void)layout;
	return otel_names_read(&t->memory);
}

static void close_names(void *names)
{
	otel_names_free(names);
}

static void renew(void *names, const struct target *t)
{
	otel_names_update(names, &t->memory);
}

static void take_id(
	const uint8_t *id, size_t size, const char *key, const struct label_taker *taker)
{
	struct strbuf text = STRBUF_INIT;
	bool is_set = false;

	for (size_t i = 0; i < size; i++) {
		is_set |= id[i];
		strbuf_addf(&text, "%02x", id[i]);
	}
	if (is_set)
		taker->take(taker->context, key, text.buf);
	strbuf_release(&text);
}

/*
 * Passes the attributes: bytes of a number, a length and a value. The last one with a number
 * counts, and what is not whole does not.
 */
static void take_attributes(const struct otel_names *names, const struct otel_texts *texts,
	const struct label_taker *taker)
{
	size_t size = texts->size <= OTEL_ATTRIBUTES_MAX ? texts->size : OTEL_ATTRIBUTES_MAX;
	const uint8_t *last[OTEL_NAMES_MAX] = {NULL}, *at = texts->attributes, *end = at + size;

	for (; end - at >= 2 && end - at - 2 >= at[1]; at += 2 + at[1])
		last[at[0]] = at;
	for (size_t i = 0; i < OTEL_NAMES_MAX; i++)
		if (last[i] && names->list[i])
			label_take_chosen(taker, "otel.", names->list[i], strlen(names->list[i]),
				last[i] + 2, last[i][1]);
}

static void take(const void *names, const struct label_new_set *set, uint32_t bits,
	const struct label_taker *taker)
{
	const struct otel_texts *texts = &set->texts.otel;

	if (bits >> OTEL_TRACE & 1)
		take_id(texts->trace, sizeof(texts->trace), keys[OTEL_TRACE].name, taker);
	if (bits >> OTEL_SPAN & 1)
		take_id(texts->span, sizeof(texts->span), keys[OTEL_SPAN].name, taker);
	if (names && bits >> OTEL_ATTRIBUTES & 1)
		take_attributes(names, texts, taker);
}

static void own(const void *names, const struct label_taker *taker)
{
	const struct otel_names *n = names;

	for (size_t i = 0; i < OTEL_OWN; i++)
		if (n->own[i])
			taker->take(taker->context, otel_own_keys[i], n->own[i]);
}

const struct label_source otel_labels = {
	.name = "otel",
	.title = "OpenTelemetry",
	.owner = "the context that an OpenTelemetry SDK has attached to the thread",
	.advice = "give the number of a process whose SDK shares the contexts of its threads",
	.kind = LABEL_OTEL,
	.keys = keys,
	.dotted = OTEL_ATTRIBUTES,
	.process = OTEL_INSTANCE,
	.place = "context",
	.places = places,
	.find = find,
	.state = state,
	.describe = describe,
	.open = open_names,
	.close = close_names,
	.renew = renew,
	.own = own,
	.file = otel_file,
	.take = take,
};
