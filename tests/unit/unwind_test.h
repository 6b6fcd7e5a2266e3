/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Common functions of the tests of src/unwind: rules, and files made up for them. */
#ifndef TESTS_UNIT_UNWIND_TEST_H
#define TESTS_UNIT_UNWIND_TEST_H

#include "symbol_test.h"
#include "tiny_elf.h"
#include "runtime/native.h"
#include "unwind/unwind_build.h"
#include "unwind/unwind_table.h"

#include <dwarf.h>

/* DWARF's numbers. */
enum { BX = 3, BP = 6, SP = 7, IP = 16 };

enum { FUNCTION = 64 }; /* bytes of each function */

enum which_cie { PLAIN, SIGNAL, NO_CFA, NO_RA, NR_CIES };

#define CODE(...) (const char[]){__VA_ARGS__}, sizeof((const char[]){__VA_ARGS__})

#define REG(cfa_reg, cfa_offset, ...)                                                              \
	{                                                                                          \
		.cfa = UNWIND_CFA_REG, .reg = (cfa_reg), .offset = (cfa_offset), .ra = -1,         \
		__VA_ARGS__                                                                        \
	}
#define NONE                                                                                       \
	{                                                                                          \
		.cfa = UNWIND_CFA_NONE                                                             \
	}
#define ROOT                                                                                       \
	{                                                                                          \
		.cfa = UNWIND_CFA_ROOT                                                             \
	}

static const struct unwind_rule plain = REG(SP, 8), nothing = NONE;

static inline void add_number(struct strbuf *sb, uint64_t value, size_t size)
{
	strbuf_add(sb, &value, size);
}

/* Adds an entry whose content after the length is BODY. */
static inline void add_entry(struct strbuf *sb, struct strbuf *body)
{
	tiny_pad(body, 4);
	add_number(sb, body->len, 4);
	strbuf_add(sb, body->buf, body->len);
	strbuf_release(body);
}

/* Adds a CIE of version 1. AUGMENTATION ends with a 0; REST follows the number of the column. */
static inline void add_cie(
	struct strbuf *sb, const char *augmentation, const char *rest, size_t size)
{
	struct strbuf body = STRBUF_INIT;

	add_number(&body, 0, 4);
	strbuf_addch(&body, 1);
	strbuf_add(&body, augmentation, strlen(augmentation) + 1);
	strbuf_add(&body, "\x01\x78\x10", 3); /* units 1 and -8, column 16 */
	strbuf_add(&body, rest, size);
	add_entry(sb, &body);
}

/* Adds an FDE whose pointers have 8 bytes. CIE is the offset of its CIE. */
static inline void add_fde(struct strbuf *sb, size_t cie, uint64_t start, uint64_t size,
	const char *code, size_t code_size)
{
	struct strbuf body = STRBUF_INIT;

	add_number(&body, sb->len + 4 - cie, 4);
	add_number(&body, start, 8);
	add_number(&body, size, 8);
	strbuf_addch(&body, 0);
	strbuf_add(&body, code, code_size);
	add_entry(sb, &body);
}

static inline void add_cies(struct strbuf *sb, size_t at[NR_CIES])
{
	at[PLAIN] = sb->len;
	add_cie(sb, "zR", CODE(1, DW_EH_PE_udata8, DW_CFA_def_cfa, SP, 8, (char)0x90, 1));
	at[SIGNAL] = sb->len;
	add_cie(sb, "zRS", CODE(1, DW_EH_PE_udata8));
	at[NO_CFA] = sb->len;
	add_cie(sb, "zR", CODE(1, DW_EH_PE_udata8, (char)0x90, 1));
	at[NO_RA] = sb->len;
	add_cie(sb, "zR", CODE(1, DW_EH_PE_udata8, DW_CFA_def_cfa, SP, 8));
}

static const char text[8192];

/* Opens an image with SIZE bytes of text and a section NAME of content SB, which is released. */
static inline struct elffile *open_tiny(size_t size, const char *name, struct strbuf *sb)
{
	struct strbuf image = STRBUF_INIT;
	const struct tiny_section sections[TINY_SECTIONS] = {
		{".text", text, size}, {name, sb->buf, sb->len}};

	tiny_elf(&image, sections);
	struct elffile *elf = elffile_open_memory(image.buf, image.len);

	assert_non_null(elf);
	strbuf_release(&image);
	strbuf_release(sb);
	return elf;
}

static inline void build(struct unwind_table *table, struct elffile *elf)
{
	struct strbuf err = STRBUF_INIT;

	if (unwind_build(table, elf, native_sources, false, &err))
		fail_msg("%s", err.buf);
}

static inline bool is_rule(
	const struct unwind_table *table, uint64_t address, struct unwind_rule want)
{
	return !memcmp(unwind_table_find(table, address), &want, sizeof(want));
}

static inline void find_many(const struct unwind_table *table)
{
	for (int i = 0; i < 200; i++) {
		uint64_t at = table->header->base + random_below(i % 2 ? 1 << 20 : UINT64_MAX);

		assert_true(unwind_table_find(table, at)->cfa <= UINT8_MAX);
	}
}

static inline void damage(unsigned char *bytes, size_t from, size_t to)
{
	static const uint64_t values[] = {0, UINT64_MAX, INT64_MAX, 1, UINT64_MAX - 0xfff, 0x80};
	size_t at = from + random_below(to - from);

	if (random_below(4) || to - at < 8)
		bytes[at] = (unsigned char)random_below(256);
	else
		memcpy(bytes + at, &values[random_below(ARRAY_LEN(values))], 8);
}

static inline size_t build_damaged(const void *image, size_t size)
{
	struct elffile *elf = elffile_open_memory(image, size);
	struct unwind_table table;
	bool built;

	if (!elf)
		return 0;
	built = !unwind_build(&table, elf, native_sources, false, NULL);
	if (built)
		find_many(&table);
	unwind_table_release(&table);
	elffile_close(elf);
	return built;
}

/* Damages an image many times, mostly after its first SAFE bytes. */
static inline void build_many_damaged(const char *image, size_t size, size_t safe)
{
	int rounds = getenv("ROUNDS") ? atoi(getenv("ROUNDS")) : 1000;
	size_t built = 0;

	assert_int_equal(build_damaged(image, size), 1);
	for (int i = 0; i < rounds; i++) {
		unsigned char *copy = xmalloc(size);

		memcpy(copy, image, size);
		for (uint64_t k = random_below(6); k < 6; k++)
			damage(copy, k < 5 ? safe : 0, size);
		built += build_damaged(copy, size);
		free(copy);
	}
	printf("# tables of %zu of %d damaged files\n", built, rounds);
}

#endif
