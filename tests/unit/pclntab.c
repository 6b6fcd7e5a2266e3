/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names from Go's own table of functions. */
#include "go_test.h"
#include "symbol/elf/elffile.h"
#include "symbol/elf/pclntab.h"
#include "symbol/elf/symtab.h"

enum { LONGEST = (1 << 14) - 1 }; /* accepted length of a name */

/* Expects NAME for AT, in the function from START on, or no name if NAME is NULL. */
static void expect_name(struct symtab *tab, uint64_t at, const char *name, uint64_t start)
{
	struct symtab_hit hit;

	if (symtab_find(tab, at, &hit) != !!name)
		fail_msg("%#lx: %s", at, name ? "no name" : hit.name);
	if (!name)
		return;
	assert_int_equal(hit.name_len, strlen(name));
	assert_memory_equal(hit.name, name, hit.name_len);
	assert_int_equal(hit.start, start);
}

static void test_names(void **state)
{
	(void)state;
	for (size_t m = 0; m < ARRAY_LEN(go_magics); m++) {
		struct strbuf sb = STRBUF_INIT;
		uint64_t at = TINY_FIRST;

		make_pclntab(&sb, go_magics[m], m < 2);
		struct elffile *elf =
			open_tiny(1024, m ? ".gopclntab" : ".data.rel.ro.gopclntab", &sb);
		struct symtab *tab = symtab_new(elf, NULL, NULL);
		struct elf_variable function;

		for (size_t i = 0; i < ARRAY_LEN(go_functions); i++) {
			assert_true(pclntab_find(elf, go_functions[i], &function));
			assert_int_equal(function.address, at + i * FUNCTION);
			assert_int_equal(function.size, FUNCTION);
		}
		assert_false(pclntab_find(elf, "main.f", &function));
		expect_name(tab, at - 1, NULL, 0);
		for (size_t i = 0; i < ARRAY_LEN(go_functions); i++, at += FUNCTION)
			for (uint64_t k = 0; k < FUNCTION; k++)
				expect_name(tab, at + k, go_functions[i], at);
		expect_name(tab, at, NULL, 0);
		symtab_free(tab);
		elffile_close(elf);
	}
}

/* Names that are outside, not terminated, empty or too long; and the longest allowed one. */
static void test_bad_names(void **state)
{
	const char *names[ARRAY_LEN(go_functions)] = {0};
	struct strbuf sb = STRBUF_INIT, longest = STRBUF_INIT;
	uint64_t at[ARRAY_LEN(go_functions)];

	(void)state;
	make_pclntab(&sb, go_magics[0], true);
	while (longest.len < LONGEST)
		strbuf_addch(&longest, 'y');
	names[2] = longest.buf;
	at[0] = UINT32_MAX;
	at[1] = sb.len - GO_NAMES;
	strbuf_addch(&sb, 'x');
	strbuf_adds(&sb, longest.buf);
	at[2] = at[1] + 1;
	at[3] = sb.len - GO_NAMES;
	strbuf_addch(&sb, '\0');
	at[4] = sb.len - GO_NAMES;
	strbuf_adds(&sb, "open");
	for (size_t i = 0; i < ARRAY_LEN(at); i++)
		put_at(&sb, GO_DESCRIPTIONS + i * GO_DESCRIPTION + 4, at[i], 4);
	struct elffile *elf = open_tiny(1024, ".gopclntab", &sb);
	struct symtab *tab = symtab_new(elf, NULL, NULL);

	for (size_t i = 0; i < ARRAY_LEN(at); i++)
		expect_name(tab, TINY_FIRST + i * FUNCTION, names[i], TINY_FIRST + i * FUNCTION);
	symtab_free(tab);
	elffile_close(elf);
	strbuf_release(&longest);
}

/* A function whose end is not in code ends with the section; a function that begins there does not
 * exist. */
static void test_bad_addresses(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	make_pclntab(&sb, go_magics[0], true);
	put_at(&sb, GO_FUNCTIONS + 8, FUNCTION / 2, 4);
	put_at(&sb, GO_FUNCTIONS + 16, 0, 4);
	put_at(&sb, GO_FUNCTIONS + 32, UINT32_MAX - 1, 4);
	put_at(&sb, GO_FUNCTIONS + 40, UINT32_MAX, 4);
	struct elffile *elf = open_tiny(1024, ".gopclntab", &sb);
	struct symtab *tab = symtab_new(elf, NULL, NULL);
	uint64_t last = TINY_FIRST + 3 * FUNCTION;

	expect_name(tab, TINY_FIRST + FUNCTION / 2, go_functions[2], TINY_FIRST);
	expect_name(tab, last - 1, go_functions[2], TINY_FIRST);
	expect_name(tab, last, go_functions[3], last);
	expect_name(tab, TINY_FIRST + 1023, go_functions[3], last);
	expect_name(tab, TINY_FIRST + 1024, NULL, 0);
	expect_name(tab, TINY_FIRST + UINT32_MAX - 1, NULL, 0);
	symtab_free(tab);
	elffile_close(elf);
}

/* Only the description of the program says where the text begins behind C's startup code. */
static void test_text_after_startup(void **state)
{
	enum { STARTUP = 64, TEXT = 22 };
	const uint64_t module[TEXT + 1] = {TINY_FIRST + 1024, [TEXT] = TINY_FIRST + STARTUP};
	struct strbuf image = STRBUF_INIT, sb = STRBUF_INIT;

	(void)state;
	make_pclntab(&sb, go_magics[0], true);
	put_at(&sb, 24, 0, 8); /* the table does not say it */
	tiny_elf(&image,
		(struct tiny_section[TINY_SECTIONS]){{".text", text, 1024},
			{".gopclntab", sb.buf, sb.len}, {".go.module", module, sizeof(module)}});
	struct elffile *elf = elffile_open_memory(image.buf, image.len);
	struct symtab *tab = symtab_new(elf, NULL, NULL);

	for (size_t i = 0; i < ARRAY_LEN(go_functions); i++) {
		uint64_t at = TINY_FIRST + STARTUP + i * FUNCTION;

		expect_name(tab, at + 1, go_functions[i], at);
	}
	symtab_free(tab);
	elffile_close(elf);
	strbuf_release(&image);
	strbuf_release(&sb);
}

