/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The facts that children find in ELF files, and the facts that remain if a file ends a child. */
#include "symbol/elf/elffacts.h"
#include "symbol/elf/elfhead.h"
#include "symbol/elf/symtab.h"
#include "symbol_test.h"

#include <endian.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <elfutils/libdwelf.h>
#include <sys/wait.h>

extern int elffacts_variable_here;
int elffacts_variable_here = 1;

/* Makes a copy of this program called NAME, in the folder of the tests. */
static char *copy_self(const char *name)
{
	struct elffile *elf = elffile_open(self, NULL);
	char *path = in_dir(name);

	assert_int_equal(elffile_copy(elf, path, 0, NULL), 0);
	elffile_close(elf);
	return path;
}

static void elffacts_are_those_of_the_file(void **state)
{
	struct elffile *elf = elffile_open(self, NULL);
	struct elf_variable v, w;
	struct elf_data_range range;
	uint64_t address, size, a, s;
	GElf_Ehdr ehdr;

	(void)state;
	assert_non_null(elf);
	assert_true(elfdata_variable(elf, "elffacts_variable_here", &v));
	assert_true(elffacts_variable(elf, "elffacts_variable_here", &w));
	assert_int_equal(v.address, w.address);
	assert_int_equal(w.size, sizeof(elffacts_variable_here));
	assert_false(w.per_thread);
	assert_false(elffacts_variable(elf, "no such variable", &w));
	assert_true(elfdata_section(elf, ".rodata", &address, &size));
	assert_true(elffacts_section(elf, ".rodata", &a, &s));
	assert_true(a == address && s == size && size);
	assert_int_equal(elffacts_rules(elf, own_offset(elf, copy_self)), RULES_SOME);
	assert_int_equal(elffacts_rules(elf, 0), RULES_NONE);
	assert_non_null(gelf_getehdr(elffile_elf(elf), &ehdr));
	assert_int_equal(elffacts_rules(elf, offset_of(elf, ehdr.e_entry)), RULES_ROOT);
	assert_false(elffacts_is_main(elf, ehdr.e_entry));
	assert_true(elffacts_names_known(elf, self, &(struct debug_paths){0}));
	assert_int_equal(elffacts_hidden_eh_frame(elf), 0);
	assert_true(elfdata_needs(elf, "libc.so.6"));
	assert_true(elffacts_needs(elf, "libc.so.6.1"));
	assert_false(elffacts_needs(elf, "libc.so.60"));
	assert_false(elffacts_needs(elf, "libc.so"));
	elffacts_data_at(elf, v.address + 3, &range);
	assert_true(range.is_data);
	assert_string_equal(range.variable, "elffacts_variable_here");
	assert_int_equal(range.start, v.address);
	assert_int_equal(range.end, v.address + v.size);
	elffacts_data_at(elf, address, &range);
	assert_false(range.is_data);
	assert_true(range.start <= address && address + size <= range.end);
	elffacts_data_at(elf, UINT64_MAX, &range);
	assert_false(range.is_data);
	assert_int_equal(elffacts_thread_place(elf, "elffacts_variable_here", &a), THREAD_NOWHERE);
	elffile_close(elf);
}

static struct elf_question variable_of(const struct elffile *elf)
{
	return (struct elf_question){elf, FACT_VARIABLE, "elffacts_variable_here", 0, NULL};
}

/* The child has inherited a mapping of the file, which has lost its pages. */
static void elffacts_of_other_files_survive_a_crash(void **state)
{
	char *bad_path = copy_self("bad");
	struct elffile *good = elffile_open(self, NULL), *bad = elffile_open(bad_path, NULL);
	struct elffile *last = elffile_open(libc_path, NULL);
	struct elf_question list[] = {variable_of(good), variable_of(bad), variable_of(last),
		{bad, FACT_SECTION, ".text", 0, NULL},
		{last, FACT_VARIABLE, "pthread_getspecific", 0, NULL}};
	struct elf_variable v;
	uint64_t address, size;
	size_t len;
	char *content = read_file(bad_path, &len);

	(void)state;
	signal(SIGBUS, SIG_DFL); /* cmocka catches it */
	assert_non_null(elffile_elf(bad));
	assert_int_equal(truncate(bad_path, 0), 0);
	elffacts_ask(list, ARRAY_LEN(list));
	assert_true(elffacts_variable(good, "elffacts_variable_here", &v));
	assert_false(elffacts_variable(bad, "elffacts_variable_here", &v));
	assert_false(elffacts_section(bad, ".text", &address, &size));
	assert_false(elffacts_variable(last, "elffacts_variable_here", &v));
	assert_true(elffacts_variable(last, "pthread_getspecific", &v));
	/* the file is whole again, but is not tried a second time */
	write_file(bad_path, content, len);
	assert_false(elffacts_section(bad, ".data", &address, &size));
	assert_string_equal(elffile_build_id(bad), elffile_build_id(good));
	elffile_close(good);
	elffile_close(bad);
	elffile_close(last);
	free(bad_path);
	free(content);
}

