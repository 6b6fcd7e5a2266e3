/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A result that a compromised worker process sends in place of names. */
#include "fuzz.h"
#include "symbol/lookup_result.h"

#include <string.h>

static void use(const struct lookup_result *result)
{
	const struct lookup_header *h = &result->header;
	size_t bytes = strlen(h->detail) + strlen(h->other_id) + strlen(h->alt_id);

	for (uint32_t i = 0; i < h->nr_frames; i++)
		for (uint32_t k = 0; k < result->frames[i].nr; k++) {
			const struct lookup_name *name =
				&result->names[result->frames[i].first + k];

			bytes += strlen(strpool_get(&result->strings, name->function));
			bytes += strlen(strpool_get(&result->strings, name->file));
		}
	must(bytes < SIZE_MAX / 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf in = STRBUF_INIT, out = STRBUF_INIT;
	struct lookup_result result;

	strbuf_add(&in, data, size);
	lookup_result_init(&result);
	if (!lookup_result_read(&result, &in)) {
		use(&result);
		lookup_result_write(&result, &out);
		/* no string is written as number 0 or as another number */
		must(out.len == in.len && !memcmp(out.buf + 4, in.buf + 4, in.len - 4));
	}
	lookup_result_release(&result);
	strbuf_release(&in);
	strbuf_release(&out);
	return 0;
}