/* ---- against the symbols of an unstripped program ---- */

static const char program[] = "package main\n"
			      "type T struct { name string; any interface{} }\n"
			      "//go:noinline\n"
			      "func (t *T) Method(n int) int { return n + len(t.name) }\n"
			      "//go:noinline\n"
			      "func F[N int | float64](n N) N { return n + n }\n"
			      "func main() {\n"
			      "	t, done := &T{name: \"x\"}, make(chan bool)\n"
			      "	go func() { done <- t.Method(1) == int(F(1.5)) + F(2) }()\n"
			      "	println(<-done, interface{}(*t) == interface{}(T{}))\n"
			      "}\n";

/* Go's table has "..." for the types of generic functions, and no suffix for assembly. */
static void shorten(char *name)
{
	char *open = strchr(name, '['), *close = strrchr(name, ']');
	size_t len = strlen(name);

	if (len > 5 && !strcmp(name + len - 5, ".abi0"))
		name[len - 5] = '\0';
	if (!open || !close || close < open)
		return;
	memmove(open + 4, close, strlen(close) + 1);
	memcpy(open, "[...", 4);
}

/* Checks that every function that nm finds in WHOLE has its name in STRIPPED. Returns how many
 * there are. */
static size_t compare_with_nm(const char *whole, const char *stripped)
{
	struct elffile *elf = elffile_open(stripped, NULL);
	struct symtab *tab = symtab_new(elf, NULL, NULL);
	char *cmd = xasprintf("nm -S '%s'", whole), line[4096], name[4096], type;
	struct symtab_hit hit;
	uint64_t at, size;
	size_t n = 0, wrong = 0;

	FILE *nm = popen(cmd, "r");

	while (fgets(line, sizeof(line), nm)) {
		if (sscanf(line, "%lx %lx %c %4000[^\n]", &at, &size, &type, name) != 4 ||
			!strchr("Tt", type))
			continue;
		shorten(name);
		n++;
		if (symtab_find(tab, at + size - 1, &hit) && hit.start == at &&
			hit.name_len == strlen(name) && !memcmp(hit.name, name, hit.name_len))
			continue;
		printf("# %#lx: %s\n", at, name);
		wrong++;
	}
	printf("# %zu functions, %zu unlike nm\n", n, wrong);
	pclose(nm);
	symtab_free(tab);
	elffile_close(elf);
	free(cmd);
	assert_int_equal(wrong, 0);
	return n;
}

static void test_go_program(void **state)
{
	char *source = in_dir("p.go"), *whole = in_dir("whole"), *stripped = in_dir("stripped");

	(void)state;
	need("go nm");
	write_file(source, program, strlen(program));
	char *build_both = xasprintf(
		"cd '%s' && export HOME=$PWD GOCACHE=$PWD/cache GOFLAGS= GO111MODULE=off "
		"CGO_ENABLED=0 && go build -o whole p.go && go build -ldflags='-s -w' -o stripped "
		"p.go",
		dir);
	int status = system(build_both);

	free(build_both);
	if (!status)
		assert_true(compare_with_nm(whole, stripped) > 1000);
	free(source);
	free(whole);
	free(stripped);
	if (status) {
		printf("# skipped: this go does not build it\n");
		skip();
	}
}

/* ---- damaged tables ---- */

static size_t use_damaged(const char *image, size_t size)
{
	struct elffile *elf = elffile_open_memory(image, size);
	struct symtab_hit hit;
	size_t found = 0;

	if (!elf)
		return 0;
	struct symtab *tab = symtab_new(elf, NULL, NULL);

	for (uint64_t at = TINY_FIRST - FUNCTION; at < TINY_FIRST + 2048; at += FUNCTION / 2) {
		if (!symtab_find(tab, at, &hit))
			continue;
		assert_true(strlen(hit.name) >= hit.name_len && hit.name_len <= LONGEST);
		found++;
	}
	symtab_free(tab);
	elffile_close(elf);
	return found;
}

static void test_damaged(void **state)
{
	int rounds = getenv("ROUNDS") ? atoi(getenv("ROUNDS")) : 3000;
	struct strbuf image = STRBUF_INIT, sb = STRBUF_INIT;
	size_t found = 0;

	(void)state;
	make_pclntab(&sb, go_magics[0], true);
	tiny_elf(&image, (struct tiny_section[TINY_SECTIONS]){
				 {".text", text, 1024}, {".gopclntab", sb.buf, sb.len}});
	for (int i = 0; i < rounds; i++) {
		char *copy = xmalloc(image.len);

		memcpy(copy, image.buf, image.len);
		for (uint64_t k = random_below(6); k < 6; k++)
			damage((unsigned char *)copy, k ? 256 + 1024 : 0, image.len);
		found += use_damaged(copy, image.len);
		free(copy);
	}
	printf("# %zu names in %d damaged files\n", found, rounds);
	assert_true(found > 0);
	strbuf_release(&image);
	strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_bad_names),
		cmocka_unit_test(test_bad_addresses),
		cmocka_unit_test(test_text_after_startup),
		cmocka_unit_test(test_go_program),
		cmocka_unit_test(test_damaged),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	setenv("DEBUGINFOD_URLS", "", 1);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
