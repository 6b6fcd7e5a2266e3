/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of functions, compared with the programs of binutils and elfutils that are installed.
 */
#include "symbol/elf/debugfile.h"
#include "symbol/elf/elffile.h"
#include "symbol/elf/symtab.h"
#include "symbol_test.h"

/* ---- a handmade ELF file ---- */

enum { CODE = 0x1000, TEXT_SIZE = 0x100, PLAIN_SYMBOLS = 13 };

struct image {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	Elf64_Shdr shdr[5];
	Elf64_Sym syms[PLAIN_SYMBOLS];
	char names[256];
	char text[TEXT_SIZE];
};

#define SECTION(n, type, flags, addr, field, link, entsize)                                        \
	(image).shdr[n] = (Elf64_Shdr)                                                             \
	{                                                                                          \
		n, type, flags, addr, offsetof(struct image, field), sizeof((image).field), link,  \
			0, 8, entsize                                                              \
	}

static void add_symbol(struct image *image, size_t i, const char *name, int bind, int type,
	uint64_t value, uint64_t size)
{
	static size_t used;

	if (i == 1)
		used = 8;
	image->syms[i] = (Elf64_Sym){
		(Elf64_Word)used, (unsigned char)ELF64_ST_INFO(bind, type), 0, 1, value, size};
	strcpy(image->names + used, name);
	used += strlen(name) + 1;
}

static struct image make_image(void)
{
	struct image image = {0};

	memcpy(image.ehdr.e_ident, ELFMAG "\2\1\1", 7);
	image.ehdr.e_type = ET_DYN;
	image.ehdr.e_machine = EM_X86_64;
	image.ehdr.e_version = 1;
	image.ehdr.e_ehsize = sizeof(Elf64_Ehdr);
	image.ehdr.e_phoff = offsetof(struct image, phdr);
	image.ehdr.e_phentsize = sizeof(Elf64_Phdr);
	image.ehdr.e_phnum = 1;
	image.ehdr.e_shoff = offsetof(struct image, shdr);
	image.ehdr.e_shentsize = sizeof(Elf64_Shdr);
	image.ehdr.e_shnum = 5;
	image.ehdr.e_shstrndx = 4;
	image.phdr = (Elf64_Phdr){PT_LOAD, PF_R | PF_X, offsetof(struct image, text), CODE, CODE,
		TEXT_SIZE, TEXT_SIZE, 1};
	SECTION(1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, CODE, text, 0, 0);
	SECTION(2, SHT_SYMTAB, 0, 0, syms, 3, sizeof(Elf64_Sym));
	SECTION(3, SHT_STRTAB, 0, 0, names, 0, 0);
	SECTION(4, SHT_STRTAB, 0, 0, names, 0, 0);
	return image;
}