/* Exits with 0 if it reports on stderr that it does not map the file, and its child does map it. */
static void use_heads_only(int from, int to, uint64_t code)
{
	struct elffile *elf = elffile_open(self, NULL);
	struct elf_variable v;
	char said[100];
	bool ok;

	dup2(to, STDERR_FILENO);
	elffile_use_heads_only();
	ok = elffacts_variable(elf, "elffacts_variable_here", &v) && *elffile_build_id(elf);
	ok &= !elffile_elf(elf) && !elfdata_variable(elf, "elffacts_variable_here", &v);
	ok &= elffile_rules(elf, code) == RULES_NONE;
	ok &= read(from, said, sizeof(said)) > 15 && !memcmp(said, "internal error:", 15);
	_exit(!ok);
}

static void elffile_use_heads_only__leaves_the_rest_to_children(void **state)
{
	struct elffile *elf = elffile_open(self, NULL);
	uint64_t code = own_offset(elf, copy_self);
	int ends[2], status;
	pid_t pid;

	(void)state;
	elffile_close(elf);
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid)
		use_heads_only(ends[0], ends[1], code);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(ends[0]);
	close(ends[1]);
}

/* ---- heads ---- */

static size_t read_file_at(const void *context, uint64_t offset, void *to, size_t len)
{
	ssize_t n = pread(*(const int *)context, to, len, (off_t)offset);

	return n < 0 ? 0 : (size_t)n;
}

static void check_segments(const struct elfhead *head, Elf *elf)
{
	size_t nr_headers, nr = 0;
	GElf_Phdr phdr;

	assert_int_equal(elf_getphdrnum(elf, &nr_headers), 0);
	for (size_t i = 0; i < nr_headers; i++) {
		assert_non_null(gelf_getphdr(elf, (int)i, &phdr));
		if (phdr.p_type != PT_LOAD)
			continue;
		assert_true(nr < head->nr_segments);
		assert_int_equal(head->segments[nr].offset, phdr.p_offset);
		assert_int_equal(head->segments[nr].size, phdr.p_filesz);
		assert_int_equal(head->segments[nr].address, phdr.p_vaddr);
		assert_int_equal(head->segments[nr++].code, !!(phdr.p_flags & PF_X));
	}
	assert_int_equal(nr, head->nr_segments);
}

/* Returns whether it is an ELF file. */
static bool check_head(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	struct elfhead head;
	const void *id;
	bool is_elf = elf && elf_kind(elf) == ELF_K_ELF;

	if (is_elf) {
		assert_true(elfhead_read(&head, &(struct elf_reader){read_file_at, &fd}));
		check_segments(&head, elf);
		ssize_t len = dwelf_elf_gnu_build_id(elf, &id);

		assert_int_equal(head.id_len, len > 0 ? len : 0);
		assert_memory_equal(head.id, id, head.id_len);
		elfhead_release(&head);
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return is_elf;
}

static void elfhead_read__agrees_with_libelf(void **state)
{
	static const char *const patterns[] = {"/usr/bin/[a-e]*", "/usr/lib*/*/*.so*",
		"/usr/lib/debug/.build-id/0[0-3]/*.debug", "/usr/lib/*/*.o", "build/src/lib/*.o"};
	size_t nr = 0;
	glob_t files;

	(void)state;
	elf_version(EV_CURRENT);
	for (size_t i = 0; i < ARRAY_LEN(patterns); i++)
		assert_true(glob(patterns[i], i ? GLOB_APPEND : 0, NULL, &files) != GLOB_NOSPACE);
	for (size_t i = 0; i < files.gl_pathc; i++)
		nr += check_head(files.gl_pathv[i]);
	printf("# %zu ELF files\n", nr);
	assert_true(nr > 10);
	globfree(&files);
}

/* A program of 32 bits in the other byte order, with two notes. */
struct big {
	Elf32_Ehdr ehdr;
	Elf32_Phdr phdrs[2];
	uint32_t other[5], note[4];
	unsigned char id[8];
};

static const struct big big = {
	.ehdr = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2MSB,
			 EV_CURRENT}},
	.id = {1, 2, 3, 4, 5, 6, 7, 0xab},
};

