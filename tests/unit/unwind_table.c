/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sources of unwind tables: entries of call frame information, Go's table, trampolines. */
#include "runtime/native.h"
#include "go_test.h"
#include "symbol/elf/elffile.h"

#include <fcntl.h>

/* ---- entries ---- */

static const struct unwind_rule deeper = REG(SP, 16);
static const char at_16[] = {DW_CFA_def_cfa_offset, 16};

/* Returns whether a table is made with an FDE at TINY_FIRST whose pointers are ENCODED. */
static bool understands(
	const char *augmentation, unsigned char encoding, const char *pointers, size_t size)
{
	struct strbuf sb = STRBUF_INIT, body = STRBUF_INIT;
	const char rest[] = {1, (char)encoding, DW_CFA_def_cfa, SP, 8, (char)0x90, 1};
	struct unwind_table table;

	add_cie(&sb, augmentation, rest, sizeof(rest));
	add_number(&body, sb.len + 4, 4);
	strbuf_add(&body, pointers, size);
	strbuf_addch(&body, 0);
	add_entry(&sb, &body);
	struct elffile *elf = open_tiny(FUNCTION, ".eh_frame", &sb);
	bool known = !unwind_build(&table, elf, native_sources, false, NULL) &&
		     is_rule(&table, TINY_FIRST, plain) &&
		     is_rule(&table, TINY_FIRST + FUNCTION - 1, plain) &&
		     is_rule(&table, TINY_FIRST + FUNCTION, nothing);

	unwind_table_release(&table);
	elffile_close(elf);
	return known;
}

/* TINY_FIRST is 0x10100; the pointer follows 64 bytes of code, 24 of the CIE and 8 more. */
static void test_encodings(void **state)
{
	(void)state;
	assert_true(understands(
		"zR", DW_EH_PE_absptr, CODE(0, 1, 1, 0, 0, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0)));
	assert_true(understands(
		"zR", DW_EH_PE_sdata8, CODE(0, 1, 1, 0, 0, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0)));
	assert_true(understands("zR", DW_EH_PE_udata4, CODE(0, 1, 1, 0, 64, 0, 0, 0)));
	assert_true(understands("zR", DW_EH_PE_sdata4, CODE(0, 1, 1, 0, 64, 0, 0, 0)));
	assert_true(understands("zR", DW_EH_PE_pcrel | DW_EH_PE_sdata4,
		CODE((char)(256 - 64 - 24 - 8), -1, -1, -1, 64, 0, 0, 0)));
	assert_true(understands("zR", DW_EH_PE_pcrel | DW_EH_PE_sdata2,
		CODE((char)(256 - 64 - 24 - 8), -1, 64, 0)));
	assert_true(understands("zR", DW_EH_PE_uleb128, CODE((char)0x80, (char)0x82, 4, 64)));
	assert_false(understands(
		"zR", DW_EH_PE_datarel | DW_EH_PE_sdata4, CODE(0, 1, 1, 0, 64, 0, 0, 0)));
	assert_false(understands(
		"zR", DW_EH_PE_indirect | DW_EH_PE_udata4, CODE(0, 1, 1, 0, 64, 0, 0, 0)));
	assert_false(understands("zR", DW_EH_PE_omit, CODE(0, 1, 1, 0, 64, 0, 0, 0)));
	assert_false(understands("zR", DW_EH_PE_udata8, CODE(0, 1, 1, 0, 64, 0, 0, 0)));
	assert_false(understands("zX", DW_EH_PE_udata4, CODE(0, 1, 1, 0, 64, 0, 0, 0)));
	assert_false(understands("R", DW_EH_PE_udata4, CODE(0, 1, 1, 0, 64, 0, 0, 0)));
}

static void test_augmentation(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct unwind_table table;

	(void)state;
	/* personality by an indirect pointer, and exception data */
	add_cie(&sb, "zPLR",
		CODE(7, (char)(DW_EH_PE_indirect | DW_EH_PE_pcrel | DW_EH_PE_sdata4), 1, 2, 3, 4,
			DW_EH_PE_sdata4, DW_EH_PE_udata8, DW_CFA_def_cfa, SP, 8, (char)0x90, 1));
	add_fde(&sb, 0, TINY_FIRST, FUNCTION, at_16, sizeof(at_16));
	struct elffile *elf = open_tiny(FUNCTION, ".eh_frame", &sb);

	build(&table, elf);
	assert_true(is_rule(&table, TINY_FIRST, deeper));
	unwind_table_release(&table);
	elffile_close(elf);
}

/* Version 4, in the order and with the numbers of .debug_frame. */
static void test_debug_frame(void **state)
{
	static const char cie[] = {
		-1, -1, -1, -1, 4, 0, 8, 0, 1, 0x78, 16, DW_CFA_def_cfa, SP, 8, (char)0x90, 1};
	struct strbuf sb = STRBUF_INIT, body = STRBUF_INIT;
	struct unwind_table table;

	(void)state;
	/* an FDE before its CIE */
	add_number(&body, 4 + 4 + 16 + 4, 4);
	add_number(&body, TINY_FIRST, 8);
	add_number(&body, FUNCTION, 8);
	strbuf_add(&body, at_16, sizeof(at_16));
	add_entry(&sb, &body);
	strbuf_add(&body, cie, sizeof(cie));
	add_entry(&sb, &body);
	struct elffile *elf = open_tiny(FUNCTION, ".debug_frame", &sb);

	build(&table, elf);
	assert_true(is_rule(&table, TINY_FIRST, deeper));
	unwind_table_release(&table);
	elffile_close(elf);
}

