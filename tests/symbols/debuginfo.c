/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inlined calls and source lines in every form that compilers make, and in broken debug
 * information. */
#include "../unit/symbol_test.h"
#include "../unit/tiny_elf.h"
#include "symbol/dwarf/debuginfo.h"
#include "symbol/elf/debugfile.h"
#include "symbol/elf/elffile.h"

#include <dwarf.h>

/* ---- the output of compilers ---- */

/*
 * dropped() is so long that it would cover everything at address 0, where linkers put dropped code.
 */
static const char source[] =
	"int dropped(int x)\n"                                             /* 1 */
	"{\n"                                                              /* 2 */
	"	__asm__ volatile(\".skip 0x500000\" : \"+r\"(x));\n"       /* 3 */
	"	return x;\n"                                               /* 4 */
	"}\n"                                                              /* 5 */
	"static inline __attribute__((always_inline)) int inner(int x)\n"  /* 6 */
	"{\n"                                                              /* 7 */
	"	__asm__ volatile(\".globl at_inner\\nat_inner: nop\\n\"\n" /* 8 */
	"		: \"+r\"(x));\n"                                   /* 9 */
	"	return x * 3;\n"                                           /* 10 */
	"}\n"                                                              /* 11 */
	"static inline __attribute__((always_inline)) int middle(int x)\n" /* 12 */
	"{\n"                                                              /* 13 */
	"	for (int i = 0; i < 2; i++) {\n"                           /* 14 */
	"		int y = x + i;\n"                                  /* 15 */
	"		if (i == x)\n"                                     /* 16 */
	"			return inner(y);\n"                        /* 17 */
	"	}\n"                                                       /* 18 */
	"	return x;\n"                                               /* 19 */
	"}\n"                                                              /* 20 */
	"__attribute__((noinline)) int outer(int x)\n"                     /* 21 */
	"{\n"                                                              /* 22 */
	"	return middle(x) - 1;\n"                                   /* 23 */
	"}\n"                                                              /* 24 */
	"int main(int argc, char **argv)\n"                                /* 25 */
	"{\n"                                                              /* 26 */
	"	return argv[0] ? outer(argc) : 0;\n"                       /* 27 */
	"}\n";                                                             /* 28 */

static uint64_t symbol_address(const struct elffile *elf, const char *name)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elffile_section(elffile_elf(elf), ".symtab", &shdr);
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Sym sym;

	for (int i = 0; gelf_getsym(data, i, &sym); i++)
		if (!strcmp(elf_strptr(elffile_elf(elf), shdr.sh_link, sym.st_name), name))
			return sym.st_value;
	fail_msg("no symbol %s", name);
	return 0;
}

/* Appends "function file:line" for each frame, separated by ";"; the file without its folder. */
static void describe(void *arg, size_t i, const struct debuginfo_frame *frames, size_t nr)
{
	struct strbuf *out = arg;

	if (out->len)
		strbuf_addch(out, '\n');
	strbuf_addf(out, "%zu:", i);
	for (size_t j = 0; j < nr; j++)
		strbuf_addf(out, "%s%s %s:%u", j ? ";" : "",
			frames[j].function ? frames[j].function : "?",
			frames[j].file ? file_name(frames[j].file) : "?", frames[j].line);
}

static void expect_at(const struct elffile *elf, const struct elffile *alt,
	const uint64_t *addresses, size_t n, bool inlines, const char *expected)
{
	struct debuginfo *di = debuginfo_new(elf, alt);
	struct strbuf out = STRBUF_INIT;

	assert_non_null(di);
	for (int times = 0; times < 2; times++) {
		strbuf_reset(&out);
		debuginfo_find(di, addresses, n, inlines, describe, &out);
		assert_string_equal(out.buf, expected);
	}
	strbuf_release(&out);
	debuginfo_free(di);
}

static void expect_symbol(const char *path, const char *symbol, bool inlines, const char *expected)
{
	struct elffile *elf = elffile_open(path, NULL);
	uint64_t address;

	assert_non_null(elf);
	address = symbol_address(elf, symbol);
	expect_at(elf, NULL, &address, 1, inlines, expected);
	elffile_close(elf);
}