static struct big make_big(void)
{
	struct big b = big;

	b.ehdr.e_type = htobe16(ET_EXEC);
	b.ehdr.e_phoff = htobe32(offsetof(struct big, phdrs));
	b.ehdr.e_phnum = htobe16(2);
	b.phdrs[0] = (Elf32_Phdr){.p_type = htobe32(PT_NOTE),
		.p_offset = htobe32(offsetof(struct big, other)),
		.p_filesz = htobe32(sizeof(b.other) + sizeof(b.note) + sizeof(b.id)),
		.p_align = htobe32(4)};
	b.phdrs[1] = (Elf32_Phdr){.p_type = htobe32(PT_LOAD),
		.p_vaddr = htobe32(0x10000),
		.p_filesz = htobe32(sizeof(b)),
		.p_flags = htobe32(PF_R | PF_X)};
	b.other[0] = htobe32(5);
	b.other[2] = htobe32(NT_GNU_BUILD_ID);
	memcpy(&b.other[3], "GNU?", 5);
	b.note[0] = htobe32(4);
	b.note[1] = htobe32(sizeof(b.id));
	b.note[2] = htobe32(NT_GNU_BUILD_ID);
	memcpy(&b.note[3], "GNU", 4);
	return b;
}

static void elfhead_read__knows_the_other_byte_order(void **state)
{
	struct big b = make_big();
	struct elffile *elf = elffile_open_memory(&b, sizeof(b));
	uint64_t address, first;

	(void)state;
	assert_non_null(elf);
	assert_string_equal(elffile_build_id(elf), "01020304050607ab");
	assert_true(elffile_build_id_address(elf, &address, &first));
	assert_int_equal(address, 0x10000 + offsetof(struct big, id));
	assert_memory_equal(&first, b.id, sizeof(b.id));
	elffile_close(elf);
	elf = elffile_open_memory(&b, sizeof(b) - 1);
	assert_non_null(elf);
	assert_string_equal(elffile_build_id(elf), "");
	elffile_close(elf);
	assert_null(elffile_open_memory(&b, sizeof(b.ehdr) - 1));
}

/* A 64-bit file of this machine whose first section tells the number of sections. */
struct many {
	Elf64_Ehdr ehdr;
	Elf64_Shdr first;
};

static void expect_contents(const struct many *many, bool expected)
{
	struct elffile *elf = elffile_open_memory(many, sizeof(*many));

	assert_non_null(elf);
	assert_true(!!elffile_elf(elf) == expected);
	elffile_close(elf);
}

static void elffile_elf__refuses_too_many_sections(void **state)
{
	struct many many = {
		.ehdr = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				 EV_CURRENT},
			.e_type = ET_DYN,
			.e_shoff = offsetof(struct many, first)},
		.first = {.sh_size = 1},
	};

	(void)state;
	expect_contents(&many, true);
	many.first.sh_size = (1 << 17) + 1;
	expect_contents(&many, false);
	many.first.sh_size = UINT64_MAX;
	expect_contents(&many, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elffacts_are_those_of_the_file),
		cmocka_unit_test(elffacts_of_other_files_survive_a_crash),
		cmocka_unit_test(elffile_use_heads_only__leaves_the_rest_to_children),
		cmocka_unit_test(elfhead_read__agrees_with_libelf),
		cmocka_unit_test(elffile_elf__refuses_too_many_sections),
		cmocka_unit_test(elfhead_read__knows_the_other_byte_order),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