static void test_ranges(void **state)
{
	static const struct {
		uint64_t start, size;
	} fdes[] = {
		{0, TINY_FIRST + 4096},  /* removed */
		{TINY_FIRST + 200, 100}, /* cut by the one before it in address order */
		{TINY_FIRST + 100, 150},
		{TINY_FIRST + 110, 10},        /* within it */
		{TINY_FIRST + 300, 1 << 20},   /* beyond the code */
		{1 << 24, 100},                /* in no code */
		{TINY_FIRST + 50, UINT64_MAX}, /* beyond the addresses */
		{TINY_FIRST + 60, 0},
	};
	struct strbuf sb = STRBUF_INIT;
	size_t cie[NR_CIES];
	struct unwind_table table;

	(void)state;
	add_cies(&sb, cie);
	for (size_t i = 0; i < ARRAY_LEN(fdes); i++) {
		char code[] = {DW_CFA_def_cfa_offset, (char)(i * 8)};

		add_fde(&sb, cie[PLAIN], fdes[i].start, fdes[i].size, code, sizeof(code));
		if (i == 3)
			add_number(&sb, 0, 4); /* an end in the middle */
	}
	struct elffile *elf = open_tiny(4096, ".eh_frame", &sb);

	build(&table, elf);
	assert_int_equal(table.header->base, TINY_FIRST + 100);
	assert_true(table.header->size < 8192);
	for (uint64_t at = TINY_FIRST; at < TINY_FIRST + 4096; at++) {
		uint64_t i = at - TINY_FIRST;
		struct unwind_rule want = REG(SP, i < 250 ? 16 : i < 300 ? 8 : 32);

		assert_true(is_rule(&table, at, i < 100 ? nothing : want));
	}
	unwind_table_release(&table);
	elffile_close(elf);
}

static void test_no_table(void **state)
{
	struct strbuf sb = STRBUF_INIT, err = STRBUF_INIT, image = STRBUF_INIT;
	const struct tiny_section sections[TINY_SECTIONS] = {{".text", text, 64}};
	struct elffile *elf = open_tiny(FUNCTION, ".other", &sb);
	struct unwind_table table;

	(void)state;
	assert_int_equal(unwind_build(&table, elf, native_sources, false, &err), -1);
	assert_non_null(strstr(err.buf, "no unwind information"));
	assert_null(table.blocks);
	assert_int_equal(unwind_table_find(&table, TINY_FIRST)->cfa, UNWIND_CFA_NONE);
	unwind_table_release(&table);
	elffile_close(elf);
	tiny_elf(&image, sections);
	image.buf[offsetof(Elf64_Ehdr, e_machine)] = EM_386;
	elf = elffile_open_memory(image.buf, image.len);
	assert_int_equal(unwind_build(&table, elf, native_sources, false, &err), -1);
	assert_non_null(strstr(err.buf, "not for x86-64"));
	elffile_close(elf);
	strbuf_release(&image);
	strbuf_release(&err);
}

static void test_open_file(void **state)
{
	struct strbuf err = STRBUF_INIT;
	struct elffile *elf = elffile_open_fd(open("/usr/bin/env", O_RDONLY | O_CLOEXEC), &err);
	struct unwind_table table;
	int fds[2];

	(void)state;
	assert_non_null(elf);
	build(&table, elf);
	unwind_table_release(&table);
	elffile_close(elf);
	assert_null(elffile_open_fd(-1, NULL));
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_null(elffile_open_fd(fds[0], &err));
	assert_non_null(strstr(err.buf, "not a regular file"));
	assert_int_equal(close(fds[0]), -1); /* the descriptor was taken over */
	close(fds[1]);
	strbuf_release(&err);
}

/* ---- Go ---- */

static void check_go(const struct unwind_table *table)
{
	static const struct unwind_rule root = ROOT;
	static const struct unwind_rule frame = REG(SP, 32, .fp_saved = UNWIND_AT_CFA, .fp = -2,
		.base_saved = UNWIND_LOST, .lost = 0xf);
	static const struct unwind_rule none = REG(SP, 8, .base_saved = UNWIND_LOST, .lost = 0xf);

	for (uint64_t i = 0; i < FUNCTION; i++) {
		struct unwind_rule want = i >= 4 && i < 56 ? frame : none;

		assert_true(is_rule(table, TINY_FIRST + i, want));
		assert_true(is_rule(table, TINY_FIRST + FUNCTION + i, root));
		assert_true(is_rule(table, TINY_FIRST + 2 * FUNCTION + i, want));
		assert_true(is_rule(table, TINY_FIRST + 3 * FUNCTION + i, root));
		assert_true(is_rule(table, TINY_FIRST + 4 * FUNCTION + i, nothing));
	}
}