static void test_table_rules(void **state)
{
	static const struct {
		uint64_t at;
		const char *name;
		uint64_t start;
	} expect[] = {
		{0x00, NULL, 0},
		{0x0f, NULL, 0},
		{0x10, "outer", 0x10},
		{0x1f, "outer", 0x10},
		{0x20, "inner", 0x20},
		{0x27, "inner", 0x20},
		{0x28, "outer", 0x10},
		{0x30, "outer", 0x10},
		{0x4f, "outer", 0x10},
		{0x50, NULL, 0},
		{0x60, "versioned", 0x60},
		{0x6f, "versioned", 0x60},
		{0x70, "asm_entry", 0x70},
		{0x7f, "asm_entry", 0x70},
		{0x80, "write", 0x80},
		{0x8f, "write", 0x80},
		{0x90, NULL, 0},
		{0xf0, "to_the_end", 0xf0},
		{0xff, "to_the_end", 0xf0},
		{0x100, NULL, 0},
	};
	struct image image = make_image();
	struct symtab_hit hit;

	(void)state;
	add_symbol(&image, 1, "outer", STB_GLOBAL, STT_FUNC, CODE + 0x10, 0x40);
	add_symbol(&image, 2, "inner", STB_LOCAL, STT_FUNC, CODE + 0x20, 8);
	add_symbol(&image, 3, "label", STB_GLOBAL, STT_NOTYPE, CODE + 0x30, 0);
	add_symbol(&image, 4, "versioned@@VERS_1", STB_GLOBAL, STT_FUNC, CODE + 0x60, 0x10);
	add_symbol(&image, 5, "asm_entry", STB_LOCAL, STT_NOTYPE, CODE + 0x70, 0);
	add_symbol(&image, 6, "__write", STB_GLOBAL, STT_FUNC, CODE + 0x80, 0x10);
	add_symbol(&image, 7, "write", STB_WEAK, STT_FUNC, CODE + 0x80, 0x10);
	add_symbol(&image, 8, "a_write", STB_WEAK, STT_FUNC, CODE + 0x80, 0x10);
	add_symbol(&image, 9, "b", STB_LOCAL, STT_FUNC, CODE + 0x80, 0x10);
	add_symbol(&image, 10, "c", STB_GLOBAL, STT_NOTYPE, CODE + 0x80, 0);
	add_symbol(&image, 11, "to_the_end", STB_GLOBAL, STT_FUNC, CODE + 0xf0, UINT64_MAX);
	add_symbol(&image, 12, "data", STB_GLOBAL, STT_OBJECT, CODE + 0xa0, 8);
	struct elffile *elf = elffile_open_memory(&image, sizeof(image));

	assert_non_null(elf);
	struct symtab *tab = symtab_new(elf, NULL, NULL);

	for (size_t i = 0; i < ARRAY_LEN(expect); i++) {
		if (symtab_find(tab, CODE + expect[i].at, &hit) != !!expect[i].name)
			fail_msg("0x%lx: %s", expect[i].at, expect[i].name ? "no name" : hit.name);
		if (!expect[i].name)
			continue;
		assert_int_equal(hit.name_len, strlen(expect[i].name));
		assert_memory_equal(hit.name, expect[i].name, hit.name_len);
		assert_int_equal(hit.start, CODE + expect[i].start);
	}
	uint64_t address;

	assert_true(elffile_address(elf, offsetof(struct image, text) + 5, &address));
	assert_int_equal(address, CODE + 5);
	assert_false(elffile_address(elf, 0, &address));
	assert_false(elffile_address(elf, UINT64_MAX, &address));
	symtab_free(tab);
	elffile_close(elf);
}

/* The bytes behind the table are not a symbol, and a name behind the names is not a name. */
static void test_table_ends(void **state)
{
	struct image image = make_image();
	struct symtab_hit hit;

	(void)state;
	add_symbol(&image, 1, "first", STB_GLOBAL, STT_FUNC, CODE, 0x10);
	add_symbol(&image, 2, "outside", STB_GLOBAL, STT_FUNC, CODE + 0x10, 0x10);
	add_symbol(&image, 3, "behind", STB_GLOBAL, STT_FUNC, CODE + 0x20, 0x10);
	image.shdr[2].sh_size = 3 * sizeof(Elf64_Sym);
	image.syms[2].st_name = sizeof(image.names) + 5;
	image.text[5] = 'x';
	struct elffile *elf = elffile_open_memory(&image, sizeof(image));
	struct symtab *tab = symtab_new(elf, NULL, NULL);

	assert_true(symtab_find(tab, CODE + 0x0f, &hit));
	assert_false(symtab_find(tab, CODE + 0x10, &hit));
	assert_false(symtab_find(tab, CODE + 0x20, &hit));
	symtab_free(tab);
	elffile_close(elf);
}

/* ---- against judges ---- */

/* A file with its table, and its debug file if one is installed. */
struct named {
	struct elffile *elf, *debug;
	struct symtab *tab;
};

static struct named open_named(const char *path)
{
	struct named named = {.elf = elffile_open(path, NULL)};

	assert_non_null(named.elf);
	named.debug = debugfile_open(named.elf, path, &(struct debug_paths){0});
	named.tab = symtab_new(named.elf, named.debug, NULL);
	return named;
}

static void close_named(struct named *named)
{
	symtab_free(named->tab);
	elffile_close(named->debug);
	elffile_close(named->elf);
}

/* Chooses N addresses in the executable sections of ELF. */
static void random_addresses(struct elffile *elf, uint64_t *to, size_t n)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr code[64];
	size_t nr = 0;

	while (nr < ARRAY_LEN(code) && (scn = elf_nextscn(elffile_elf(elf), scn)))
		if (gelf_getshdr(scn, &code[nr]) && (code[nr].sh_flags & SHF_EXECINSTR))
			nr++;
	assert_true(nr > 0);
	for (size_t i = 0; i < n; i++) {
		/* most of them are in .text, the biggest section */
		const GElf_Shdr *s = &code[random_below(nr)];

		for (size_t k = 0; i % 4 && k < nr; k++)
			if (code[k].sh_size > s->sh_size)
				s = &code[k];
		to[i] = s->sh_addr + random_below(s->sh_size);
	}
}

/*
 * Reads the output of eu-addr2line -S: "NAME+0xOFF" or "()+0xADDRESS", then a line that is ignored.
 */
