/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the sets of a source's labels in a tally. */
#include "engine/label_sets.h"
#include "label/label_processes.h"
#include "lib/util.h"
#include "tally.h"

#include <stdlib.h>
#include <string.h>

/*
 * Puts a label, "KEY=NUMBER" or "KEY=LENGTH,TEXT", into SET. Labels that the source does not have
 * are skipped.
 */
static void put_label(
	const struct label_source *source, struct label_new_set *set, const char *text, size_t len)
{
	size_t key = strcspn(text, "="), digits = strspn(text + key + 1, "0123456789abcdef");
	const char *end = text + len, *at = text + key + 1 + digits;
	int index = label_key_index(source, text, key);
	uint64_t number;
	char *value = NULL;

	if (index < 0 || !parse_u64(text + key + 1, digits, 16, &number))
		return;
	if (at < end && *at == ',')
		value = tally_text(at + 1, (size_t)(end - at - 1));
	source->put(set, index, number, value);
	free(value);
}

void tally_label_sets(const struct tally *t, struct label_sets *sets)
{
	const struct label_source *source = sets->processes->source;

	for (size_t i = 0; i < t->nr_sets && source; i++) {
		struct label_new_set set = {.number = t->sets[i].number, .tgid = t->sets[i].pid};

		for (const char *at = strpool_get(&t->texts, t->sets[i].labels); *at;) {
			size_t len = strcspn(at, " ");

			put_label(source, &set, at, len);
			at += len + (at[len] == ' ');
		}
		label_sets_add(sets, &set);
	}
}
