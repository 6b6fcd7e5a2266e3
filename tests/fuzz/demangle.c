/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of functions, one a line. Names that need a worker stay mangled here. */
#include "fuzz.h"
#include "lib/strbuf.h"
#include "symbol/names/demangler.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES = 16, TIMES_MAX = 64, MORE_MAX = 4096 };

static size_t add_names(struct demangler *d, const uint8_t *data, size_t size, uint32_t *numbers)
{
	const char *at = (const char *)data, *end = at + size;
	size_t nr = 0;

	while (at < end && nr < NAMES) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((line_end ? line_end : end) - at);
		char *name = strndup(at, len);

		numbers[nr++] = demangler_add(d, name, strlen(name));
		free(name);
		at += len + 1;
	}
	return nr;
}

static void use(const uint8_t *data, size_t size, enum demangle how)
{
	uint32_t numbers[NAMES];
	struct demangler d;

	demangler_init(&d, how);
	size_t nr = add_names(&d, data, size, numbers);

	d.nr_costly = 0;
	demangler_settle(&d);
	for (size_t i = 0; i < nr; i++) {
		size_t len;
		const char *shown = demangler_get(&d, numbers[i], &len);

		must(strlen(shown) == len);
		must(len <= MORE_MAX + (TIMES_MAX + 1) * size);
	}
	demangler_release(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	use(data, size, DEMANGLE_SHORT);
	use(data, size, DEMANGLE_FULL);
	return 0;
}