static void compile(const char *text, const char *name, const char *command)
{
	char *path = in_dir(name);

	write_file(path, text, strlen(text));
	run("cd '%s' && %s '%s'", dir, command, name);
	free(path);
}

static void compilers(void **state)
{
	static const char *const flags[] = {"-gdwarf-2", "-gdwarf-3", "-gdwarf-4", "-gdwarf-5",
		"-gdwarf-5 -gdwarf64", "-g -gz=zlib", "-g -gz=zlib-gnu", "-g -no-pie", "-g -flto",
		"-gdwarf-5 -gsplit-dwarf", "-gdwarf-4 -gsplit-dwarf",
		"-g -ffunction-sections -Wl,--gc-sections",
		"-gdwarf-4 -ffunction-sections -Wl,--gc-sections", "-g -Wl,-z,separate-code",
		"-g -Wl,-z,noseparate-code"};
	static const char *const compilers[] = {"cc", "clang", "clang -fuse-ld=lld"};
	char *program = in_dir("program");

	(void)state;
	for (size_t c = 0; c < ARRAY_LEN(compilers); c++)
		for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
			/* an unsupported combination does not matter here */
			char *cmd = xasprintf("%s -O2 %s -o program 2>&1", compilers[c], flags[i]);
			bool known = c == 0 ||
				     (!strstr(flags[i], "zlib-gnu") && !strstr(flags[i], "lto"));

			if (known && (c < 2 || strstr(flags[i], "sections"))) {
				print_message("# %s\n", cmd);
				compile(source, "program.c", cmd);
				expect_symbol(program, "at_inner", true,
					"0:inner program.c:8;middle program.c:17;outer "
					"program.c:23");
				expect_symbol(program, "at_inner", false, "0:outer program.c:8");
			}
			free(cmd);
		}
	free(program);
}

static void split_off_and_lost(void **state)
{
	char *program = in_dir("program");

	(void)state;
	compile(source, "program.c", "cc -O2 -g -gsplit-dwarf -o program");
	run("rm '%s'/*.dwo", dir);
	expect_symbol(program, "at_inner", true, "0:? program.c:8");
	free(program);
}

static void cold_part(void **state)
{
	static const char text[] =
		"void die(const char *) __attribute__((noreturn, cold));\n"
		"static inline __attribute__((always_inline)) void report(void)\n"
		"{\n"
		"	__asm__ volatile(\".globl at_cold\\nat_cold: nop\");\n"
		"	die(\"cold\");\n"
		"}\n"
		"__attribute__((noinline)) int work(int x)\n"
		"{\n"
		"	if (x == 1302)\n"
		"		report();\n"
		"	return x * 2;\n"
		"}\n"
		"void die(const char *s) { __builtin_exit(s[0]); }\n"
		"int main(int argc, char **argv) { return argv[0] ? work(argc) : 0; }\n";
	char *program = in_dir("cold");

	(void)state;
	compile(text, "cold.c", "cc -O2 -g -o cold");
	expect_symbol(program, "at_cold", true, "0:report cold.c:4;work cold.c:10");
	free(program);
}

static void function_in_function(void **state)
{
	static const char text[] =
		"__attribute__((noinline)) int outer(int x)\n"
		"{\n"
		"	__attribute__((noinline)) int nested(int y)\n"
		"	{\n"
		"		__asm__ volatile(\".globl at_nested\\nat_nested: nop\" : "
		"\"+r\"(x));\n"
		"		return x + y;\n"
		"	}\n"
		"	return nested(3) + nested(x);\n"
		"}\n"
		"int main(int argc, char **argv) { return argv[0] ? outer(argc) : 0; }\n";
	char *program = in_dir("nested");

	(void)state;
	compile(text, "nested.c", "gcc -O2 -g -o nested");
	expect_symbol(program, "at_nested", true, "0:nested nested.c:5");
	expect_symbol(program, "at_nested", false, "0:nested nested.c:5");
	free(program);
}

