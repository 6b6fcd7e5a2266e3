/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "packed.h"
#include "lib/util.h"

#include <string.h>

uint32_t packed_string(struct strpool *strings, const char *s)
{
	return strpool_add(strings, s, strnlen(s, PACKED_STRING_MAX));
}

void pack_strings(struct strbuf *out, const struct strpool *strings)
{
	for (uint32_t i = 1; i < strings->nr; i++) {
		uint32_t len = (uint32_t)strpool_len(strings, i);

		strbuf_add(out, &len, sizeof(len));
		strbuf_add(out, strpool_get(strings, i), len);
	}
}

void pack_array(struct strbuf *out, const void *array, size_t nr, size_t size)
{
	if (nr)
		strbuf_add(out, array, nr * size);
}

struct unpack unpack_begin(const struct strbuf *in)
{
	return (struct unpack){in->buf, in->buf + in->len};
}

bool unpack_bytes(struct unpack *u, void *to, size_t size)
{
	if (size > (size_t)(u->end - u->at))
		return false;
	memcpy(to, u->at, size);
	u->at += size;
	return true;
}

bool unpack_strings(struct unpack *u, struct strpool *strings, uint32_t nr)
{
	for (uint32_t i = 1; i < nr; i++) {
		uint32_t len;

		if (!unpack_bytes(u, &len, sizeof(len)) || len > (size_t)(u->end - u->at) ||
			strpool_add(strings, u->at, len) != i)
			return false;
		u->at += len;
	}
	return true;
}

void *unpack_array(struct unpack *u, size_t nr, size_t size)
{
	void *array;

	if (nr > (size_t)(u->end - u->at) / size)
		return NULL;
	array = xcalloc(nr + 1, size);
	unpack_bytes(u, array, nr * size);
	return array;
}