static bool judge_says(FILE *judge, uint64_t *offset)
{
	char line[65536];
	char *plus;

	assert_non_null(fgets(line, sizeof(line), judge));
	bool named = line[0] != '(';

	plus = strrchr(line, '+');
	*offset = plus && !strncmp(plus, "+0x", 3) ? strtoull(plus + 3, NULL, 16) : 0;
	assert_non_null(fgets(line, sizeof(line), judge));
	return named;
}

/* The judge's function must start where ours starts; its name may be an alias. Only stubs of the
 * PLT, which the judge does not know, may have a name from us alone. */
static void compare_with_addr2line(const char *path)
{
	enum { N = 4000 };
	uint64_t *at = xcalloc(N, sizeof(*at)), offset;
	struct named file = open_named(path);
	char *list = in_dir("addresses"), *cmd;
	size_t named = 0, wrong = 0;

	random_addresses(file.elf, at, N);
	FILE *f = fopen(list, "w");

	for (size_t i = 0; i < N; i++)
		fprintf(f, "0x%lx\n", at[i]);
	assert_int_equal(fclose(f), 0);
	cmd = xasprintf("DEBUGINFOD_URLS= eu-addr2line -S -e '%s' <'%s' 2>/dev/null", path, list);
	FILE *judge = popen(cmd, "r");

	for (size_t i = 0; i < N; i++) {
		struct symtab_hit hit = {0};
		bool theirs = judge_says(judge, &offset);
		bool ours = symtab_find(file.tab, at[i], &hit);

		named += ours;
		if (theirs != (ours && !hit.plt) || (theirs && at[i] - hit.start != offset)) {
			printf("# 0x%lx: %s at 0x%lx, judge: %d +0x%lx\n", at[i],
				ours ? hit.name : "-", hit.start, theirs, offset);
			wrong++;
		}
	}
	printf("# %s: %zu of %d named, %zu unlike eu-addr2line\n", path, named, N, wrong);
	assert_int_equal(wrong, 0);
	assert_true(named > N / 4);
	pclose(judge);
	close_named(&file);
	free(cmd);
	free(list);
	free(at);
}

static void test_against_addr2line(void **state)
{
	(void)state;
	need("eu-addr2line");
	compare_with_addr2line(libc_path);
	compare_with_addr2line(self);
	need(perl);
	compare_with_addr2line(perl);
}

/* Returns how many functions of PATH are found at nm's addresses. */
static size_t compare_with_nm(const char *path, const char *flags)
{
	struct named file = open_named(path);
	char *cmd = xasprintf("nm %s --defined-only '%s'", flags, path), line[4096], type;
	struct symtab_hit hit;
	uint64_t address;
	size_t n = 0;

	FILE *nm = popen(cmd, "r");

	while (fgets(line, sizeof(line), nm)) {
		if (sscanf(line, "%lx %c", &address, &type) != 2 || !strchr("TWi", type))
			continue;
		if (!symtab_find(file.tab, address, &hit) || hit.start != address)
			fail_msg("not found at its start: %s", line);
		n++;
	}
	pclose(nm);
	free(cmd);
	close_named(&file);
	return n;
}

static void test_every_exported_function(void **state)
{
	(void)state;
	need("nm");
	assert_true(compare_with_nm(libc_path, "-D") > 1000);
}

static void test_32_bits(void **state)
{
	char *path = in_dir("narrow");

	(void)state;
	need("gcc nm");
	char *build =
		xasprintf("echo 'int f(int x) { return x; } int g(int x) { return x + 1; }' | "
			  "gcc -m32 -shared -nostdlib -xc -o '%s' - 2>/dev/null",
			path);
	int status = system(build);

	free(build);
	if (!status)
		assert_int_equal(compare_with_nm(path, ""), 2);
	free(path);
	if (status)
		skip();
}

/* Compares with objdump's headings of stubs: "0000000000049870 <dlopen@plt>:" */
static void compare_stubs(const char *path)
{
	struct named file = open_named(path);
	char *cmd = xasprintf("objdump -d '%s' | grep '@plt>:$'", path), line[4096], name[4096];
	struct symtab_hit hit;
	uint64_t address;
	size_t n = 0;

	FILE *judge = popen(cmd, "r");

	while (fgets(line, sizeof(line), judge)) {
		if (sscanf(line, "%lx <%4000[^>@]@plt>:", &address, name) != 2 || name[0] == '*')
			continue;
		if (!symtab_find(file.tab, address + 3, &hit) || !hit.plt || hit.start != address ||
			hit.name_len != strlen(name) || memcmp(hit.name, name, hit.name_len))
			fail_msg("stub of %s at 0x%lx", name, address);
		n++;
	}
	printf("# %s: %zu stubs as objdump names them\n", path, n);
	assert_true(n > 10);
	pclose(judge);
	free(cmd);
	close_named(&file);
}