static void names_of_classes(void **state)
{
	static const char text[] =
		"#define AT(name) __asm__ volatile(\".globl \" #name \"\\n\" #name \": nop\")\n"
		"namespace ns { struct thing {\n"
		"	int a; [[gnu::always_inline]] thing(int x) : a(x) { AT(at_new); }\n"
		"	[[gnu::noinline]] int get() { AT(at_get); return a; }\n"
		"};\n"
		"namespace { extern \"C\" [[gnu::noinline]] int plain(int x) { AT(at_plain); "
		"return x; } }\n"
		"}\n"
		"int main(int argc, char **) {\n"
		"	auto f = [](int x) __attribute__((noinline)) { AT(at_lambda); return x; "
		"};\n"
		"	return ns::thing(argc).get() + ns::plain(argc) + f(argc); }\n";
	char *program = in_dir("classes");

	(void)state;
	compile(text, "classes.cc", "c++ -O2 -g -o classes");
	expect_symbol(program, "at_get", true, "0:_ZN2ns5thing3getEv classes.cc:4");
	expect_symbol(
		program, "at_new", true, "0:_ZN2ns5thingC4Ei classes.cc:3;main classes.cc:10");
	expect_symbol(program, "at_lambda", true, "0:main::(anonymous)::operator() classes.cc:9");
	expect_symbol(program, "at_plain", true, "0:ns::(anonymous namespace)::plain classes.cc:6");
	free(program);
}

static void describe_positions(void *arg, size_t i, const struct debuginfo_frame *frames, size_t nr)
{
	(void)i;
	for (size_t j = 0; j < nr; j++)
		strbuf_addf(arg, " %u.%u", frames[j].first_line, frames[j].discriminator);
}

static void expect_positions(const char *symbol, bool asked, const char *expected)
{
	char *program = in_dir("program");
	struct elffile *elf = elffile_open(program, NULL);
	struct debuginfo *di = debuginfo_new(elf, NULL);
	uint64_t address = symbol_address(elf, symbol);
	struct strbuf out = STRBUF_INIT;

	if (asked)
		debuginfo_find_positions(di);
	debuginfo_find(di, &address, 1, true, describe_positions, &out);
	assert_string_equal(out.buf, expected);
	strbuf_release(&out);
	debuginfo_free(di);
	elffile_close(elf);
	free(program);
}

/* The first line of a function is the line of its definition, not of its declaration. */
static void positions(void **state)
{
	static const char text[] =
		"struct thing {\n"
		"	int get(int x);\n"
		"};\n"
		"[[gnu::noinline]] int thing::get(int x)\n"
		"{\n"
		"	__asm__ volatile(\".globl at_get\\nat_get: nop\" : \"+r\"(x));\n"
		"	return x;\n"
		"}\n"
		"int main(int argc, char **) { return thing().get(argc); }\n";

	(void)state;
	compile(source, "program.c", "cc -O2 -g -o program");
	expect_positions("at_inner", true, " 6.0 12.0 21.0");
	expect_positions("at_inner", false, " 0.0 0.0 0.0");
	compile(text, "program.cc", "c++ -O2 -g -o program");
	expect_positions("at_get", true, " 4.0");
}

static void assembly(void **state)
{
	static const char text[] = ".text\n.globl main\nmain:\n\tnop\nat_ret:\tret\n";
	char *program = in_dir("assembly");

	(void)state;
	compile(text, "assembly.s", "cc -g -o assembly");
	expect_symbol(program, "at_ret", true, "0:? assembly.s:5");
	free(program);
}

/* Paths are right, also if the compiler was told to omit its working directory. */
static void take_file(void *arg, size_t i, const struct debuginfo_frame *frames, size_t nr)
{
	char **file = arg;

	(void)i;
	assert_true(nr == 1);
	assert_non_null(frames[0].file);
	*file = xstrdup(frames[0].file);
}

static void expect_file(const char *command, const char *expected)
{
	char *program = in_dir("program"), *file = NULL;

	compile(source, "program.c", command);
	struct elffile *elf = elffile_open(program, NULL);
	struct debuginfo *di = debuginfo_new(elf, NULL);
	uint64_t address = symbol_address(elf, "at_inner");

	debuginfo_find(di, &address, 1, false, take_file, &file);
	assert_string_equal(file, expected);
	debuginfo_free(di);
	elffile_close(elf);
	free(file);
	free(program);
}