static void test_go(void **state)
{
	struct unwind_table table;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(go_magics); i++) {
		struct strbuf sb = STRBUF_INIT;

		make_pclntab(&sb, go_magics[i], i < 2);
		struct elffile *elf =
			open_tiny(1024, i ? ".gopclntab" : ".data.rel.ro.gopclntab", &sb);

		build(&table, elf);
		check_go(&table);
		unwind_table_release(&table);
		elffile_close(elf);
	}
}

/* ---- trampolines ---- */

static void test_trampolines(void **state)
{
	enum { SIZE = 9, AT = 64 };
	static const char long_form[] = {0x48, -57, -64, 15, 0, 0, 0, 15, 5},
			  short_form[] = {-72, 15, 0, 0, 0, 15, 5};
	static const struct unwind_rule want = {.cfa = UNWIND_CFA_SIGNAL, .reg = SP, .offset = 40};
	struct strbuf image = STRBUF_INIT, sb = STRBUF_INIT;
	char code[512] = "";
	size_t cie[NR_CIES];
	struct unwind_table table;

	(void)state;
	memcpy(code + AT, long_form, sizeof(long_form));
	memcpy(code + 2 * AT, short_form, sizeof(short_form));
	memcpy(code + 3 * AT, short_form, sizeof(short_form));
	memcpy(code + 4 * AT, short_form + 1, sizeof(short_form) - 1);
	add_cies(&sb, cie);
	add_fde(&sb, cie[PLAIN], TINY_FIRST + 2 * AT, AT / 2, "", 0);
	add_fde(&sb, cie[PLAIN], TINY_FIRST + 3 * AT - 1, AT, "", 0);
	tiny_elf(&image, (struct tiny_section[TINY_SECTIONS]){
				 {".text", code, sizeof(code)}, {".eh_frame", sb.buf, sb.len}});
	struct elffile *elf = elffile_open_memory(image.buf, image.len);

	build(&table, elf);
	for (uint64_t i = 0; i < AT; i++) {
		uint64_t at = TINY_FIRST - 1 + i;
		bool in_short = i <= sizeof(short_form);

		assert_true(is_rule(&table, at + AT, i <= SIZE ? want : nothing));
		assert_true(is_rule(&table, at + 2 * AT,
			in_short      ? want
			: i <= AT / 2 ? plain
				      : nothing));
		/* inside a function: not entered by a return */
		assert_true(is_rule(&table, at + 3 * AT, plain));
		assert_true(is_rule(&table, at + 4 * AT, nothing));
	}
	unwind_table_release(&table);
	elffile_close(elf);
	strbuf_release(&sb);
	strbuf_release(&image);
}

/* ---- where a process starts ---- */

static int find_linker(struct dl_phdr_info *info, size_t size, void *path)
{
	(void)size;
	if (strstr(info->dlpi_name, "/ld-"))
		strbuf_adds(path, info->dlpi_name);
	return 0;
}

static void test_entry_of_the_dynamic_linker(void **state)
{
	struct strbuf path = STRBUF_INIT, err = STRBUF_INIT;
	struct unwind_table table;
	GElf_Ehdr ehdr;

	(void)state;
	dl_iterate_phdr(find_linker, &path);
	if (!path.len)
		skip(); /* linked statically, or not glibc's */
	struct elffile *elf = elffile_open(path.buf, &err);

	assert_non_null(elf);
	assert_non_null(gelf_getehdr(elffile_elf(elf), &ehdr));
	build(&table, elf);
	for (uint64_t at = ehdr.e_entry; at < ehdr.e_entry + 8; at++)
		assert_int_equal(unwind_table_find(&table, at)->cfa, UNWIND_CFA_ROOT);
	unwind_table_release(&table);
	elffile_close(elf);
	strbuf_release(&path);
}

/* ---- damaged files ---- */

static void test_damaged_go(void **state)
{
	struct strbuf image = STRBUF_INIT, sb = STRBUF_INIT;

	(void)state;
	make_pclntab(&sb, 0xfffffff1, true);
	tiny_elf(&image, (struct tiny_section[TINY_SECTIONS]){
				 {".text", text, 1024}, {".gopclntab", sb.buf, sb.len}});
	build_many_damaged(image.buf, image.len, 1024 + 256);
	strbuf_release(&image);
	strbuf_release(&sb);
}

static void test_damaged_files(void **state)
{
	size_t size;
	char *image = read_file("/usr/bin/env", &size);

	(void)state;
	build_many_damaged(image, size, 0);
	free(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_encodings),
		cmocka_unit_test(test_augmentation),
		cmocka_unit_test(test_debug_frame),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_no_table),
		cmocka_unit_test(test_open_file),
		cmocka_unit_test(test_go),
		cmocka_unit_test(test_trampolines),
		cmocka_unit_test(test_entry_of_the_dynamic_linker),
		cmocka_unit_test(test_damaged_go),
		cmocka_unit_test(test_damaged_files),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
