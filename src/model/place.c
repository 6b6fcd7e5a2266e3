/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <inttypes.h>
#include <string.h>

uint32_t place_add(struct strpool *pool, uint64_t address, const char *build_id, size_t len)
{
	struct strbuf text = STRBUF_INIT;
	uint32_t place;

	if (!address && !len)
		return 0;
	strbuf_addf(&text, "%" PRIx64 " ", address);
	strbuf_add(&text, build_id, len);
	place = strpool_add(pool, text.buf, text.len);
	strbuf_release(&text);
	return place;
}

struct place place_get(const struct strpool *pool, uint32_t place)
{
	const char *text = strpool_get(pool, place);
	size_t len = strpool_len(pool, place);
	const char *blank = memchr(text, ' ', len);
	struct place result = {.build_id = ""};

	if (!blank || !parse_u64(text, (size_t)(blank - text), 16, &result.address))
		return result;
	result.build_id = blank + 1;
	result.len = (size_t)(text + len - result.build_id);
	return result;
}
