/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "blob_id.h"
#include "strbuf.h"

#include <stdio.h>

/* A function of libiberty, whose header is not installed. Writes the SHA-1, returns TO. */
void *sha1_buffer(const char *bytes, size_t len, void *to);

void blob_id(const char *text, size_t len, char id[BLOB_ID + 1])
{
	struct strbuf blob = STRBUF_INIT;
	unsigned char sha1[BLOB_ID / 2];

	strbuf_addf(&blob, "blob %zu", len);
	strbuf_addch(&blob, '\0');
	strbuf_add(&blob, text, len);
	sha1_buffer(blob.buf, blob.len, sha1);
	strbuf_release(&blob);
	for (size_t i = 0; i < sizeof(sha1); i++)
		snprintf(id + 2 * i, 3, "%02x", sha1[i]);
}