static void paths(void **state)
{
	char *full = xasprintf("%s/program.c", dir), *real = realpath(dir, NULL);
	char *map;

	(void)state;
	assert_string_equal(real, dir);
	for (int version = 4; version <= 5; version++) {
		map = xasprintf("cc -O2 -gdwarf-%d -o program", version);
		expect_file(map, full);
		free(map);
		map = xasprintf(
			"cc -O2 -gdwarf-%d -ffile-prefix-map='%s'=. -o program", version, dir);
		expect_file(map, "./program.c");
		free(map);
	}
	free(real);
	free(full);
}

/* ---- parts that dwz has moved to another file ---- */

static void common_parts(void **state)
{
	char *program = in_dir("program"), *other = in_dir("other");

	(void)state;
	need("dwz");
	compile(source, "program.c", "cc -O2 -g -Wl,--gc-sections -ffunction-sections -o program");
	run("cd '%s' && cp program other && dwz -r -m common.debug program other", dir);
	struct elffile *elf = elffile_open(program, NULL);
	struct elffile *alt = debugfile_open_alt(elf, &(struct debug_paths){0});
	uint64_t address = symbol_address(elf, "at_inner");

	assert_non_null(alt);
	expect_at(elf, alt, &address, 1, true,
		"0:inner program.c:8;middle program.c:17;outer program.c:23");
	/* without the file there are no names, and libdw does not fetch it itself */
	expect_at(elf, NULL, &address, 1, true, "0:? program.c:8;? program.c:17;? program.c:23");
	elffile_close(alt);
	/* another file is at its path */
	run("cp '%s' '%s/common.debug'", program, dir);
	assert_null(debugfile_open_alt(elf, &(struct debug_paths){0}));
	elffile_close(elf);
	free(program);
	free(other);
}

/* ---- debug information made by hand ---- */

enum { UNIT = 1, VAGUE_UNIT, FUNCTION, CALL, BLOCK, LINKED_BLOCK, ORIGIN, CLASS };

/* clang-format off */
static const unsigned char abbreviations[] = {
	UNIT, DW_TAG_compile_unit, 1,
		DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0, 0,
	VAGUE_UNIT, DW_TAG_compile_unit, 1, 0, 0,
	FUNCTION, DW_TAG_subprogram, 1, DW_AT_name, DW_FORM_string,
		DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0, 0,
	CALL, DW_TAG_inlined_subroutine, 1, DW_AT_abstract_origin, DW_FORM_ref4,
		DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4,
		DW_AT_call_line, DW_FORM_data1, 0, 0,
	BLOCK, DW_TAG_lexical_block, 1, 0, 0,
	LINKED_BLOCK, DW_TAG_lexical_block, 1, DW_AT_sibling, DW_FORM_ref4, 0, 0,
	ORIGIN, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_string, 0, 0,
	CLASS, DW_TAG_structure_type, 1, 0, 0,
	0};
/* clang-format on */

struct info {
	struct strbuf bytes;
	size_t unit; /* where the current unit begins */
};

static void put(struct info *info, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		strbuf_addch(&info->bytes, (char)(value >> 8 * i));
}

static uint32_t here(const struct info *info)
{
	return (uint32_t)(info->bytes.len - info->unit);
}

static void put_range(struct info *info, uint64_t from, uint64_t to)
{
	put(info, TINY_FIRST + from, 8);
	put(info, to - from, 4);
}

static void begin_unit(struct info *info)
{
	info->unit = info->bytes.len;
	put(info, 0, 4); /* its size, set in the end */
	put(info, 4, 2);
	put(info, 0, 4);
	put(info, 8, 1);
}

static void end_unit(struct info *info)
{
	uint32_t size;

	put(info, 0, 1);
	size = here(info) - 4;
	memcpy(info->bytes.buf + info->unit, &size, sizeof(size));
}

static void put_function(struct info *info, const char *name, uint64_t from, uint64_t to)
{
	put(info, FUNCTION, 1);
	strbuf_add(&info->bytes, name, strlen(name) + 1);
	put_range(info, from, to);
}

static void put_call(struct info *info, uint32_t origin, uint64_t from, uint64_t to, int line)
{
	put(info, CALL, 1);
	put(info, origin, 4);
	put_range(info, from, to);
	put(info, (uint64_t)line, 1);
}