static void test_stubs(void **state)
{
	(void)state;
	need("objdump");
	compare_stubs(self);
	need(perl);
	compare_stubs(perl);
}

/* ---- separate symbols ---- */

static void expect_own_function(const char *path, enum symtab_source source)
{
	struct named file = open_named(path);
	struct symtab_hit hit;
	uint64_t address;

	assert_true(elffile_address(file.elf, own_offset(file.elf, expect_own_function), &address));
	assert_int_equal(symtab_find(file.tab, address, &hit), source > SYMTAB_DYNSYM);
	assert_int_equal(symtab_source(file.tab), source);
	if (source > SYMTAB_DYNSYM)
		assert_memory_equal(hit.name, "expect_own_function", hit.name_len);
	close_named(&file);
}

static void test_separate_symbols(void **state)
{
	char *path = in_dir("stripped");

	(void)state;
	need("objcopy strip xz nm");
	run("cd %s && objcopy --only-keep-debug %s stripped.debug && strip -o stripped %s", dir,
		self, self);
	expect_own_function(path, SYMTAB_DYNSYM);
	run("cd %s && objcopy --add-gnu-debuglink=stripped.debug stripped", dir);
	expect_own_function(path, SYMTAB_DEBUG);
	run("cd %s && mkdir -p .debug && mv stripped.debug .debug", dir);
	expect_own_function(path, SYMTAB_DEBUG);
	/* another debug file of that name */
	run("cd %s && objcopy -R .comment --remove-section=.note.gnu.build-id "
	    ".debug/stripped.debug",
		dir);
	expect_own_function(path, SYMTAB_DYNSYM);
	/* neither file has a build-id: the checksum decides */
	run("cd %s && strip -R .note.gnu.build-id -o stripped %s && mv .debug/stripped.debug . && "
	    "objcopy --add-gnu-debuglink=stripped.debug stripped",
		dir, self);
	expect_own_function(path, SYMTAB_DEBUG);
	run("cd %s && printf x >>stripped.debug", dir);
	expect_own_function(path, SYMTAB_DYNSYM);
	/* .gnu_debugdata */
	run("cd %s && rm stripped.debug && strip -o stripped %s && objcopy -S -K "
	    "expect_own_function "
	    "-R .rodata %s mini && xz mini && objcopy --add-section .gnu_debugdata=mini.xz "
	    "stripped",
		dir, self, self);
	expect_own_function(path, SYMTAB_OWN);
	free(path);
}

/* The mapped file does not exist here. */
static void test_debug_file_alone(void **state)
{
	char *path = in_dir("alone");
	struct symtab_hit hit;

	(void)state;
	need("objcopy");
	run("objcopy --only-keep-debug %s %s", self, path);
	struct elffile *elf = elffile_open(self, NULL), *debug = elffile_open(path, NULL);
	struct symtab *tab = symtab_new(NULL, debug, NULL);
	uint64_t address;

	assert_int_equal(symtab_source(tab), SYMTAB_DEBUG);
	assert_true(elffile_address(elf, own_offset(elf, test_debug_file_alone), &address));
	assert_true(symtab_find(tab, address + 1, &hit));
	assert_memory_equal(hit.name, "test_debug_file_alone", hit.name_len);
	assert_int_equal(hit.start, address);
	assert_false(symtab_find(tab, 0, &hit));
	symtab_free(tab);
	tab = symtab_new(NULL, NULL, NULL);
	assert_int_equal(symtab_source(tab), SYMTAB_NONE);
	assert_false(symtab_find(tab, address, &hit));
	symtab_free(tab);
	tab = symtab_new(elf, debug, NULL);
	assert_int_equal(symtab_source(tab), SYMTAB_OWN);
	symtab_free(tab);
	elffile_close(elf);
	elffile_close(debug);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table_rules),
		cmocka_unit_test(test_table_ends),
		cmocka_unit_test(test_against_addr2line),
		cmocka_unit_test(test_every_exported_function),
		cmocka_unit_test(test_32_bits),
		cmocka_unit_test(test_stubs),
		cmocka_unit_test(test_separate_symbols),
		cmocka_unit_test(test_debug_file_alone),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	setenv("DEBUGINFOD_URLS", "", 1);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
