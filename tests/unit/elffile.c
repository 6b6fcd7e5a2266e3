/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ELF files: identity, unwind rules, damage. */
#include "symbol/elf/elffile.h"
#include "symbol/elf/symtab.h"
#include "symbol_test.h"

#include <sys/stat.h>

static void compare_build_id(void)
{
	char *cmd = xasprintf("readelf -n '%s' | sed -n 's/.*Build ID: *//p'", libc_path);
	struct elffile *elf = elffile_open(libc_path, NULL);
	char line[256] = "";

	FILE *judge = popen(cmd, "r");

	assert_non_null(fgets(line, sizeof(line), judge));
	line[strcspn(line, "\n")] = '\0';
	assert_string_equal(elffile_build_id(elf), line);
	pclose(judge);
	free(cmd);
	elffile_close(elf);
}

static void test_build_id(void **state)
{
	(void)state;
	need("readelf");
	compare_build_id();
}

static void test_rules(void **state)
{
	struct elffile *elf = elffile_open(self, NULL);
	GElf_Ehdr ehdr;

	(void)state;
	assert_non_null(elf);
	assert_non_null(gelf_getehdr(elffile_elf(elf), &ehdr));
	assert_int_equal(elffile_rules(elf, offset_of(elf, ehdr.e_entry)), RULES_ROOT);
	assert_int_equal(elffile_rules(elf, own_offset(elf, test_rules)), RULES_SOME);
	assert_int_equal(elffile_rules(elf, own_offset(elf, symbol_resolve) + 1), RULES_SOME);
	assert_int_equal(elffile_rules(elf, 0), RULES_NONE);
	assert_int_equal(elffile_rules(elf, UINT64_MAX), RULES_NONE);
	elffile_close(elf);
	need(perl);
	elf = elffile_open(perl, NULL);
	assert_non_null(gelf_getehdr(elffile_elf(elf), &ehdr));
	assert_int_equal(elffile_rules(elf, offset_of(elf, ehdr.e_entry)), RULES_ROOT);
	elffile_close(elf);
}

/* ELF is the file "hidden" of LEN bytes, which is made larger. */
static void check_refusals(const struct elffile *elf, size_t len, uint64_t at)
{
	char *plain = in_dir("plain"), *other = in_dir("other"), *hidden = in_dir("hidden");
	struct strbuf err = STRBUF_INIT;

	assert_int_equal(elffile_copy(elf, plain, at, &err), -1);
	assert_non_null(strstr(err.buf, "File exists"));
	assert_int_equal(elffile_copy(elf, "/no/where", 0, &err), -1);
	assert_int_equal(elffile_copy(elf, other, len - 3, &err), -1);
	assert_int_equal(access(other, F_OK), -1);
	assert_int_equal(truncate(hidden, (1LL << 32) + 1), 0);
	assert_int_equal(elffile_copy(elf, other, at, &err), -1);
	assert_non_null(strstr(err.buf, "too large"));
	strbuf_release(&err);
	free(plain);
	free(other);
	free(hidden);
}

static void test_hidden_eh_frame(void **state)
{
	char *hidden = in_dir("hidden"), *plain = in_dir("plain");
	size_t len, plain_len;
	char *bytes = read_file(self, &len), *again;
	struct elffile *elf = elffile_open(self, NULL);
	Elf64_Ehdr *ehdr = (Elf64_Ehdr *)bytes;
	GElf_Shdr unused;
	uint64_t at;
	size_t n = elf_ndxscn(elffile_section(elffile_elf(elf), ".eh_frame", &unused));

	(void)state;
	assert_int_equal(elffile_hidden_eh_frame(elf), 0);
	elffile_close(elf);
	((Elf64_Shdr *)(bytes + ehdr->e_shoff))[n].sh_type = 0x70000001;
	write_file(hidden, bytes, len);
	((Elf64_Shdr *)(bytes + ehdr->e_shoff))[n].sh_type = SHT_PROGBITS;
	elf = elffile_open(hidden, NULL);
	at = elffile_hidden_eh_frame(elf);
	assert_int_equal(
		at, ehdr->e_shoff + n * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_type));
	assert_int_equal(elffile_rules(elf, own_offset(elf, test_rules)), RULES_SOME);
	assert_int_equal(elffile_copy(elf, plain, at, NULL), 0);
	again = read_file(plain, &plain_len);
	assert_int_equal(plain_len, len);
	assert_memory_equal(again, bytes, len);
	check_refusals(elf, len, at);
	elffile_close(elf);
	elf = elffile_open(plain, NULL);
	assert_int_equal(elffile_hidden_eh_frame(elf), 0);
	assert_int_equal(elffile_rules(elf, own_offset(elf, test_rules)), RULES_SOME);
	elffile_close(elf);
	free(bytes);
	free(again);
	free(hidden);
	free(plain);
}