/* Checks the result for N addresses from TINY_FIRST on, STEP bytes apart. Takes over INFO. */
static void expect_info(struct info *info, size_t n, uint64_t step, const char *expected)
{
	static const char text[0x1000];
	struct tiny_section sections[TINY_SECTIONS] = {
		{".text", text, sizeof(text)},
		{".debug_info", info->bytes.buf, info->bytes.len},
		{".debug_abbrev", abbreviations, sizeof(abbreviations)},
	};
	struct strbuf image = STRBUF_INIT;
	uint64_t addresses[16];

	assert_true(n <= ARRAY_LEN(addresses));
	for (size_t i = 0; i < n; i++)
		addresses[i] = TINY_FIRST + i * step;
	tiny_elf(&image, sections);
	struct elffile *elf = elffile_open_memory(image.buf, image.len);

	assert_non_null(elf);
	expect_at(elf, NULL, addresses, n, true, expected);
	elffile_close(elf);
	strbuf_release(&image);
	strbuf_release(&info->bytes);
}

static void units_in_units(void **state)
{
	struct info info = {STRBUF_INIT, 0};

	(void)state;
	begin_unit(&info);
	put(&info, UNIT, 1);
	put_range(&info, 0, 0x100);
	put_function(&info, "around", 0, 0x100);
	put(&info, 0, 1);
	end_unit(&info);
	begin_unit(&info);
	put(&info, UNIT, 1);
	put_range(&info, 0x40, 0x80);
	put_function(&info, "within", 0x40, 0x80);
	put(&info, 0, 1);
	end_unit(&info);
	begin_unit(&info);
	put(&info, UNIT, 1); /* dropped: it begins where there is no code */
	put_range(&info, (uint64_t)-0x10, 0x1000);
	put_function(&info, "dropped", (uint64_t)-0x10, 0x1000);
	put(&info, 0, 1);
	end_unit(&info);
	begin_unit(&info);
	put(&info, VAGUE_UNIT, 1);
	put_function(&info, "vague", 0x140, 0x180);
	put(&info, 0, 1);
	end_unit(&info);
	expect_info(&info, 7, 0x40,
		"0:around ?:0\n1:within ?:0\n2:around ?:0\n3:around ?:0\n5:vague ?:0");
}

/* Functions in classes, as Rust and Pascal have them. */
static void functions_in_classes(void **state)
{
	struct info info = {STRBUF_INIT, 0};

	(void)state;
	begin_unit(&info);
	put(&info, UNIT, 1);
	put_range(&info, 0, 0x100);
	put(&info, CLASS, 1);
	put_function(&info, "method", 0, 0x40);
	put_function(&info, "nested", 0x40, 0x80);
	for (int i = 0; i < 3; i++)
		put(&info, 0, 1);
	end_unit(&info);
	expect_info(&info, 3, 0x40, "0:method ?:0\n1:nested ?:0");
}

static void calls(void **state)
{
	struct info info = {STRBUF_INIT, 0};
	uint32_t origin;

	(void)state;
	begin_unit(&info);
	put(&info, UNIT, 1);
	put_range(&info, 0, 0x100);
	origin = here(&info);
	put(&info, ORIGIN, 1);
	strbuf_add(&info.bytes, "called", sizeof("called"));
	put_function(&info, "f", 0, 0x80);
	put_call(&info, origin, 0x10, 0x40, 11);
	put(&info, BLOCK, 1);
	put_call(&info, here(&info), 0x20, 0x30, 12); /* it is its own origin */
	put(&info, 0, 1);
	put(&info, 0, 1);
	put(&info, 0, 1);
	put_call(&info, 0xffffff, 0x30, 0x50, 13); /* it overlaps with the previous one */
	put(&info, 0, 1);
	put_call(&info, origin, 0x60, 0x100, 14); /* it extends beyond the function */
	put(&info, 0, 1);
	put(&info, 0, 1);
	end_unit(&info);
	expect_info(&info, 9, 0x10,
		"0:f ?:0\n1:called ?:0;f ?:11\n2:? ?:0;called ?:12;f ?:11\n3:called ?:0;f ?:11\n"
		"4:? ?:0;f ?:13\n5:f ?:0\n6:called ?:0;f ?:14\n7:called ?:0;f ?:14\n"
		"8:called ?:0;? ?:14");
}

