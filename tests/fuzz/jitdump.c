/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A dump of a JIT compiler. What is found at an address covers it, whatever the file contains. */
#include "fuzz.h"
#include "lib/strbuf.h"
#include "symbol/names/jitdump.h"

static void check(const struct jitdump *d, uint64_t address, uint64_t time)
{
	uint32_t function = jitdump_find(d, address, time);
	const char *file;

	if (function == JITDUMP_NONE)
		return;
	must(function < jitdump_nr(d));
	must(*jitdump_name(d, function) && jitdump_start(d, function) <= address);
	must(!jitdump_line(d, function, address, &file) || file);
	must(jitdump_find(d, jitdump_start(d, function), 0) != JITDUMP_NONE);
	must(time != JITDUMP_LATEST || function + 1 <= jitdump_passed(d, time));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct jitdump_clock clock = {.shift = 10, .multiplier = 400, .zero = 3};
	static const uint64_t pages[] = {0, 0x1000, 0x7f0000002000, UINT64_MAX - 0xfff};
	struct strbuf err = STRBUF_INIT;
	struct jitdump *d;
	struct lines lines;

	fuzz_lines(&lines, data, size);
	d = jitdump_read(lines.fd, &clock, &err);
	fuzz_lines_end(&lines);
	must(d || err.len);
	for (size_t i = 0; d && i < sizeof(pages) / sizeof(*pages); i++)
		for (uint64_t at = 0; at < 0x1000; at += 8) {
			check(d, pages[i] + at, JITDUMP_LATEST);
			check(d, pages[i] + at, 0);
			check(d, pages[i] + at, 1000);
		}
	jitdump_free(d);
	strbuf_release(&err);
	return 0;
}
