/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PostgreSQL's row in the table of sources of labels. */
#include "label/label.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "postgres_query.h"
#include "process/target.h"
#include "symbol/elf/elffacts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The text of the query that is executed; every PostgreSQL exports it, and no other program. */
static const char query_symbol[] = "debug_query_string";

static const struct label_key keys[] = {
	[POSTGRES_QUERY] = {"query", true, true},
	[POSTGRES_QUERY_TEXT] = {"query-text", false, true},
	[POSTGRES_BACKEND] = {"backend", false, false},
	[POSTGRES_KEYS] = {NULL, false, false},
};

static const char *const places[] = {[POSTGRES_NONE] = "none", NULL};

static const struct target_file *postgres_file(const struct target *t)
{
	struct elf_variable unused;

	for (size_t i = 0; i < t->nr_files; i++)
		if (elffacts_variable(t->files[i].elf, query_symbol, &unused))
			return &t->files[i];
	return NULL;
}

static int find(const struct target *t, struct label_layout *layout, struct strbuf *err)
{
	const struct target_file *file = postgres_file(t);
	uint64_t text;

	*layout = (struct label_layout){.kind = LABEL_POSTGRES};
	if (!file)
		return 1;
	layout->postgres.query = target_symbol(file, query_symbol);
	if (!memory_pointer(&t->memory, layout->postgres.query, &text))
		return target_refuse(file, "PostgreSQL", err);
	return 0;
}

static void describe(
	const struct target *t, const struct label_layout *layout, uint32_t pid, struct strbuf *out)
{
	const struct target_file *file = postgres_file(t);

	(void)layout;
	strbuf_addf(out, "PostgreSQL in '%s' of process %" PRIu32, file ? file->path : "?", pid);
}

static void take(const void *names, const struct label_new_set *set, uint32_t bits,
	const struct label_taker *taker)
{
	const char *text = set->texts.postgres.query;
	size_t len = strnlen(text, POSTGRES_TEXT_MAX - 1);
	bool cut = len == POSTGRES_TEXT_MAX - 1;
	char *raw = xasprintf("%.*s", (int)len, text);
	struct strbuf query = STRBUF_INIT;

	(void)names;
	postgres_query_add(raw, cut, &query);
	if (bits >> POSTGRES_QUERY & 1 && query.len)
		taker->take(taker->context, keys[POSTGRES_QUERY].name, query.buf);
	if (bits >> POSTGRES_QUERY_TEXT & 1 && len) {
		char *whole = xasprintf("%s%s", raw, cut ? "…" : "");

		taker->take(taker->context, keys[POSTGRES_QUERY_TEXT].name, whole);
		free(whole);
	}
	strbuf_release(&query);
	free(raw);
}

const struct label_source postgres_labels = {
	.name = "postgres",
	.title = "PostgreSQL",
	.owner = "the query that PostgreSQL works on",
	.advice = "give the number of the postmaster, or of a backend",
	.kind = LABEL_POSTGRES,
	.children = true,
	.memberships = MEMBERSHIP_BIT(database) | MEMBERSHIP_BIT(role),
	.keys = keys,
	.process = POSTGRES_BACKEND,
	.place = "statement",
	.places = places,
	.find = find,
	.describe = describe,
	.file = postgres_file,
	.take = take,
};
