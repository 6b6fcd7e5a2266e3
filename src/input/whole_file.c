/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "whole_file.h"
#include "lib/limits/memory.h"
#include "lib/lines.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <inttypes.h>
#include <string.h>

enum { CHUNK = 1 << 16 };

int whole_file_read(struct lines *lines, struct strbuf *out, struct strbuf *err)
{
	uint64_t most = memory_share(UINT64_C(1) << 30, 4);
	const char *bytes;
	size_t n;

	while ((n = lines_take(lines, CHUNK, &bytes))) {
		if (out->len + n > most)
			return fail(err, "it is larger than %" PRIu64 " MiB\n", most >> 20);
		strbuf_add(out, bytes, n);
	}
	return lines->error ? fail(err, "cannot read: %s\n", strerror(lines->error)) : 0;
}