/* ---- files that are not valid ELF ---- */

static void test_no_elf(void **state)
{
	char *text = in_dir("text"), *fifo = in_dir("fifo"), *missing = in_dir("missing");
	struct strbuf err = STRBUF_INIT;

	(void)state;
	write_file(text, "\177ELF and more", 13);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_null(elffile_open(text, &err));
	assert_non_null(strstr(err.buf, "not an ELF"));
	assert_null(elffile_open(fifo, &err));
	assert_non_null(strstr(err.buf, "not a regular file"));
	assert_null(elffile_open(missing, &err));
	assert_non_null(strstr(err.buf, "No such file"));
	assert_null(elffile_open(dir, NULL));
	assert_null(elffile_open_memory("x", 1));
	strbuf_release(&err);
	free(text);
	free(fifo);
	free(missing);
}

static void use_all_of(struct elffile *elf)
{
	struct symtab *tab = symtab_new(elf, NULL, NULL);
	struct symtab_hit hit;
	size_t used = 0;

	elffile_hidden_eh_frame(elf);
	for (int i = 0; i < 200; i++) {
		uint64_t offset = random_below(1 << 18), address;

		elffile_rules(elf, offset);
		if (!elffile_address(elf, offset, &address))
			address = random_below(1 << 20);
		if (symtab_find(tab, address, &hit))
			used += strnlen(hit.name, hit.name_len);
	}
	assert_true(used < SIZE_MAX);
	symtab_free(tab);
}

/* Damages one place, either anywhere or in the headers. */
static void damage(char *bytes, size_t len)
{
	const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)bytes;
	size_t shdrs = ehdr->e_shoff, size = sizeof(Elf64_Shdr) * ehdr->e_shnum, at;
	static const uint64_t values[] = {0, UINT64_MAX, INT64_MAX, 1, UINT64_MAX - 0xfff, 0x1000};

	switch (random_below(16)) {
	case 0:
		at = random_below(sizeof(*ehdr));
		break;
	case 1:
		at = sizeof(*ehdr) + random_below(12 * sizeof(Elf64_Phdr));
		break;
	case 2 ... 9:
		at = shdrs < len && size <= len - shdrs && size ? shdrs + random_below(size) : 0;
		break;
	default:
		at = random_below(len);
	}
	at &= ~(size_t)7;
	if (at + 8 > len)
		return;
	if (random_below(2))
		memcpy(bytes + at, &values[random_below(ARRAY_LEN(values))], 8);
	else
		bytes[at + random_below(8)] ^= (char)(1 << random_below(8));
}

static void test_damaged_files(void **state)
{
	char *path = in_dir("damaged");
	size_t len, opened = 0;
	char *bytes = read_file("/usr/bin/env", &len), *copy = xmalloc(len);
	int rounds = getenv("ROUNDS") ? atoi(getenv("ROUNDS")) : 300;

	(void)state;
	for (int i = 0; i < rounds; i++) {
		memcpy(copy, bytes, len);
		for (uint64_t k = random_below(6); k < 6; k++)
			damage(copy, len);
		size_t cut = i % 4 ? len : random_below(len);
		struct elffile *elf;

		if (i % 2) {
			elf = elffile_open_memory(copy, cut);
		} else {
			write_file(path, copy, cut);
			elf = elffile_open(path, NULL);
		}
		if (elf) {
			opened++;
			use_all_of(elf);
		}
		elffile_close(elf);
	}
	printf("# %zu of %d damaged files opened\n", opened, rounds);
	free(bytes);
	free(copy);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_build_id),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_hidden_eh_frame),
		cmocka_unit_test(test_no_elf),
		cmocka_unit_test(test_damaged_files),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	setenv("DEBUGINFOD_URLS", "", 1);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
