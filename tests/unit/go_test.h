/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A made-up table of functions of Go. */
#ifndef TESTS_UNIT_GO_TEST_H
#define TESTS_UNIT_GO_TEST_H

#include "unwind_test.h"

/* Offsets of the parts in make_pclntab's table. */
enum {
	GO_NAMES = 128,
	GO_DEPTHS = 256,
	GO_FUNCTIONS = 320,
	GO_DESCRIPTIONS = 512,
	GO_DESCRIPTION = 64, /* bytes of each */
};

static inline void put_at(struct strbuf *sb, size_t at, uint64_t value, size_t size)
{
	while (sb->len < at + size)
		strbuf_addch(sb, '\0');
	memcpy(sb->buf + at, &value, size);
}

static const uint32_t go_magics[] = {0xfffffff1, 0xfffffff0, 0xfffffffa};

static const char *const go_functions[] = {"main.(*T).Method", "runtime.goexit.abi0",
	"runtime.goexit1", "_rt0_amd64_linux", "main.F[...]"};

/*
 * Makes a table of functions of FUNCTION bytes. The words of its header from offset 8 on are the
 * numbers of functions and files, the start of the text if RELATIVE, and the offsets of names, of
 * two other parts, of depths and of functions.
 */
static inline void make_pclntab(struct strbuf *sb, uint32_t magic, bool relative)
{
	/* 0 for 4 bytes, 24 for 52, 0 for 8 */
	static const char depths[] = {0, 2, 4, 48, 52, 47, 8, 0};
	size_t width = relative ? 4 : 8, word = 8, name = GO_NAMES, nr = ARRAY_LEN(go_functions);
	uint64_t base = relative ? 0 : TINY_FIRST;

	put_at(sb, 0, magic, 4);
	put_at(sb, 4, 0x08010000, 4);
	put_at(sb, word, nr, 8);
	if (relative)
		put_at(sb, word += 16, TINY_FIRST, 8);
	else
		word += 8;
	put_at(sb, word + 8, GO_NAMES, 8);
	put_at(sb, word + 32, GO_DEPTHS, 8);
	put_at(sb, word + 40, GO_FUNCTIONS, 8);
	for (size_t i = 0; i < nr; i++) {
		size_t at = GO_DESCRIPTIONS + GO_DESCRIPTION * i;

		put_at(sb, GO_FUNCTIONS + 2 * i * width, base + i * FUNCTION, width);
		put_at(sb, GO_FUNCTIONS + (2 * i + 1) * width, at - GO_FUNCTIONS, width);
		put_at(sb, at + width, name - GO_NAMES, 4);
		put_at(sb, at + width + 12, i == 4 ? 0 : 1, 4);
		put_at(sb, name + strlen(go_functions[i]), 0, 1);
		memcpy(sb->buf + name, go_functions[i], strlen(go_functions[i]));
		name += strlen(go_functions[i]) + 1;
	}
	put_at(sb, GO_FUNCTIONS + 2 * nr * width, base + nr * FUNCTION, width);
	memcpy(sb->buf + GO_DEPTHS, depths, sizeof(depths));
}

#endif