/*
 * Each block's next block is its own first child, so 2 to the power of 200 paths lead through them.
 */
static void ways_without_end(void **state)
{
	struct info info = {STRBUF_INIT, 0};

	(void)state;
	begin_unit(&info);
	put(&info, UNIT, 1);
	put_range(&info, 0, 0x100);
	put_function(&info, "f", 0, 0x100);
	for (int i = 0; i < 200; i++) {
		put(&info, LINKED_BLOCK, 1);
		put(&info, here(&info) + 4, 4);
	}
	for (int i = 0; i < 200; i++)
		put(&info, 0, 1);
	put(&info, 0, 1);
	end_unit(&info);
	expect_info(&info, 1, 1, "0:f ?:0");
}

static void depth_without_end(void **state)
{
	struct info info = {STRBUF_INIT, 0};

	(void)state;
	begin_unit(&info);
	put(&info, UNIT, 1);
	put_range(&info, 0, 0x100);
	put_function(&info, "f", 0, 0x100);
	for (int i = 0; i < 1000000; i++)
		put(&info, BLOCK, 1);
	end_unit(&info);
	expect_info(&info, 1, 1, "0:f ?:0");
}

/* ---- damage ---- */

static void count_frames(void *arg, size_t i, const struct debuginfo_frame *frames, size_t nr)
{
	size_t *bytes = arg;

	(void)i;
	for (size_t j = 0; j < nr; j++)
		*bytes += (frames[j].function ? strlen(frames[j].function) : 0) +
			  (frames[j].file ? strlen(frames[j].file) : 0);
}

/* Changes some bytes of IMAGE's sections of debug information. */
static void damage(char *image, size_t len)
{
	Elf *elf = elf_memory(image, len);
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	size_t names;

	assert_non_null(elf);
	assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
	while ((scn = elf_nextscn(elf, scn))) {
		assert_non_null(gelf_getshdr(scn, &shdr));
		if (strncmp(elf_strptr(elf, names, shdr.sh_name), ".debug_", 7) || !shdr.sh_size)
			continue;
		for (uint64_t i = random_below(4); i; i--)
			image[shdr.sh_offset + random_below(shdr.sh_size)] =
				(char)random_below(256);
	}
	elf_end(elf);
}

static void damaged(void **state)
{
	static const char *const commands[] = {
		"cc -O2 -gdwarf-4 -ffunction-sections -Wl,--gc-sections -o program",
		"cc -O2 -gdwarf-5 -ffunction-sections -Wl,--gc-sections -o program",
		"clang -O2 -gdwarf-5 -ffunction-sections -Wl,--gc-sections -o program"};
	char *program = in_dir("program");

	(void)state;
	for (size_t c = 0; c < ARRAY_LEN(commands); c++) {
		size_t len, bytes = 0;
		char *whole;

		compile(source, "program.c", commands[c]);
		whole = read_file(program, &len);
		for (int i = 0; i < 500; i++) {
			char *image = xmalloc(len);
			uint64_t addresses[64];

			memcpy(image, whole, len);
			damage(image, len);
			struct elffile *elf = elffile_open_memory(image, len);
			struct debuginfo *di = debuginfo_new(elf, NULL);

			for (size_t j = 0; j < ARRAY_LEN(addresses); j++)
				addresses[j] = 0x1000 + 8 * j;
			if (di)
				debuginfo_find(di, addresses, ARRAY_LEN(addresses), true,
					count_frames, &bytes);
			debuginfo_free(di);
			elffile_close(elf);
			free(image);
		}
		assert_true(bytes > 0);
		free(whole);
	}
	free(program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compilers),
		cmocka_unit_test(split_off_and_lost),
		cmocka_unit_test(cold_part),
		cmocka_unit_test(function_in_function),
		cmocka_unit_test(names_of_classes),
		cmocka_unit_test(positions),
		cmocka_unit_test(assembly),
		cmocka_unit_test(paths),
		cmocka_unit_test(common_parts),
		cmocka_unit_test(units_in_units),
		cmocka_unit_test(functions_in_classes),
		cmocka_unit_test(calls),
		cmocka_unit_test(ways_without_end),
		cmocka_unit_test(depth_without_end),
		cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
